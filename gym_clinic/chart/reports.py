"""What an examination and a study show of a patient, with normal wordings where nothing is there.

Source:
    ``examination.json`` and ``studies.json``; authored. Normal wordings are drawn once a patient.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from gym_clinic.chart.catalogue import sites, study_entry
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.shown import rhythm


def examination_report(patient: ClinicPatient, site: str) -> str:
    """Return what is found at a part of the examination.

    Args:
        patient: The patient.
        site: One of the parts of ``examination.json``.
    """
    found = [one.text for one in patient.examination if one.site == site]
    if found:
        return "; ".join(dict.fromkeys(found))
    return Random(f"{patient.seed}:{site}:normal").choice(sites()[site].normal)


def study_report(
    patient: ClinicPatient, study: str, minute: float, actions: Mapping[str, float]
) -> str:
    """Return the report of a study performed at a minute under what was given by then."""
    text = patient.report(study, minute)
    if text is None:
        normal = study_entry(study).normal
        text = Random(f"{patient.seed}:{study}:normal").choice(normal)
    if study == "ecg":
        rate = round(patient.state(minute, actions)["hr"])
        lived_with = {one.condition for one in patient.background}
        text = rhythm(text, rate, "atrial-fibrillation" in lived_with)
    return text
