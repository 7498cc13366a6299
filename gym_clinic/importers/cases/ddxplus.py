"""DDXPlus patients (CSV) with their evidences: what the patient says yes to becomes findings.

The patients of DDXPlus are synthetic. An evidence is the answer to a question ("E_91"), with a
value if it has several ("E_55_@_V_89"). Its findings are those that the linker finds in the
question; where the value is a place of pain, in the pain of this place. History and risk factors
are no findings and are counted. Columns: AGE, SEX, PATHOLOGY, EVIDENCES (a Python list); others
are not read.

Source:
    DDXPlus (Fansi Tchango et al. 2022), CC-BY.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from gym_clinic.embedded import linker
from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.cases.reported import ReportedCase, some_cases
from gym_clinic.importers.facts.ddxplus import (
    EVIDENCES,
    EvidenceQuestion,
    read_conditions,
    read_evidences,
)
from gym_clinic.importers.formats.csv import csv_rows
from gym_clinic.importers.formats.records import LeftOut, intact_records, unnoted
from gym_clinic.names import suggest
from gym_clinic.reading import plain_name, plain_or_packed
from gym_clinic.retrieval import PatientCase

READ = ("AGE", "SEX", "PATHOLOGY", "EVIDENCES")
SEXES = {"F": "female", "M": "male"}
CONDITIONS = "release_conditions.json"
NOTHING = frozenset({"NA", "N", "nowhere", "0"})
"""Meanings of values that say that there is nothing of this."""

WHERE = re.compile(r"\bpain (somewhere|located)\b", re.IGNORECASE)
"""A question whose values are places of pain."""

_SIDE = re.compile(r"\([A-Z]\)$")


@some_cases("patients of DDXPlus with their findings")
def read(
    path: str | os.PathLike[str],
    broken: OnBroken = stop,
    left_out: LeftOut = unnoted,
    *,
    tables: str | None = None,
) -> Iterator[ReportedCase]:
    """Read patients.

    Args:
        path: Such as ``release_test_patients.csv``, packed or not.
        broken: Called with the error of a broken row; if it returns, the row is skipped.
        left_out: Called with the reason for each evidence that is not kept.
        tables: Folder of ``release_evidences.json`` and ``release_conditions.json``; the folder
            of the file by default.

    Raises:
        ConfigError: If a file cannot be opened.
        TaskError: By default, for a row with an unknown evidence or pathology.
    """
    file = Path(path)
    folder = Path(tables) if tables else file.parent
    asked = read_evidences(plain_or_packed(folder / EVIDENCES))
    questions = {question.id: question for question in asked}
    conditions = plain_or_packed(folder / CONDITIONS)
    codes = {profile.name: profile.icd10 for profile in read_conditions(conditions, questions)}

    def case(cells: Mapping[str, str], place: str) -> ReportedCase:
        name = cells["PATHOLOGY"].strip()
        if name not in codes:
            raise TaskError(f"{place}, column PATHOLOGY: {name!r}; {suggest(name, codes)}")
        if cells["SEX"] not in SEXES or not cells["AGE"].isdecimal():
            raise TaskError(
                f"{place}: SEX {cells['SEX']!r} and AGE {cells['AGE']!r}; expected F or M, and "
                "whole years"
            )
        findings: dict[str, None] = {}
        for evidence in _evidences(cells["EVIDENCES"], place):
            key, _, value = evidence.partition("_@_")
            if key not in questions:
                raise TaskError(
                    f"{place}, column EVIDENCES: {evidence!r}; {suggest(key, questions)}"
                )
            if questions[key].antecedent:
                left_out("answers on history and risks were left out")
            elif named := _findings(questions[key], value):
                findings.update(dict.fromkeys(named))
            else:
                left_out("answers without a finding of the tables were left out")
        number = place.rpartition(" ")[2]
        return ReportedCase(
            PatientCase(
                f"{plain_name(file).stem}-{number}",
                name,
                tuple(findings),
                "DDXPlus",
                codes=(f"ICD10:{codes[name]}",),
                age=f"P{int(cells['AGE'])}Y",
                sex=SEXES[cells["SEX"]],
            )
        )

    yield from intact_records(csv_rows(file, READ, others=True, broken=broken), case, broken)


def _evidences(cell: str, place: str) -> list[str]:
    try:
        read = ast.literal_eval(cell)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        read = None
    if not isinstance(read, list) or not all(isinstance(name, str) for name in read):
        raise TaskError(
            f"{place}, column EVIDENCES: {cell[:80]!r}; expected a list such as "
            "['E_91', 'E_55_@_V_89']"
        )
    return read


def _findings(question: EvidenceQuestion, value: str) -> list[str]:
    """Return the findings that an answer states."""
    meaning = question.values.get(value, value)
    if value and (meaning in NOTHING or value == question.default):
        return []
    text = question.question
    if value and WHERE.search(text):
        text = f"pain in the {_SIDE.sub('', meaning)}"
    return [link.record.name for link in linker().link(text)]
