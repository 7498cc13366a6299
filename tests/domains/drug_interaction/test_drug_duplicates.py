"""Two drugs of one class or one purpose, and alternatives beside all that is taken."""

from __future__ import annotations

import dataclasses

import pytest

from gym_clinic.domains.drug_interaction.checks.duplicates import severity_twice
from gym_clinic.domains.drug_interaction.checks.formulary import Regimen, home_regimens, indications
from gym_clinic.domains.drug_interaction.checks.instead import alternatives
from gym_clinic.domains.drug_interaction.checks.problems import (
    ReviewProfile,
    Taken,
    excluded,
    find_problems,
)
from gym_clinic.domains.drug_interaction.checks.risks import allergy_risk, duplicate_risk, pair_risk
from gym_clinic.domains.drug_interaction.plausibility import go_together

WELL = ReviewProfile(age=50, female=True, weight_kg=70, egfr=95, crcl=100)


def taking(*drugs: str) -> ReviewProfile:
    return dataclasses.replace(
        WELL, medicines=tuple(Taken(Regimen(one, 1, "mg", 1)) for one in drugs)
    )


@pytest.mark.parametrize(
    ("taken", "indication", "wrong"),
    [
        ("verapamil", "atrial fibrillation, rate", {"diltiazem", "bisoprolol", "metoprolol"}),
        ("escitalopram", "depression", {"venlafaxine", "duloxetine", "sertraline", "mirtazapine"}),
        ("escitalopram", "anxiety", {"venlafaxine", "duloxetine", "paroxetine"}),
        ("dapagliflozin", "type 2 diabetes", {"empagliflozin"}),
        ("olanzapine", "schizophrenia", {"quetiapine", "haloperidol"}),
        ("selegiline", "depression", {"bupropion", "mirtazapine", "sertraline"}),
        ("tamsulosin", "hypertension", {"doxazosin"}),
        ("gliclazide", "type 2 diabetes", {"repaglinide", "glibenclamide"}),
    ],
)
def test_no_alternative_doubles_what_the_patient_goes_on_taking(
    taken: str, indication: str, wrong: set[str]
) -> None:
    offered = alternatives(indications()[indication], "", taking(taken))
    assert not wrong & {*offered}
    assert wrong <= {one.drug for one in indications()[indication].options}


def test_an_alternative_brings_no_problem_beside_any_usual_medicine() -> None:
    offered = 0
    for name, indication in indications().items():
        for partner in sorted(home_regimens())[len(name) % 7 :: 27]:
            who = taking(partner)
            options = {one.drug: one for one in indication.options}
            for one in alternatives(indication, "", who):
                offered += 1
                assert (
                    pair_risk(one, partner) is None
                    or find_problems(options[one], indication, who) == []
                ), (name, one, partner)
                assert duplicate_risk(one, partner) is None, (name, one, partner)
    assert offered > 100


@pytest.mark.parametrize(("drug", "severity"), [
    ("ibuprofen", "major"), ("paracetamol", "major"), ("omeprazole", "moderate"),
    ("cetirizine", "moderate"),
])  # fmt: skip
def test_the_same_drug_twice_is_as_severe_as_its_class(drug: str, severity: str) -> None:
    assert severity_twice(drug) == severity


def test_an_ulcer_for_which_a_medicine_is_taken_forbids_anti_inflammatory_drugs() -> None:
    healed = dataclasses.replace(WELL, history=frozenset({"peptic-ulcer-disease"}))
    assert excluded("naproxen", healed)
    offered = alternatives(indications()["osteoarthritis"], "tramadol", healed)
    assert offered == ["paracetamol", "duloxetine"]


def test_nothing_that_raises_a_high_potassium_is_offered() -> None:
    high = dataclasses.replace(WELL, potassium=5.3)
    pressure = indications()["hypertension"]
    assert "ramipril" in alternatives(pressure, "doxazosin", WELL)
    offered = {*alternatives(pressure, "doxazosin", high)}
    assert not {"ramipril", "losartan", "spironolactone"} & offered
    assert "amlodipine" in offered


