"""Filled sheets: how often each column is positive, and how far physicians agree.

Positive agreement is the chance that a second physician says positive where a first one does, the
mean over all ordered pairs of physicians. The paper averages a positive percent agreement over
three physicians, on binarised scores, and does not say against whom.

Source:
    Deep-DxSearch paper, study III of section 2.7.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.evaluate.report import NONE, Grid
from gym_clinic.evaluate.sheets.forms import Column, SheetForm
from gym_clinic.importers.cases.sheet import alpha
from gym_clinic.importers.formats.csv import csv_rows

Filled = Mapping[str, tuple[str, Mapping[str, str]]]
"""Row -> its stratum, and the value of each column."""


@dataclass(frozen=True)
class Agreement:
    """One column of several filled sheets.

    Attributes:
        column: Its name.
        stratum: The rows it is of; "all" for every row.
        rows: Number of rows.
        shares: Share of positive rows by each physician.
        positive: Positive agreement; None if nobody says positive.
        alpha: Krippendorff's alpha of positive and not; None if all say the same.
    """

    column: str
    stratum: str
    rows: int
    shares: tuple[float, ...]
    positive: float | None
    alpha: float | None


def read_filled(form: SheetForm, path: Path) -> Filled:
    """Read a filled sheet.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: If a cell is not filled, or not as it should be; the text names file, line and
            column.
    """
    filled: dict[str, tuple[str, Mapping[str, str]]] = {}
    columns = ["row", "stratum", *(column.name for column in form.columns)]
    for place, cells in csv_rows(path, columns, others=True):
        if cells["row"] in filled:
            raise TaskError(f"{place}, column row: {cells['row']!r} is a duplicate; expected once")
        values = {column.name: _value(cells, column, place) for column in form.columns}
        filled[cells["row"]] = cells["stratum"], values
    if not filled:
        raise TaskError(f"{path}: no row; expected a filled sheet of 'gym-clinic sheets write'")
    return filled


def _value(cells: Mapping[str, str], column: Column, place: str) -> str:
    cell = cells[column.name].strip().casefold() or column.blank
    if cell not in column.values:
        raise TaskError(
            f"{place}, column {column.name}: {cells[column.name]!r}; expected one of "
            f"{', '.join(column.values)}"
        )
    return cell


def agreement(form: SheetForm, sheets: Sequence[Filled]) -> list[Agreement]:
    """Return the agreement in each column, over all rows and in each stratum.

    Raises:
        ConfigError: If there are fewer than two sheets, or they are not of the same rows.
    """
    if len(sheets) < 2:
        raise ConfigError("agreement is of two physicians or more; give a sheet of each")
    if any(sheet.keys() != sheets[0].keys() for sheet in sheets):
        raise ConfigError("the sheets have other rows; give copies of one sheet")
    strata = sorted({stratum for stratum, _ in sheets[0].values()})
    return [
        _agreement(column, stratum, sheets)
        for column in form.columns
        for stratum in (["all", *strata] if strata != ["all"] else strata)
    ]


def _agreement(column: Column, stratum: str, sheets: Sequence[Filled]) -> Agreement:
    rows = [row for row, (of, _) in sheets[0].items() if stratum in ("all", of)]
    marks = [[int(sheet[row][1][column.name] in column.positive) for sheet in sheets]
             for row in rows]  # fmt: skip
    by_person = list(zip(*marks, strict=True))
    pairs = [
        sum(map(min, first, second)) / sum(first)
        for first, second in permutations(by_person, 2)
        if sum(first)
    ]
    return Agreement(
        column.name,
        stratum,
        len(rows),
        tuple(sum(marked) / len(rows) for marked in by_person),
        math.fsum(pairs) / len(pairs) if pairs else None,
        alpha(marks, lambda one, other: one != other),
    )


def agreement_table(agreements: Sequence[Agreement]) -> Grid:
    """Return the table: positive rows by each physician, positive agreement, alpha."""
    people = range(1, len(agreements[0].shares) + 1)
    rows = tuple(
        (
            found.column,
            found.stratum,
            str(found.rows),
            *(f"{share:.1%}" for share in found.shares),
            NONE if found.positive is None else f"{found.positive:.1%}",
            NONE if found.alpha is None else f"{found.alpha:.2f}",
        )
        for found in agreements
    )
    columns = ("column", "stratum", "rows", *(f"positive {number}" for number in people),
               "positive agreement", "alpha")  # fmt: skip
    return Grid("Positive rows and agreement", columns, rows)
