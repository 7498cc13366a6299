"""The tasks of a walk: questions whose right disciplines a walk can reach."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from gym_clinic.domains.kacr.oracle import reaches
from gym_clinic.domains.kacr.questions import ClinicalQuestion, draw_question
from gym_clinic.domains.kacr.rules import WalkRules
from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.facts import load
from gym_clinic.simulate.split import Split

SIZES: dict[Split, int] = {"train": 2000, "dev": 250, "test": 400}
"""Split -> number of tasks; 2,000 labelled questions as in section 4.1."""

TRIES = 20
"""Questions tried for the task of one seed."""


def make_task(seed: str, split: Split) -> Task:
    """Make the task of a seed.

    Args:
        seed: Any text; the same seed and split give the same task.
        split: Whose phrases and words are used.

    Raises:
        TaskError: If no question of the seed has disciplines that the oracle reaches with K = 1.
    """
    for number in range(TRIES):
        task = as_task(draw_question(f"{seed}.{number}", split))
        if reaches(task, WalkRules(disciplines=1)):
            return task
    raise TaskError(f"seed {seed!r}: none of {TRIES} questions makes a task of {split}")


def as_task(question: ClinicalQuestion) -> Task:
    """Return the task of a question; its id tells nothing of it."""
    facts = load()
    digest = hashlib.sha256(f"kacr:{question.text}".encode()).hexdigest()
    return Task(
        id=f"dg-{digest[:10]}",
        ticket=question.text,
        record={"style": question.style},
        gold={
            "disciplines": [facts.disciplines[key].name for key in question.disciplines],
            "condition": question.condition,
            "second": question.second,
            "differential": list(question.differential),
            "present": [told.id for told in question.present],
            "absent": list(question.absent),
            "hidden": list(question.hidden),
            "misleading": question.misleading,
        },
        provenance="synthetic",
    )


def make_split(split: Split, count: int | None = None) -> Iterator[Task]:
    """Yield the tasks of a split, no two with the same findings of the same disease."""
    seen: set[tuple[str, ...]] = set()
    number = made = 0
    while made < (SIZES[split] if count is None else count):
        task = make_task(f"{number}", split)
        number += 1
        key = (task.gold["condition"], *sorted(task.gold["present"]))
        if key not in seen:
            seen.add(key)
            made += 1
            yield task


def as_row(task: Task) -> dict[str, Any]:
    """Return a task as the line of a task file."""
    return {"id": task.id, "ticket": task.ticket, "record": task.record, "gold": task.gold,
            "provenance": task.provenance}  # fmt: skip
