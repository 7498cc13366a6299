"""Medbullets and the JAMA clinical challenges, as the repository of their paper lays them out.

CSV with a header: `question`, `opa` to `opd` (Medbullets of five options also `ope`), `answer_idx`,
`answer`, `explanation`; JAMA also `link`, `diagnosis` and `field`, of which `field` becomes the
subject. JAMA's texts are not published there; its script fetches them for those with a licence.

Source:
    Chen H et al. Benchmarking Large Language Models on Answering and Explaining Challenging
    Medical Questions, NAACL 2025 (files ``medbullets_op4.csv``, ``medbullets_op5.csv`` and
    ``jama_raw.csv`` of its script).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from string import ascii_uppercase

from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.importers.formats.csv import csv_rows
from gym_clinic.importers.tasks.multiple_choice import question_task

OPTIONS = ("opa", "opb", "opc", "opd", "ope")
NEEDED = ("question", *OPTIONS[:4], "answer_idx", "answer")


def read_medbullets(path: str | os.PathLike[str]) -> Iterator[Task]:
    """Read the questions of Medbullets.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a broken row; the text names file and line.
    """
    return _read(path, "medbullets")


def read_jama(path: str | os.PathLike[str]) -> Iterator[Task]:
    """Read the JAMA clinical challenges; errors as for Medbullets."""
    return _read(path, "jama")


def _read(path: str | os.PathLike[str], benchmark: str) -> Iterator[Task]:
    place = ""
    for place, cells in csv_rows(Path(path), NEEDED, others=True):
        texts = [cells[name].strip() for name in OPTIONS if cells.get(name, "").strip()]
        options = dict(zip(ascii_uppercase, texts, strict=False))
        index = cells["answer_idx"].strip()
        if options.get(index) != cells["answer"].strip():
            raise TaskError(
                f"{place}, column answer_idx: option {index!r} has the text "
                f"{options.get(index)!r:.60}, but the answer is {cells['answer']!r:.60}"
            )
        yield question_task(
            benchmark,
            place,
            question=cells["question"],
            options=options,
            answer=index,
            subject=cells.get("field", ""),
            explanation=cells.get("explanation", ""),
        )
    if not place:
        raise TaskError(f"{path}: no question; expected a row for each")
