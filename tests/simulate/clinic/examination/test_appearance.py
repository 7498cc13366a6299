"""The general appearance does not contradict pain, pallor or sickness."""

from __future__ import annotations

import re

import pytest

from gym_clinic.chart.examination import examination_report
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.examination.appearance import as_ill

FINE = {"pain": 1, "temp_c": 37.0, "sbp": 125, "age": 40}


@pytest.mark.parametrize(
    ("text", "finding", "values", "left"),
    [
        ("appears well, NAD", None, {}, "appears well, NAD"),
        ("appears well, NAD", None, {"pain": 7}, ""),
        ("looks well, moves about", None, {"pain": 7}, "moves about"),
        ("comfortable, not pale", "Pallor", {}, "comfortable"),
        ("comfortable at rest, thin", "Vomiting", {}, "thin"),
        ("looks well, sweaty", None, {"sbp": 75}, "sweaty"),
        ("playing, looks well", None, {"temp_c": 39.4, "sbp": 85, "age": 2}, "playing, looks well"),
        (
            "pacing, unable to get comfortable",
            None,
            {"pain": 9},
            "pacing, unable to get comfortable",
        ),
        ("well nourished, not distressed", None, {"pain": 9}, "well nourished"),
    ],
)
def test_clauses_that_the_record_contradicts_are_left_out(
    text: str, finding: str | None, values: dict[str, float], left: str
) -> None:
    assert as_ill(text, lambda name: name == finding, FINE | values) == left


def test_nobody_in_severe_pain_is_called_comfortable() -> None:
    seen = 0
    for condition in ("osteoarthritis", "deep-vein-thrombosis", "tension-type-headache"):
        for seed in range(40):
            patient = draw_patient(seed, condition)
            if patient.state(0)["pain"] < 5 or patient.person.age < 4:
                continue
            seen += 1
            report = examination_report(patient, "general")
            assert not re.search(r"(?<!un)comfortable|looks well|not distressed", report), report
    assert seen >= 15
