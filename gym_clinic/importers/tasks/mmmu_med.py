"""MMMU, the subjects of health and medicine: multiple-choice questions with one image.

A row, in a JSON array or in JSON Lines, is::

    {"id": "validation_Clinical_Medicine_1", "question": "<image 1> What is this?",
     "options": "['A cyst', 'A stone']", "answer": "A", "question_type": "multiple-choice",
     "image_1": "Clinical_Medicine_1.png", "img_type": "['Body Scans: MRI, CT.']",
     "subfield": "Radiology"}

`image_1` may also be ``{"path": …}``, as exports of the published parquet files have it. Questions
with several images, open ones, other subjects, and the test rows, whose answers ("?") are not
published, are left out.

Source:
    Yue X et al. MMMU: a massive multi-discipline multimodal understanding and reasoning benchmark.
    CVPR 2024 (Apache-2.0).
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.importers.tasks.visual import VisualQuestion, read_rows, text_field, visual_tasks

SUBJECTS = ("Basic_Medical_Science", "Clinical_Medicine", "Diagnostics_and_Laboratory_Medicine",
            "Pharmacy", "Public_Health")  # fmt: skip

_MARK = re.compile(r"<image \d+>")


def read(path: str | os.PathLike[str], images: str | None = None) -> Iterator[Task]:
    """Read the questions.

    Args:
        path: The JSON or JSON Lines file.
        images: The folder of the images: only questions whose image is there are read.

    Yields:
        One task a question; see `gym_clinic.importers.tasks.visual`.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a broken row; the text names file, row and field.
    """
    yield from visual_tasks("mmmu_med", path, _questions(Path(path)), images=images)


def _questions(path: Path) -> Iterator[VisualQuestion]:
    for place, row in read_rows(path, "a JSON array of questions of MMMU"):
        name = text_field(row, "id", place)
        subject = next((subject for subject in SUBJECTS if subject in name), None)
        answer = text_field(row, "answer", place)
        kind = text_field(row, "question_type", place)
        options = _options(row.get("options"), place)
        question = text_field(row, "question", place)
        marks = set(_MARK.findall(question + " ".join(options)))
        if subject is None or answer == "?" or kind != "multiple-choice" or row.get("image_2"):
            continue
        if marks - {"<image 1>"} or _MARK.search(" ".join(options)):
            continue
        yield VisualQuestion(
            place,
            " ".join(_MARK.sub(" ", question).split()),
            answer,
            _image(row.get("image_1"), place),
            str(row.get("img_type") or "unknown").strip("[]'\""),
            subject.replace("_", " ").casefold(),
            tuple(zip(ascii_uppercase, options, strict=False)),
        )


def _options(value: Any, place: str) -> list[str]:
    """Return options that are a list, or the text of one."""
    try:
        found = ast.literal_eval(value) if isinstance(value, str) else value
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise TaskError(f"{place}, field options: expected a list of texts, got {value!r:.60}")
    return found


def _image(value: Any, place: str) -> str:
    path = value.get("path") if isinstance(value, dict) else value
    if not isinstance(path, str) or not path:
        raise TaskError(
            f"{place}, field image_1: expected the path of the image, got {value!r:.60}"
        )
    return path
