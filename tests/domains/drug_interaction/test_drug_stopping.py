"""What follows when medicines of a list are stopped, and what today's results watch already."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from gym_clinic.domains.drug_interaction.checks.formulary import Regimen, indications
from gym_clinic.domains.drug_interaction.checks.instead import acts_on, alternatives
from gym_clinic.domains.drug_interaction.checks.problems import DrugProblem, ReviewProfile, Taken
from gym_clinic.domains.drug_interaction.checks.risks import pair_risk
from gym_clinic.domains.drug_interaction.gold import gold_of
from gym_clinic.domains.drug_interaction.lists.review import (
    CHANGE,
    KEEP,
    list_holds_together,
    list_problems,
)
from gym_clinic.domains.drug_interaction.lists.stopping import (
    after_stopping,
    leaves_untreated,
    lowered_first,
    replacements,
    sound_instead,
    stoppable,
    taken_for,
)
from gym_clinic.domains.drug_interaction.plans import adds_too_much, plan_score
from gym_clinic.domains.drug_interaction.world import review_patient

WELL = ReviewProfile(age=32, female=True, weight_kg=70, egfr=95, crcl=100)


def taking(*medicines: tuple[str, str], days: float = 0, **other: Any) -> ReviewProfile:
    """A patient who takes drugs, each for a reason."""
    taken = tuple(
        Taken(Regimen(drug, 0.05, "mg", 1), reason=reason, days=days) for drug, reason in medicines
    )
    return dataclasses.replace(WELL, medicines=taken, **other)


def matter(who: ReviewProfile) -> list[DrugProblem]:
    return [one for one in list_problems(who) if one.matters]


PREGNANT = taking(
    ("valproate", "bipolar disorder"), ("levothyroxine", "hypothyroidism"),
    ("omeprazole", "reflux"), ("salbutamol", "asthma"), weeks=14,
)  # fmt: skip


def test_a_condition_of_a_stopped_medicine_is_treated_otherwise() -> None:
    problems = matter(PREGNANT)
    assert [(one.kind, set(one.drugs)) for one in problems] == [("pregnancy", {"valproate"})]
    end = after_stopping("valproate", PREGNANT, problems)
    assert end.replaced
    assert {*end.by} == {"lamotrigine"}
    assert replacements(PREGNANT, problems) == ["lamotrigine"]
    assert list_holds_together(PREGNANT)


def test_nothing_replaces_what_something_else_treats() -> None:
    lamotrigine = Taken(Regimen("lamotrigine", 100, "mg", 2), reason="bipolar disorder")
    who = dataclasses.replace(PREGNANT, medicines=(*PREGNANT.medicines, lamotrigine))
    assert not after_stopping("valproate", who, matter(who)).replaced
    assert replacements(who, matter(who)) == []


def test_a_list_is_refused_that_would_leave_a_condition_untreated() -> None:
    who = taking(("warfarin", "atrial-fibrillation"), weeks=14)
    assert leaves_untreated(who, matter(who))
    waits = taking(("atorvastatin", "stable-angina-pectoris"), weeks=14)
    assert not leaves_untreated(waits, matter(waits))
    clot = taking(("warfarin", "deep-vein-thrombosis"), weeks=14)
    assert replacements(clot, matter(clot)) == ["enoxaparin"]


@pytest.mark.parametrize(
    ("drug", "reason", "indication"),
    [
        ("ramipril", "hypertension", "hypertension"),
        ("enalapril", "hypertension", "hypertension"),
        ("diltiazem", "atrial-fibrillation", "atrial fibrillation, rate"),
        ("allopurinol", "gout", "prevention of gout"),
        ("sildenafil", "erectile dysfunction", None),
        ("paroxetine", "depression", "depression"),
        ("simvastatin", "high cholesterol", "cholesterol"),
        ("atorvastatin", "chronic-kidney-disease", "cholesterol"),
        ("ramipril", "chronic-kidney-disease", None),
    ],
)
def test_what_a_medicine_is_taken_for(drug: str, reason: str, indication: str | None) -> None:
    found = taken_for(Taken(Regimen(drug, 5, "mg", 1), reason=reason))
    assert (found and found.name) == indication


GOLD = {
    "problems": [{"kind": "pregnancy", "drugs": ["valproate"], "severity": "contraindicated",
                  "actions": ["avoid"], "remedies": [], "stoppable": ["valproate"]}],
    "replaced": {"valproate": {"needed": True, "by": ["levetiracetam", "lamotrigine"]}},
}  # fmt: skip


@pytest.mark.parametrize(
    ("add", "score"),
    [(["lamotrigine"], 1), ([], 0.5), (["topiramate"], 0), (["lamotrigine", "levetiracetam"], 0)],
)
def test_a_plan_gives_one_right_medicine_instead(add: list[str], score: float) -> None:
    assert plan_score(CHANGE, {"stop": ["valproate"], "add": add}, GOLD) == score


def plan_of(who: ReviewProfile, stop: str, *add: str) -> tuple[float, bool]:
    """What a plan earns and whether it adds too much, where the list must be changed."""
    problem = {"kind": "renal", "drugs": [stop], "severity": "major", "actions": ["avoid"],
               "remedies": [], "stoppable": [stop]}  # fmt: skip
    found = after_stopping(stop, who, [])
    neutral = sound_instead(found, who, [])
    replaced = {"needed": found.replaced, "by": [*found.by, *found.also], "neutral": neutral}
    gold = {"problems": [problem], "replaced": {stop: replaced}}
    plan = {"stop": [stop], "add": [*add]}
    return plan_score(CHANGE, plan, gold), adds_too_much(plan, gold)


HEART = frozenset({"heart-failure-with-preserved-ejection-fraction"})
THIAZIDE = taking(("hydrochlorothiazide", "swollen legs"), conditions=HEART)
ANXIOUS = taking(("hydroxyzine", "generalised-anxiety-disorder"))
PANIC = taking(("diazepam", "panic attacks"))
ACHES = taking(("ibuprofen", "aches"))


@pytest.mark.parametrize(
    ("who", "stop", "add", "score"),
    [
        (THIAZIDE, "hydrochlorothiazide", "furosemide", 1),
        (ANXIOUS, "hydroxyzine", "fluvoxamine", 0.5),
        (PANIC, "diazepam", "venlafaxine", 1),
        (ACHES, "ibuprofen", "paracetamol", 1),
        (ACHES, "ibuprofen", "ibuprofen gel", 1),
    ],
)
def test_a_sound_substitute_earns_nothing_and_does_no_harm(
    who: ReviewProfile, stop: str, add: str, score: float
) -> None:
    assert plan_of(who, stop, add) == (score, False)
    assert plan_of(who, stop) == (score, False)  # it is worth what nothing is
    assert plan_of(who, stop, add, "digoxin") == (0, True)


@pytest.mark.parametrize(
    ("who", "stop", "add"),
    [
        (dataclasses.replace(THIAZIDE, conditions=frozenset()), "hydrochlorothiazide",
         "furosemide"),
        (dataclasses.replace(ANXIOUS, allergies=(("fluvoxamine", "hives"),)), "hydroxyzine",
         "fluvoxamine"),
        (ACHES, "ibuprofen", "citalopram"),
        (PANIC, "diazepam", "furosemide"),
    ],
)  # fmt: skip
def test_what_is_no_substitute_or_does_not_suit_is_too_much(
    who: ReviewProfile, stop: str, add: str
) -> None:
    assert plan_of(who, stop, add) == (0, True)


def test_two_substitutes_of_one_medicine_are_too_many() -> None:
    assert plan_of(ANXIOUS, "hydroxyzine", "sertraline") == (1, False)
    assert plan_of(ANXIOUS, "hydroxyzine", "sertraline", "fluvoxamine") == (0, True)


def test_nothing_is_added_for_a_medicine_that_goes_on() -> None:
    assert plan_score(CHANGE, {"add": ["lamotrigine"]}, GOLD) == 0


@pytest.mark.parametrize(
    ("days", "steady", "asked"),
    [(200, ["k"], False), (1, ["k"], True), (200, ["creatinine"], True)],
)
def test_what_todays_results_watch_asks_for_nothing(
    days: float, steady: list[str], asked: bool
) -> None:
    two = (("losartan", "hypertension"), ("tacrolimus", "a kidney transplant"))
    who = taking(*two, days=days, steady=frozenset(steady))
    pair = next(one for one in list_problems(who) if one.drugs == {"losartan", "tacrolimus"})
    assert (pair.matters, pair.answered) == (asked, not asked)


@pytest.mark.parametrize(
    ("other", "days", "steady", "asked"),
    [
        ("amiodarone", 200, ["inr"], False),
        ("amiodarone", 60, ["inr"], True),
        ("amiodarone", 200, [], True),
        ("amiodarone", 200, ["k"], True),
        ("enoxaparin", 200, ["inr"], True),
        ("tamoxifen", 200, ["inr"], True),
    ],
)
def test_a_warfarin_that_is_long_set_beside_another_medicine_asks_for_nothing(
    other: str, days: float, steady: list[str], asked: bool
) -> None:
    two = (("warfarin", "atrial-fibrillation"), (other, "atrial-fibrillation"))
    who = taking(*two, days=days, steady=frozenset(steady))
    pair = next(one for one in list_problems(who) if one.drugs == {"warfarin", other})
    assert (pair.matters, pair.answered) == (asked, not asked)
    if not asked:  # who goes on measuring it is right
        plan = {"monitoring": [{"test": "INR", "first_day": 7}]}
        assert plan_score(KEEP, plan, {"problems": [], "taken": ["warfarin", other]}) == 1


@pytest.mark.parametrize(
    ("drug", "other", "value"),
    [
        ("phenobarbital", "warfarin", ("INR",)),
        ("amiodarone", "warfarin", ("INR",)),
        ("naproxen", "warfarin", ()),
        ("phenobarbital", "amlodipine", ()),
        ("warfarin", "phenobarbital", ()),
    ],
)
def test_what_set_the_dose_of_warfarin_is_not_stopped_without_an_inr(
    drug: str, other: str, value: tuple[str, ...]
) -> None:
    who = taking((drug, "epilepsy"), (other, "atrial-fibrillation"), days=400)
    assert after_stopping(drug, who, []).watch == value


INDUCED = {
    "seed": 7, "condition": "osteoarthritis", "split": "train", "question": {"review": "list"},
    "edit": [
        {"kind": "lives with", "condition": "epilepsy", "years": 9},
        {"kind": "lives with", "condition": "atrial-fibrillation", "years": 4},
        {"kind": "take", "drug": "warfarin", "dose": 3, "unit": "mg", "per_day": 1,
         "for": "atrial-fibrillation"},
        {"kind": "take", "drug": "phenobarbital", "dose": 60, "unit": "mg", "per_day": 1,
         "for": "epilepsy"},
        {"kind": "shown", "documents": ["letter"], "egfr": True},
    ],
}  # fmt: skip


def test_the_inr_is_measured_once_an_inducer_is_stopped() -> None:
    patient = review_patient(INDUCED)
    old = dataclasses.replace(patient, person=dataclasses.replace(patient.person, age=80))
    gold = gold_of(INDUCED, old)
    plan = gold["answer"]["plan"]
    assert plan["stop"] == ["phenobarbital"]
    assert [one["test"] for one in plan["monitoring"]] == ["INR"]
    assert plan_score(CHANGE, plan, gold) == 1
    without = {key: value for key, value in plan.items() if key != "monitoring"}
    assert 0 < plan_score(CHANGE, without, gold) < 1
    pair = {"kind": "interaction", "drugs": ["phenobarbital", "warfarin"]}
    assert {**pair, "severity": "major"} in gold["extras"]  # who names it is right


@pytest.mark.parametrize(("days", "asked"), [(200, False), (20, True)])
def test_what_shows_itself_asks_for_nothing_once_both_are_long_taken(
    days: float, asked: bool
) -> None:
    two = (("apixaban", "atrial-fibrillation"), ("venlafaxine", "depression"))
    (pair,) = list_problems(taking(*two, days=days))
    assert pair.matters == asked


def test_the_level_of_the_drug_that_is_changed_is_watched() -> None:
    for pair in (("carbamazepine", "ciclosporin"), ("ciclosporin", "carbamazepine")):
        risk = pair_risk(*pair)
        assert risk is not None
        assert {one.watch for one in risk.remedies} == {"ciclosporin level"}


def test_an_inducer_that_ended_rules_alternatives_out() -> None:
    sleep = indications()["sleeplessness"]
    ended = dataclasses.replace(WELL, ended=(("rifampicin", 5.0),))
    assert "zolpidem" in alternatives(sleep, "temazepam", WELL)
    assert "zolpidem" not in alternatives(sleep, "temazepam", ended)
    assert not acts_on("rifampicin", 15, "zolpidem")


@pytest.mark.parametrize(
    ("plan", "score"),
    [
        ({"doses": [{"drug": "clonazepam", "daily_dose": 0.5}]}, 1),
        ({"doses": [{"drug": "clonazepam", "daily_dose": 0.5}], "add": ["sertraline"]}, 1),
        ({"doses": [{"drug": "clonazepam", "daily_dose": 0.9}]}, 0),
        ({"doses": [{"drug": "levothyroxine", "daily_dose": 20}]}, 0),
        ({"stop": ["clonazepam"]}, 1),
    ],
)
def test_a_benzodiazepine_may_be_lowered_first(plan: dict[str, Any], score: float) -> None:
    who = taking(("levothyroxine", "hypothyroidism"), weeks=14, days=200)
    clonazepam = Taken(Regimen("clonazepam", 0.5, "mg", 2), reason="panic attacks", days=200)
    (one,) = matter(dataclasses.replace(who, medicines=(*who.medicines, clonazepam)))
    assert lowered_first(one) == ["clonazepam"]
    problem = {"drugs": ["clonazepam"], "actions": ["avoid"], "remedies": [],
               "stoppable": stoppable(one), "steps": {"clonazepam": 1.0}}  # fmt: skip
    end = {"needed": False, "by": [], "neutral": ["sertraline"]}
    gold = {"problems": [problem], "replaced": {"clonazepam": end}}
    assert plan_score(CHANGE, plan, gold) == score


def test_what_a_pregnancy_asks_caution_for_is_no_sound_substitute() -> None:
    who = taking(("clonazepam", "panic attacks"), weeks=14, days=200)
    found = {}
    for one in (who, dataclasses.replace(who, weeks=None)):
        end = after_stopping("clonazepam", one, [])
        found[one.weeks] = sound_instead(end, one, [])
    assert "sertraline" in found[14]
    assert {"paroxetine", "milnacipran"} <= {*found[None]} - {*found[14]}


def test_what_was_begun_lately_or_is_contraindicated_is_not_lowered() -> None:
    (one,) = matter(taking(("clonazepam", "panic attacks"), weeks=14, days=200))
    for other in (
        dataclasses.replace(one, begun=one.drugs),
        dataclasses.replace(one, severity="contraindicated"),
        dataclasses.replace(one, kind="allergy"),
    ):
        assert lowered_first(other) == []
