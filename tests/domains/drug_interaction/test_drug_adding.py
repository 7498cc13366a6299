"""Medicines that a plan adds where the tables ask for protection."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from gym_clinic.clinical import MadeTask, TaskDraft
from gym_clinic.clinical.judging.judge import JudgedEpisode
from gym_clinic.domains.drug_interaction.checks.formulary import Regimen, indications
from gym_clinic.domains.drug_interaction.checks.given_beside import MISSING
from gym_clinic.domains.drug_interaction.checks.instead import alternatives
from gym_clinic.domains.drug_interaction.checks.problems import ReviewProfile, Taken, find_problems
from gym_clinic.domains.drug_interaction.checks.risks import pair_risk
from gym_clinic.domains.drug_interaction.gold import gold_of
from gym_clinic.domains.drug_interaction.plans import plan_score
from gym_clinic.domains.drug_interaction.rewards import JUDGE, accuracy, fits, harms
from gym_clinic.domains.drug_interaction.tasks import make
from gym_clinic.domains.drug_interaction.world import open_case, review_patient
from gym_clinic.episode import Episode, Task

PAIN = indications()["osteoarthritis"]
NAPROXEN = Regimen("naproxen", 500, "mg", 2)
WELL = ReviewProfile(age=50, female=True, weight_kg=70, egfr=95, crcl=100)


def taking(*drugs: str, bought: bool = False) -> ReviewProfile:
    taken = tuple(Taken(Regimen(one, 20, "mg", 1), bought) for one in drugs)
    return dataclasses.replace(WELL, medicines=taken)


def test_a_ppi_answers_an_nsaid_beside_an_ssri() -> None:
    (one,) = find_problems(NAPROXEN, PAIN, taking("sertraline"))
    assert one.actions == ("change",)
    assert [remedy.kind for remedy in one.remedies] == ["add"]
    assert "omeprazole" in one.remedies[0].drugs


def test_nothing_is_asked_for_where_a_ppi_is_taken() -> None:
    assert find_problems(NAPROXEN, PAIN, taking("sertraline", "pantoprazole")) == []


def test_only_a_ppi_that_suits_the_patient_is_added() -> None:
    who = dataclasses.replace(taking("sertraline"), allergies=(("omeprazole", "hives"),))
    (one,) = find_problems(NAPROXEN, PAIN, who)
    assert not one.remedies or "omeprazole" not in one.remedies[0].drugs


def test_what_is_bought_may_be_stopped_instead() -> None:
    sertraline = Regimen("sertraline", 50, "mg", 1)
    (one,) = find_problems(sertraline, indications()["depression"], taking("naproxen", bought=True))
    assert {remedy.kind for remedy in one.remedies} == {"stop", "add"}


def test_a_ppi_that_is_held_is_none_that_is_added() -> None:
    risk = pair_risk("methotrexate", "omeprazole")
    assert risk is not None
    assert all(one.kind != "add" for one in risk.remedies)


@pytest.mark.parametrize(
    ("plan", "score"),
    [
        ({"add": ["lansoprazole"]}, 1),
        ({"add": ["famotidine"]}, 0),
        ({"add": ["omeprazole", "lansoprazole"]}, 0),
        ({"add": ["omeprazole", "aspirin"]}, 0),
        ({"monitoring": [{"test": "signs of bleeding", "first_day": 14}]}, 0),
    ],
)
def test_one_medicine_that_protects_is_added_and_no_other(
    plan: dict[str, Any], score: float
) -> None:
    drugs = ["lansoprazole", "omeprazole"]
    remedy: dict[str, Any] = {"kind": "add", "drugs": drugs, "most": None, "taken": {}}
    gold = {"problems": [{"actions": ["change"], "remedies": [remedy]}]}
    assert plan_score("start with change", plan, gold) == score


def test_a_task_asks_for_it() -> None:
    def adds(made: MadeTask | None) -> bool:
        return made is not None and "add" in made.gold["answer"]["plan"]

    drafts = (TaskDraft(seed=seed, label="missing medicine", split="train")
              for seed in range(10))  # fmt: skip
    assert any(adds(make(one)) for one in drafts)


STRONG_PAIN = indications()["severe joint pain"]


@pytest.mark.parametrize(
    ("drug", "beside", "missing"),
    [
        ("morphine", (), True),
        ("morphine", ("lactulose",), False),
        ("methotrexate", ("lactulose",), True),
        ("methotrexate", ("folic-acid",), False),
        ("paracetamol", (), False),
    ],
)
def test_what_is_given_beside_a_drug_is_missed(
    drug: str, beside: tuple[str, ...], missing: bool
) -> None:
    taken = tuple(Taken(Regimen(one, 5, "mg", 0.1)) for one in beside)
    who = dataclasses.replace(WELL, medicines=taken)
    found = [one for one in find_problems(Regimen(drug, 5, "mg", 1), STRONG_PAIN, who)
             if one.kind == MISSING]  # fmt: skip
    assert bool(found) == missing
    assert all(one.matters and one.actions == ("change",) for one in found)


def test_any_laxative_protects_from_constipation() -> None:
    remedies = [{"kind": "add", "drugs": ["lactulose"]}]
    problem = {"kind": MISSING, "drugs": ["morphine"], "actions": ["change"], "remedies": remedies}
    gold = {"problems": [problem], "acceptable": {"alternatives": []}}
    for name, score in (("Senna", 1), ("lactulose", 1), ("omeprazole", 0)):
        assert plan_score("start with change", {"add": [name]}, gold) == score


def test_an_opioid_without_a_laxative_is_still_an_alternative() -> None:
    assert "morphine" in alternatives(STRONG_PAIN, "tramadol", WELL)


@pytest.mark.parametrize(
    ("alternative", "add", "score"),
    [("morphine", [], 1), ("morphine", ["senna"], 1), ("buprenorphine", ["lactulose"], 1),
     ("naproxen", ["lactulose"], 0), ("morphine", ["omeprazole"], 0)],
)  # fmt: skip
def test_what_an_alternative_needs_beside_it_may_be_added(
    alternative: str, add: list[str], score: float
) -> None:
    right = ["morphine", "buprenorphine", "naproxen"]
    gold = {"problems": [], "acceptable": {"alternatives": right}, "taken": ["tramadol"]}
    plan = {"alternative": alternative, "add": add}
    assert plan_score("do not start", plan, gold) == score


def test_a_replacement_in_a_list_may_have_its_laxative() -> None:
    problem = {"drugs": ["tramadol", "sertraline"], "actions": ["avoid"], "remedies": [],
               "stoppable": ["tramadol"]}  # fmt: skip
    gold = {"problems": [problem], "taken": ["tramadol", "sertraline"],
            "replaced": {"tramadol": {"needed": True, "by": ["morphine"]}}}  # fmt: skip
    for add, score in ((["morphine"], 1), (["morphine", "senna"], 1), (["morphine", "aspirin"], 0)):
        plan = {"stop": ["tramadol"], "add": add}
        assert plan_score("change the list", plan, gold) == score


CODEINE = {"drug": "codeine", "dose": 30, "unit": "mg", "per_day": 3, "route": "po",
           "indication": "osteoarthritis"}  # fmt: skip


@pytest.mark.parametrize("question", [CODEINE, {"review": "list"}])
@pytest.mark.parametrize(
    ("add", "right"), [([], True), (["senna"], True), (["omeprazole"], False)]
)  # fmt: skip
def test_a_laxative_beside_an_opioid_that_needs_none_costs_nothing(
    question: dict[str, Any], add: list[str], right: bool
) -> None:
    taken = {"kind": "take", **CODEINE, "for": "osteoarthritis", "days": 200}
    edits = [{"kind": "kidneys", "creatinine": 0.8}, {"kind": "shown", "documents": ["letter"]}]
    edits += [taken] if "review" in question else []
    record = {"seed": 4, "condition": "gastroesophageal-reflux-disease", "split": "train",
              "edit": edits, "question": question}  # fmt: skip
    gold = gold_of(record, review_patient(record))
    keep = gold["answer"]["verdict"]
    assert keep in ("start as proposed", "keep the list")
    assert {"kind": MISSING, "drugs": ["codeine"], "severity": "moderate"} in gold["extras"]
    verdicts = [keep, "change the list" if "review" in question else "start with change"]
    for verdict in verdicts if add else [keep]:
        answer = {"verdict": verdict, "problems": [], "plan": {"add": add}, "cited_findings": []}
        task = Task("t", record, gold)
        found = JudgedEpisode(JUDGE, Episode(task, open_case(task), [], answer, "answered"))
        assert (accuracy(found) == {"verdict": 1, "problems": 1, "plan": 1}) == right
        assert not right or ([*harms(found)], fits(found)) == ([], 1)
