"""What a study shows of a patient, with normal wordings where nothing is there.

Source:
    ``studies.json``; authored. Normal wordings are drawn once a patient.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from gym_clinic.chart.catalogue import study_entry
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.split import of_split

ECG_RECOVERS = (
    "accidental-hypothermia",
    "hyperkalaemia",
    "paroxysmal-supraventricular-tachycardia",
    "tricyclic-antidepressant-poisoning",
)
"""Conditions whose ECG is normal as soon as they are treated."""

RECOVERED = 0.3
"""Severity below which it is."""


def study_report(
    patient: ClinicPatient, study: str, minute: float, actions: Mapping[str, float]
) -> str:
    """Return the report of a study performed at a minute under what was given by then."""
    normal = of_split("normal", study_entry(study).normal, patient.split)
    healthy = Random(f"{patient.seed}:{study}:normal").choice(normal)
    text = patient.report(study, minute, None if study == "ecg" else healthy)
    shown_by = [one for one in patient.problems if study in one.studies]
    recovered = study == "ecg" and all(
        one.condition in ECG_RECOVERS and patient.severity(one, minute, actions) < RECOVERED
        for one in shown_by
    )
    if text is None or recovered:
        text = healthy
    return patient.ecg(text, minute, actions) if study == "ecg" else text


def rate_of(ecg: str) -> int | None:
    """Return the heart rate that the report of an ECG names; None if it names none.

    >>> rate_of("Sinus tachycardia 112/min, no ST change.")
    112
    """
    named = re.search(r"\b(\d+)/min", ecg)
    return None if named is None else int(named[1])