@pytest.mark.parametrize(
    ("allergen", "drug", "actions"),
    [
        ("ibuprofen", "naproxen", ("avoid",)),
        ("naproxen", "aspirin", ("avoid",)),
        ("ibuprofen", "celecoxib", ("none", "avoid")),
        ("cefalexin", "cefuroxime", ("none", "avoid")),
        ("carbamazepine", "lamotrigine", ("none", "avoid")),
        ("codeine", "oxycodone", ("none", "avoid")),
        ("codeine", "morphine", ("avoid",)),
        ("ciprofloxacin", "levofloxacin", ("none", "avoid")),
    ],
)
def test_an_allergy_to_one_drug_is_asked_about_its_kind(
    allergen: str, drug: str, actions: tuple[str, ...]
) -> None:
    risk = allergy_risk(drug, allergen, "hives")
    assert risk is not None
    assert risk.actions == actions
    assert allergy_risk("paracetamol", allergen) is None


@pytest.mark.parametrize(
    ("taken", "weeks", "settled"),
    [
        (("warfarin", "amlodipine"), None, True),
        (("warfarin", "ibuprofen"), None, False),
        (("sertraline", "st-johns-wort"), None, False),
        (("omeprazole", "esomeprazole"), None, False),
        (("ramipril",), 20, False),
        (("labetalol",), 20, True),
        (("lisinopril", "hydrochlorothiazide", "naproxen"), None, False),
    ],
)
def test_the_medicines_of_a_chart_go_together(
    taken: tuple[str, ...], weeks: int | None, settled: bool
) -> None:
    assert go_together(dataclasses.replace(taking(*taken), weeks=weeks)) == settled


def test_nothing_is_taken_that_an_allergy_or_a_condition_forbids() -> None:
    taken = taking("aspirin")
    assert go_together(taken)
    assert not go_together(dataclasses.replace(taken, allergies=(("ibuprofen", "hives"),)))
    assert not go_together(
        dataclasses.replace(taking("propranolol"), conditions=frozenset({"asthma"}))
    )


def test_no_alternative_meets_an_inducer_that_ended_yesterday() -> None:
    ended = dataclasses.replace(WELL, ended=(("st-johns-wort", 1.0),))
    assert alternatives(indications()["deep vein thrombosis"], "", ended) == ["enoxaparin"]
    long_ago = dataclasses.replace(WELL, ended=(("st-johns-wort", 30.0),))
    assert "apixaban" in alternatives(indications()["deep vein thrombosis"], "", long_ago)


@pytest.mark.parametrize(
    ("drug", "other", "twice"),
    [
        ("beclometasone-formoterol", "formoterol-budesonide", True),
        ("fluticasone-salmeterol", "umeclidinium-vilanterol", True),
        ("tiotropium", "umeclidinium-vilanterol", True),
        ("beclometasone", "fluticasone-salmeterol", True),
        ("tiotropium", "fluticasone-salmeterol", False),
        ("salbutamol", "fluticasone-salmeterol", False),
        ("insulin-glargine", "insulin-degludec", True),
        ("insulin-glargine", "insulin-aspart", False),
        ("adalimumab", "etanercept", True),
        ("emtricitabine-tenofovir", "bictegravir-emtricitabine-tenofovir", True),
        ("emtricitabine-tenofovir", "dolutegravir", False),
        ("memantine", "donepezil", False),
    ],
)
def test_products_that_share_an_ingredient_or_act_alike_are_duplicates(
    drug: str, other: str, twice: bool
) -> None:
    risk = duplicate_risk(drug, other)
    assert (risk is not None and risk.actions == ("avoid",)) == twice


@pytest.mark.parametrize(("ended", "days", "fits"), [
    ("adalimumab", 9, False), ("adalimumab", 80, True), ("tocilizumab", 20, False),
    ("methotrexate", 9, True),
])  # fmt: skip
def test_no_antibody_is_taken_while_one_that_ended_still_acts(
    ended: str, days: float, fits: bool
) -> None:
    who = dataclasses.replace(taking("etanercept", "amlodipine"), ended=((ended, days),))
    assert go_together(who) is fits
    assert go_together(taking("etanercept", "amlodipine"))
