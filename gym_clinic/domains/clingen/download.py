"""ClinGen's gene-disease validity download (CSV), read as curations.

The file begins with lines about itself; the header row stands between two rows of plus signs;
every cell is quoted. Rows of 2016 to 2018 carry other report ids (`CGGCIEX:`) and dates without
milliseconds. A byte order mark, CRLF line ends, blank lines and further columns are accepted.

Source:
    https://search.clinicalgenome.org/kb/gene-validity/download (CC0).
"""

from __future__ import annotations

import csv
import datetime
import io
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.domains.clingen.sop import CONTRADICTORY_CLASSES
from gym_clinic.errors import ConfigError, TaskError

CLASSIFICATIONS = (*CLASSES, *CONTRADICTORY_CLASSES)
"""The seven classes of the download."""

INHERITANCE = {
    "AD": "autosomal dominant",
    "AR": "autosomal recessive",
    "XL": "X-linked",
    "SD": "semidominant",
    "MT": "mitochondrial",
    "UD": "undetermined",
}
"""Modes of inheritance, by the download's abbreviation."""

SOPS = tuple(f"SOP{version}" for version in range(4, 13))
"""Versions of the standard operating procedure."""


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class Curation:
    """One published classification of a gene-disease pair.

    Attributes:
        gene: HGNC symbol.
        hgnc_id: "HGNC:" and a number.
        disease: Disease name.
        mondo_id: "MONDO:" and seven digits.
        inheritance: A key of `INHERITANCE`.
        classification: One of `CLASSIFICATIONS`.
        panel: Gene curation expert panel.
        sop: Version of the procedure that was followed, one of `SOPS`.
        date: Day of the classification.
        report: Web address of the published report.
    """

    gene: str
    hgnc_id: str
    disease: str
    mondo_id: str
    inheritance: str
    classification: str
    panel: str
    sop: str
    date: datetime.date
    report: str


def read(path: str | os.PathLike[str]) -> Iterator[Curation]:
    """Read the download, checking every cell.

    Args:
        path: The CSV file.

    Returns:
        An iterator over its curations in the order of the file. The file itself is read at
        once; each row is checked when its turn comes.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a file without the header or without records, and for a broken row; the
            text names file, line, column and what would be right.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TaskError(
            f"{file} line {line}: byte {error.start} is not UTF-8; expected the CSV as downloaded"
        ) from None
    return _curations(file, text)


def read_rows(path: str | os.PathLike[str]) -> Iterator[dict[str, str]]:
    """Read the download as JSON objects, the date in ISO form; everything else as `read`."""
    for curation in read(path):
        yield {**asdict(curation), "date": curation.date.isoformat()}


def _curations(file: Path, text: str) -> Iterator[Curation]:
    rows = _rows(file, text)
    order = _header(file, rows)
    found = False
    for line, row in rows:
        if set("".join(row)) <= {"+"}:  # the ruler below the header, or a blank line
            continue
        found = True
        yield _curation(f"{file} line {line}", order, row)
    if not found:
        raise TaskError(f"{file}: no records after the header; expected one a line")


def _rows(file: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows with the number of the line on which each begins."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise TaskError(
                f"{file} line {line}, column {_open_column(text, line)}: {error}; expected every "
                "quote to be closed (is the file whole?)"
            ) from None
        if row is None:
            return
        for column, cell in enumerate(row, 1):
            if _CONTROL.search(cell):
                raise TaskError(
                    f"{file} line {line}, column {column}: a line break or control character in "
                    f"{cell[:60]!r}; expected one line of text (is a quote missing?)"
                )
        yield line, [cell.strip() for cell in row]
        line = reader.line_num + 1


def _open_column(text: str, line: int) -> int:
    """Number of the column in which the quotes of a line stop making sense."""
    row = io.StringIO(text, newline="").readlines()[line - 1].rstrip("\r\n")
    column = 1
    while closed := re.match(r'(?:"(?:[^"]|"")*"|[^",]*),', row):
        row = row[closed.end() :]
        column += 1
    return column


def _header(file: Path, rows: Iterator[tuple[int, list[str]]]) -> dict[str, int]:
    """The place of each column, from the header row that ends the preamble."""
    for line, row in rows:
        if "GENE SYMBOL" not in row:
            continue
        missing = [name for name in COLUMNS if name not in row]
        double = [name for name in COLUMNS if row.count(name) > 1]
        if missing or double:
            what = f"lacks {missing}" if missing else f"repeats {double}"
            raise TaskError(f"{file} line {line}: the header {what}; expected {list(COLUMNS)}")
        return {name: row.index(name) for name in row}
    raise TaskError(f"{file}: no header row; expected one with the columns {list(COLUMNS)}")


def _curation(place: str, order: dict[str, int], row: list[str]) -> Curation:
    if len(row) != len(order):
        column = min(len(row), len(order)) + 1
        name = list(order)[len(row)] if len(row) < len(order) else "beyond the last"
        raise TaskError(
            f"{place}, column {column} ({name}): the row has {len(row)} columns; "
            f"expected {len(order)}"
        )
    values: dict[str, Any] = {}
    for name, (field, check) in COLUMNS.items():
        cell = row[order[name]]
        try:
            values[field] = check(cell)
        except ValueError as error:
            raise TaskError(
                f"{place}, column {order[name] + 1} ({name}): {cell[:80]!r}; expected {error}"
            ) from None
    return Curation(**values)


def _matching(pattern: str, expected: str) -> Callable[[str], str]:
    def check(cell: str) -> str:
        if not re.fullmatch(pattern, cell):
            raise ValueError(expected)
        return cell

    return check


def _one_of(choices: tuple[str, ...]) -> Callable[[str], str]:
    return _matching("|".join(map(re.escape, choices)), f"one of {', '.join(choices)}")


def _day(cell: str) -> datetime.date:
    expected = "a date like 2024-03-14T16:00:00.000Z"
    if not re.fullmatch(r"[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}(\.[0-9]{3}Z)?", cell):
        raise ValueError(expected)
    try:
        return datetime.datetime.fromisoformat(cell[:19]).date()
    except ValueError:
        raise ValueError(f"{expected} that exists") from None


COLUMNS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "GENE SYMBOL": ("gene", _matching(r"[A-Za-z0-9][A-Za-z0-9.@_-]*", "a gene symbol")),
    "GENE ID (HGNC)": ("hgnc_id", _matching(r"HGNC:[1-9][0-9]*", "an id like HGNC:7765")),
    "DISEASE LABEL": ("disease", _matching(r".+", "the name of a disease")),
    "DISEASE ID (MONDO)": ("mondo_id", _matching(r"MONDO:[0-9]{7}", "an id like MONDO:0018975")),
    "MOI": ("inheritance", _one_of(tuple(INHERITANCE))),
    "SOP": ("sop", _one_of(SOPS)),
    "CLASSIFICATION": ("classification", _one_of(CLASSIFICATIONS)),
    "ONLINE REPORT": ("report", _matching(r"https?://\S+", "a web address")),
    "CLASSIFICATION DATE": ("date", _day),
    "GCEP": ("panel", _matching(r".+", "the name of an expert panel")),
}
"""Header of each column that is read -> its field and what checks a cell."""
