"""MedMCQA: questions of Indian medical entrance examinations, with four options.

A line of the original files is::

    {"question": "…", "opa": "…", "opb": "…", "opc": "…", "opd": "…", "cop": 3,
     "exp": "why", "subject_name": "Dental"}

Exports in the layout of MedQA (`options`, `answer_idx`) are read as well.

Source:
    Pal A et al. MedMCQA. Proc Mach Learn Res 2022;174:248-260 (Apache-2.0).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts.typed_json import read_lines
from gym_clinic.importers.tasks.multiple_choice import question_task

LABELS = "ABCD"


class _MedmcqaRow(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    question: str
    a: str | None = Field(default=None, alias="opa")
    b: str | None = Field(default=None, alias="opb")
    c: str | None = Field(default=None, alias="opc")
    d: str | None = Field(default=None, alias="opd")
    cop: int | None = None
    options: dict[str, str] | None = None
    answer_idx: str | None = None
    explanation: str | None = Field(default=None, alias="exp")
    subject: str | None = Field(default=None, alias="subject_name")


def read(path: str | os.PathLike[str], first_option: int | None = None) -> Iterator[Task]:
    """Read the questions.

    Args:
        path: A JSON Lines file of MedMCQA.
        first_option: The value of `cop` that means option A: 1 in the original files, 0 in some
            exports. The files do not tell, so it must be given where lines have `cop`.

    Yields:
        One task a line; see `gym_clinic.importers.tasks.multiple_choice`.

    Raises:
        ConfigError: If the file cannot be opened, or `first_option` is missing or neither 0 nor 1.
        TaskError: For a broken line, or one without an answer, as in the published test file; the
            text names file, line and field.
    """
    if first_option not in (None, 0, 1):
        raise ConfigError(f"first_option is {first_option!r}; expected 0 or 1")
    for number, row in read_lines(Path(path), _MedmcqaRow):
        place = f"{path} line {number}"
        options: Mapping[str, str | None] | None = row.options
        answer = row.answer_idx
        if options is None:
            options = dict(zip(LABELS, (row.a, row.b, row.c, row.d), strict=True))
            answer = _label(place, row.cop, first_option)
        yield question_task(
            "medmcqa",
            place,
            question=row.question,
            options=options,
            answer=answer,
            subject=row.subject or "",
            explanation=row.explanation or "",
        )


def _label(place: str, cop: int | None, first_option: int | None) -> str:
    if cop is None or cop < 0:
        raise TaskError(f"{place}, field cop: no answer; the published test file has none")
    if first_option is None:
        raise ConfigError(
            f"{place}: does cop count from 1, as in the original files, or from 0? "
            "Give first_option=1 or first_option=0"
        )
    if not first_option <= cop < first_option + len(LABELS):
        raise TaskError(f"{place}, field cop: {cop} is not an option, counted from {first_option}")
    return LABELS[cop - first_option]
