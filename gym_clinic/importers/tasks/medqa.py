"""MedQA: questions in the style of the United States medical licensing examination.

A line of the file is::

    {"question": "…", "answer": "Coronary sinus", "options": {"A": "…", "B": "…", "C": "…"},
     "meta_info": "step1", "answer_idx": "C"}

`meta_info`, the step of the examination, becomes the subject.

Source:
    Jin D et al. What disease does this patient have? Appl Sci 2021;11:6421 (MIT licence).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import read_lines
from gym_clinic.importers.tasks.multiple_choice import question_task


class _MedqaRow(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    question: str
    options: dict[str, str]
    answer: str
    answer_idx: str
    meta_info: str = ""


def read(path: str | os.PathLike[str]) -> Iterator[Task]:
    """Read the questions.

    Args:
        path: A JSON Lines file of MedQA, with four or five options a question.

    Yields:
        One task a line; see `gym_clinic.importers.tasks.multiple_choice`.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a broken line; the text names file, line and field.
    """
    for number, row in read_lines(Path(path), _MedqaRow):
        place = f"{path} line {number}"
        if row.options.get(row.answer_idx) != row.answer:
            named = row.options.get(row.answer_idx)
            raise TaskError(
                f"{place}, field answer_idx: option {row.answer_idx!r} has the text "
                f"{named!r:.60}, but the answer is {row.answer!r:.60}"
            )
        yield question_task(
            "medqa",
            place,
            question=row.question,
            options=row.options,
            answer=row.answer_idx,
            subject=row.meta_info,
        )
