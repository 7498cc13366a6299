"""What is proposed is proposed as it is begun: low, by weight, and after what precedes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gym_clinic.clinical import TaskDraft
from gym_clinic.domains.drug_interaction.charting import protected
from gym_clinic.domains.drug_interaction.checks.doses import renal_risks
from gym_clinic.domains.drug_interaction.checks.formulary import indications
from gym_clinic.domains.drug_interaction.home import fits_weight
from gym_clinic.domains.drug_interaction.lists.review import asked_drug
from gym_clinic.domains.drug_interaction.tasks import make
from gym_clinic.domains.drug_interaction.world import profile_of, review_patient
from gym_clinic.simulate.clinic import draw_patient

METHOTREXATE = "methotrexate"


@pytest.mark.parametrize(
    ("drug", "indication", "daily"),
    [
        ("bisoprolol", "heart failure", 1.25), ("candesartan", "heart failure", 4),
        ("sacubitril-valsartan", "heart failure", 100), ("doxazosin", "hypertension", 1),
        ("doxazosin", "prostate", 1), ("baclofen", "spasticity", 15),
        ("tizanidine", "spasticity", 6), ("topiramate", "epilepsy", 25),
        ("topiramate", "prevention of migraine", 25), ("quetiapine", "schizophrenia", 50),
        ("quetiapine", "bipolar disorder", 50), ("ziprasidone", "schizophrenia", 40),
        ("sulfasalazine", "rheumatoid arthritis", 500),
    ],
)  # fmt: skip
def test_what_is_raised_slowly_is_begun_low(drug: str, indication: str, daily: float) -> None:
    proposed = next(one for one in indications()[indication].options if one.drug == drug)
    assert proposed.daily <= daily


@pytest.mark.parametrize(("clearance", "most"), [(40, 122.5), (20, 82)])
def test_tenofovir_is_given_on_fewer_days_where_kidneys_fail(clearance: float, most: float) -> None:
    (risk,) = renal_risks("tenofovir-disoproxil", clearance, clearance, indication=(), daily_mg=245)
    assert [one.most for one in risk.remedies] == [most]


def test_what_follows_days_of_heparin_is_no_first_treatment_of_a_clot() -> None:
    clot = indications()["deep vein thrombosis"]
    later = {"dabigatran", "edoxaban", "warfarin"}
    assert later.isdisjoint(one.drug for one in clot.options)
    assert later <= {one.drug for one in clot.also}


def test_no_ulcer_begins_with_what_heals_it_more_slowly() -> None:
    ulcer = indications()["peptic ulcer"]
    assert "famotidine" not in {one.drug for one in ulcer.options}
    assert "famotidine" in {one.drug for one in ulcer.also}


@pytest.mark.parametrize(("weight", "fits"), [(60, False), (80, True), (98, False)])
def test_enoxaparin_of_80_mg_is_given_to_who_weighs_about_80_kg(weight: float, fits: bool) -> None:
    patient = draw_patient(3, "deep-vein-thrombosis")
    patient = replace(patient, person=replace(patient.person, weight_kg=weight))
    assert fits_weight("enoxaparin", patient) is fits
    assert fits_weight("apixaban", patient)


def test_folic_acid_of_a_methotrexate_that_is_proposed_was_begun_for_it() -> None:
    """Else somebody would have taken it for an arthritis for years, without methotrexate."""
    drafts = (
        make(TaskDraft(seed=seed, label="liver", split="train")) for seed in range(3000, 3030)
    )
    made = next(one for one in drafts if one and asked_drug(one.record["question"]) == METHOTREXATE)
    who = profile_of(review_patient(made.record), made.record["edit"])
    assert [one.days for one in who.medicines if one.regimen.drug == "folic-acid"] == [1]


def test_on_a_list_it_was_begun_with_the_methotrexate() -> None:
    assert [one.get("days") for one in protected(METHOTREXATE)] == [None]
    assert [one["days"] for one in protected(METHOTREXATE, days=20)] == [20]
