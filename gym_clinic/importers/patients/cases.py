"""Patient cases as JSON Lines, in this project's own layout.

One case a line::

    {"id": "clinic-0001", "diagnosis": "Marfan syndrome", "phenotypes": ["Ectopia lentis"],
     "provenance": "our clinic, 2025", "absent": ["Seizure"], "codes": ["OMIM:154700"],
     "age": "P34Y", "sex": "female"}

`id`, `diagnosis`, `phenotypes` and `provenance` are required; `diagnosis` may be empty. Phenotypes
are names, not codes, because cases are compared by these names. `absent` lists findings that were
looked for and not found. `age` is an ISO 8601 duration. An unknown field is an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import read_lines
from gym_clinic.files import json_line, replace_file
from gym_clinic.retrieval import PatientCase

DURATION = re.compile(r"P(?=[0-9])([0-9]+Y)?([0-9]+M)?([0-9]+W)?([0-9]+D)?")
"""An age as an ISO 8601 duration of whole years, months, weeks and days."""

ODD_AGE = "ages that are no whole years, months, weeks and days were not kept"
"""What is said of ages that are no such duration."""


def _named(text: str) -> str:
    if not text.strip():
        raise ValueError("expected a name, found blanks")
    return " ".join(text.split())


def _duration(text: str) -> str:
    if not DURATION.fullmatch(text):
        raise ValueError("expected an ISO 8601 duration such as P34Y or P2Y6M")
    return text


Name = Annotated[str, AfterValidator(_named)]
Age = Annotated[str, AfterValidator(_duration)]


class _CaseRow(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: Name
    diagnosis: str
    phenotypes: tuple[Name, ...] = Field(min_length=1)
    provenance: Name
    absent: tuple[Name, ...] = ()
    codes: tuple[Name, ...] = ()
    age: Age | None = None
    sex: Literal["female", "male", "other"] | None = None


def read_cases(path: str | os.PathLike[str]) -> Iterator[PatientCase]:
    """Read cases in the form of this module's documentation.

    Yields:
        One case for each line that is not blank.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a broken line or a duplicate id; the text names file, line and field.
    """
    seen: dict[str, int] = {}
    for number, row in read_lines(Path(path), _CaseRow):
        if seen.setdefault(row.id, number) != number:
            raise TaskError(
                f"{path} line {number}, field id: {row.id!r} is a duplicate of line {seen[row.id]}"
            )
        yield PatientCase(**row.model_dump())


def write_cases(cases: Iterable[PatientCase], target: str | os.PathLike[str]) -> int:
    """Write cases in this layout, without empty fields; the file is replaced at the end.

    Returns:
        The number of cases.

    Raises:
        OSError: If the file cannot be written; an old file is then unchanged.
    """
    needed = ("id", "diagnosis", "phenotypes", "provenance")
    rows = [
        {key: value for key, value in asdict(case).items() if value or key in needed}
        for case in cases
    ]
    replace_file(Path(target), map(json_line, rows))
    return len(rows)
