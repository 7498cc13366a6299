"""What a pharmacist would not believe of a list of medicines, and so is on none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gym_clinic.clinical import TaskDraft
from gym_clinic.clinical.judging.judge import JudgedEpisode
from gym_clinic.domains.drug_interaction.candidates import common
from gym_clinic.domains.drug_interaction.charting import (
    lived_with,
    lived_with_treated,
    taken_edits,
    usual_for,
    with_medicine,
)
from gym_clinic.domains.drug_interaction.checks import formulary
from gym_clinic.domains.drug_interaction.checks.formulary import (
    combined_for,
    higher_doses,
    home_regimens,
    indications,
    products,
)
from gym_clinic.domains.drug_interaction.checks.given_beside import has_a_purpose
from gym_clinic.domains.drug_interaction.checks.instead import alternatives
from gym_clinic.domains.drug_interaction.checks.problems import ReviewProfile, Taken
from gym_clinic.domains.drug_interaction.checks.risks import hepatic_risk
from gym_clinic.domains.drug_interaction.gold import gold_of, proposal
from gym_clinic.domains.drug_interaction.home import (
    is_of_infancy,
    may_live_with,
    taken_by,
    with_a_purpose,
)
from gym_clinic.domains.drug_interaction.lists.charts import add_drug
from gym_clinic.domains.drug_interaction.lists.needed import lacking
from gym_clinic.domains.drug_interaction.naming import problems_score
from gym_clinic.domains.drug_interaction.plans import plan_score
from gym_clinic.domains.drug_interaction.plausibility import plausible
from gym_clinic.domains.drug_interaction.rewards import JUDGE
from gym_clinic.domains.drug_interaction.tasks import make
from gym_clinic.domains.drug_interaction.tools.record import read_medicines
from gym_clinic.domains.drug_interaction.world import (
    CKD,
    drawn_patient,
    open_case,
    profile_of,
    review_patient,
)
from gym_clinic.episode import Episode, Task
from gym_clinic.facts import load

FORMULARY = Path(formulary.__file__).with_name("formulary.json")

QUESTION = {"drug": "amoxicillin", "dose": 500, "unit": "mg", "per_day": 3, "route": "po",
            "indication": "Lyme disease"}  # fmt: skip


def take(drug: str, dose: float, per_day: float, reason: str) -> dict[str, Any]:
    return {"kind": "take", "drug": drug, "dose": dose, "unit": "mg", "per_day": per_day,
            "for": reason}  # fmt: skip


def lives_with(condition: str, years: int = 3) -> dict[str, Any]:
    return {"kind": "lives with", "condition": condition, "years": years}


def review(*edits: dict[str, Any], seed: int = 7, **question: Any) -> dict[str, Any]:
    shown = {"kind": "shown", "documents": ["letter"], "egfr": True}
    return {"seed": seed, "condition": "osteoarthritis", "split": "train",
            "question": {**QUESTION, **question}, "edit": [*edits, shown]}  # fmt: skip


def holds(record: dict[str, Any]) -> bool:
    return plausible(record, review_patient(record))


ADDISON = [lives_with("addison-disease"), take("fludrocortisone", 0.1, 1, "addison-disease")]
CORTISOL = take("hydrocortisone", 10, 2, "addison-disease")


def test_nobody_goes_without_what_keeps_them_alive() -> None:
    assert not holds(review(*ADDISON))
    assert holds(review(*ADDISON, CORTISOL))


@pytest.mark.parametrize(("drug", "dose", "per_day", "expected"),
                         [("ramipril", 2.5, 1, True), ("dapagliflozin", 10, 1, False)])  # fmt: skip
def test_a_weak_heart_is_treated_or_its_treatment_is_what_is_proposed(
    drug: str, dose: float, per_day: float, expected: bool
) -> None:
    weak = "heart-failure-with-reduced-ejection-fraction"
    bare = [{"kind": "stop", "drug": one} for one in ("ramipril", "bisoprolol", "losartan")]
    asked: dict[str, Any] = {
        "drug": drug,
        "dose": dose,
        "per_day": per_day,
        "indication": "heart failure",
    }
    assert holds(review(lives_with(weak), *bare, **asked)) is expected


@pytest.mark.parametrize("label", ["kidneys forbid", "older adult", "interaction", "allergy"])
def test_requests_are_made_of_lists_that_lack_nothing(label: str) -> None:
    made = [made for seed in range(4)
            if (made := make(TaskDraft(label, 7000 + seed, "train", ()))) is not None]  # fmt: skip
    assert made
    for one in made:
        who = profile_of(review_patient(one.record), one.record["edit"])
        proposed, _ = proposal(one.record["question"])
        assert not lacking(replace(who, medicines=(*who.medicines, Taken(proposed))))


def test_folic_acid_goes_with_the_methotrexate_that_it_is_taken_for() -> None:
    arthritis = "rheumatoid-arthritis"
    taken = [lives_with(arthritis), take("methotrexate", 15, 0.143, arthritis),
             take("folic-acid", 5, 0.143, arthritis)]  # fmt: skip
    both = {one.drug for one in review_patient(review(*taken)).medicines}
    assert both >= {"methotrexate", "folic-acid"}
    stop = {"kind": "stop", "drug": "methotrexate"}
    assert "folic-acid" not in {one.drug for one in review_patient(review(*taken, stop)).medicines}
    assert not has_a_purpose("folic-acid", arthritis, ["sulfasalazine"])
    assert has_a_purpose("lactulose", "constipation", [])


@pytest.mark.parametrize(
    ("beside", "expected"), [("hypertension", True), ("bipolar-disorder", False)]
)
def test_illnesses_that_rule_each_other_out_are_on_no_record(beside: str, expected: bool) -> None:
    assert holds(review(lives_with("schizophrenia"), lives_with(beside))) is expected


def test_no_adult_has_had_the_reflux_of_infants() -> None:
    reflux = "gastroesophageal-reflux-disease"
    patient = next(one for one in (drawn_patient(seed, "migraine") for seed in range(200))
                   if 30 <= one.person.age <= 40)  # fmt: skip
    years = [lived_with(reflux, patient, Random(seed))["years"] for seed in range(60)]
    assert max(years) <= patient.person.age - 18
    assert not is_of_infancy(reflux, 20)
    assert is_of_infancy(reflux, 1)
    assert not is_of_infancy("asthma", 5)
    assert not is_of_infancy("sickle-cell-disease", 0)


def test_what_a_medicine_is_for_is_on_record_where_no_condition_tells_it() -> None:
    told = [
        one.get("told", "list")
        for seed in range(40)
        for drug in ("isotretinoin", "pimozide", "disulfiram")
        if taken_by(drug, patient := drawn_patient(seed, "gastroesophageal-reflux-disease"))
        for one in add_drug(drug, patient, Random(seed))
    ]
    assert len(told) > 20
    assert {*told} == {"list"}


def test_a_list_adds_no_condition_that_another_rules_out() -> None:
    patient = review_patient(review(lives_with("schizophrenia")))
    assert not may_live_with("bipolar-disorder", patient)
    assert may_live_with("bipolar-disorder", review_patient(review()))


@pytest.mark.parametrize(("drug", "age", "expected"), [
    ("lovastatin", 18, False), ("lovastatin", 60, True),
    ("selegiline", 25, False), ("selegiline", 70, True),
    ("ticagrelor", 30, False), ("ticagrelor", 70, True),
])  # fmt: skip
def test_what_is_taken_fits_the_age(drug: str, age: int, expected: bool) -> None:
    patient = review_patient(review())
    patient = replace(patient, person=replace(patient.person, age=age))
    assert taken_by(drug, patient) is expected


def test_reasons_with_ages_are_reasons_of_the_table() -> None:
    words = {row.reason for rows in home_regimens().values() for row in rows}
    ages = json.loads(FORMULARY.read_text(encoding="utf-8"))["ages"].keys() - {"note"}
    assert ages <= words


def test_a_combination_is_taken_for_what_all_of_it_treats() -> None:
    assert combined_for("amlodipine", "stable-angina-pectoris") == ["Caduet"]
    assert not combined_for("atorvastatin", "type-2-diabetes-mellitus")
    assert not combined_for("naltrexone", "alcohol dependence")
    table = json.loads(FORMULARY.read_text(encoding="utf-8"))
    known = {row.reason for rows in home_regimens().values() for row in rows}
    for name, reasons in table["combined for"].items():
        assert name == "note" or (name in products() and known >= {*reasons}), name


@pytest.mark.parametrize(("daily", "asks"), [(120, False), (240, True)])
def test_the_lowest_dose_of_verapamil_is_right_in_cirrhosis(daily: float, asks: bool) -> None:
    assert (hepatic_risk("verapamil", "A", daily) is not None) is asks


def test_mirtazapine_is_started_low() -> None:
    assert "mirtazapine" not in higher_doses()


RHEUMATOID = indications()["rheumatoid arthritis"]


@pytest.mark.parametrize("drug", ["methotrexate", "leflunomide"])
def test_a_liver_that_is_not_well_leaves_what_hurts_it_to_a_specialist(drug: str) -> None:
    asked: dict[str, Any] = {"drug": drug, "dose": 15, "per_day": 1,
                             "indication": "rheumatoid arthritis"}  # fmt: skip
    fatty = lives_with("metabolic-dysfunction-associated-steatotic-liver-disease")
    assert holds(review({**fatty, "kind": "lives without"}, **asked))
    assert not holds(review(fatty, **asked))
    well = ReviewProfile(age=50, female=False, weight_kg=80, egfr=95, crcl=100)
    assert drug in alternatives(RHEUMATOID, "sulfasalazine", well)
    ill = replace(well, liver_well=False)
    assert drug not in alternatives(RHEUMATOID, "sulfasalazine", ill)
    assert "hydroxychloroquine" in alternatives(RHEUMATOID, "sulfasalazine", ill)


def listed(*edits: dict[str, Any]) -> dict[str, dict[str, Any]]:
    case = open_case(Task("t", review(*edits), {}))
    return {one["drug"]: one for one in read_medicines.call({}, case)["medicines"]}


def test_a_list_tells_how_often_in_words_and_writes_every_reason_alike() -> None:
    arthritis = "rheumatoid-arthritis"
    found = listed(take("methotrexate", 15, 0.143, arthritis),
                   take("sumatriptan", 50, 0.15, "migraine"),
                   take("lovastatin", 20, 1, "high cholesterol"))  # fmt: skip
    assert found["Methotrexate"]["often"] == "weekly"
    assert found["Sumatriptan"]["often"] == "when needed"
    assert "often" not in found["Lovastatin"]
    assert all(one["for"][0].isupper() for one in found.values())


METOCLOPRAMIDE: dict[str, Any] = {
    "drug": "metoclopramide",
    "dose": 10,
    "per_day": 3,
    "indication": "nausea",
}
KIDNEYS = [lives_with(CKD), {"kind": "kidneys", "creatinine": 3.2}]
HALVED = {"kind": "renal", "drugs": ["metoclopramide"], "severity": "moderate"}


def judged(problems: list[dict[str, Any]], **plan: Any) -> JudgedEpisode:
    """An answer on metoclopramide for somebody with failing kidneys who buys naproxen."""
    bought = {**take("naproxen", 250, 2, "aches"), "bought": True}
    record = review(*KIDNEYS, bought, **METOCLOPRAMIDE)
    gold = gold_of(record, review_patient(record))
    lower = [{"drug": "metoclopramide", "daily_dose": 15}]
    answer = {"verdict": "start with change", "problems": problems, "cited_findings": [],
              "plan": {"doses": lower, **plan}}  # fmt: skip
    task = Task("t", record, gold)
    found = JudgedEpisode(JUDGE, Episode(task, open_case(task), [], answer, "answered"))
    found.read = frozenset({"medicine:naproxen", "lab:creatinine"})
    return found


def scores(one: JudgedEpisode) -> tuple[float, float]:
    raw = one.raw or {}
    return problems_score(one), plan_score(raw["verdict"], raw["plan"], one.gold)


def test_who_also_stops_a_bought_painkiller_that_the_kidneys_forbid_is_right() -> None:
    too = {"kind": "renal", "drugs": ["naproxen"], "severity": "major"}
    assert scores(judged([HALVED])) == (1.0, 1.0)
    assert scores(judged([HALVED, too], stop=["naproxen"])) == (1.0, 1.0)
    assert scores(judged([too], stop=["naproxen"])) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("kind", "drugs", "score"),
    [
        ("interaction", ["ibuprofen", "ramipril"], 1.0),
        ("condition", ["ibuprofen"], 1.0),
        ("renal", ["ibuprofen"], 1.0),
        ("allergy", ["ibuprofen"], 2 / 3),
        ("condition", ["amlodipine"], 2 / 3),
    ],
)
def test_a_problem_of_other_medicines_may_be_told_as_one_of_the_patient(
    kind: str, drugs: list[str], score: float
) -> None:
    pair = {"kind": "interaction", "drugs": ["ibuprofen", "ramipril"], "severity": "moderate",
            "remedies": [], "stoppable": ["ibuprofen"]}  # fmt: skip
    named = judged([HALVED, {"kind": kind, "drugs": drugs, "severity": "moderate"}])
    task = named.episode.task
    named = JudgedEpisode(JUDGE, replace(
        named.episode, task=Task("t", task.record, {**task.gold, "beside": [pair]})))  # fmt: skip
    assert problems_score(named) == pytest.approx(score)


def test_what_is_right_beside_the_proposed_drug_is_still_a_false_alarm() -> None:
    wrong = {"kind": "renal", "drugs": ["sumatriptan"], "severity": "major"}
    named, planned = scores(judged([HALVED, wrong], stop=["sumatriptan"]))
    assert named < 1
    assert planned == 0


def test_a_request_is_not_right_as_it_stands_beside_a_medicine_that_is_wrong() -> None:
    naproxen = {**take("naproxen", 250, 2, "aches"), "bought": True}
    doxycycline: dict[str, Any] = {"drug": "doxycycline", "dose": 100, "per_day": 2, "seed": 10}
    assert holds(review(*KIDNEYS, **doxycycline))
    assert not holds(review(*KIDNEYS, naproxen, **doxycycline))


def test_what_is_usual_is_taken_most_often() -> None:
    patient, random = review_patient(review()), Random(1)
    fibrillation = "atrial-fibrillation"
    drawn = [with_medicine(fibrillation, patient, random)[1]["drug"] for _ in range(300)]
    rare = [one for one in drawn if one not in common()]
    assert 0 < len(rare) < 0.1 * len(drawn)
    assert drawn.count("apixaban") > drawn.count("amiodarone")


def test_most_take_something_for_what_more_is_proposed_for() -> None:
    patient, random = review_patient(review({"kind": "stop", "drug": "ramipril"})), Random(1)
    bare = replace(patient, medicines=())
    drawn = [lived_with_treated("epilepsy", bare, random) for _ in range(200)]
    assert 120 < sum(len(one) == 2 for one in drawn) < 160
    taken = review_patient(review(take("levetiracetam", 500, 2, "epilepsy")))
    assert all(len(lived_with_treated("epilepsy", taken, random)) == 1 for _ in range(20))


@pytest.mark.parametrize(("weight", "expected"), [(60.0, False), (100.0, True)])
def test_nobody_lean_takes_what_makes_them_lose_weight(weight: float, expected: bool) -> None:
    diabetes = "type-2-diabetes-mellitus"
    patient = review_patient(review(take("semaglutide", 0.5, 0.143, diabetes)))
    patient = replace(patient, person=replace(patient.person, height_cm=172, weight_kg=weight))
    taken = {one.drug for one in with_a_purpose(patient).medicines}
    assert ("semaglutide" in taken) is expected
    assert taken_by("semaglutide", patient) is expected
    usual = {one.regimen.drug for one in usual_for(diabetes, patient)}
    assert ("semaglutide" in usual) is expected
    assert "metformin" in usual


def test_what_treats_a_depression_is_taken_for_one_on_record() -> None:
    """Antidepressants are taken for the condition by its id, which the chart then has."""
    known = load().conditions
    for drug in ("phenelzine", "tranylcypromine", "paroxetine", "citalopram", "bupropion"):
        assert {row.reason for row in home_regimens()[drug]} <= {*known}
    patient = next(
        one for one in (drawn_patient(seed, "osteoarthritis") for seed in range(40))
        if one.person.age >= 30 and taken_by("phenelzine", one)
        and all(each.condition != "major-depressive-disorder" for each in one.background)
    )  # fmt: skip
    edits = taken_edits("phenelzine", False, patient, Random(1))
    assert "major-depressive-disorder" in {one.get("condition") for one in edits}
