"""A table of diseases and symptoms as ones and zeros (CSV), as published in Mendeley Data.

The first column names the disease, each further one is a symptom: 1 where the row has it, 0 where
not. A 0 says that a symptom was not associated, not that it was looked for. The published names are
in Bangla: `names` is a CSV file with the columns ``name`` and ``english``.

Source:
    The Bangla symptoms-disease data set, 85 diseases, 172 symptoms (arXiv:2506.13610), CC BY 4.0.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.cases.reported import ReportedCase, one_line, some_cases
from gym_clinic.importers.formats.csv import csv_cells, csv_rows
from gym_clinic.importers.formats.records import LeftOut, intact_records, unnoted
from gym_clinic.names import suggest
from gym_clinic.reading import plain_name
from gym_clinic.retrieval import PatientCase


@some_cases("rows with a disease and its symptoms")
def read(
    path: str | os.PathLike[str],
    broken: OnBroken = stop,
    left_out: LeftOut = unnoted,
    *,
    names: str | None = None,
) -> Iterator[ReportedCase]:
    """Read the rows; a row without a symptom is left out.

    Args:
        path: The ``.csv`` file.
        broken: Called with the error of a broken row; if it returns, the row is skipped.
        left_out: Called with the reason for each row that is left out.
        names: Names in the file and in English; the names of the file by default.

    Raises:
        ConfigError: If a file cannot be opened.
        TaskError: For a name that the translation lacks, or two equal columns; by default, for a
            broken row.
    """
    file = Path(path)
    english = _english(Path(names)) if names else None
    rows = csv_cells(file)
    line, header = next(rows, (1, [""]))
    symptoms = [_named(name, english, f"{file} line {line}") for name in header[1:]]
    if not symptoms or len(set(symptoms)) < len(symptoms):
        raise TaskError(
            f"{file} line {line}: expected the disease in the first column, and a column for each "
            "symptom, of which no two are the same"
        )

    def case(cells: list[str], place: str) -> ReportedCase:
        if len(cells) != len(header):
            raise TaskError(f"{place}: {len(cells)} columns; expected {len(header)}")
        marks = [cell.strip() for cell in cells[1:]]
        if wrong := [number for number, mark in enumerate(marks) if mark not in ("0", "1")]:
            at = wrong[0]
            raise TaskError(f"{place}, column {header[at + 1]!r}: {marks[at]!r}; expected 0 or 1")
        has = tuple(name for name, mark in zip(symptoms, marks, strict=True) if mark == "1")
        disease = _named(cells[0], english, place)
        number = place.rpartition(" ")[2]
        return ReportedCase(
            PatientCase(f"{plain_name(file).stem}-{number}", disease, has, "Mendeley Data")
        )

    placed = ((f"{file} line {number}", cells) for number, cells in rows)
    for reported in intact_records(placed, case, broken):
        if reported.case.phenotypes:
            yield reported
        else:
            left_out("rows without a symptom were left out")


def _english(path: Path) -> dict[str, str]:
    return {cells["name"]: cells["english"] for _, cells in csv_rows(path, ("name", "english"))}


def _named(name: str, english: Mapping[str, str] | None, place: str) -> str:
    name = one_line(name)
    if english is not None:
        if name not in english:
            raise TaskError(f"{place}: no English name of {name!r}; {suggest(name, english)}")
        name = one_line(english[name])
    if not name:
        raise TaskError(f"{place}: a blank name; expected that of a disease or a symptom")
    return name.replace("_", " ")
