"""Units of the texts: those of British or of American hospitals, one set for each patient.

The record and the tools keep the unit of the table of measurements. Only the texts are converted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from gym_clinic.facts.records.conditions import Measurement


class LocalUnit(NamedTuple):
    """How hospitals of one country report a measurement.

    Attributes:
        unit: Unit, by its UCUM name or that of laboratories.
        decimals: Decimals that are reported.
        factor: By which a value in the unit of the table is multiplied.
        offset: What is added then.
        analyte: What is measured, for units of mass and of substance: the factors are those of
            `instruments`, and a test compares them.
    """

    unit: str
    decimals: int
    factor: float = 1.0
    offset: float = 0.0
    analyte: str | None = None


@lru_cache(maxsize=1)
def local_units() -> Mapping[str, Mapping[str, LocalUnit | None]]:
    """Return country -> measurement -> its unit there; None for what is not reported there."""
    text = Path(__file__).with_name("units.json").read_text(encoding="utf-8")
    table: dict[str, dict[str, dict[str, object] | None]] = json.loads(text)
    reader = TypeAdapter(LocalUnit)
    return {
        country: {
            key: None if one is None else reader.validate_python(one) for key, one in units.items()
        }
        for country, units in table.items()
    }


def local_unit(one: Measurement, american: bool) -> LocalUnit:
    """Return the unit of a measurement in a country; that of the table where it has no other."""
    own = local_units()["american" if american else "british"].get(one.id)
    return own or LocalUnit(one.unit, one.decimals)


def is_reported(measurement: str, american: bool) -> bool:
    """Whether laboratories of the country report a measurement: urea or urea nitrogen."""
    units = local_units()["american" if american else "british"]
    return measurement not in units or units[measurement] is not None


def written_value(one: Measurement, value: float, american: bool) -> str:
    """Return a value as the country writes it, without the unit."""
    local = local_unit(one, american)
    return f"{local.offset + local.factor * value:.{local.decimals}f}"
