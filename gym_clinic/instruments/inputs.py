"""The inputs of a clinical score: checked against their declarations, and never imputed."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import Any, Literal

from gym_clinic.errors import ConfigError, ToolError
from gym_clinic.facts import Instrument
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.instruments import Input
from gym_clinic.instruments.units import analyte_of, convert
from gym_clinic.instruments.wording import (
    in_another_unit,
    in_declared_name,
    other_names,
    right_input,
)
from gym_clinic.names import suggest

Code = Literal[
    "invalid_choice",
    "invalid_combination",
    "invalid_type",
    "missing_input",
    "out_of_range",
    "unknown_input",
    "unknown_instrument",
]


class InstrumentError(ToolError):
    """A score that cannot be computed from what was given.

    Attributes:
        code: What is wrong.
        field: The input that is wrong; None where no single one is.
    """

    def __init__(self, code: Code, field: str | None, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.field = field

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.field, str(self))


def read_inputs(instrument: Instrument, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every input in its declared unit; None for one that was not given.

    Args:
        instrument: The declaration.
        given: Input -> value in the declared unit, or ``{"value": 7.2, "unit": "mmol/L"}``, with
            ``"analyte"`` where the input alone does not say what was measured: milligrams of urea
            may be those of its nitrogen. Another usual name of an input counts too, such as
            ``bun`` in mg/dL for ``urea``.

    Raises:
        InstrumentError: For the first input that is unknown, missing or impossible, for a
            combination of inputs that is, and for inputs for which the score is not valid.
    """
    given = _by_declared_name(instrument, given)
    values: dict[str, Any] = {}
    try:
        for declared in instrument.inputs:
            values[declared.name] = _read(instrument, declared, given.get(declared.name))
    except InstrumentError as error:
        if error.code == "missing_input":
            raise InstrumentError(
                error.code, error.field, f"{error}{_also_not_valid(instrument, values)}"
            ) from None
        raise
    for condition in instrument.requires:
        if not parse(condition).compute(values):
            wrong = f"{instrument.id} needs inputs with {condition}"
            raise InstrumentError("invalid_combination", None, wrong)
    for limit in instrument.valid_when:
        if not parse(limit.condition).compute(values):
            names = sorted(parse(limit.condition).names)
            field = names[0] if len(names) == 1 else None
            wrong = f"{instrument.id} is {limit.otherwise}"
            raise InstrumentError("out_of_range", field, wrong)
    return values


def _also_not_valid(instrument: Instrument, values: Mapping[str, Any]) -> str:
    """What the inputs that were read say of validity already."""
    limits = (limit for limit in instrument.valid_when
              if parse(limit.condition).names <= values.keys())  # fmt: skip
    broken = (limit.otherwise for limit in limits if not parse(limit.condition).compute(values))
    return "".join(f"; and it is {sentence}" for sentence in broken)


