"""Units of measurement, converted explicitly: by pint, and between mass and moles by analyte.

Names are those of the declarations and of UCUM (``mm[Hg]``, ``10*9/L``, ``Cel``). A unit without a
known conversion, such as two conventions of one assay, is refused and never guessed.

Source:
    The Unified Code for Units of Measure, version 2.1; ``analytes.json`` for molar masses.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest

_NAMES = {
    "%": "percent", "frac": "dimensionless", "1": "dimensionless",
    "C": "degC", "Cel": "degC", "°C": "degC", "F": "degF", "[degF]": "degF", "°F": "degF",
    "mm[Hg]": "mmHg", "mm Hg": "mmHg", "cm[H2O]": "cmH2O",
    "y": "year", "a": "year", "mo": "month", "wk": "week", "d": "day", "h": "hour",
    "min": "minute", "s": "second", "in": "inch", "[in_i]": "inch",
    "[lb_av]": "pound", "lb": "pound",
    "mL/min/1.73m2": "mL/min", "mL/min/{1.73_m2}": "mL/min", "bpm": "1/minute",
}  # fmt: skip
"""Names of UCUM and of laboratories -> pint's."""

_PARTS = (
    (re.compile(r"\b10[*^](\d+)"), r"e\1"),
    (re.compile(r"\bx?10\^?(3|6|9|12)(?=/)"), r"e\1"),
    (re.compile(r"\bmc(?=[gL]\b)|[µμ]"), "u"),
    (re.compile(r"\b([mk]?)I?U\b|\[I?U\]"), lambda found: f"{found[1] or ''}enzyme_unit"),
    (re.compile(r"/min\b"), "/minute"),
    (re.compile(r"/h\b"), "/hour"),
    (re.compile(r"/d\b"), "/day"),
    (re.compile(r"^/"), "1/"),
)
_EQUIVALENTS = re.compile(r"^(m|u|µ|mc)?[eE][qQ](/.+)$")


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    registry: Any = pint.UnitRegistry()
    for power in (3, 6, 9, 12):
        registry.define(f"e{power} = 1e{power}")
    registry.define("osmol = mole")
    return registry


@lru_cache(maxsize=1)
def _analytes() -> dict[str, dict[str, Any]]:
    table = json.loads(Path(__file__).with_name("analytes.json").read_text(encoding="utf-8"))
    found: dict[str, dict[str, Any]] = table["analytes"]
    return found


def analyte_of(name: str) -> str | None:
    """Return what an input of a score measures, such as "urea nitrogen" for ``bun``."""
    return next((key for key, one in _analytes().items() if name in one.get("inputs", ())), None)


def convert(value: float, unit: str, to: str, analyte: str | None = None) -> float:
    """Convert a value from one unit to another.

    >>> round(convert(1.0, "mg/dL", "umol/L", "creatinine"), 1)
    88.4
    >>> round(convert(98.6, "[degF]", "C"), 1)
    37.0

    Args:
        value: The number.
        unit: Its unit.
        to: The unit that is wanted.
        analyte: What is measured, to convert between mass, moles and equivalents.

    Raises:
        ConfigError: If a unit is unknown, or there is no such conversion; the text says what is
            missing.
    """
    if unit == to:
        return value
    if analyte is not None and analyte not in _analytes():
        raise ConfigError(f"no analyte {analyte!r}; {suggest(analyte, _analytes())}")
    substance = _analytes().get(analyte or "", {})
    given, wanted = _quantity(value, unit, substance), _quantity(1.0, to, substance)
    if given.dimensionality != wanted.dimensionality:
        given = _by_molar_mass(given, wanted, substance)
    if given.dimensionality != wanted.dimensionality:
        hint = "" if substance else "; between mass and moles the analyte must be known"
        raise ConfigError(f"{unit!r} cannot be converted to {to!r}{hint}")
    return float(given.to(wanted.units).magnitude / wanted.magnitude)


def _by_molar_mass(given: Any, wanted: Any, substance: dict[str, Any]) -> Any:
    """The quantity with mass in place of moles, or the reverse, whichever is wanted."""
    if not substance:
        return given
    molar_mass = _registry().Quantity(substance["molar_mass"], "g/mol")
    heavier = given * molar_mass
    return heavier if heavier.dimensionality == wanted.dimensionality else given / molar_mass


def _quantity(value: float, unit: str, substance: dict[str, Any]) -> Any:
    import pint

    registry = _registry()
    text = unit.strip()
    factor = 1.0
    if found := _EQUIVALENTS.match(text):
        if "charge" not in substance:
            raise ConfigError(f"{unit!r} counts charges; the ion must be known")
        factor, text = 1.0 / substance["charge"], f"{found[1] or ''}mol{found[2]}"
    name = _NAMES.get(text)
    if name is None:
        name = text
        for pattern, replacement in _PARTS:
            name = pattern.sub(replacement, name)
    try:
        return registry.Quantity(value * factor, registry.parse_units(name))
    except (pint.errors.PintError, ValueError, AttributeError, TypeError, AssertionError):
        raise ConfigError(f"{unit!r} is no unit that can be converted") from None
