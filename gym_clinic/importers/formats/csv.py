"""CSV files, row by row; an error names file, line and column."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.reading import numbered_lines


def csv_cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Read the rows of a file as lists of cells; blank lines are skipped.

    Args:
        path: The file, as `gym_clinic.reading` opens it.

    Yields:
        The number of the line on which a row begins, from 1, and its cells.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a line that is not UTF-8 or a quote that is not closed; the text names file,
            line and column.
    """
    row: list[str] = []

    def lines() -> Iterator[str]:
        for number, line in numbered_lines(path):
            try:
                row.append(line.decode())
            except UnicodeDecodeError as error:
                raise TaskError(
                    f"{path} line {number}: byte {error.start} of it is not UTF-8"
                ) from None
            yield row[-1]

    reader = csv.reader(lines(), strict=True)
    first = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise TaskError(
                f"{path} line {first}, column {_broken_column(row[0])}: {error}; expected every "
                "quote to be closed (is the file whole?)"
            ) from None
        if cells is None:
            return
        if "".join(cells).strip() or len(cells) > 1:
            yield first, cells
        first = reader.line_num + 1
        row.clear()


def csv_rows(
    path: Path, columns: Collection[str], *, others: bool = False, broken: OnBroken = stop
) -> Iterator[tuple[str, dict[str, str]]]:
    """Read a file with a header; columns may be in any order, blank lines are skipped.

    Lines above the header that begin with "#" are remarks.

    Args:
        path: The file.
        columns: Names of the columns.
        others: Whether there may be further columns.
        broken: Called with the error of a row that has too few or too many cells; if it returns,
            the row is skipped. Raises the error by default.

    Yields:
        The place of a row, "FILE line N", and its cells by column. For a row of several lines it
        is the first.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: As `csv_cells`, and for missing or unknown columns.
    """
    rows = csv_cells(path)
    head = (row for row in rows if not row[1][0].startswith("#"))  # remarks above the header
    line, cells = next(head, (1, []))
    header = [name.strip() for name in cells]
    if missing := [name for name in columns if name not in header]:
        raise TaskError(f"{path} line {line}: no column {missing[0]!r}; expected {list(columns)}")
    unknown = [name for name in header if name not in columns]
    if len(set(header)) < len(header) or (unknown and not others):
        raise TaskError(f"{path} line {line}: columns {header}; expected {list(columns)}")
    for line, cells in rows:
        if len(cells) != len(header):
            broken(TaskError(f"{path} line {line}: {len(cells)} columns; expected {len(header)}"))
            continue
        yield f"{path} line {line}", dict(zip(header, cells, strict=True))


def _broken_column(line: str) -> int:
    """Number of the first column of a line whose quotes are wrong."""
    column = 1
    while closed := re.match(r'(?:"(?:[^"]|"")*"|[^",]*),', line):
        line = line[closed.end() :]
        column += 1
    return column
