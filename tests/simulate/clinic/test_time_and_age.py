"""Values that follow the hours since an illness began, and those of the newborn."""

from __future__ import annotations

import dataclasses
import re
from random import Random

import pytest

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, State, draw_patient
from gym_clinic.simulate.clinic.physiology.body import (
    DrawnEffect,
    add_computed,
    draw_usual,
    outside,
    reference,
)


def poisoned(hours: float) -> ClinicPatient:
    patient = draw_patient(1, "paracetamol-poisoning")
    first = dataclasses.replace(patient.problems[0], began=-round(60 * hours))
    return dataclasses.replace(patient, problems=(first,))


def test_the_level_of_paracetamol_falls_and_the_liver_follows_a_day_later() -> None:
    states: list[State] = [poisoned(hours).state(0) for hours in (2, 4, 8, 16, 30)]
    levels = [one["paracetamol_level"] for one in states]
    assert levels[0] <= levels[1]
    assert levels[1:] == sorted(levels[1:], reverse=True)
    assert levels[-1] < 0.1 * levels[1]
    enzymes = [one["alt"] for one in states]
    assert enzymes[2] < 1.2 * enzymes[0]
    assert enzymes[-1] > 3 * enzymes[0]


def test_the_level_goes_on_falling_after_arrival() -> None:
    patient = poisoned(5)
    assert patient.state(360)["paracetamol_level"] < 0.6 * patient.state(0)["paracetamol_level"]
    assert patient.state(1440)["alt"] > 2 * patient.state(0)["alt"]


@pytest.mark.parametrize(
    ("kind", "amount", "half"), [("add", 10.0, 5.0), ("times", 9.0, 3.0), ("set", 8.0, 4.0)]
)
def test_a_part_of_an_effect(kind: str, amount: float, half: float) -> None:
    assert DrawnEffect(kind, amount).part(0.5) == DrawnEffect(kind, half)


def test_the_blood_of_a_newborn_is_its_own() -> None:
    newborns = [draw_patient(seed, "neonatal-jaundice") for seed in range(5)]
    infants = [draw_patient(seed, "intussusception") for seed in range(5)]
    for one in newborns:
        assert one.person.age < 0.08
        assert one.usual["hb"] > 13
        assert one.usual["mcv"] > 94
        assert one.usual["lymphocyte_pct"] < 62
        whole = add_computed(load(), one.healthy, one.person.sex, one.person.age)
        wrong = outside(load(), whole, one.person.sex, one.person.age)
        assert not wrong.keys() - {"egfr", "weight_kg"}
    assert max(one.usual["hb"] for one in infants) < 14.5
    assert max(one.usual["mcv"] for one in infants) < 100


def test_the_rhythm_of_hyperkalaemia_foretells_death() -> None:
    broad: list[int | None] = []
    narrow: list[int | None] = []
    for seed in range(24):
        patient = draw_patient(seed, "hyperkalaemia")
        text = (patient.report("ecg") or "").casefold()
        wide = "broad" in text or re.search(r"qrs 1[2-9]\d", text)  # from 120 ms on
        (broad if wide else narrow).append(patient.death({}))
    assert len(broad) >= 3
    assert len(narrow) >= 3
    soon = [one for one in narrow if one is not None and one < 240]
    assert all(one is not None for one in broad)
    assert not soon


def test_the_skin_peels_late_in_kawasaki_disease() -> None:
    peeling = load().finding_ids["Skin peeling"]
    for seed in range(20):
        problem = draw_patient(seed, "kawasaki-disease").problems[0]
        if peeling in problem.findings:
            assert -problem.began >= 10 * 1440
            assert problem.findings[peeling] - problem.began >= 10 * 1440 * 0.9


