"""MedDialog, English (text): consultations of patients and doctors on the web.

A consultation is a block as published::

    id=12
    https://…
    Description
    Persistent cough for two weeks
    Dialogue
    Patient:
    Hello doctor, …
    Doctor:
    Hello. This is probably …

The text of a case is the description and what the patient says before the doctor's last answer; the
verdict is what the doctor says.

Source:
    Chen et al., MedDialog (arXiv:2004.03329), healthcaremagic.com and icliniq.com.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.cases.reported import ReportedCase, some_cases
from gym_clinic.importers.formats.records import LeftOut, intact_records, unnoted
from gym_clinic.reading import numbered_lines, plain_name
from gym_clinic.retrieval import PatientCase

_ID = re.compile(r"id\s*=\s*(\d+)\s*$")
PARTS = {"Description": "text", "Patient:": "text", "Doctor:": "verdict", "Dialogue": ""}
"""Line that begins a part -> where its words go."""


class _Block(NamedTuple):
    number: str
    lines: list[str]


@some_cases("consultations of the English MedDialog")
def read(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[ReportedCase]:
    """Read the consultations.

    Args:
        path: A ``.txt`` file of the English part.
        broken: Called with the error of a broken consultation; if it returns, it is skipped.
        left_out: Not used.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: By default, for a consultation without patient or doctor, or a duplicate id.
    """
    file = Path(path)

    def case(block: _Block, place: str) -> ReportedCase:
        said: dict[str, list[str]] = {"text": [], "verdict": [], "": []}
        part = ""
        for line in block.lines:
            if line.strip() in PARTS:
                part = PARTS[line.strip()]
            elif line.strip():
                said[part].append(line.strip())
        if missing := [name for name in ("text", "verdict") if not said[name]]:
            speaker = {"text": "patient", "verdict": "doctor"}[missing[0]]
            raise TaskError(f"{place}: the {speaker} says nothing; expected a whole consultation")
        case = PatientCase(f"{plain_name(file).stem}-{block.number}", "", (), "MedDialog")
        return ReportedCase(case, "\n".join(said["text"]), "\n".join(said["verdict"]))

    yield from intact_records(
        _blocks(file), case, broken, field="line id", key=lambda reported: reported.case.id
    )


def _blocks(file: Path) -> Iterator[tuple[str, _Block]]:
    """Yield the consultations with the place of their first line."""
    block, place = None, ""
    for number, line in numbered_lines(file):
        text = line.decode("utf-8", "replace")
        if started := _ID.match(text):
            if block is not None:
                yield place, block
            block, place = _Block(started[1], []), f"{file} line {number}"
        elif block is not None:
            block.lines.append(text)
        elif text.strip():
            raise TaskError(f"{file} line {number}: {text.strip()[:60]!r}; expected 'id=' first")
    if block is not None:
        yield place, block
