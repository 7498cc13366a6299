"""What is watched routinely under a drug is never a false alarm, and nobody needs to name it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gym_clinic.clinical.judging.judge import JudgedEpisode
from gym_clinic.domains.drug_interaction.checks.formulary import indications
from gym_clinic.domains.drug_interaction.checks.watching import is_routine, routinely_watched
from gym_clinic.domains.drug_interaction.gold import gold_of
from gym_clinic.domains.drug_interaction.plans import as_meant, drugs_named, plan_score
from gym_clinic.domains.drug_interaction.rewards import JUDGE, accuracy, fits, harms
from gym_clinic.domains.drug_interaction.world import open_case, review_patient
from gym_clinic.episode import Episode, Task

RAMIPRIL = {"drug": "ramipril", "dose": 2.5, "unit": "mg", "per_day": 1, "route": "po",
            "indication": "hypertension"}  # fmt: skip
RECORD: dict[str, Any] = {
    "seed": 4, "condition": "gastroesophageal-reflux-disease", "split": "train",
    "edit": [{"kind": "kidneys", "creatinine": 0.8},
             {"kind": "shown", "documents": ["letter"]}], "question": RAMIPRIL,
}  # fmt: skip


@pytest.mark.parametrize(
    ("drug", "test"),
    [
        ("spironolactone", "U&E"), ("ramipril", "serum potassium"), ("ivabradine", "pulse"),
        ("levothyroxine", "TSH"), ("amiodarone", "thyroid function tests"),
        ("methotrexate", "LFTs"), ("warfarin", "INR"), ("lithium", "lithium level"),
        ("olanzapine", "HbA1c"), ("hydroxychloroquine", "eye examination"),
        ("allopurinol", "uric acid"), ("apixaban", "renal function"), ("valproate", "FBC"),
    ],
)  # fmt: skip
def test_sensible_monitoring_is_known(drug: str, test: str) -> None:
    assert is_routine(test, [drug])
    assert not is_routine("chest x-ray", [drug])


def test_what_is_given_for_years_has_its_monitoring() -> None:
    years = ("type 2 diabetes", "heart failure", "hypertension", "bipolar disorder",
             "rheumatoid arthritis", "schizophrenia", "atrial fibrillation, stroke")  # fmt: skip
    lacking = {
        one.drug for name in years for one in indications()[name].options
        if not routinely_watched(one.drug)
    }  # fmt: skip
    assert lacking == set()


TAKEN = {**RECORD, "question": {"review": "list"},
         "edit": [*RECORD["edit"], {"kind": "take", **RAMIPRIL, "for": "hypertension",
                                    "days": 200}]}  # fmt: skip


def answered(
    verdict: str, *tests: str, record: dict[str, Any] = RECORD,
    named: Sequence[dict[str, Any]] = (), **plan: Any,
) -> JudgedEpisode:  # fmt: skip
    gold = gold_of(record, review_patient(record))
    assert gold["answer"]["verdict"] in ("start as proposed", "keep the list")
    monitoring = [{"test": one, "first_day": 10} for one in tests]
    answer = {"verdict": verdict, "problems": named, "plan": {"monitoring": monitoring, **plan},
              "cited_findings": []}  # fmt: skip
    task = Task("t", record, gold)
    return JudgedEpisode(JUDGE, Episode(task, open_case(task), [], answer, "answered"))


def test_a_start_that_is_watched_as_usual_is_the_start_as_proposed() -> None:
    for verdict in ("start as proposed", "start with change"):
        found = answered(verdict, "potassium", "creatinine")
        assert accuracy(found) == {"verdict": 1, "problems": 1, "plan": 1}
        assert fits(found) == 1
        assert [*harms(found)] == []


def test_a_list_that_is_watched_as_usual_is_kept() -> None:
    for verdict in ("keep the list", "change the list"):
        found = answered(verdict, "potassium", "creatinine", record=TAKEN)
        assert accuracy(found) == {"verdict": 1, "problems": 1, "plan": 1}
        assert fits(found) == 1
        assert [*harms(found)] == []
    for tests, plan in ((("TSH",), {}), ((), {}), (("potassium",), {"stop": ["ramipril"]})):
        found = answered("change the list", *tests, record=TAKEN, **plan)
        assert accuracy(found)["verdict"] == 0
        assert 2 in [one.severity for one in harms(found)]


BOUGHT = {"kind": "take", "dose": 50, "unit": "mg", "per_day": 1, "for": "poor sleep",
          "bought": True}  # fmt: skip


@pytest.mark.parametrize("record", [RECORD, TAKEN])
@pytest.mark.parametrize(("drug", "harmless"), [("diphenhydramine", True), ("paracetamol", False)])
def test_what_it_harms_nobody_to_end_may_be_stopped(
    record: dict[str, Any], drug: str, harmless: bool
) -> None:
    beside = {**record, "edit": [*record["edit"], {**BOUGHT, "drug": drug}]}
    verdict = "change the list" if "review" in record["question"] else "start with change"
    found = answered(verdict, record=beside, stop=[drug])
    assert (accuracy(found) == {"verdict": 1, "problems": 1, "plan": 1}) == harmless
    assert ([*harms(found)] == []) == harmless


@pytest.mark.parametrize(
    ("tests", "plan"),
    [((), {}), (("TSH",), {}), (("potassium",), {"add": ["omeprazole"]}),
     (("potassium",), {"doses": [{"drug": "ramipril", "daily_dose": 1.25}]})],
)  # fmt: skip
def test_another_change_is_still_wrong(tests: tuple[str, ...], plan: dict[str, Any]) -> None:
    found = answered("start with change", *tests, **plan)
    assert accuracy(found)["verdict"] == 0
    assert [one.severity for one in harms(found)] == [2]


def test_routine_tests_are_not_too_many() -> None:
    remedy = {"kind": "stop", "drugs": ["ibuprofen"], "most": None, "watch": "", "amount": 0.0,
              "taken": {}}  # fmt: skip
    gold = {"problems": [{"drugs": ["ramipril", "ibuprofen"], "actions": ["change"],
                          "remedies": [remedy]}], "extras": [], "taken": ["ramipril"]}  # fmt: skip

    def score(*tests: str) -> float:
        watched = [{"test": one, "first_day": 7} for one in tests]
        return plan_score("start with change", {"stop": ["ibuprofen"], "monitoring": watched}, gold)

    assert score("potassium", "sodium", "creatinine", "blood pressure", "TSH") == 1
    assert score("TSH", "ferritin", "vitamin D", "PSA") == 0


def test_one_verdict_is_not_right_for_two() -> None:
    """A change that is routine alone is a start as proposed also where a change is right."""
    routine = {"monitoring": [{"test": "potassium", "first_day": 10}]}
    for problems, meant in (([], "start as proposed"), ([{"kind": "renal"}], "start with change")):
        raw = {"verdict": "start with change", "problems": problems, "plan": routine}
        assert as_meant(raw, ["ramipril"]) == meant


@pytest.mark.parametrize(
    "written",
    ["mirtazapine 15 mg at night", "Mirtazapine 15 mg nocte", "start mirtazapine 15 mg once daily"],
)
def test_a_dose_does_not_hide_the_drug_of_a_plan(written: str) -> None:
    assert drugs_named([written]) == {"mirtazapine"}
    assert drugs_named([f"no {written}"]) != {"mirtazapine"}


PREGNANT = {**RECORD, "seed": 5, "question": {"review": "list"}}
MISSING_ACID = {"kind": "missing medicine", "drugs": ["folic acid"], "severity": "moderate"}


@pytest.mark.parametrize(("weeks", "free"), [(10, True), (20, False)])
@pytest.mark.parametrize("named", [[], [MISSING_ACID]])
@pytest.mark.parametrize("verdict", ["keep the list", "change the list"])
def test_folic_acid_of_early_pregnancy_is_neither_asked_for_nor_a_fault(
    weeks: int, named: list[dict[str, Any]], verdict: str, free: bool
) -> None:
    pregnant = {"kind": "pregnancy", "weeks": weeks, "told": "listed"}
    record = {**PREGNANT, "edit": [*RECORD["edit"], pregnant]}
    found = answered(verdict, record=record, named=named, add=["folic acid 400 micrograms"])
    assert (accuracy(found) == {"verdict": 1, "problems": 1, "plan": 1}) == free
    assert not free or ([*harms(found)], fits(found)) == ([], 1)


@pytest.mark.parametrize(
    ("asked", "usual"),
    [(("rivaroxaban", 40, "mg", 1, "atrial fibrillation, stroke"), 20),
     (("tizanidine", 16, "mg", 3, "spasticity"), None),
     (("paroxetine", 80, "mg", 1, "anxiety"), 20)],
)  # fmt: skip
def test_the_right_dose_below_the_greatest_is_the_usual_one(
    asked: tuple[str, float, str, float, str], usual: float | None
) -> None:
    drug, dose, unit, per_day, indication = asked
    question = {"drug": drug, "dose": dose, "unit": unit, "per_day": per_day, "route": "po",
                "indication": indication}  # fmt: skip
    record = {**RECORD, "question": question}
    gold = gold_of(record, review_patient(record))
    options = (one.daily for one in indications()[indication].options if one.drug == drug)
    lower = {"drug": drug, "daily_dose": usual or next(options)}
    assert gold["answer"]["plan"]["doses"] == [lower]
    most = {"doses": [{"drug": drug, "daily_dose": gold["problems"][0]["remedies"][0]["most"]}]}
    assert plan_score("start with change", most, gold) == 1