def test_albumin_and_creatinine_are_low_in_pregnancy() -> None:
    """By what a healthy pregnancy does; the ranges of the laboratory go with it."""
    patient = draw_patient(4, "migraine")
    person = dataclasses.replace(patient.person, age=30.0, sex="female")
    states, ranges = [], []
    for weeks in (None, 12, 34):
        one = dataclasses.replace(
            patient, person=dataclasses.replace(person, pregnant_weeks=weeks), problems=()
        )
        states.append(one.usual)
        ranges.append(reference(patient.facts.measurements["albumin"], "female", 30, weeks))
    assert states[0]["albumin"] > states[1]["albumin"] > states[2]["albumin"]
    assert all(one["creatinine"] < 0.85 * states[0]["creatinine"] for one in states[1:])
    assert all(one["pco2"] < states[0]["pco2"] - 5 for one in states[1:])
    lows = [one.low for one in ranges if one is not None and one.low is not None]
    assert lows == sorted(lows, reverse=True)
    assert len(set(lows)) == 3


@pytest.mark.parametrize(
    ("age", "low", "high"), [(0.05, 95, 116), (1, 70, 86), (4, 75, 87), (9, 77, 95), (40, 80, 100)]
)
def test_red_cells_have_the_size_of_the_age(age: float, low: float, high: float) -> None:
    drawn = [draw_usual(load(), "male", age, Random(seed))["mcv"] for seed in range(40)]
    assert low <= min(drawn) < max(drawn) <= high


def test_no_illness_began_before_birth() -> None:
    drawn = (draw_patient(seed, "gastroesophageal-reflux-disease") for seed in range(120))
    infants = [one for one in drawn if one.person.age < 0.5]
    assert infants
    for one in infants:
        life = one.person.age * 365.25 * 24 * 60
        assert all(-began <= life for each in one.problems for began in each.findings.values())


def test_fumes_are_breathed_in_when_the_poisoning_begins() -> None:
    """So that no answer tells two times of one fire."""
    fumes = load().finding_ids["Exposure to fumes or smoke"]
    for seed in range(12):
        patient = draw_patient(seed, "carbon-monoxide-poisoning")
        began = patient.problems[0].findings.get(fumes)
        events = [one for one in patient.past if one.kind == "exposure"]
        assert began is None or all(abs(one.minute - began) <= 1 for one in events)


def test_no_infant_has_asthma_or_hay_fever() -> None:
    late = {load().finding_ids[name] for name in ("Asthma", "Allergic rhinitis")}
    drawn = [draw_patient(seed, "atopic-dermatitis") for seed in range(80)]
    infants = [one for one in drawn if one.person.age < 2]
    assert infants
    assert not [one for one in infants if late & one.problems[0].findings.keys()]
    assert [one for one in drawn if late & one.problems[0].findings.keys()]


def test_nobody_coughs_for_years_before_a_tuberculosis_is_found() -> None:
    cough = load().finding_ids["Chronic cough"]
    drawn = [draw_patient(seed, "pulmonary-tuberculosis") for seed in range(40)]
    began = [one.problems[0].findings[cough] for one in drawn if cough in one.problems[0].findings]
    assert len(began) >= 10
    assert min(began) >= -400 * 24 * 60


@pytest.mark.parametrize(
    "condition", ["diabetic-ketoacidosis", "hyperosmolar-hyperglycaemic-state"]
)
def test_nobody_with_a_diabetic_emergency_looks_well_hydrated(condition: str) -> None:
    seen = {one.text for seed in range(60) for one in draw_patient(seed, condition).examination
            if one.site == "general"}  # fmt: skip
    assert len(seen) > 3
    assert not [one for one in seen if re.search("well hydrated|moist|not clinically dry", one)]


def test_who_hardly_wakes_after_an_opioid_breathes_slowly() -> None:
    states = [draw_patient(seed, "opioid-overdose").state(0) for seed in range(60)]
    deep = [one["rr"] for one in states if one["gcs"] <= 10]
    assert sum(one < 12 for one in deep) >= 0.95 * len(deep)
