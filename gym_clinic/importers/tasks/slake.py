"""SLAKE: questions about radiological images, in English and Chinese; the English ones are read.

A row of the file, a JSON array, is::

    {"img_id": 0, "img_name": "xmlab0/source.jpg", "question": "…", "answer": "MRI",
     "q_lang": "en", "location": "Abdomen", "modality": "MRI", "answer_type": "OPEN",
     "base_type": "vqa", "content_type": "Modality", "triple": ["vhead", "_", "_"], "qid": 9835}

Source:
    Liu B et al. SLAKE: a semantically-labeled knowledge-enhanced dataset for medical visual
    question answering. ISBI 2021 (CC-BY 4.0).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gym_clinic.episode import Task
from gym_clinic.importers.tasks.visual import VisualQuestion, read_rows, text_field, visual_tasks


def read(
    path: str | os.PathLike[str], open_answers: str = "leave_out", images: str | None = None
) -> Iterator[Task]:
    """Read the English questions.

    Args:
        path: `train.json`, `validate.json` or `test.json`.
        open_answers: "leave_out", or "distractors" from the same file.
        images: The folder of the images: only questions whose image is there are read.

    Yields:
        One task a question; see `gym_clinic.importers.tasks.visual`.

    Raises:
        ConfigError: If the file cannot be opened, or an option has no such value.
        TaskError: For a broken row; the text names file, row and field.
    """
    yield from visual_tasks("slake", path, _questions(Path(path)), open_answers, images)


def _questions(path: Path) -> Iterator[VisualQuestion]:
    for place, row in read_rows(path, "a JSON array of questions of SLAKE"):
        if text_field(row, "q_lang", place) == "en":
            yield VisualQuestion(
                place,
                text_field(row, "question", place),
                text_field(row, "answer", place),
                text_field(row, "img_name", place),
                text_field(row, "modality", place),
                text_field(row, "content_type", place).casefold(),
            )
