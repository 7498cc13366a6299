"""Where a patient may go: the usual place of the condition, and others that are as right.

Wards differ between hospitals: who is watched closely is in intensive care in one and on a ward
with a monitor in another. A set of places is right, by the acuity of the condition and of the
patient.
"""

from __future__ import annotations

from collections.abc import Mapping

from gym_clinic.facts.conditions import Condition
from gym_clinic.simulate.clinic import ClinicPatient

EMERGENCY, URGENT = 2, 3
"""Last triage level of an emergency, and of what must be seen within an hour."""

BESIDE: Mapping[tuple[str, int], tuple[str, ...]] = {
    ("ward", 1): ("intensive care",),
    ("intensive care", 2): ("ward",),
    ("theatre", 1): ("intensive care",),
    ("theatre", 3): ("ward",),
    ("labour ward", 1): ("theatre",),
    ("home", 3): ("ward", "outpatient referral"),
    ("home", 4): ("outpatient referral",),
    ("home", 5): ("outpatient referral",),
    ("outpatient referral", 3): ("ward",),
}
"""Usual place and triage level of a condition -> other places that are as right."""

ALSO: Mapping[str, tuple[str, ...]] = {
    "unstable-angina": ("catheter laboratory",),
    "septic-arthritis": ("ward",),
    "mesenteric-ischaemia": ("intensive care",),
    "stroke": ("intensive care",),
}
"""Condition -> further places that are as right."""

INSTEAD: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("acute-myocardial-infarction", "without-st-elevation"): ("ward", "catheter laboratory"),
    ("aortic-dissection", "descending"): ("intensive care", "theatre"),
}
"""Condition and form -> its places, where they are not those of the condition."""

FAILING: Mapping[str, tuple[float, float]] = {
    "sbp": (90, 260), "spo2": (90, 101), "rr": (8, 35), "gcs": (12, 16),
}  # fmt: skip
"""Vital sign -> from and to; outside of it an adult may need intensive care."""

ADULT = 18


def dispositions(condition: Condition, patient: ClinicPatient | None = None) -> tuple[str, ...]:
    """Return where a patient may go, the usual place first.

    An emergency is not sent home from its first visit, wherever it ends: it is observed on a ward.

    Args:
        condition: What the patient has, or is thought to have.
        patient: The patient; someone who is not failing, with the usual form, if None.
    """
    usual, urgent = str(condition.disposition), condition.triage or 9
    if urgent <= EMERGENCY and usual == "home":
        usual = "ward"
    places = (usual, *BESIDE.get((usual, urgent), ()), *ALSO.get(condition.id, ()))
    if patient is not None:
        for problem in patient.problems:
            if problem.condition == condition.id:
                places = INSTEAD.get((condition.id, problem.variant or ""), places)
        if "ward" in places and _fails(patient):
            places = (*places, "intensive care")
    return tuple(dict.fromkeys(places))


def _fails(patient: ClinicPatient) -> bool:
    """Whether a vital sign on arrival is one for intensive care."""
    state = patient.state(0)
    return patient.person.age >= ADULT and any(
        not low <= state[key] < high for key, (low, high) in FAILING.items()
    )
