"""What a study shows follows treatment."""

from __future__ import annotations

import re

from gym_clinic.chart.reports import study_report
from gym_clinic.simulate.clinic import draw_patient


def reports(condition: str, action: str) -> list[tuple[str, str]]:
    """ECGs after an hour, without and with treatment after five minutes."""
    patients = [draw_patient(seed, condition) for seed in range(8)]
    return [
        (study_report(one, "ecg", 60, {}), study_report(one, "ecg", 60, {action: 5.0}))
        for one in patients
        if len(one.problems) == 1
    ]


def test_an_arrhythmia_ends_with_its_treatment() -> None:
    pairs = reports("paroxysmal-supraventricular-tachycardia", "drug:adenosine")
    assert len(pairs) >= 5
    ended = [(before, after) for before, after in pairs if "Sinus" in after]
    assert len(ended) > 0.7 * len(pairs)
    assert not any("Sinus" in before for before, _ in ended)


def test_the_ecg_of_an_infarction_stays_with_aspirin() -> None:
    for before, after in reports("acute-myocardial-infarction", "drug:aspirin"):
        plain = [
            re.sub(r"\d+/min|tachycardia|rhythm|bradycardia", "", one) for one in (before, after)
        ]
        assert plain[0] == plain[1]


def test_a_swab_of_blisters_finds_something_to_swab() -> None:
    for study in ("varicella-zoster-pcr", "wound-swab"):
        for seed in range(8):
            patient = draw_patient(seed, "hand-foot-and-mouth-disease")
            assert "to swab" not in study_report(patient, study, 10, {})


def test_no_child_has_kidneys_of_a_grown_size() -> None:
    for seed in range(24):
        patient = draw_patient(seed, ("acute-pyelonephritis", "nephrotic-syndrome")[seed % 2])
        if patient.person.age < 12:
            assert " cm" not in study_report(patient, "ultrasound-kidneys", 10, {})
