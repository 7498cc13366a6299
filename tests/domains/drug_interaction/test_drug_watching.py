"""What is watched and when, pregnancy, kidneys on two sides of a limit, and what lasts."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from gym_clinic.domains.drug_interaction.checks.formulary import Regimen, home_regimens, indications
from gym_clinic.domains.drug_interaction.checks.instead import alternatives
from gym_clinic.domains.drug_interaction.checks.people import pregnancy_risk
from gym_clinic.domains.drug_interaction.checks.problems import ReviewProfile, find_problems
from gym_clinic.domains.drug_interaction.checks.risks import pair_risk, washout_risk
from gym_clinic.domains.drug_interaction.checks.watching import first_days, watches

WELL = ReviewProfile(age=30, female=True, weight_kg=70, egfr=95, crcl=100)


@pytest.mark.parametrize(
    ("drug", "other", "quantity"),
    [
        ("doxycycline", "warfarin", "INR"),
        ("sertraline", "warfarin", "INR"),
        ("ritonavir", "warfarin", "INR"),
        ("dronedarone", "warfarin", "INR"),
        ("spironolactone", "ramipril", "potassium"),
        ("trimethoprim-sulfamethoxazole", "losartan", "potassium"),
        ("metronidazole", "lithium", "lithium level"),
        ("clarithromycin", "theophylline", "theophylline level"),
        ("bisoprolol", "digoxin", "heart rate"),
        ("amitriptyline", "citalopram", "QTc on an ECG"),
        ("quetiapine", "levodopa", "motor symptoms"),
        ("atorvastatin", "colchicine", "creatine kinase and muscle pain"),
        ("promethazine", "risperidone", "sedation"),
        ("diphenhydramine", "olanzapine", "sedation"),
    ],
)
def test_an_interaction_is_watched_by_one_quantity(drug: str, other: str, quantity: str) -> None:
    risk = pair_risk(drug, other)
    assert risk is not None
    assert "change" in risk.actions
    assert [one.watch for one in risk.remedies if one.kind == "monitor"] == [quantity]


def test_the_dose_that_is_lowered_is_that_of_the_drug_whose_level_rises() -> None:
    for drug, other in (("clarithromycin", "oxycodone"), ("clarithromycin", "colchicine")):
        risk = pair_risk(drug, other)
        assert risk is not None
        lowered = [one.drugs for one in risk.remedies if one.kind == "dose"]
        assert lowered == [frozenset({other})]


def test_two_blockers_of_dopamine_are_watched_by_movement() -> None:
    risk = pair_risk("metoclopramide", "risperidone")
    assert risk is not None
    assert "extrapyramidal" in risk.reason
    assert [one.watch for one in risk.remedies] == ["motor symptoms"]
    assert watches("extrapyramidal symptoms", 7, "motor symptoms")


@pytest.mark.parametrize(("indication", "egfr", "found"), [
    ("type 2 diabetes", 38, True), ("heart failure", 38, False), ("heart failure", 15, True),
])  # fmt: skip
def test_gliflozins_lower_no_glucose_when_the_kidneys_fail(
    indication: str, egfr: float, found: bool
) -> None:
    who = dataclasses.replace(WELL, egfr=egfr, crcl=egfr)
    drug = Regimen("dapagliflozin", 10, "mg", 1)
    problems = find_problems(drug, indications()[indication], who)
    assert any(one.kind == "renal" and one.actions == ("avoid",) for one in problems) == found


def test_every_quantity_that_is_asked_for_has_its_days() -> None:
    drugs = {option.drug for one in indications().values() for option in one.options}
    asked = {
        remedy.watch
        for drug, other in itertools.product(sorted(drugs), sorted(home_regimens()))
        if (risk := pair_risk(drug, other)) is not None
        for remedy in risk.remedies
        if remedy.kind == "monitor"
    }
    assert len(asked) > 12
    for one in asked:
        first, last = first_days(one)
        assert watches(one, last, one)
        assert not watches(one, last + 1, one)
        assert not watches(one, first - 0.5, one)


@pytest.mark.parametrize(("test", "day", "right"), [
    ("INR", 4, True), ("check the INR", 3, True), ("INR", 0, False), ("INR", 30, False),
    ("potassium", 4, False), ("INR, potassium, ECG, blood count, glucose, lithium", 4, False),
])  # fmt: skip
def test_the_right_quantity_at_the_right_time(test: str, day: float, right: bool) -> None:
    assert watches(test, day, "INR") == right


@pytest.mark.parametrize(
    ("drug", "weeks", "actions"),
    [
        ("candesartan", 8, ("avoid",)),
        ("spironolactone", 18, ("avoid",)),
        ("atorvastatin", 10, ("avoid",)),
        ("diclofenac", 26, ("avoid",)),
        ("diclofenac", 12, ("avoid", "none")),
        ("apixaban", 20, ("avoid",)),
        ("sertraline", 20, ("none",)),
        ("amoxicillin", 8, ("none",)),
        ("nitrofurantoin", 18, ("none",)),
        ("citalopram", 18, ("none", "avoid")),
        ("ramelteon", 18, ("none", "avoid")),
    ],
)
def test_pregnancy_rates_every_drug_or_asks_for_advice(
    drug: str, weeks: float, actions: tuple[str, ...]
) -> None:
    assert pregnancy_risk(drug, weeks).actions == actions


def test_no_alternative_in_pregnancy_is_unrated_or_calls_for_caution() -> None:
    pregnant, offered = dataclasses.replace(WELL, weeks=24), 0
    for one in indications().values():
        for drug in alternatives(one, "", pregnant):
            assert pregnancy_risk(drug, 24).advice == "acceptable", drug
            offered += 1
    assert offered > 25


def test_of_two_measures_of_the_kidneys_the_one_that_is_named_decides() -> None:
    pain = indications()["pain after shingles"]
    drug = Regimen("pregabalin", 300, "mg", 2)
    for egfr, crcl, actions in ((75, 40, [("change",)]), (40, 75, [])):
        split = dataclasses.replace(WELL, egfr=egfr, crcl=crcl)
        found = find_problems(drug, pain, split)
        assert [one.actions for one in found if one.kind == "renal"] == actions
        obese = find_problems(drug, pain, dataclasses.replace(split, bmi=34))
        assert [one.undecided for one in obese if one.kind == "renal"] == [True]


def test_two_measures_on_two_sides_of_a_limit_decide_nothing_in_the_obese() -> None:
    pressure = indications()["hypertension"]
    drug = Regimen("spironolactone", 25, "mg", 1)
    split = dataclasses.replace(WELL, egfr=24, crcl=42, bmi=36)
    found = [one for one in find_problems(drug, pressure, split) if one.kind == "renal"]
    assert [one.undecided for one in found] == [True]
    assert "spironolactone" not in alternatives(pressure, "", split)
    both = dataclasses.replace(WELL, egfr=24, crcl=24)
    found = [one for one in find_problems(drug, pressure, both) if one.kind == "renal"]
    assert {one.actions for one in found} == {("avoid",)}


@pytest.mark.parametrize("drug", ["naproxen", "diclofenac", "celecoxib", "meloxicam"])
def test_no_anti_inflammatory_drug_when_the_kidneys_fail(drug: str) -> None:
    failing = dataclasses.replace(WELL, egfr=22, crcl=22)
    found = find_problems(Regimen(drug, 1, "mg", 1), indications()["osteoarthritis"], failing)
    assert [one.actions for one in found if one.kind == "renal"] == [("avoid",)]


@pytest.mark.parametrize(
    ("drug", "stopped", "days", "wait"),
    [
        ("apixaban", "st-johns-wort", 4, 10),
        ("sertraline", "st-johns-wort", 4, 10),
        ("sertraline", "selegiline", 4, 10),
        ("selegiline", "fluoxetine", 20, 15),
        ("bupropion", "phenelzine", 9, 5),
        ("bupropion", "selegiline", 9, 5),
        ("promethazine", "tranylcypromine", 9, 5),
        ("diphenhydramine", "phenelzine", 9, 5),
        ("mirtazapine", "tranylcypromine", 9, 5),
        ("rivaroxaban", "carbamazepine", 6, 8),
    ],
)
def test_what_was_stopped_acts_on(drug: str, stopped: str, days: float, wait: float) -> None:
    risk = washout_risk(drug, stopped, days)
    assert risk is not None
    assert risk.remedies[0].amount == wait
    assert washout_risk(drug, stopped, days + wait) is None


@pytest.mark.parametrize(
    ("drug", "other", "severity", "actions"),
    [
        ("levodopa", "quetiapine", "moderate", ("change",)),
        ("levodopa", "haloperidol", "major", ("avoid",)),
        ("bupropion", "selegiline", "contraindicated", ("avoid",)),
        ("venlafaxine", "escitalopram", "major", ("avoid",)),
        ("paroxetine", "nortriptyline", "major", ("avoid",)),
        ("linezolid", "tramadol", "major", ("avoid",)),
        ("amiodarone", "citalopram", "major", ("avoid",)),
        ("ziprasidone", "haloperidol", "contraindicated", ("avoid",)),
        ("spironolactone", "eplerenone", "contraindicated", ("avoid",)),
        ("theophylline", "propranolol", "major", ("avoid",)),
        ("clarithromycin", "amlodipine", "major", ("avoid",)),
        ("diazepam", "zolpidem", "major", ("avoid",)),
        ("miconazole", "gliclazide", "major", ("avoid",)),
    ],
)
def test_common_dangerous_pairs_are_graded(
    drug: str, other: str, severity: str, actions: tuple[str, ...]
) -> None:
    risk = pair_risk(drug, other)
    assert risk is not None
    assert (risk.severity, risk.actions) == (severity, actions)
