"""Impression, plan and denials follow what was told, seen and measured."""

from __future__ import annotations

import dataclasses
import datetime
from pathlib import Path
from typing import cast

import pytest

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.telling.life import draw_life
from gym_clinic.simulate.clinic.texts import alarms as alarm_module
from gym_clinic.simulate.clinic.texts import documents, draw_visit
from gym_clinic.simulate.clinic.texts.alarms import (
    alarming_signs,
    alarms,
    lowest_pressure,
    orders_for,
)
from gym_clinic.simulate.clinic.texts.phrasebook import finding_words, phrases
from gym_clinic.simulate.clinic.texts.sections.asked_about import (
    ASKED_ABOUT,
    MOST_DENIED,
    SEEN_BY_OTHERS,
)
from gym_clinic.simulate.clinic.texts.sections.assessment import AT_HAND, orders_of
from gym_clinic.simulate.clinic.texts.sections.examination import first_signs, signs
from gym_clinic.simulate.clinic.texts.visit import SURGERY_HOURS
from gym_clinic.simulate.grammar import read_pools

ASSESSMENT = Path(alarm_module.__file__).parent / "phrases" / "assessment.txt"


@dataclasses.dataclass
class _Sample:
    patient: ClinicPatient
    values: dict[str, float]

    def reading(self, key: str) -> _Reading:
        return _Reading(self.values[key])


@dataclasses.dataclass
class _Reading:
    value: float
    comment: str | None = None


NORMAL = {"sbp": 120.0, "dbp": 75.0, "hr": 80.0, "rr": 14.0, "spo2": 98.0, "gcs": 15.0,
          "temp_c": 36.8}  # fmt: skip


def _alarms(weeks: float | None = None, **changed: float) -> tuple[str, ...]:
    patient = draw_patient(109, "preeclampsia")
    person = dataclasses.replace(patient.person, pregnant_weeks=weeks, age=30.0)
    patient = dataclasses.replace(patient, person=person, background=())
    return alarms(cast(Sample, _Sample(patient, NORMAL | changed)))


@pytest.mark.parametrize(
    ("weeks", "changed", "expected"),
    [
        (None, {}, ()),
        (30, {"sbp": 165}, ("pregnancy_severe",)),
        (30, {"dbp": 92}, ("pregnancy_raised",)),
        (None, {"sbp": 165}, ()),
        (None, {"sbp": 84}, ("low_pressure",)),
        (None, {"spo2": 86}, ("sats",)),
        (None, {"gcs": 12, "hr": 150}, ("gcs", "fast_pulse")),
        (None, {"hr": 38}, ("slow_pulse",)),
    ],
)
def test_values_alarm_by_age_and_pregnancy(
    weeks: float | None, changed: dict[str, float], expected: tuple[str, ...]
) -> None:
    assert _alarms(weeks, **changed) == expected


def test_the_lowest_pressure_rises_with_age() -> None:
    assert [lowest_pressure(age) for age in (0.01, 0.5, 3, 10, 60)] == [60, 70, 76, 90, 90]


def test_every_alarm_is_written_and_has_a_step() -> None:
    known = phrases()
    keys = {pool.split(".")[1] for pool in known if pool.startswith("alarm.")}
    assert len(keys) >= 10
    assert keys == {pool.split(".")[1] for pool in known if pool.startswith("step.")} - {
        "hospital", "crisis"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Dysuria", "urinalysis"),
        ("Hematemesis", "group-and-save"),
        ("Overdose of tablets", "paracetamol_level"),
        ("Overdose of tablets", "salicylate_level"),
        ("Palpitations", "ecg"),
        ("Chest pain", "ecg"),
    ],
)
def test_tests_follow_what_was_told(name: str, wanted: str) -> None:
    facts = load()
    assert wanted in orders_for(facts, {facts.finding_ids[name]}, pregnant=False)
    assert wanted not in orders_for(facts, {facts.finding_ids["Pruritus"]}, pregnant=False)


def test_pregnancy_brings_urine_and_blood_group() -> None:
    assert set(orders_for(load(), (), pregnant=True)) == {"urinalysis", "group-and-save"}


def test_severe_pressure_in_pregnancy_is_named_in_the_note() -> None:
    seen = 0
    for seed in range(109, 117):
        patient = draw_patient(seed, "preeclampsia")
        note = next(one for one in documents(patient) if one.kind == "note")
        if "pregnancy_severe" in alarms(Sample(patient, note.minute)):
            seen += 1
            assert "pregnan" in note.text.split("\n")[-1].lower()
            assert any(word in note.text for word in ("bstet", "OB", "hospital", "ED", "mbulance",
                                                      "admission"))  # fmt: skip
    assert seen


def test_a_doctor_on_call_orders_only_what_is_at_hand() -> None:
    patient = draw_patient(103)
    visit = dataclasses.replace(draw_visit(patient), setting="primary-care")
    grown = dataclasses.replace(patient.person, age=40.0)
    closed = next(hour for hour in range(24) if hour not in SURGERY_HOURS)
    late = dataclasses.replace(patient, person=grown, arrived=patient.arrived.replace(hour=closed))
    assert set(orders_of(late, visit)) <= set(AT_HAND)


