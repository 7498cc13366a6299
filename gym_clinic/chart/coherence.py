"""Values that an agent gives, held against those of the chart.

A score is called with values that the agent must have found. A value that differs from all that the
chart has shown, or that the chart has not shown at all, is recorded and never corrected.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from gym_clinic.errors import ConfigError
from gym_clinic.facts import Facts, Instrument
from gym_clinic.facts.records.instruments import Input
from gym_clinic.instruments import convert
from gym_clinic.instruments.units import analyte_of

TOLERANCE = 0.02
"""Relative difference that rounding and units may make."""

PERSONAL = {"age": 1.0, "weight_kg": 0.1, "height_cm": 0.05}
"""Fact of the person -> difference that counts as the same: years of age, else a share."""

Kind = Literal["contradicts the chart", "not on the chart"]


@dataclass(frozen=True)
class Contradiction:
    """A value that the chart does not support.

    Attributes:
        tool: The tool that was called.
        field: Its input.
        given: The value that was given.
        known: What the chart has: values that were shown, or a fact of the person.
        kind: Whether the chart has another value, or none.
        minute: When it was given.
    """

    tool: str
    field: str
    given: float | str | bool
    known: tuple[float | str, ...]
    kind: Kind
    minute: float

    def __deepcopy__(self, memo: dict[int, Any]) -> Contradiction:
        return self


@lru_cache(maxsize=1)
def sources() -> Mapping[str, str]:
    """Return input of a score -> the fact of the person or the measurement that it is."""
    file = Path(__file__).with_name("score_inputs.json")
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


def contradictions(
    facts: Facts,
    declared: Instrument,
    inputs: Mapping[str, Any],
    person: Mapping[str, Any],
    shown: Mapping[str, Sequence[float]],
    minute: float,
) -> Iterator[Contradiction]:
    """Yield the inputs of a score that the chart does not support.

    Args:
        facts: The fact tables.
        declared: The score.
        inputs: Input -> value, or an object with value and unit.
        person: The person's part of the record.
        shown: Measurement -> values that were shown.
        minute: When it was computed.
    """
    tool = f"calculate_{declared.id}"
    for one in declared.inputs:
        source = sources().get(one.name)
        given = inputs.get(one.name)
        if given is None or source is None or one.type not in ("number", "integer", "choice"):
            continue
        if source in person:
            known: tuple[float | str, ...] = (person[source],)
            if not _same_person(source, given, person[source]):
                yield Contradiction(tool, one.name, _plain(given), known, _DIFFERS, minute)
        elif source in facts.measurements and one.type != "choice":
            value = _in_unit(one, given, facts.measurements[source].unit)
            if value is None:
                continue
            known = tuple(shown.get(source, ()))
            decimals = facts.measurements[source].decimals
            if not known:
                yield Contradiction(tool, one.name, value, known, _UNKNOWN, minute)
            elif not any(_near(value, float(has), decimals) for has in known):
                yield Contradiction(tool, one.name, value, known, _DIFFERS, minute)


_DIFFERS: Kind = "contradicts the chart"
_UNKNOWN: Kind = "not on the chart"


def _same_person(source: str, given: Any, known: Any) -> bool:
    if isinstance(known, str):
        return isinstance(given, str) and given[:1].casefold() == known[:1].casefold()
    if isinstance(given, bool) or not isinstance(given, int | float):
        return True
    allowed = PERSONAL[source] if source == "age" else PERSONAL[source] * float(known)
    return abs(float(given) - float(known)) <= allowed


def _in_unit(declared: Input, given: Any, unit: str) -> float | None:
    """The given value in the unit of the measurement; None if the units are of another kind."""
    value, of = given, declared.unit
    if isinstance(given, Mapping):
        value, of = given.get("value"), given.get("unit", of)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if of == unit or (of is None and not unit):
        return float(value)
    if of is None:
        return None
    try:
        return convert(float(value), of, unit, analyte_of(declared.name))
    except ConfigError:
        return None


def _near(value: float, known: float, decimals: int) -> bool:
    return abs(value - known) <= max(TOLERANCE * abs(known), 0.51 * 10.0**-decimals)


def _plain(value: Any) -> float | str | bool:
    return value if isinstance(value, (bool, int, float, str)) else str(value)
