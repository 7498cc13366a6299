"""OmniMedVQA: multiple-choice questions about images of twelve modalities.

A row of a file, a JSON array, is::

    {"dataset": "ACRIMA", "question_id": "ACRIMA_0000", "question_type": "Modality Recognition",
     "question": "…", "gt_answer": "Fundus imaging", "image_path": "Images/ACRIMA/Im553.png",
     "option_A": "…", "option_B": "…", "modality_type": "Fundus Photography"}

Source:
    Hu Y et al. OmniMedVQA: a new large-scale comprehensive evaluation benchmark for medical LVLM.
    CVPR 2024.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.tasks.visual import VisualQuestion, read_rows, text_field, visual_tasks
from gym_clinic.reading.folders import visible_files

LABELS = "ABCD"


def read(path: str | os.PathLike[str], images: str | None = None) -> Iterator[Task]:
    """Read the questions.

    Args:
        path: A JSON file, or the folder `QA_information` or one within, whose files are read.
        images: The folder of the images: only questions whose image is there are read.

    Yields:
        One task a question; see `gym_clinic.importers.tasks.visual`.

    Raises:
        ConfigError: If a file cannot be opened, or the folder holds none.
        TaskError: For a broken row; the text names file, row and field.
    """
    place = Path(path)
    files = visible_files(place, ".json", deep=True) if place.is_dir() else [place]
    if not files:
        raise ConfigError(f"{place} holds no .json file; expected the files of OmniMedVQA")
    for file in files:
        yield from visual_tasks("omnimedvqa", file, _questions(file), images=images)


def _questions(path: Path) -> Iterator[VisualQuestion]:
    for place, row in read_rows(path, "a JSON array of questions of OmniMedVQA"):
        options = tuple(
            (label, text_field(row, f"option_{label}", place))
            for label in LABELS
            if row.get(f"option_{label}")
        )
        right = text_field(row, "gt_answer", place)
        labels = [label for label, text in options if text == right]
        if len(labels) != 1:
            raise TaskError(f"{place}, field gt_answer: {right!r:.60} is not one of the options")
        yield VisualQuestion(
            place,
            text_field(row, "question", place),
            labels[0],
            text_field(row, "image_path", place),
            text_field(row, "modality_type", place),
            text_field(row, "question_type", place).casefold(),
            options,
        )
