"""PMC-Patients (JSON or CSV, as published) -> patient cases.

PMC-Patients holds summaries of patients from case reports, as text; it codes neither phenotypes
nor diagnoses. The phenotypes, present and absent, are what a linker finds in the summary, so they
contain its mistakes. The diagnosis is empty, although the title often names it.

These fields are read: ``patient_uid``, ``title``, ``patient`` (the summary), ``age`` (a list of
number and unit, ``[[43.0, "year"]]``), ``gender`` ("M" or "F") and ``similar_patients`` (uid -> 1
or 2; 2 is more similar). In the CSV file, lists and objects are Python literals.

Source:
    Zhao et al., PMC-Patients, Scientific Data 2023, 10:909.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts.typed_json import OnBroken, read_value, stop
from gym_clinic.importers.formats.csv import csv_rows
from gym_clinic.importers.formats.json import json_value
from gym_clinic.importers.formats.records import LeftOut, intact_records, unnoted
from gym_clinic.importers.patients.cases import ODD_AGE
from gym_clinic.reading import plain_name
from gym_clinic.retrieval import PatientCase
from gym_clinic.retrieval.graph.linking import SymptomLinker

UNITS = {"year": "Y", "month": "M", "week": "W", "day": "D"}
SEXES = {"M": "male", "F": "female"}
READ = ("patient_uid", "title", "patient", "age", "gender", "similar_patients")


@dataclass(frozen=True)
class PmcPatient:
    """One patient of PMC-Patients.

    Attributes:
        case: The patient with the phenotypes that the linker found.
        title: Title of the case report.
        text: The summary.
        similar: Ids of similar patients -> how similar, 1 or 2.
    """

    case: PatientCase
    title: str
    text: str
    similar: Mapping[str, int]


class _SummaryRow(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    uid: str = Field(alias="patient_uid", min_length=1)
    title: str
    patient: str = Field(min_length=1)
    age: tuple[tuple[float, str], ...]
    gender: Literal["M", "F"]
    similar: dict[str, int] = Field(alias="similar_patients")

    @field_validator("age", mode="before")
    @classmethod
    def _pairs(cls, age: object) -> object:
        return tuple(tuple(one) for one in age) if isinstance(age, list) else age


def read_pmc_patients(
    path: str | os.PathLike[str],
    linker: SymptomLinker,
    broken: OnBroken = stop,
    left_out: LeftOut = unnoted,
) -> Iterator[PmcPatient]:
    """Read PMC-Patients.

    Args:
        path: The ``.csv`` file, which is streamed, or the ``.json`` file, which is read whole.
        linker: Finds the phenotypes in the summaries.
        broken: Called with the error of a broken row, which names file, row and field; if it
            returns, the row is skipped. Raises the error by default.
        left_out: Called with the reason for each age that is not kept.

    Yields:
        One patient a row; without phenotypes if the linker finds none in the summary.

    Raises:
        ConfigError: If the file cannot be opened or has another suffix.
        TaskError: For a file without patients or with broken quotes; by default, for a broken row
            or a duplicate id.
    """
    file = Path(path)
    suffix = plain_name(file).suffix
    if suffix not in (".csv", ".json"):
        raise ConfigError(f"{file} is neither .csv nor .json; expected PMC-Patients as published")
    csv = suffix == ".csv"
    rows = csv_rows(file, READ, others=True, broken=broken) if csv else _json_rows(file)
    read = _of_cells if csv else _of_object
    found = False
    for row in intact_records(rows, read, broken, field="field patient_uid", key=attrgetter("uid")):
        found = True
        present, absent = linker.symptoms(row.patient)
        age = _duration(row.age)
        if row.age and age is None:
            left_out(ODD_AGE)
        case = PatientCase(
            id=row.uid,
            diagnosis="",
            phenotypes=tuple(node.name for node in present),
            provenance="PMC-Patients",
            absent=tuple(node.name for node in absent),
            age=age,
            sex=SEXES[row.gender],
        )
        yield PmcPatient(case, row.title, row.patient, row.similar)
    if not found:
        raise TaskError(f"{file}: no patients; expected PMC-Patients as published")


def _duration(age: tuple[tuple[float, str], ...]) -> str | None:
    """An ISO 8601 duration; None if a part is not a whole number of years to days."""
    parts: dict[str, str] = {}
    for number, unit in age:
        if unit not in UNITS or not number.is_integer() or number < 0 or unit in parts:
            return None
        parts[unit] = f"{int(number)}{UNITS[unit]}"
    return "P" + "".join(parts[unit] for unit in UNITS if unit in parts) if parts else None


def _json_rows(file: Path) -> Iterator[tuple[str, Any]]:
    found = json_value(file, "a JSON array of patients")
    if not isinstance(found, list):
        raise TaskError(f"{file}: expected a JSON array of patients")
    for number, row in enumerate(found, 1):
        yield f"{file} patient {number}", row


def _of_object(row: Any, place: str) -> _SummaryRow:
    return read_value(row, _SummaryRow, place)


def _of_cells(cells: Mapping[str, Any], place: str) -> _SummaryRow:
    names = ("age", "similar_patients")
    literals = {name: _literal(cells[name], f"{place}, column {name}") for name in names}
    return _of_object({**cells, **literals}, place)


def _literal(text: str, place: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise TaskError(f"{place}: {text[:80]!r} is not a Python literal") from None