def test_denials_are_few_and_of_the_systems_of_the_complaint() -> None:
    names, some = load().phenotypes, 0
    for seed in range(12):
        patient = draw_patient(seed)
        region = draw_visit(patient).region
        for one in documents(patient):
            absent = {fact.of for fact in one.facts if fact.kind == "finding" and not fact.has}
            some += len(absent)
            assert len(absent) <= MOST_DENIED
            assert {names[key].name for key in absent} <= set(ASKED_ABOUT[region])
    assert some


def test_what_is_asked_about_are_findings_with_words() -> None:
    asked = {name for names in ASKED_ABOUT.values() for name in names}
    assert asked | set(SEEN_BY_OTHERS) <= finding_words().keys()


def test_who_speaks_for_a_patient_is_not_quoted_as_the_patient() -> None:
    for seed in (104, 107):
        patient = draw_patient(seed, "kawasaki-disease")
        assert draw_visit(patient).speaker == "parent"
        for one in documents(patient):
            if one.kind in ("note", "handover", "referral"):
                assert "per pt" not in one.text.lower(), one.text
                assert "c/o" not in one.text, one.text


def test_nurses_end_no_two_notes_alike() -> None:
    for seed in range(6):
        texts = [one.text for one in documents(draw_patient(seed)) if one.kind == "nursing note"]
        ends = [one.rstrip(".").replace(";", ",").split(". ")[-1].split(", ")[-1] for one in texts]
        assert len(set(ends)) == len(ends), ends


@pytest.mark.parametrize(
    ("signs", "keys"),
    [
        ({"abdomen": "RIF tenderness with guarding and rebound"}, ("peritonism",)),
        ({"abdomen": "RUQ tenderness, no guarding"}, ()),
        ({"abdomen": "soft, non-tender, no peritonism"}, ()),
        ({"chest": "guarding one side of the chest"}, ()),
        ({"head and neck": "neck stiffness, Kernig's positive"}, ("meningism",)),
        ({"head and neck": "no neck stiffness"}, ()),
        ({"skin": "dark spots on legs and trunk that do not fade under glass"}, ("rash_stays",)),
        ({"skin": "no petechiae or purpura"}, ()),
        ({"chest": "no air entry on the right, hyperresonant PN"}, ("no_air_entry",)),
        ({"head and neck": "JVD, trachea deviated to L"}, ("trachea",)),
        ({"head and neck": "trachea central"}, ()),
        ({"neurology": "dense right hemiplegia, eyes deviated left"}, ("one_sided",)),
        ({"limbs": "knees mottled, hands cool"}, ("shut_down",)),
    ],
)
def test_signs_alarm_and_their_absence_does_not(
    signs: dict[str, str], keys: tuple[str, ...]
) -> None:
    assert alarming_signs(signs) == keys


def test_an_alarming_sign_has_its_step_in_the_note_and_a_soft_neck_has_none() -> None:
    steps = [one.text.lower() for one in read_pools(ASSESSMENT).pools["step.meningism"]]
    told = set()
    for seed in range(16):
        patient = draw_patient(seed, "subarachnoid-haemorrhage")
        visit = draw_visit(patient)
        if visit.setting != "emergency" or alarms(Sample(patient, visit.times["note"])):
            continue
        stiff = "meningism" in alarming_signs(first_signs(patient))
        (text,) = (one.text.lower() for one in documents(patient) if one.kind == "note")
        assert any(one in text for one in steps) == stiff
        told.add(stiff)
    assert told == {True, False}


def test_every_finding_of_a_site_is_written() -> None:
    """A tender abdomen is not lost where a second sign of the abdomen follows."""
    several = 0
    for seed in range(12):
        patient = draw_patient(seed, "acute-appendicitis")
        found = signs(patient)
        for one in patient.examination:
            assert one.text in found[one.site]
        several += len(found) < len(patient.examination)
    assert several


def test_notes_of_the_pregnant_have_parity_and_movements() -> None:
    patient = draw_patient(3, "preeclampsia")
    life = draw_life(patient)
    (note,) = (one for one in documents(patient) if one.kind == "note")
    told = {one.of: one for one in note.facts if one.kind == "pregnancy"}
    assert told["para"].says == str(life.births)
    assert told["gravida"].says == str((life.births or 0) + life.losses + 1)
    assert told["movements"].has == (life.movements == "usual")


def test_a_sheet_after_midnight_has_the_date_in_its_title() -> None:
    patient = next(
        one for one in (draw_patient(seed, "acute-appendicitis") for seed in range(200))
        if draw_visit(one).setting == "emergency"
    )  # fmt: skip
    late = dataclasses.replace(patient, arrived=patient.arrived.replace(hour=23, minute=50))
    early = dataclasses.replace(patient, arrived=patient.arrived.replace(hour=10, minute=0))
    for one, dated in ((late, True), (early, False)):
        (sheet,) = (each for each in documents(one) if each.kind == "laboratory")
        day = one.arrived + datetime.timedelta(minutes=sheet.minute)
        assert (f"{day:%d %b}" in sheet.title) == dated
