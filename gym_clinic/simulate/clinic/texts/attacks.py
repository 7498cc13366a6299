"""Attacks that are over on arrival, and are told as something that has been."""

from __future__ import annotations

from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.texts.knowledge import Told
from gym_clinic.simulate.clinic.texts.when import DAY

ATTACKS = (
    "Amaurosis fugax", "Bilateral tonic-clonic seizure", "Focal-onset seizure",
    "Loss of consciousness", "Presyncope", "Seizure", "Syncope",
)  # fmt: skip
"""What lasts minutes, and leaves the patient awake."""

AWAKE = 13.5
"""Coma score from which on an attack is over; below it may be going on."""


def is_over(patient: ClinicPatient, one: Told) -> bool:
    """Return whether a finding is an attack of the last day that is over on arrival."""
    recent = one.began is not None and one.began >= -DAY
    return one.name in ATTACKS and recent and patient.state(0)["gcs"] >= AWAKE
