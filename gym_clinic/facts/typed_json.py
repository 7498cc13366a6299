"""JSON and JSON Lines read as typed records; an error names file, line and field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from gym_clinic import strict_json
from gym_clinic.errors import TaskError
from gym_clinic.reading import numbered_lines, read_text

Model = TypeVar("Model", bound=BaseModel)


class Strict(BaseModel):
    """A record without unknown fields and without conversion of types; it cannot be changed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


OnBroken = Callable[[TaskError], None]
"""What a reader does with the error of a broken record: raise it, or note it and go on."""


def stop(error: TaskError) -> None:
    """Raise the error of a broken record.

    Raises:
        TaskError: Always.
    """
    raise error


def read_lines(
    path: Path, model: type[Model], broken: OnBroken = stop
) -> Iterator[tuple[int, Model]]:
    """Read a file of records, one JSON object a line; blank lines are skipped.

    Args:
        path: The file.
        model: The class of the records.
        broken: Called with the error of a broken line, which names file, line and field; if it
            returns, the line is skipped.

    Yields:
        The number of the line, from 1, and its record.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a broken line, by default.
    """
    for number, line in numbered_lines(path):
        if line.strip():
            try:
                record = read_record(line, model, f"{path} line {number}")
            except TaskError as error:
                broken(error)
            else:
                yield number, record


def read_record(data: bytes, model: type[Model], place: str) -> Model:
    """Read one JSON object as a record.

    Args:
        data: The JSON text in UTF-8.
        model: The class of the record.
        place: Where it stands, for the error.

    Raises:
        TaskError: If it is broken; the text names the place and the field.
    """
    try:
        strict_json.loads(data.decode())  # refuses duplicate keys; pydantic takes the last
        return model.model_validate_json(data)
    except ValidationError as error:
        raise TaskError(f"{place}, {explain(error)}") from None
    except UnicodeDecodeError:
        raise TaskError(f"{place}: not UTF-8; expected a JSON object") from None
    except ValueError as error:
        raise TaskError(f"{place}: {error}") from None


def read_fields(fields: object, model: type[Model], place: str) -> Model:
    """Make a record from a parsed JSON object.

    Args:
        fields: The object.
        model: The class of the record.
        place: Where it stands, for the error.

    Raises:
        TaskError: If it is broken; the text names the place and the field.
    """
    try:
        return model.model_validate_json(orjson.dumps(fields))
    except ValidationError as error:
        raise TaskError(f"{place}, {explain(error)}") from None
    except TypeError as error:  # of orjson: an integer of more than 64 bits
        raise TaskError(f"{place}: {error}") from None


def read_mapping(path: Path, model: type[Model]) -> dict[str, Model]:
    """Read a JSON object whose every value is a record.

    Args:
        path: The file.
        model: The class of the records.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: If it is broken; the text names file, key and field.
    """
    return {
        key: read_fields(value, model, f"{path} key {key!r}")
        for key, value in read_object(path, distinct=True).items()
    }


def read_object(path: Path, *, distinct: bool = False) -> dict[str, Any]:
    """Read a file that is one JSON object.

    Args:
        path: The file.
        distinct: Whether duplicate keys are refused, which takes longer.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: If it is not a JSON object; the text names file and line.
    """
    data = read_text(path)
    try:
        text = data.decode()
        found = orjson.loads(text)
        if distinct:
            found = strict_json.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TaskError(f"{path} line {line}: not UTF-8; expected a JSON object") from None
    except orjson.JSONDecodeError as error:
        raise TaskError(
            f"{path} line {error.lineno}: not valid JSON: {error.msg} (is the file whole?)"
        ) from None
    except ValueError as error:
        raise TaskError(f"{path}: {error}") from None
    if not isinstance(found, dict):
        raise TaskError(f"{path}: expected a JSON object, not {type(found).__name__}")
    return found


def make_record(model: type[Model], place: str, **fields: object) -> Model:
    """Make a record from Python values given by name; as :func:`read_value`."""
    return read_value(fields, model, place)


def read_value(value: object, model: type[Model], place: str) -> Model:
    """Make a record from a Python value, whose types may be other than those of JSON.

    Args:
        value: The value, a mapping.
        model: The class of the record.
        place: Where it stands in a file, for the error.

    Raises:
        TaskError: If it does not fit; the text names the place and the field.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise TaskError(f"{place}, {explain(error)}") from None


def explain(error: ValidationError) -> str:
    """Return the first mistake: its field, what is wrong and what was found."""
    first = error.errors(include_url=False)[0]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    own = first["type"] in ("missing", "value_error") and not isinstance(first["input"], str)
    found = "" if own else f", found {first['input']!r:.80}"
    return f"field {field.lstrip('.') or 'record'}: {what}{found}"
