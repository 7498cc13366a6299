"""PubMedQA: questions that the abstract of an article answers with yes, no or maybe.

The file is one JSON object, PMID -> question::

    {"10808977": {"QUESTION": "…", "CONTEXTS": ["…", "…"], "LONG_ANSWER": "…",
                  "final_decision": "yes"}}

The contexts are the abstract without its conclusion, which is the long answer.

Source:
    Jin Q et al. PubMedQA. EMNLP 2019:2567-2577 (MIT licence).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import read_mapping
from gym_clinic.importers.tasks.multiple_choice import question_task

OPTIONS = {"A": "yes", "B": "no", "C": "maybe"}


class _PubmedqaRow(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    question: str = Field(alias="QUESTION")
    contexts: list[str] = Field(alias="CONTEXTS", min_length=1)
    long_answer: str = Field(default="", alias="LONG_ANSWER")
    decision: Literal["yes", "no", "maybe"] = Field(alias="final_decision")


def read(path: str | os.PathLike[str]) -> Iterator[Task]:
    """Read the questions that have an answer.

    Args:
        path: `ori_pqal.json` (labelled by experts) or `ori_pqaa.json` (artificial). The file
            without answers, `ori_pqau.json`, makes no tasks.

    Yields:
        One task for each question; see `gym_clinic.importers.tasks.multiple_choice`.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: If it is broken; the text names file, PMID and field.
    """
    rows = read_mapping(Path(path), _PubmedqaRow)
    if not rows:
        raise TaskError(f"{path}: no questions; expected a JSON object, PMID -> question")
    for pmid, row in rows.items():
        yield question_task(
            "pubmedqa",
            f"{path} key {pmid!r}",
            question=row.question,
            options=OPTIONS,
            answer=next(label for label, text in OPTIONS.items() if text == row.decision),
            context=row.contexts,
            explanation=row.long_answer,
        )
