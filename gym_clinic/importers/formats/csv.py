"""CSV files with a header, row by row; an error names file and line."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from pathlib import Path

from gym_clinic.errors import ConfigError, TaskError


def csv_rows(
    file: Path, columns: Collection[str], *, others: bool = False
) -> Iterator[tuple[str, dict[str, str]]]:
    """Read a UTF-8 file; columns may stand in any order, blank lines are passed over.

    Args:
        file: The file.
        columns: Names of the columns.
        others: Whether there may be further columns.

    Yields:
        The place of a row, "FILE line N", and its cells by column. A row of several lines is at
        its last.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a broken row, other columns, or what is not UTF-8.
    """
    try:
        opened = file.open(encoding="utf-8-sig", newline="")
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from None
    with opened:
        reader = csv.reader(opened, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            if missing := [name for name in columns if name not in header]:
                raise TaskError(
                    f"{file} line 1: no column {missing[0]!r}; expected {list(columns)}"
                )
            more = [name for name in header if name not in columns]
            if len(set(header)) < len(header) or (more and not others):
                raise TaskError(f"{file} line 1: columns {header}; expected {list(columns)}")
            for cells in reader:
                if not cells:
                    continue
                place = f"{file} line {reader.line_num}"
                if len(cells) != len(header):
                    raise TaskError(f"{place}: {len(cells)} columns; expected {len(header)}")
                yield place, dict(zip(header, cells, strict=True))
        except csv.Error as error:
            raise TaskError(f"{file} line {reader.line_num}: {error}") from None
        except UnicodeDecodeError:
            raise TaskError(f"{file} after line {reader.line_num}: not UTF-8") from None
