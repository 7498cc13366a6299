"""VQA-RAD: questions about radiological images.

A row of the file, a JSON array, is::

    {"qid": 2, "image_name": "synpic29265.jpg", "image_organ": "CHEST", "answer": "No",
     "answer_type": "CLOSED", "question_type": "ABN", "question": "…", "phrase_type": "freeform"}

Rows whose `phrase_type` begins with "test" are the published test split. Its images occur in train
as well. Answers may be numbers, and ``"CLOSED "`` may have a blank at its end.

Source:
    Lau JJ et al. A dataset of clinically generated visual questions and answers about radiology
    images. Sci Data 2018;5:180251 (CC0).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError
from gym_clinic.importers.tasks.visual import VisualQuestion, read_rows, text_field, visual_tasks

PARTS = ("all", "train", "test")


def read(
    path: str | os.PathLike[str],
    part: str = "all",
    open_answers: str = "leave_out",
    images: str | None = None,
) -> Iterator[Task]:
    """Read the questions.

    Args:
        path: The JSON file.
        part: "train" or "test" for the published split, by `phrase_type`; "all" for every row.
        open_answers: "leave_out", or "distractors" from the same file.
        images: The folder of the images: only questions whose image is there are read.

    Yields:
        One task a question; see `gym_clinic.importers.tasks.visual`.

    Raises:
        ConfigError: If the file cannot be opened, or an option has no such value.
        TaskError: For a broken row; the text names file, row and field.
    """
    if part not in PARTS:
        raise ConfigError(f"part is one of {list(PARTS)}, not {part!r}")
    yield from visual_tasks("vqa_rad", path, _questions(Path(path), part), open_answers, images)


def _questions(path: Path, part: str) -> Iterator[VisualQuestion]:
    for place, row in read_rows(path, "a JSON array of questions of VQA-RAD"):
        is_test = text_field(row, "phrase_type", place).startswith("test")
        if part == "all" or (part == "test") == is_test:
            yield VisualQuestion(
                place,
                text_field(row, "question", place),
                text_field(row, "answer", place),
                text_field(row, "image_name", place),
                "radiology",
                text_field(row, "question_type", place).casefold(),
            )
