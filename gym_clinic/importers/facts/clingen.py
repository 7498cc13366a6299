"""ClinGen's gene-disease validity download (CSV) -> published classifications.

The file begins with lines about itself; the header row is between two rows of plus signs; every
cell is quoted. Rows of 2016 to 2018 have other report ids (`CGGCIEX:`) and dates without
milliseconds. A byte order mark, CRLF line ends, blank lines and further columns are accepted.

Source:
    https://search.clinicalgenome.org/kb/gene-validity/download (CC0).
"""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.formats.csv import csv_cells
from gym_clinic.importers.formats.records import intact_records

Class = Literal["No Known Disease Relationship", "Limited", "Moderate", "Strong", "Definitive"]
"""The classes of a supported relationship, weakest first."""

Contradicted = Literal["Disputed", "Refuted"]
"""The classes of a relationship that evidence contradicts."""

Inheritance = Literal["AD", "AR", "XL", "SD", "MT", "UD"]
"""Mode of inheritance: autosomal dominant or recessive, X-linked, semidominant, mitochondrial,
undetermined."""

ONE_LINE = "^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+$"
"""Text without line breaks and control characters."""


def _day(cell: object) -> object:
    """The day of a time such as 2024-03-14T16:00:00.000Z."""
    shape = r"([0-9]{4}(?:-[0-9]{2}){2})T[0-9]{2}(?::[0-9]{2}){2}(?:\.[0-9]{3}Z)?"
    found = re.fullmatch(shape, cell, re.ASCII) if isinstance(cell, str) else None
    if isinstance(cell, str) and found is None:
        raise ValueError("expected a time like 2024-03-14T16:00:00.000Z")
    return found[1] if found else cell


class Validity(BaseModel):
    """One published classification of a gene-disease pair.

    Attributes:
        gene: HGNC symbol.
        hgnc_id: "HGNC:" and a number.
        disease: Disease name.
        mondo_id: "MONDO:" and seven digits.
        inheritance: Mode of inheritance.
        classification: One of the seven classes.
        panel: Gene curation expert panel.
        sop: Version of the standard operating procedure, "SOP4" to "SOP12".
        date: Day of the classification.
        report: Web address of the published report.
    """

    model_config = ConfigDict(frozen=True, populate_by_name=True, str_strip_whitespace=True)

    gene: str = Field(validation_alias="GENE SYMBOL", pattern=r"^[A-Za-z0-9][A-Za-z0-9.@_-]*$")
    hgnc_id: str = Field(validation_alias="GENE ID (HGNC)", pattern=r"^HGNC:[1-9][0-9]*$")
    disease: str = Field(validation_alias="DISEASE LABEL", pattern=ONE_LINE)
    mondo_id: str = Field(validation_alias="DISEASE ID (MONDO)", pattern=r"^MONDO:[0-9]{7}$")
    inheritance: Inheritance = Field(validation_alias="MOI")
    classification: Literal[Class, Contradicted] = Field(validation_alias="CLASSIFICATION")
    panel: str = Field(validation_alias="GCEP", pattern=ONE_LINE)
    sop: str = Field(validation_alias="SOP", pattern=r"^SOP([4-9]|1[0-2])$")
    date: Annotated[datetime.date, BeforeValidator(_day)] = Field(
        validation_alias="CLASSIFICATION DATE"
    )
    report: str = Field(validation_alias="ONLINE REPORT", pattern=r"^https?://\S+$")


COLUMNS = tuple(str(field.validation_alias) for field in Validity.model_fields.values())
"""Header of the columns that are read."""


def read_validity(path: str | os.PathLike[str], broken: OnBroken = stop) -> Iterator[Validity]:
    """Read the download, checking every cell.

    Args:
        path: The CSV file.
        broken: Called with the error of a broken row; if it returns, the row is skipped. Raises
            the error by default.

    Yields:
        The classifications, in the order of the file.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a file without the header or without records; by default, for a broken row.
            The text names file, line, column and what would be right.
    """
    file = Path(path)
    rows = csv_cells(file)
    header = _header(file, rows)

    def read(cells: list[str], place: str) -> Validity:
        if len(cells) != len(header):
            raise TaskError(f"{place}: {len(cells)} columns; expected {len(header)}")
        row = {name: cell.strip() for name, cell in zip(header, cells, strict=True)}
        try:
            return Validity.model_validate({name: row[name] for name in COLUMNS})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = str(first["loc"][0])
            what = first["msg"].removeprefix("Value error, ")
            raise TaskError(
                f"{place}, column {header.index(name) + 1} ({name}): {row[name]!r:.80}; {what}"
            ) from None

    # The row below the header, and those of blanks, are no records.
    places = (
        (f"{file} line {line}", cells)
        for line, cells in rows
        if not set("".join(cells).strip()) <= {"+"}
    )
    found = False
    for one in intact_records(places, read, broken):
        found = True
        yield one
    if not found:
        raise TaskError(f"{file}: no records after the header; expected one a line")


def _header(file: Path, rows: Iterator[tuple[int, list[str]]]) -> list[str]:
    """The header row, which ends the preamble."""
    for line, cells in rows:
        header = [cell.strip() for cell in cells]
        if "GENE SYMBOL" not in header:
            continue
        for name in COLUMNS:
            if header.count(name) != 1:
                what = "repeats" if name in header else "lacks"
                raise TaskError(f"{file} line {line}: the header {what} {name!r}")
        return header
    raise TaskError(f"{file}: no header row; expected one with the columns {list(COLUMNS)}")
