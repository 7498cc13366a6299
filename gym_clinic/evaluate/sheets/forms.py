"""The forms that physicians fill, as ``forms.json`` has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gym_clinic import strict_json
from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest


@dataclass(frozen=True)
class Column:
    """A column to fill.

    Attributes:
        name: Its heading.
        values: What a cell may hold.
        positive: The values that count as positive for agreement.
        help: What the values mean.
        blank: What an empty cell means; None where a cell must be filled.
        prefilled: The metric of an episode by which the cell is filled in advance, or none.
    """

    name: str
    values: tuple[str, ...]
    positive: frozenset[str]
    help: str
    blank: str | None = None
    prefilled: str | None = None


@dataclass(frozen=True)
class SheetForm:
    """A form.

    Attributes:
        title: What is filled in.
        source: Where the form is from.
        rows: What a row stands for: "episode", "failed episode", "step" or "reading".
        columns: The columns to fill.
        free: Columns for text, which is not evaluated.
    """

    title: str
    source: str
    rows: str
    columns: tuple[Column, ...]
    free: tuple[str, ...] = ()


def _form(row: Mapping[str, Any]) -> SheetForm:
    columns = tuple(
        Column(**{**column, "values": tuple(column["values"]),
                  "positive": frozenset(column["positive"])})
        for column in row["columns"]
    )  # fmt: skip
    return SheetForm(**{**row, "columns": columns, "free": tuple(row.get("free", ()))})


FORMS: Mapping[str, SheetForm] = {
    name: _form(row)
    for name, row in strict_json.loads(
        Path(__file__).with_name("forms.json").read_text(encoding="utf-8")
    ).items()
}
"""Name -> form."""


def find_form(name: str) -> SheetForm:
    """Return a form.

    Raises:
        ConfigError: If there is none of that name.
    """
    if name not in FORMS:
        raise ConfigError(f"no form {name!r}; {suggest(name, FORMS)}")
    return FORMS[name]
