"""The tasks of the consultation: drawn, put into words, and proved to be winnable."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from gym_clinic.domains.kacr.consulting.draw import (
    LETTERS,
    TEMPERS,
    DrawnConsultation,
    draw_consultation,
    plan_of,
)
from gym_clinic.domains.kacr.consulting.findings import name_of
from gym_clinic.domains.kacr.consulting.setup import Setup, plays_out
from gym_clinic.domains.kacr.consulting.speech import note_in_words, reason_in_words
from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.facts import load
from gym_clinic.simulate.split import Split

SIZES: dict[Split, int] = {"train": 2000, "dev": 250, "test": 400}
"""Split -> number of tasks."""

MOST_ARGUED = 4
"""Findings of the oracle's argument at most."""

CHARACTERS = 12
"""Characters of the panel that are tried until a good argument wins."""


def make_task(seed: str, split: Split) -> Task:
    """Make the task of a seed.

    Args:
        seed: Any text; the same seed and split give the same task.
        split: Whose phrases are used; endless tasks use those of train.

    Raises:
        TaskError: If the seed makes no task in which a good argument wins.
    """
    drawn = draw_consultation(seed, split)
    random = Random(f"characters:{split}:{seed}")
    for _ in range(CHARACTERS):
        task = _task(drawn, seed, split)
        if plays_out(Setup("agent"), task) == task.gold["answer"]:
            return task
        tempers = random.choices(list(TEMPERS), weights=list(TEMPERS.values()),
                                 k=len(drawn.opinions))  # fmt: skip
        opinions = [replace(opinion, temper=temper)
                    for opinion, temper in zip(drawn.opinions, tempers, strict=True)]  # fmt: skip
        drawn = replace(drawn, opinions=tuple(opinions))
    raise TaskError(f"seed {seed!r}: no argument wins in a consultation of {split}")


def make_split(split: Split, start: int = 0, stop: int | None = None) -> Iterator[Task]:
    """Yield the tasks of the seeds from `start` to before `stop`; seeds without one are skipped."""
    for number in range(start, SIZES[split] * 2 if stop is None else stop):
        try:
            yield make_task(f"{number}", split)
        except TaskError:
            continue


def as_row(task: Task) -> dict[str, Any]:
    """Return a task as the line of a task file."""
    return {"id": task.id, "record": task.record, "gold": task.gold,
            "provenance": task.provenance}  # fmt: skip


def _task(drawn: DrawnConsultation, seed: str, split: Split) -> Task:
    words = f"words:consultation:{split}:{seed}"
    note = note_in_words(drawn.denied, split, words)
    letters = dict(zip(drawn.options, LETTERS, strict=False))
    diseases = load().diseases
    opinions = {
        opinion.member: {
            "choice": letters[opinion.disease],
            "confidence": opinion.confidence,
            "findings": [name_of(opinion.mentioned), name_of(opinion.seen)],
            "explanation": reason_in_words(
                diseases[opinion.disease].name,
                name_of(opinion.mentioned),
                name_of(opinion.seen),
                split,
                f"{words}:{opinion.member}",
            ),
            "temper": opinion.temper,
            "yields": opinion.yields,
        }
        for opinion in drawn.opinions
    }
    right = letters[drawn.question.condition]
    digest = hashlib.sha256(f"consultation:{split}:{seed}".encode()).hexdigest()
    return Task(
        id=f"kc-{digest[:10]}",
        record={
            "question": drawn.question.text,
            "note": note,
            "options": {letter: diseases[key].name for key, letter in letters.items()},
            "option_ids": {letter: key for key, letter in letters.items()},
            "panel": list(opinions),
            "seat": drawn.seat,
            "seniority": list(drawn.seniority),
            "opinions": opinions,
            "examinations": {member: [name_of(key) for key in keys]
                             for member, keys in drawn.examinations.items()},
            "told": [told.id for told in drawn.question.present],
            "linked": list(drawn.question.linked),
            "phrases": split,
            "talk": None,
        },
        gold={
            "answer": right,
            "disease": drawn.question.condition,
            "informed": drawn.informed,
            "voted": any(opinion["choice"] == right for opinion in opinions.values()),
            "reasons": {opinion.member: opinion.reason for opinion in drawn.opinions},
            "findings": [name_of(key) for key in plan_of(drawn)][:MOST_ARGUED],
        },
        provenance="synthetic",
    )  # fmt: skip
