"""Patients of DDXPlus -> questions with the diseases of their differential as options.

A row of ``release_*_patients.csv`` (the zip unpacked) is::

    AGE,DIFFERENTIAL_DIAGNOSIS,SEX,PATHOLOGY,EVIDENCES,INITIAL_EVIDENCE
    18,"[['Bronchitis', 0.19], ['Pneumonia', 0.17]]",M,Bronchitis,"['E_201', 'E_54_@_V_161']",E_201

The evidences are codes; their words are in ``release_evidences.json``. A question repeats what the
patient was asked and answered. The file gives no disciplines.

Source:
    DDXPlus (Fansi Tchango et al. 2022), release of patients, CC-BY.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import read_object
from gym_clinic.importers.formats.csv import csv_rows
from gym_clinic.importers.tasks.multiple_choice import question_task
from gym_clinic.names import at_least_one

COLUMNS = ("AGE", "DIFFERENTIAL_DIAGNOSIS", "SEX", "PATHOLOGY", "EVIDENCES", "INITIAL_EVIDENCE")
EVIDENCES = "release_evidences.json"
SEXES = {"M": "man", "F": "woman"}
VALUE = "_@_"
"""Between the code of an evidence and that of its value."""


def read(
    path: str | os.PathLike[str], *, evidences: str | None = None, options: int = 5
) -> Iterator[Task]:
    """Read the patients.

    Args:
        path: The CSV file of patients.
        evidences: The file of the evidences; that beside the patients by default.
        options: Options of a question at most: the pathology and the likeliest others.

    Raises:
        ConfigError: If a file cannot be opened, or options is below 1.
        TaskError: For a broken row; the text names file, line and column.
    """
    file = Path(path)
    most = max(at_least_one("options", options), 2)
    rows = list(islice(csv_rows(file, COLUMNS), 1))  # a wrong file is named before its tables
    if not rows:
        raise TaskError(f"{file}: no patient; expected a row for each")
    words = read_object(Path(evidences) if evidences else file.with_name(EVIDENCES))
    for place, cells in csv_rows(file, COLUMNS):
        ranked = _listed(place, "DIFFERENTIAL_DIAGNOSIS", cells)
        others = [str(name) for name, _ in ranked if name != cells["PATHOLOGY"]]
        names = sorted([cells["PATHOLOGY"], *others[: most - 1]])
        if len(names) < 2:
            continue  # no other disease to choose from
        chosen = dict(zip(ascii_uppercase, names, strict=False))
        (answer,) = (key for key, name in chosen.items() if name == cells["PATHOLOGY"])
        if cells["SEX"] not in SEXES:
            raise TaskError(f"{place}, column SEX: {cells['SEX']!r}; choose from {list(SEXES)}")
        first = cells["INITIAL_EVIDENCE"]
        codes = [first, *(code for code in _listed(place, "EVIDENCES", cells) if code != first)]
        told = " ".join(_words(place, str(code), words) for code in codes)
        question = f"The patient is a {cells['AGE']}-year-old {SEXES[cells['SEX']]}. {told}"
        yield question_task("ddxplus", place, question=question, options=chosen, answer=answer)


def _listed(place: str, column: str, cells: Mapping[str, str]) -> list[Any]:
    try:
        found = ast.literal_eval(cells[column])
    except (ValueError, SyntaxError):
        found = None
    if not isinstance(found, list):
        raise TaskError(f"{place}, column {column}: {cells[column]!r:.60}; expected a list")
    return found


def _words(place: str, code: str, words: Mapping[str, Any]) -> str:
    """Return an evidence as its question and the answer."""
    name, _, value = code.partition(VALUE)
    if name not in words:
        raise TaskError(f"{place}, column EVIDENCES: no evidence {name!r} in {EVIDENCES}")
    try:
        asked = " ".join(str(words[name]["question_en"]).split())
        meanings = words[name].get("value_meaning") or {}
        answer = str(meanings[value]["en"] if value in meanings else value or "yes")
    except (KeyError, TypeError, AttributeError) as error:
        raise TaskError(
            f"{place}, column EVIDENCES: {EVIDENCES} has no words for {code!r}: {error!r}"
        ) from None
    return f"{asked} {answer[:1].upper()}{answer[1:]}."
