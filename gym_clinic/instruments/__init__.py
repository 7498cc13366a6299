"""Published clinical scores, computed from their declarations in ``kb/facts/instruments``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.instruments.inputs import InstrumentError as InstrumentError
    from gym_clinic.instruments.inputs import input_schema as input_schema
    from gym_clinic.instruments.scoring import InstrumentResult as InstrumentResult
    from gym_clinic.instruments.scoring import declaration as declaration
    from gym_clinic.instruments.scoring import score as score
    from gym_clinic.instruments.units import convert as convert

_HOMES = {
    "InstrumentError": "inputs",
    "InstrumentResult": "scoring",
    "convert": "units",
    "declaration": "scoring",
    "input_schema": "inputs",
    "score": "scoring",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
