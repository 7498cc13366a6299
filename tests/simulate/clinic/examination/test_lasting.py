"""Studies show what a patient lives with, whatever brings them today."""

from __future__ import annotations

import dataclasses

import pytest

from gym_clinic.chart.reports import study_report
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.examination.lasting import (
    Lasting,
    lasting_results,
    with_lasting,
)
from gym_clinic.simulate.clinic.examination.shown import StudyReport
from gym_clinic.simulate.clinic.people import Background

FACTS = load()
NODULAR = StudyReport("Small, nodular liver.", True)


def living_with(condition: str, seed: int = 1, **changes: bool) -> ClinicPatient:
    """A patient with cystitis who lives with one condition."""
    known = Background(condition, 4.0, {}, **changes)
    patient = draw_patient(seed, "cystitis")
    return dataclasses.replace(patient, background=(known,), problems=patient.problems[:1])


@pytest.mark.parametrize(
    ("condition", "study", "words"),
    [
        ("chronic-obstructive-pulmonary-disease", "spirometry", "FEV1"),
        ("heart-failure-with-reduced-ejection-fraction", "echocardiogram", "E"),
        ("heart-failure-with-reduced-ejection-fraction", "transoesophageal-echocardiogram", "E"),
        ("aortic-stenosis", "echocardiogram", "alcified"),
        ("osteoporosis", "bone-densitometry", "-"),
        ("alzheimer-disease", "montreal-cognitive-assessment", "30"),
        ("cirrhosis", "ultrasound-abdomen", "liver"),
        ("cirrhosis", "ct-abdomen-pelvis", "liver"),
    ],
)
def test_a_known_illness_is_in_its_tests(condition: str, study: str, words: str) -> None:
    known, healthy = living_with(condition), living_with("hypothyroidism")
    told = study_report(known, study, 60, {})
    assert words in told
    assert told != study_report(healthy, study, 60, {})
    assert told == study_report(living_with(condition), study, 600, {})


def test_a_wrong_diagnosis_is_in_no_test() -> None:
    wrong = living_with("chronic-obstructive-pulmonary-disease", mistaken=True)
    assert wrong.lasting == ()


def test_what_is_of_today_is_told_first() -> None:
    liver = (Lasting("ultrasound-abdomen", NODULAR, "liver|normal abdom"),)
    stones = StudyReport("Stones in the gallbladder.", True)
    assert with_lasting(liver, "ultrasound-abdomen", stones) == (
        "Stones in the gallbladder. Small, nodular liver."
    )
    clear = StudyReport("Liver of normal size. No free fluid.", False)
    assert with_lasting(liver, "ultrasound-abdomen", clear) == (
        "No free fluid. Small, nodular liver."
    )
    swollen = StudyReport("Large bright liver.", True)
    assert with_lasting(liver, "ultrasound-abdomen", swollen) == "Large bright liver."
    test = (Lasting("spirometry", StudyReport("FEV1 40%.", True), None),)
    assert with_lasting(test, "spirometry", StudyReport("FEV1 98%.", False)) == "FEV1 40%."
    assert with_lasting(test, "spirometry", StudyReport("FEV1 60%.", True)) == "FEV1 60%."
    assert with_lasting(test, "ecg", None) is None


def test_the_table_names_what_exists() -> None:
    for one in lasting_results():
        condition = FACTS.conditions[one.condition]
        assert condition.role != "presenting", one.condition
        assert one.study in {study.study for study in condition.studies}, one
    pairs = [(one.condition, one.study) for one in lasting_results()]
    assert len(pairs) == len(set(pairs))
