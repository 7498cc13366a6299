"""RareArena (JSON, one object a line): RDS (screening) and RDC (confirmation).

A line has ``_id``, ``case_report``, ``diagnosis`` and, in RDC, ``test_results``; the text of RDC is
the report with the results. Fields of Orphanet (``Orpha_id``, ``Orpha_name``) are read where they
are; others are not.

Source:
    RareArena, github.com/zhao-zy15/RareArena (CC BY-NC-SA 4.0).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from gym_clinic.facts.typed_json import OnBroken, read_lines, stop
from gym_clinic.importers.cases.reported import ReportedCase, one_line, some_cases
from gym_clinic.importers.formats.records import LeftOut, intact_records, unnoted
from gym_clinic.retrieval import PatientCase


class _ArenaRow(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    id: str = Field(alias="_id", pattern=r"\S")
    report: str = Field(alias="case_report", pattern=r"\S")
    results: str = Field(alias="test_results", default="")
    diagnosis: str = Field(pattern=r"\S")
    orpha: str | int | None = Field(alias="Orpha_id", default=None)
    name: str | None = Field(alias="Orpha_name", default=None)


@some_cases("cases of RareArena")
def read(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[ReportedCase]:
    """Read the cases; all are rare.

    Args:
        path: ``RDS.json`` or ``RDC.json``.
        broken: Called with the error of a broken line; if it returns, the line is skipped.
        left_out: Not used.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: By default, for a broken line or a duplicate id.
    """
    rows = (
        (f"{path} line {number}", row) for number, row in read_lines(Path(path), _ArenaRow, broken)
    )
    for row in intact_records(
        rows, lambda row, place: row, broken, field="field _id", key=lambda row: row.id
    ):
        number = str(row.orpha or "").rpartition(":")[2]
        yield ReportedCase(
            PatientCase(
                row.id,
                one_line(row.diagnosis),
                (),
                "RareArena",
                codes=(f"ORPHA:{number}",) if number.isdecimal() else (),
            ),
            text="\n\n".join(part.strip() for part in (row.report, row.results) if part.strip()),
            synonyms=(one_line(row.name),) if row.name and row.name.strip() else (),
            rare=True,
        )
