"""Units of the texts: one convention for each patient, over one structured value."""

from __future__ import annotations

import re

import pytest

from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import resolve
from gym_clinic.instruments.units import convert
from gym_clinic.simulate.clinic import draw_patient, recollections
from gym_clinic.simulate.clinic.texts import documents, draw_visit
from gym_clinic.simulate.clinic.texts.units import (
    is_reported,
    local_unit,
    local_units,
    written_value,
)
from gym_clinic.simulate.clinic.texts.visit import not_american
from gym_clinic.simulate.clinic.texts.voice import americanised, drug_name


@pytest.mark.parametrize(
    ("key", "value", "british", "american"),
    [
        ("creatinine", 1.0, "88 umol/L", "1.00 mg/dL"),
        ("glucose", 180, "10.0 mmol/L", "180 mg/dL"),
        ("glucometer", 54, "3.0 mmol/L", "54 mg/dL"),
        ("bilirubin", 1.2, "21 umol/L", "1.2 mg/dL"),
        ("hb", 13.5, "135 g/L", "13.5 g/dL"),
        ("calcium", 10.0, "2.50 mmol/L", "10.0 mg/dL"),
        ("pco2", 40, "5.3 kPa", "40 mmHg"),
        ("vitamin_d", 20, "50 nmol/L", "20 ng/mL"),
        ("pth", 65, "6.9 pmol/L", "65 pg/mL"),
        ("hba1c", 6.5, "48 mmol/mol", "6.5 %"),
        ("hba1c", 9.0, "75 mmol/mol", "9.0 %"),
        ("ldl", 100, "2.6 mmol/L", "100 mg/dL"),
        ("temp_c", 38.0, "38.0 C", "100.4 F"),
        ("weight_kg", 70.0, "70.0 kg", "154 lb"),
        ("platelets", 250, "250 10^9/L", "250 10^3/uL"),
        ("na", 140, "140 mmol/L", "140 mmol/L"),
    ],
)
def test_values_are_written_as_in_the_country(
    key: str, value: float, british: str, american: str
) -> None:
    one = load().measurements[key]
    written = [
        f"{written_value(one, value, place)} {local_unit(one, place).unit}"
        for place in (False, True)
    ]
    assert written == [british, american]


def test_factors_are_those_of_the_instruments() -> None:
    known = load().measurements
    for units in local_units().values():
        assert units.keys() <= known.keys()
        for key, local in units.items():
            if local is None or key == "hba1c":  # two scales, not two units
                continue
            for value in (0.0, 1.0, 60.0):
                wanted = convert(value, known[key].unit, local.unit, local.analyte)
                assert local.offset + local.factor * value == pytest.approx(wanted, rel=1e-5)


def test_urea_is_british_and_urea_nitrogen_american() -> None:
    assert [is_reported("urea", american) for american in (False, True)] == [True, False]
    assert [is_reported("bun", american) for american in (False, True)] == [False, True]


def test_the_same_patient_keeps_one_structured_value() -> None:
    drawn = (draw_patient(seed) for seed in range(100, 140))
    triaged = (
        text
        for one in drawn
        if draw_visit(one).american
        for text in documents(one)
        if text.kind == "triage"
    )
    warmth = next(fact for text in triaged for fact in text.facts if fact.of == "temp_c")
    assert warmth.value is not None
    assert warmth.value < 45 < float(warmth.says)


def test_no_filtration_rate_is_estimated_in_children() -> None:
    for seed in range(4):
        child = draw_patient(seed, "acute-appendicitis")
        if child.person.age < 18:
            assert not any("eGFR" in one.text for one in documents(child))


def test_american_names_of_drugs_mean_the_same_drugs() -> None:
    for one in load().drugs.values():
        american = americanised(one.name.lower())
        assert resolve(american) == resolve(one.name), american


@pytest.mark.parametrize("word", ["snappy", "percentile", "Angioedema", "gastroesophageal"])
def test_a_british_word_inside_another_stays(word: str) -> None:
    assert americanised(word) == word


def test_a_poor_trace_is_written_beside_the_saturation_and_does_not_alarm() -> None:
    for seed in range(200):
        patient = draw_patient(seed, "migraine")
        for one in documents(patient):
            if "poor trace" in one.text:
                assert re.search(r"% [\w ]+\(poor trace\)", one.text)
                assert "hypox" not in one.text
                return
    raise AssertionError("no poor trace in 200 patients")


def test_nitroglycerin_is_glyceryl_trinitrate_in_britain() -> None:
    drugs = load().drugs
    assert drug_name(drugs["nitroglycerin"]) == "glyceryl trinitrate"
    assert americanised("glyceryl trinitrate") == "nitroglycerin"
    assert [drug_name(drugs[one]) for one in ("salbutamol", "metformin")] == [
        "salbutamol",
        "metformin",
    ]


def test_nobody_in_america_takes_what_is_not_prescribed_there() -> None:
    assert not_american() <= load().drugs.keys()
    american = [one for one in map(draw_patient, range(60)) if draw_visit(one).american]
    assert american
    for one in american:
        named = {each.drug for each in one.medicines} | {each.says for each in recollections(one)}
        assert not (not_american() & named)


def test_who_takes_a_strength_of_one_country_is_seen_there() -> None:
    seen = set()
    for seed in range(60):
        patient = draw_patient(seed, "unstable-angina")
        for one in patient.medicines:
            if one.drug == "aspirin":
                assert draw_visit(patient).american == (one.dose == 81), seed
                assert all(each.before is None for each in draw_visit(patient).medicines
                           if each.taken is one)  # fmt: skip
                seen.add(one.dose)
    assert seen == {75, 81}
