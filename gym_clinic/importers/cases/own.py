"""Cases of one's own: JSON Lines, or CSV with a header.

One case has these fields; lists are JSON lists, or in CSV parted by "|"::

    id          unique in the file
    diagnosis   name of the confirmed disease
    text        what is known before the diagnosis, in words
    phenotypes  findings that the patient has; without them they are extracted from the text
    absent      findings that were looked for and not found
    codes       of the diagnosis: ORPHA:558, OMIM:154700, MONDO:0007947, ICD10CM:Q87.4, ICD10:Q87.4
    age         ISO 8601 duration such as P34Y or P2Y6M, or whole years
    sex         female, male or other
    rare        true or false, where the source says so

`id`, `diagnosis`, and `text` or `phenotypes` are needed. An unknown field is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from typing_extensions import Self

from gym_clinic.errors import ConfigError
from gym_clinic.facts.typed_json import OnBroken, Strict, read_lines, read_value, stop
from gym_clinic.importers.cases.reported import ReportedCase, some_cases
from gym_clinic.importers.formats.csv import csv_rows
from gym_clinic.importers.formats.records import LeftOut, intact_records, unnoted
from gym_clinic.importers.patients.cases import Age, Name
from gym_clinic.reading import plain_name
from gym_clinic.retrieval import PatientCase

NEEDED, LISTS = ("id", "diagnosis"), ("phenotypes", "absent", "codes")
CODE = (
    r"^(ORPHA:[1-9][0-9]*|OMIM:[0-9]{6}|MONDO:[0-9]{7}"
    r"|ICD10(CM)?:[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?)$"
)
"""A code of a disease with its prefix."""


def _years(age: object) -> object:
    """Return whole years as a duration; what else there is unchanged."""
    if isinstance(age, int) and not isinstance(age, bool) and age >= 0:
        return f"P{age}Y"
    return f"P{int(age)}Y" if isinstance(age, str) and age.isdecimal() else age


Code = Annotated[Name, Field(pattern=CODE)]


class _OwnRow(Strict):
    id: Name
    diagnosis: Name
    text: Annotated[str, AfterValidator(str.strip)] = ""
    phenotypes: tuple[Name, ...] = ()
    absent: tuple[Name, ...] = ()
    codes: tuple[Code, ...] = ()
    age: Annotated[Age | None, BeforeValidator(_years)] = None
    sex: Literal["female", "male", "other"] | None = None
    rare: bool | None = None

    @model_validator(mode="after")
    def _has_content(self) -> Self:
        if not self.text and not self.phenotypes:
            raise ValueError("text and phenotypes are both empty; expected at least one of them")
        return self


@some_cases("cases of your own")
def read(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[ReportedCase]:
    """Read cases of one's own.

    Args:
        path: The ``.jsonl`` or ``.csv`` file.
        broken: Called with the error of a broken row, which names file, row and field; if it
            returns, the row is skipped. Raises the error by default.
        left_out: Not used: every field is kept.

    Raises:
        ConfigError: If the file cannot be opened or has another suffix.
        TaskError: By default, for a broken row or a duplicate id.
    """
    file = Path(path)
    suffix = plain_name(file).suffix
    if suffix == ".csv":
        rows = csv_rows(file, NEEDED, others=True, broken=broken)
        placed = intact_records(rows, _of_cells, broken, field="field id", key=lambda row: row.id)
    elif suffix == ".jsonl":
        lines = (
            (f"{file} line {number}", row) for number, row in read_lines(file, _OwnRow, broken)
        )
        placed = intact_records(
            lines, lambda row, place: row, broken, field="field id", key=lambda row: row.id
        )
    else:
        raise ConfigError(f"{file} is neither .jsonl nor .csv; expected one case a line or row")
    for row in placed:
        case = PatientCase(
            row.id, row.diagnosis, tuple(dict.fromkeys(row.phenotypes)), "own case", row.absent,
            row.codes, row.age, row.sex,
        )  # fmt: skip
        yield ReportedCase(case, row.text, rare=row.rare)


def _of_cells(cells: Mapping[str, str], place: str) -> _OwnRow:
    row: dict[str, Any] = {name: cell for name, cell in cells.items() if cell.strip()}
    for name in LISTS:
        row[name] = tuple(part for part in row.get(name, "").split("|") if part.strip())
    if "rare" in row:
        row["rare"] = {"true": True, "false": False}.get(row["rare"].strip().lower(), row["rare"])
    return read_value(row, _OwnRow, place)
