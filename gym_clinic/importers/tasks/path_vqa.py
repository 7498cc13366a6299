"""PathVQA: questions about pathology images from textbooks.

A row is ``{"image": "train_0422", "question": "…", "answer": "yes"}``, in a JSON array or in JSON
Lines. The published pickles are not read, since unpickling runs code; write them as JSON first.

Source:
    He X et al. PathVQA: 30000+ questions for medical visual question answering. 2020 (MIT licence).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.importers.tasks.visual import VisualQuestion, read_rows, text_field, visual_tasks


def read(
    path: str | os.PathLike[str], open_answers: str = "leave_out", images: str | None = None
) -> Iterator[Task]:
    """Read the questions.

    Args:
        path: The JSON or JSON Lines file.
        open_answers: "leave_out", or "distractors" from the same file.
        images: The folder of the images: only questions whose image is there are read.

    Yields:
        One task a question; see `gym_clinic.importers.tasks.visual`.

    Raises:
        ConfigError: If the file cannot be opened, or an option has no such value.
        TaskError: For a broken row or a pickle; the text names file, row and field.
    """
    yield from visual_tasks("path_vqa", path, _questions(Path(path)), open_answers, images)


def _questions(path: Path) -> Iterator[VisualQuestion]:
    if path.suffix in (".pkl", ".pickle"):
        raise TaskError(f"{path}: a pickle runs code when it is read; write its rows as JSON first")
    for place, row in read_rows(path, "a JSON array of {image, question, answer}"):
        image = text_field(row, "image", place)
        question = text_field(row, "question", place)
        yield VisualQuestion(
            place,
            question,
            text_field(row, "answer", place),
            image if Path(image).suffix else f"{image}.jpg",
            "pathology",
            question.split()[0].casefold(),
        )
