"""Discharge summaries in the layout of MIMIC-IV-Note, with the coded diagnoses of the hospital.

The folder holds ``discharge.csv`` (``note_id``, ``subject_id``, ``hadm_id``, ``text``),
``diagnoses_icd.csv`` (``hadm_id``, ``seq_num``, ``icd_code``, ``icd_version``) and
``d_icd_diagnoses.csv`` (``icd_code``, ``icd_version``, ``long_title``), packed or not. The text of
a case is what the summary says before the hospital course; the diagnosis is the first code of the
admission.

Source:
    The layout of MIMIC-IV 2.2 and MIMIC-IV-Note 2.2; whoever may read them has them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.cases.reported import ReportedCase, one_line, some_cases
from gym_clinic.importers.formats.csv import csv_rows
from gym_clinic.importers.formats.records import LeftOut, intact_records, unnoted
from gym_clinic.reading import plain_or_packed
from gym_clinic.retrieval import PatientCase

NOTES = ("discharge.csv", ("note_id", "hadm_id", "text"))
CODED = ("diagnoses_icd.csv", ("hadm_id", "seq_num", "icd_code", "icd_version"))
TITLES = ("d_icd_diagnoses.csv", ("icd_code", "icd_version", "long_title"))
"""File -> the columns that are read."""

TOLD = (
    "Chief Complaint", "History of Present Illness", "Past Medical History", "Social History",
    "Family History", "Physical Exam", "Pertinent Results",
)  # fmt: skip
"""Sections that are known before the diagnosis."""

OTHERS = (
    "Service", "Allergies", "Attending", "Major Surgical or Invasive Procedure",
    "Brief Hospital Course", "Medications on Admission", "Discharge Medications",
    "Discharge Disposition", "Facility", "Discharge Diagnosis", "Discharge Condition",
    "Discharge Instructions", "Followup Instructions",
)  # fmt: skip
"""Sections that end one of these."""

_SECTION = re.compile(rf"^({'|'.join((*TOLD, *OTHERS))}):[ \t]*(.*)$", re.MULTILINE)
_SEX = re.compile(r"^(?:.*\s)?Sex:[ \t]*([MF])\b", re.MULTILINE)
_AGE = re.compile(r"\b(\d{1,3})[ -]?(?:year|yr|y)s?[ -]?(?:old|o)\b", re.IGNORECASE)


@some_cases("discharge summaries with coded diagnoses")
def read(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[ReportedCase]:
    """Read the summaries.

    Args:
        path: The folder.
        broken: Called with the error of a broken row; if it returns, the row is skipped.
        left_out: Called with the reason for each summary that is not kept.

    Raises:
        ConfigError: If a file cannot be opened.
        TaskError: By default, for a broken row or a duplicate note.
    """
    titles = {
        (row["icd_code"].strip(), row["icd_version"]): one_line(row["long_title"])
        for _, row in _rows(path, TITLES, broken)
    }
    first = {
        row["hadm_id"]: (row["icd_code"].strip(), row["icd_version"])
        for _, row in _rows(path, CODED, broken)
        if row["seq_num"].strip() == "1"
    }

    def case(row: Mapping[str, str], place: str) -> tuple[str, ReportedCase | None]:
        coded = first.get(row["hadm_id"])
        if coded is not None and coded not in titles:
            raise TaskError(f"{place}: {TITLES[0]} has no title of {coded[0]!r}, ICD-{coded[1]}")
        return row["note_id"], _reported(row, coded, titles, left_out)

    rows = _rows(path, NOTES, broken)
    for _, reported in intact_records(rows, case, broken, field="column note_id", key=_note):
        if reported is not None:
            yield reported


def _note(read: tuple[str, object]) -> str:
    return read[0]


def _reported(
    row: Mapping[str, str],
    coded: tuple[str, str] | None,
    titles: Mapping[tuple[str, str], str],
    left_out: LeftOut,
) -> ReportedCase | None:
    if coded is None:
        left_out("summaries without a coded diagnosis were left out")
        return None
    sections = sections_of(row["text"])
    text = "\n\n".join(f"{name}:\n{sections[name]}" for name in TOLD if sections.get(name))
    if not text:
        left_out("summaries without a section before the hospital course were left out")
        return None
    age, sex = _AGE.search(text), _SEX.search(row["text"])
    case = PatientCase(
        row["note_id"],
        titles[coded],
        (),
        "discharge summary",
        codes=(f"ICD10CM:{pointed(coded[0])}",) if coded[1] == "10" else (),
        age=f"P{int(age[1])}Y" if age else None,
        sex={"F": "female", "M": "male"}[sex[1]] if sex else None,
    )
    return ReportedCase(case, text)


def sections_of(text: str) -> dict[str, str]:
    r"""Return the sections of a summary, by heading; a heading that repeats goes on.

    >>> sections_of("Chief Complaint:\nChest pain\n\nAllergies: none\n")
    {'Chief Complaint': 'Chest pain', 'Allergies': 'none'}
    """
    found: dict[str, str] = {}
    heads = list(_SECTION.finditer(text))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        end = following.start() if following else len(text)
        content = f"{head[2]}{text[head.end() : end]}".strip()
        found[head[1]] = f"{found.get(head[1], '')} {content}".strip()
    return found


def pointed(code: str) -> str:
    """Return an ICD-10-CM code with its point.

    >>> pointed("I2510"), pointed("J45")
    ('I25.10', 'J45')
    """
    return f"{code[:3]}.{code[3:]}" if len(code) > 3 and "." not in code else code


def _rows(
    folder: str | os.PathLike[str], table: tuple[str, tuple[str, ...]], broken: OnBroken
) -> Iterator[tuple[str, dict[str, str]]]:
    name, columns = table
    return csv_rows(plain_or_packed(Path(folder) / name), columns, others=True, broken=broken)
