"""The medical subjects of MMLU: questions with four options, one CSV file a subject.

The original files have no header: question, four options, and the label of the answer. Exports
with the header `question,choice0,choice1,choice2,choice3,answer` give the number of the answer,
counted from 0. The name of the file gives the subject: `anatomy_dev.csv`.

Source:
    Hendrycks D et al. Measuring massive multitask language understanding. ICLR 2021 (MIT licence).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.formats.csv import csv_cells
from gym_clinic.importers.tasks.multiple_choice import question_task
from gym_clinic.reading.folders import visible_files

HEADER = ["question", "choice0", "choice1", "choice2", "choice3", "answer"]
LABELS = "ABCD"


def read(path: str | os.PathLike[str]) -> Iterator[Task]:
    """Read the questions.

    Args:
        path: A CSV file, or a folder whose CSV files are read in the order of their names.

    Yields:
        One task a row; see `gym_clinic.importers.tasks.multiple_choice`.

    Raises:
        ConfigError: If a file cannot be opened, or the folder holds none.
        TaskError: For a broken row; the text names file, line and field.
    """
    place = Path(path)
    files = visible_files(place, ".csv", deep=False) if place.is_dir() else [place]
    if not files:
        raise ConfigError(f"{place} holds no .csv file; expected the subjects of MMLU")
    for file in files:
        yield from _questions(file)


def _questions(file: Path) -> Iterator[Task]:
    subject = re.sub(r"_(dev|val|test|train)$", "", file.name.partition(".")[0])
    answers = dict(zip(LABELS, LABELS, strict=True))
    for line, cells in csv_cells(file):
        place = f"{file} line {line}"
        if line == 1 and cells == HEADER:
            answers = dict(zip("0123", LABELS, strict=True))
            continue
        if len(cells) != len(HEADER):
            raise TaskError(f"{place}: {len(cells)} columns; expected {len(HEADER)}")
        question, *options, answer = (cell.strip() for cell in cells)
        if answer not in answers:
            raise TaskError(f"{place}, column 6: answer {answer!r:.40}; expected {list(answers)}")
        yield question_task(
            "mmlu_medical",
            place,
            question=question,
            options=dict(zip(LABELS, options, strict=True)),
            answer=answers[answer],
            subject=subject.replace("_", " "),
        )
