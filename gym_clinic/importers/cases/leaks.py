"""The leak check of imported tasks: the database against the cases, and the splits against another.

Source:
    Deep-DxSearch paper, extended data table 1: thresholds and the share of the corpus that stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from gym_clinic import embedded
from gym_clinic.episode import Task
from gym_clinic.importers.cases.playable import RECORDS
from gym_clinic.retrieval import PatientMatcher
from gym_clinic.taskset import TaskFolder

THRESHOLDS = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7)
"""Thresholds of extended data table 1."""


@dataclass(frozen=True)
class Nearness:
    """How near the records come to the cases.

    Attributes:
        threshold: Similarity from which a record is a near-duplicate.
        kept: Share of the records that stay for a case, on average.
        cases: Cases that have a near-duplicate.
        shown: Of these, cases in which a near-duplicate is not left out, so that it can be shown.
    """

    threshold: float
    kept: float
    cases: int
    shown: int


def nearness(folder: Path, patients: str | None = None) -> list[Nearness]:
    """Return how near the records of a folder, or of a database, come to its cases.

    Args:
        folder: The imported tasks.
        patients: ``"embedded"`` or a folder: a database instead of the records of the folder.

    Raises:
        ConfigError: If there are no tasks or no records.
    """
    option = str(folder / RECORDS) if patients is None else patients
    matcher = embedded.open_patients(option)
    tasks = [task for listed in splits_of(folder).values() for task in listed]
    return [_nearness(tasks, matcher, threshold) for threshold in THRESHOLDS]


def _nearness(tasks: Sequence[Task], matcher: PatientMatcher, threshold: float) -> Nearness:
    size = len(matcher.table.cases)
    near = [matcher.near_duplicates(task.record["findings"], threshold, "mutual") for task in tasks]
    return Nearness(
        threshold,
        fmean(1 - len(found) / size for found in near),
        sum(bool(found) for found in near),
        sum(
            bool(found - set(task.record["left_out"]))
            for task, found in zip(tasks, near, strict=True)
        ),
    )


def repeated(folder: Path) -> list[tuple[str, str]]:
    """Return pairs of tasks in two splits with the same text, or equal findings and disease."""
    seen: dict[tuple[str, ...], tuple[str, str]] = {}
    pairs = []
    for split, tasks in splits_of(folder).items():
        for task in tasks:
            for key in (("text", task.ticket), ("case", *_content(task))):
                other, first = seen.setdefault(key, (split, task.id))
                if other != split:
                    pairs.append((first, task.id))
    return list(dict.fromkeys(pairs))


def _content(task: Task) -> tuple[str, ...]:
    return task.gold["disease"], *sorted(task.record["findings"])


def splits_of(folder: Path) -> Mapping[str, Sequence[Task]]:
    """Return the splits of a folder of imported tasks."""
    return TaskFolder(folder)
