"""Other names and units of the inputs of scores, and what would be right where one is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from gym_clinic.errors import ConfigError
from gym_clinic.facts import Instrument
from gym_clinic.facts.records.instruments import Input
from gym_clinic.instruments.units import analyte_of, convert

MAX_SHOWN = 1e12
"""Greatest number that is shown, or tried in another unit."""


@lru_cache(maxsize=1)
def _tables() -> Mapping[str, Any]:
    file = Path(__file__).with_name("inputs.json")
    tables: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return tables


def other_names(instrument: Instrument) -> dict[str, tuple[str, Mapping[str, str]]]:
    """Return another name of an input -> the input, and the unit and analyte that it implies.

    >>> from gym_clinic.instruments import declaration
    >>> other_names(declaration("curb65"))["bun"]
    ('urea', {'unit': 'mg/dL', 'analyte': 'urea nitrogen'})
    """
    own = {declared.name for declared in instrument.inputs}
    return {
        other: (name, implied)
        for name, others in _tables()["other_names"].items()
        if name in own
        for other, implied in others.items()
        if other not in own
    }


def in_declared_name(implied: Mapping[str, str], value: Any) -> Any:
    """Return a value given under another name as one under the declared name.

    Args:
        implied: The unit and analyte of the other name; empty where it is a name alone.
        value: A number in that unit, or an object with value and unit.

    Raises:
        ConfigError: If the unit cannot be converted to that of the name.
    """
    if not implied:
        return value
    unit, analyte = implied["unit"], implied.get("analyte")
    number = value
    if isinstance(value, Mapping):
        number, given = value.get("value"), value.get("unit")
        if not isinstance(number, int | float) or not isinstance(given, str):
            return value
        number = convert(number, given, unit, value.get("analyte", analyte))
    meant = implied.get("as", analyte)
    return {"value": number, "unit": unit, **({"analyte": meant} if meant else {})}


def usual_units(declared: Input) -> tuple[str, ...]:
    """Return the units in which an input is usually given: the declared one first."""
    others = _tables()["other_units"].get(declared.name, ())
    return (*([declared.unit] if declared.unit else []), *others)


def _shown(value: float) -> str:
    """A number as it is typed; one that is absurdly great in its first digits."""
    return f"{value:g}" if abs(value) <= MAX_SHOWN else str(value)[:40]


def right_input(instrument: Instrument, declared: Input, value: float, unit: str) -> str:
    """Return how a quantity would be given rightly: the names and units that there are."""
    written = [
        f"{other}={_shown(value)}"
        for other, (name, implied) in other_names(instrument).items()
        if name == declared.name and implied.get("unit") == unit
    ]
    of_nitrogen = f" if it is {analyte_of('bun')}" if written == [f"bun={_shown(value)}"] else ""
    if written:
        rest = f"or {declared.name} in {' or '.join(usual_units(declared))}"
        return f"write {' or '.join(written)}{of_nitrogen}, in {unit}, {rest}"
    return f"give {declared.name} in {' or '.join(usual_units(declared))}"


def in_another_unit(instrument: Instrument, declared: Input, value: float) -> str:
    """Return how a number out of range would be given if it is in another unit; else nothing."""
    ways = list(_fitting(instrument, declared, value))
    return f"; if it is in {' or '.join(ways)}" if ways else ""


def _fitting(instrument: Instrument, declared: Input, value: float) -> Iterator[str]:
    if declared.low is None or declared.high is None or declared.unit is None:
        return
    if not abs(value) <= MAX_SHOWN:
        return
    named = other_names(instrument).items()
    ways = [(implied["unit"], f"{other}={_shown(value)}", implied.get("as", implied.get("analyte")))
            for other, (name, implied) in named
            if name == declared.name and "unit" in implied]  # fmt: skip
    known = {unit for unit, _, _ in ways}
    ways += [(unit, f"{declared.name}='{_shown(value)} {unit}'", analyte_of(declared.name))
             for unit in usual_units(declared)[1:] if unit not in known]  # fmt: skip
    for unit, written, analyte in ways:
        try:
            converted = convert(value, unit, declared.unit, analyte)
        except ConfigError:
            continue
        if declared.low <= converted <= declared.high:
            yield f"{unit}, write {written}"
