"""What is taken already and what is begun: rules about the start, new drugs, what is needed."""

from __future__ import annotations

import dataclasses
from random import Random
from typing import Any

import pytest

from gym_clinic.clinical import TaskDraft
from gym_clinic.domains.drug_interaction.candidates import candidates
from gym_clinic.domains.drug_interaction.charting import lived_with
from gym_clinic.domains.drug_interaction.checks.conditions import STROKES
from gym_clinic.domains.drug_interaction.checks.doses import renal_risks
from gym_clinic.domains.drug_interaction.checks.formulary import (
    Regimen,
    home_regimens,
    indications,
    safe_in_cirrhosis,
)
from gym_clinic.domains.drug_interaction.checks.people import older_risks
from gym_clinic.domains.drug_interaction.checks.problems import ReviewProfile, Taken, find_problems
from gym_clinic.domains.drug_interaction.checks.risks import hepatic_risk
from gym_clinic.domains.drug_interaction.lists.needed import completing, lacking, needed
from gym_clinic.domains.drug_interaction.lists.review import list_holds_together, list_problems
from gym_clinic.domains.drug_interaction.lists.stopping import stoppable, stopped_drugs
from gym_clinic.domains.drug_interaction.plausibility import go_together, plausible
from gym_clinic.domains.drug_interaction.tasks import make
from gym_clinic.domains.drug_interaction.world import drawn_patient, profile_of, review_patient
from gym_clinic.facts import load

WELL = ReviewProfile(age=50, female=True, weight_kg=70, egfr=95, crcl=100)
FAILING = dataclasses.replace(WELL, egfr=38, crcl=27)


def taking(who: ReviewProfile, *drugs: str, days: float = 400, **other: Any) -> ReviewProfile:
    taken = tuple(Taken(Regimen(one, 1000, "mg", 2), days=days) for one in drugs)
    return dataclasses.replace(who, medicines=taken, **other)


@pytest.mark.parametrize(("drug", "daily", "started", "taken"), [
    ("metformin", 2000, [("avoid",)], [("change",)]),
    ("metformin", 1000, [("avoid",)], []),
    ("lisinopril", 20, [("change",)], []),
    ("ramipril", 10, [("change",)], []),
    ("gabapentin", 1800, [("change",)], [("change",)]),
])  # fmt: skip
def test_a_rule_about_the_start_asks_nothing_of_who_takes_the_drug(
    drug: str, daily: float, started: list[tuple[str, ...]], taken: list[tuple[str, ...]]
) -> None:
    for already, wanted in ((False, started), (True, taken)):
        risks = renal_risks(drug, 38, 27, daily_mg=daily, taken=already)
        assert [one.actions for one in risks] == wanted


@pytest.mark.parametrize(("drug", "started", "taken"), [
    ("warfarin", 1, 0), ("amiodarone", 1, 0), ("digoxin", 1, 0),
    ("glibenclamide", 1, 1), ("diazepam", 1, 1),
])  # fmt: skip
def test_what_old_people_are_not_started_on_goes_on_where_it_is_taken(
    drug: str, started: int, taken: int
) -> None:
    for already, wanted in ((False, started), (True, taken)):
        risks = older_risks(drug, 75, ["af"], taken=already)
        assert sum(one.actions == ("avoid",) for one in risks) == wanted


@pytest.mark.parametrize(("days", "actions"), [(400, ("change",)), (1, ("avoid",))])
def test_a_list_asks_for_less_of_what_is_taken_for_long(
    days: float, actions: tuple[str, ...]
) -> None:
    found = list_problems(taking(FAILING, "metformin", days=days))
    assert [one.actions for one in found if one.kind == "renal"] == [actions]


@pytest.mark.parametrize(("drug", "egfr"), [
    ("gliclazide", 20), ("glimepiride", 20), ("terbinafine", 40), ("emtricitabine-tenofovir", 20),
    ("gemfibrozil", 20), ("pseudoephedrine", 20), ("mesalazine", 20),
])  # fmt: skip
def test_what_failing_kidneys_forbid_is_on_record(drug: str, egfr: float) -> None:
    assert [one.actions for one in renal_risks(drug, egfr, egfr)] == [("avoid",)]
    assert not list(renal_risks(drug, 90, 90))


def test_two_rules_that_find_the_same_are_one_problem() -> None:
    eplerenone = next(one for one in indications()["heart failure"].options
                      if one.drug == "eplerenone")  # fmt: skip
    severe = dataclasses.replace(WELL, egfr=16, crcl=19)
    assert len(list(renal_risks("eplerenone", 16, 19))) == 2  # by eGFR, and by clearance
    found = find_problems(eplerenone, indications()["heart failure"], severe)
    assert [one.kind for one in found if one.matters] == ["renal"]


def test_the_newest_drug_of_a_problem_may_be_stopped_whatever_it_is() -> None:
    older = dataclasses.replace(WELL, age=70)
    old = list_problems(taking(older, "lithium", "ramipril"))
    pair = next(one for one in old if one.kind == "interaction")
    assert stoppable(pair) == ["ramipril"]
    new = dataclasses.replace(pair, begun=frozenset({"lithium"}))
    assert stoppable(new) == ["lithium", "ramipril"]
    assert stopped_drugs([new]) == ["lithium"]
    high = list_problems(
        taking(dataclasses.replace(WELL, potassium=5.3), "ramipril", "spironolactone")
    )
    assert stopped_drugs(high) == ["spironolactone"]
    taken = taking(older, "lithium", "ramipril", days=1)
    assert next(one for one in list_problems(taken) if one.kind == "interaction").begun


