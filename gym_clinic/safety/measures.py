"""Values of the record in the units that the rules are written in."""

from __future__ import annotations

from gym_clinic.errors import ConfigError
from gym_clinic.instruments import convert
from gym_clinic.safety.state import Measured, Patient, as_number
from gym_clinic.safety.terms import term

UNITS = {
    "glucose": ("mg/dL", "glucose"),
    "potassium": ("mmol/L", "potassium"),
    "creatinine": ("mg/dL", "creatinine"),
    "egfr": ("mL/min", None),
    "rr": ("/min", None),
    "qtc": ("ms", None),
}
"""Measure -> the unit of the rules, and the analyte for molar units."""


def measured(patient: Patient, kind: str, name: str) -> float | None:
    """Return a value of the record; None if it is not known, no number, or in another unit.

    Args:
        patient: The patient.
        kind: "labs" or "vitals".
        name: The measure.
    """
    table = patient.labs if kind == "labs" else patient.vitals
    value = next((found for key, found in table.items() if term(key) == term(name)), None)
    if not isinstance(value, Measured):
        return as_number(value)
    unit, analyte = UNITS.get(term(name), (value.unit, None))
    try:
        return convert(float(value.value), value.unit, unit, analyte)
    except ConfigError:
        return None