def _by_declared_name(instrument: Instrument, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values under their declared names; "bun" is another name of "urea" in mg/dL."""
    known = [declared.name for declared in instrument.inputs]
    others = other_names(instrument)
    found: dict[str, Any] = {}
    for name, value in given.items():
        meant = name
        if name not in known:
            if name not in others:
                wrong = f"{instrument.id} has no input {name!r}; {suggest(str(name), known)}"
                raise InstrumentError("unknown_input", str(name), wrong)
            meant, implied = others[name]
            try:
                value = in_declared_name(implied, value)
            except ConfigError as error:
                wrong = f"{instrument.id}, {name}: {error}"
                raise InstrumentError("invalid_type", name, wrong) from None
        if meant in found:
            wrong = f"{instrument.id}: {meant!r} is given twice, the second time as {name!r}"
            raise InstrumentError("invalid_combination", meant, wrong)
        found[meant] = value
    return found


def _read(instrument: Instrument, declared: Input, value: Any) -> Any:
    score = instrument.id
    if value is None:
        if declared.required:
            wrong = f"{score} needs {declared.name}: {_expected(declared)}"
            raise InstrumentError("missing_input", declared.name, wrong)
        return declared.default
    if isinstance(value, Mapping):
        value = _converted(instrument, declared, value)
    if declared.type == "integers":
        return _read_list(instrument, declared, value)
    return _read_one(instrument, declared, value)


def _converted(instrument: Instrument, declared: Input, value: Mapping[str, Any]) -> Any:
    """The number of a quantity in the declared unit."""
    score, name = instrument.id, declared.name
    texts = [text for key, text in value.items() if key != "value"]
    keys = value.keys() - {"analyte"}
    if keys != {"value", "unit"} or not all(isinstance(text, str) for text in texts):
        raise InstrumentError(
            "invalid_type", name, f'{score}, {name}: expected a number or {{"value", "unit"}}'
        )
    number = _read_number(score, declared, value["value"])
    if declared.unit is None:
        wrong = f"{score}, {name}: it has no unit, and {value['unit']!r} was given"
        raise InstrumentError("invalid_type", name, wrong)
    try:
        analyte = value.get("analyte", analyte_of(name))
        return convert(number, value["unit"], declared.unit, analyte)
    except ConfigError as error:
        right = right_input(instrument, declared, number, value["unit"])
        raise InstrumentError("invalid_type", name, f"{score}, {name}: {error}; {right}") from None


def _read_list(instrument: Instrument, declared: Input, value: Any) -> list[int]:
    score = instrument.id
    if not isinstance(value, list | tuple):
        raise _wrong_type(score, declared, value)
    if len(value) < (declared.length or 0) or None in value:
        wrong = f"{score}, {declared.name}: {len(value)} given; expected {_expected(declared)}"
        raise InstrumentError("missing_input", declared.name, wrong)
    if len(value) > (declared.length or 0):
        raise _wrong_type(score, declared, value)
    return [int(_read_one(instrument, declared, item)) for item in value]


def _read_one(instrument: Instrument, declared: Input, value: Any) -> Any:
    score = instrument.id
    if declared.type == "boolean":
        if not isinstance(value, bool):
            raise _wrong_type(score, declared, value)
        return value
    if declared.type == "choice":
        if not isinstance(value, str):
            raise _wrong_type(score, declared, value)
        if value not in declared.choices:
            wrong = f"{score}, {declared.name}: {value!r}; expected {_expected(declared)}"
            raise InstrumentError("invalid_choice", declared.name, wrong)
        return value
    if declared.type == "date":
        return _read_date(score, declared, value)
    return _in_range(instrument, declared, _read_number(score, declared, value))


def _read_date(score: str, declared: Input, value: Any) -> str:
    try:
        return datetime.date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        raise _wrong_type(score, declared, value) from None


def _read_number(score: str, declared: Input, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise _wrong_type(score, declared, value)
    if declared.type == "number" or isinstance(value, int) or math.isinf(value):
        return value
    if not value.is_integer():
        raise _wrong_type(score, declared, value)
    return int(value)


def _in_range(instrument: Instrument, declared: Input, value: float) -> float:
    low, high = declared.low, declared.high
    if low is None or high is None or not low <= value <= high:  # a number always has both
        wrong = f"{instrument.id}, {declared.name}: {str(value)[:40]}; expected "
        other = in_another_unit(instrument, declared, value)
        raise InstrumentError("out_of_range", declared.name, wrong + _expected(declared) + other)
    return value


def _wrong_type(score: str, declared: Input, value: Any) -> InstrumentError:
    wrong = f"{score}, {declared.name}: {repr(value)[:60]}; expected {_expected(declared)}"
    return InstrumentError("invalid_type", declared.name, wrong)


def _expected(declared: Input) -> str:
    """What an input should be, in words: "a number from 0 to 80 /min, the respiratory rate"."""
    unit = f" {declared.unit}" if declared.unit else ""
    span = f"from {declared.low:g} to {declared.high:g}{unit}" if declared.low is not None else ""
    kind = {
        "number": f"a number {span}",
        "integer": f"a whole number {span}",
        "integers": f"a list of {declared.length} whole numbers {span}",
        "boolean": "true or false",
        "choice": f"one of {list(declared.choices)}",
        "date": "a date as YYYY-MM-DD",
    }[declared.type]
    return f"{kind} ({declared.label})"


def input_schema(instrument: Instrument) -> dict[str, Any]:
    """Return the JSON schema of the inputs of a score, with units, limits and choices."""
    return {
        "type": "object",
        "properties": {one.name: _property(one) for one in instrument.inputs},
        "required": [one.name for one in instrument.inputs if one.required],
        "additionalProperties": False,
    }


def _property(declared: Input) -> dict[str, Any]:
    unit = f", in {declared.unit}" if declared.unit else ""
    kind = {"choice": "string", "date": "string", "integers": "array"}
    schema: dict[str, Any] = {"type": kind.get(declared.type, declared.type)}
    schema["description"] = f"{declared.label}{unit}"
    if declared.type == "choice":
        schema["enum"] = list(declared.choices)
    if declared.type == "date":
        schema["format"] = "date"
    limits = {"minimum": declared.low, "maximum": declared.high}
    if declared.type == "integers":
        schema |= {"items": {"type": "integer", **limits}}
        schema |= {"minItems": declared.length, "maxItems": declared.length}
    elif declared.low is not None:
        schema |= limits
    return schema