@pytest.mark.parametrize(("reason", "left_open"), [("epilepsy", True), ("bipolar-disorder", False)])
def test_no_list_asks_to_stop_what_keeps_fits_away_in_pregnancy(
    reason: str, left_open: bool
) -> None:
    taken = (Taken(Regimen("carbamazepine", 200, "mg", 2), reason=reason, days=400),)
    found = list_problems(dataclasses.replace(WELL, medicines=taken, weeks=20))
    pregnancy = [one for one in found if one.kind == "pregnancy"]
    assert [one.undecided for one in pregnancy] == [left_open]


OTHERS = ("amlodipine", "paracetamol", "omeprazole", "cetirizine")


@pytest.mark.parametrize(("condition", "age", "lacks"), [
    ("type-1-diabetes-mellitus", 40, True), ("hiv-infection", 40, True),
    ("atrial-fibrillation", 40, False), ("atrial-fibrillation", 76, True), ("asthma", 40, False),
])  # fmt: skip
def test_a_list_without_what_nobody_goes_without_is_refused_or_completed(
    condition: str, age: float, lacks: bool
) -> None:
    who = taking(WELL, *OTHERS, age=age, conditions=frozenset({condition}),
                 known=frozenset({condition}))  # fmt: skip
    assert lacking(who) == ([condition] if lacks else [])
    assert list_holds_together(who) == (not lacks)
    added = completing(who, Random(1))
    whole = [*(one.regimen.drug for one in who.medicines), *(one["drug"] for one in added)]
    assert not lacking(taking(who, *whole))


def test_half_of_a_treatment_is_completed_and_no_other_is_begun() -> None:
    known = frozenset({"type-1-diabetes-mellitus"})
    who = taking(WELL, "insulin-degludec", known=known)
    for seed in range(8):
        (added,) = completing(who, Random(seed))
        assert added["drug"] in ("insulin-aspart", "insulin-lispro")


def test_all_that_is_needed_is_known_and_taken_at_home() -> None:
    for condition, sets in needed().items():
        assert condition in load().conditions
        for ref in {one for each in sets for one in each if not one.startswith("class:")}:
            assert any(row.reason == condition for row in home_regimens()[ref]), (condition, ref)


def test_what_is_taken_does_not_cut_a_washout_short() -> None:
    bought = (Taken(Regimen("pseudoephedrine", 60, "mg", 3), bought=True, days=20),)
    who = dataclasses.replace(WELL, medicines=bought)
    assert go_together(who)
    assert not go_together(dataclasses.replace(who, ended=(("tranylcypromine", 1.0),)))
    assert go_together(dataclasses.replace(who, ended=(("tranylcypromine", 30.0),)))


STROKE = {"drug": "apixaban", "dose": 5, "unit": "mg", "per_day": 2, "route": "po",
          "indication": "atrial fibrillation, stroke"}  # fmt: skip


def test_a_stroke_is_prevented_in_who_may_have_one() -> None:
    found = set()
    for seed in range(60):
        record = {"seed": seed, "condition": "atrial-fibrillation", "split": "train",
                  "question": STROKE, "edit": [{"kind": "shown", "egfr": True}]}  # fmt: skip
        patient = review_patient(record)
        if 18 <= patient.person.age < 65 and plausible(record, patient):
            assert STROKES.keys() & {one.condition for one in patient.background}
            found.add(seed)
    assert found


def test_no_condition_is_known_from_before_it_begins_and_no_medicine_from_before_it() -> None:
    patient = drawn_patient(11, "osteoarthritis")
    age = patient.person.age
    lived = lived_with("sickle-cell-disease", patient, Random(1))
    assert lived["years"] == round(age)
    for number in range(20):
        lived = lived_with("heart-failure-with-reduced-ejection-fraction", patient, Random(number))
        take = {"kind": "take", "drug": "bisoprolol", "dose": 2.5, "unit": "mg", "per_day": 1,
                "for": lived["condition"]}  # fmt: skip
        record = {"seed": 11, "condition": "osteoarthritis", "split": "train",
                  "question": STROKE, "edit": [{**lived, "years": 1}, take]}  # fmt: skip
        begun = next(one.begun for one in review_patient(record).medicines
                     if one.drug == "bisoprolol")  # fmt: skip
        assert begun is not None
        assert -begun / 1440 <= 365


def test_cirrhosis_is_on_record_beside_what_it_lets_pass_lowers_and_forbids() -> None:
    passes = {one.drug.drug for one in candidates("nothing, liver")}
    lowered = {one.drug.drug for one in candidates("liver reduces")}
    forbidden = {one.drug.drug for one in candidates("liver")}
    assert len(passes) > 15
    assert not passes & (lowered | forbidden)
    assert lowered
    assert all(hepatic_risk(one, "B") is None for one in safe_in_cirrhosis())


def test_a_higher_dose_is_asked_that_is_still_right() -> None:
    asked = candidates("nothing, dose")
    assert len(asked) > 15
    for one in asked:
        usual = next(each for each in one.indication.options if each.drug == one.drug.drug)
        assert one.drug.dose > usual.dose
        found = find_problems(one.drug, one.indication, WELL)
        assert [each.kind for each in found if each.matters] == [], one


@pytest.mark.slow
def test_the_newest_medicine_of_a_list_is_often_not_what_is_wrong() -> None:
    newest, lists = 0, 0
    for seed in range(4200, 4230):
        label = ("list, condition", "list, older adult", "list, duplicate")[seed % 3]
        made = make(TaskDraft(label, seed, "train"))
        if made is None:
            continue
        who = profile_of(review_patient(made.record), made.record["edit"])
        days = {one.regimen.drug: one.days for one in who.medicines if not one.bought}
        lists += 1
        newest += min(days, key=lambda drug: days[drug]) in made.gold["problems"][0]["drugs"]
    assert lists > 10
    assert newest < 0.7 * lists
