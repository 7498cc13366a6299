"""One fact of a patient changed, so that two tasks differ in it alone.

An edit is a JSON object with ``kind`` and the fields of that kind:

* ``{"kind": "name", "name": "..."}``: another name.
* ``{"kind": "wording", "seed": 7}``: the same patient tells and is described in other words; what
  is told at once or only if asked is drawn anew, and so is the noise of measurements.
* ``{"kind": "allergy", "allergen": "class:penicillin", "reaction": "rash"}``: one more allergy.
* ``{"kind": "no allergy", "allergen": "class:penicillin"}``: one allergy less.
* ``{"kind": "onset", "minutes": 90}``: the first problem began so long before arrival.
* ``{"kind": "medicine", "stop": "warfarin", "take": "apixaban", "dose": 5, "unit": "mg",
  "per_day": 2, "for": "atrial-fibrillation"}``: a long-term medicine stopped, taken, or swapped.
* ``{"kind": "measurement", "measurement": "spo2", "add": -6}``: the first problem does more to a
  vital sign or laboratory value.
* ``{"kind": "usual", "measurement": "creatinine", "value": 2.4}``: the value before the illness.
* ``{"kind": "pregnancy", "weeks": 20}``: pregnant, or not with null.

An edit that would contradict the patient is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gym_clinic.errors import TaskError
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.names import suggest
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.medicines import ReportedAllergy, TakenMedicine
from gym_clinic.simulate.clinic.physiology.body import DrawnEffect

CHILDBEARING = (12, 50)
"""Least and greatest age in years of a pregnancy."""


def apply_edits(
    patient: ClinicPatient, edits: Mapping[str, Any] | Iterable[Mapping[str, Any]]
) -> ClinicPatient:
    """Return the patient with one edit or several.

    Raises:
        TaskError: If an edit is unknown, lacks a field or contradicts the patient.
    """
    for edit in (edits,) if isinstance(edits, Mapping) else edits:
        kind = str(edit.get("kind"))
        if kind not in _EDITS:
            raise TaskError(f"no edit {kind!r}; {suggest(kind, _EDITS)}")
        try:
            patient = _EDITS[kind](patient, edit)
        except KeyError as missing:
            raise TaskError(f"edit {kind!r} lacks {missing}") from None
    return patient


def _name(patient: ClinicPatient, edit: Mapping[str, Any]) -> ClinicPatient:
    person = dataclasses.replace(patient.person, name=str(edit["name"]))
    return dataclasses.replace(patient, person=person)


def _wording(patient: ClinicPatient, edit: Mapping[str, Any]) -> ClinicPatient:
    return dataclasses.replace(patient, seed=int(edit["seed"]))


def _allergy(patient: ClinicPatient, edit: Mapping[str, Any]) -> ClinicPatient:
    allergen = str(edit["allergen"])
    if any(one.allergen == allergen for one in patient.allergies):
        raise TaskError(f"edit 'allergy': the patient is allergic to {allergen!r} already")
    if taken := [one.drug for one in patient.medicines if is_a(one.drug, allergen)]:
        raise TaskError(f"edit 'allergy': the patient takes {taken[0]!r}")
    added = ReportedAllergy(allergen, str(edit["reaction"]))
    return dataclasses.replace(patient, allergies=(*patient.allergies, added))


def _no_allergy(patient: ClinicPatient, edit: Mapping[str, Any]) -> ClinicPatient:
    kept = tuple(one for one in patient.allergies if one.allergen != edit["allergen"])
    if len(kept) == len(patient.allergies):
        raise TaskError(f"edit 'no allergy': the patient has no allergy to {edit['allergen']!r}")
    return dataclasses.replace(patient, allergies=kept)


def _onset(patient: ClinicPatient, edit: Mapping[str, Any]) -> ClinicPatient:
    began = -int(edit["minutes"])
    if began >= 0:
        raise TaskError("edit 'onset': the problem begins before arrival; minutes above 0")
    first, *others = patient.problems
    ratio = began / first.began
    findings = {
        key: round(minute * ratio) if first.began <= minute < 0 else minute
        for key, minute in first.findings.items()
    }
    moved = dataclasses.replace(first, began=began, findings=findings)
    return dataclasses.replace(patient, problems=(moved, *others))


def _medicine(patient: ClinicPatient, edit: Mapping[str, Any]) -> ClinicPatient:
    medicines = list(patient.medicines)
    stop, take = edit.get("stop"), edit.get("take")
    if stop is not None:
        medicines = [one for one in medicines if one.drug != stop]
        if len(medicines) == len(patient.medicines):
            raise TaskError(f"edit 'medicine': the patient does not take {stop!r}")
    if take is not None:
        if take not in patient.facts.drugs:
            raise TaskError(
                f"edit 'medicine': no drug {take!r}; {suggest(take, patient.facts.drugs)}"
            )
        if any(one.drug == take for one in medicines):
            raise TaskError(f"edit 'medicine': the patient takes {take!r} already")
        if against := [one for one in patient.allergies if is_a(take, one.allergen)]:
            raise TaskError(f"edit 'medicine': allergic to {against[0].allergen!r}")
        medicines.append(
            TakenMedicine(
                take,
                float(edit["dose"]),
                str(edit["unit"]),
                float(edit["per_day"]),
                str(edit["for"]),
                {},
                0.0,
                edit.get("begun"),
            )
        )
    return dataclasses.replace(patient, medicines=tuple(medicines))


def _measurement(patient: ClinicPatient, edit: Mapping[str, Any]) -> ClinicPatient:
    key = _measured(patient, edit)
    first, *others = patient.problems
    known, severity = first.effects.get(key), max(first.severity, 0.1)
    if known is not None and known.kind == "times":
        factor = 1 + float(edit["add"]) / max(patient.state(0)[key], 1e-6)
        if factor <= 0:
            raise TaskError(f"edit 'measurement': {key!r} would not be above 0")
        changed = DrawnEffect("times", known.amount * factor ** (1 / severity))
    else:
        kind, amount = (known.kind, known.amount) if known is not None else ("add", 0.0)
        changed = DrawnEffect(kind, amount + float(edit["add"]) / severity)
    moved = dataclasses.replace(first, effects={**first.effects, key: changed})
    return dataclasses.replace(patient, problems=(moved, *others))


def _usual(patient: ClinicPatient, edit: Mapping[str, Any]) -> ClinicPatient:
    key = _measured(patient, edit)
    if key not in patient.healthy:
        raise TaskError(f"edit 'usual': {key!r} is computed from other measurements")
    return dataclasses.replace(patient, healthy={**patient.healthy, key: float(edit["value"])})


def _measured(patient: ClinicPatient, edit: Mapping[str, Any]) -> str:
    key = str(edit["measurement"])
    if key not in patient.facts.measurements:
        raise TaskError(f"no measurement {key!r}; {suggest(key, patient.facts.measurements)}")
    return key


def _pregnancy(patient: ClinicPatient, edit: Mapping[str, Any]) -> ClinicPatient:
    weeks, person = edit["weeks"], patient.person
    low, high = CHILDBEARING
    if weeks is not None and not (person.sex == "female" and low <= person.age < high):
        raise TaskError(f"edit 'pregnancy': not at {person.age:g} years, {person.sex}")
    changed = dataclasses.replace(person, pregnant_weeks=weeks)
    return dataclasses.replace(patient, person=changed)


_EDITS: Mapping[str, Callable[[ClinicPatient, Mapping[str, Any]], ClinicPatient]] = {
    "name": _name,
    "wording": _wording,
    "allergy": _allergy,
    "no allergy": _no_allergy,
    "onset": _onset,
    "medicine": _medicine,
    "measurement": _measurement,
    "usual": _usual,
    "pregnancy": _pregnancy,
}
