"""The whole import: from a published file to a folder that plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic.embedded import EMBEDDED
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.cases.convert import RECORDS_SHARE, as_counts, code_cases, divide
from gym_clinic.importers.cases.extraction import Extractor
from gym_clinic.importers.cases.playable import (
    MANIFEST,
    NOTICE,
    RECORDS,
    Database,
    diseases_of,
    make_tasks,
    prove,
    staged,
    write_tasks,
)
from gym_clinic.importers.cases.reported import ReportedCase
from gym_clinic.importers.cases.taxonomy import Taxonomy
from gym_clinic.importers.formats.records import LeftOut
from gym_clinic.importers.tasks.folder import SplitRule, assign_splits

NEAR = 0.95
"""Similarity of findings from which a database patient is a near-duplicate of a case."""

MOST_RECORDS = 0.9
"""Share of the good cases of a disease that may become records at most."""

__all__ = ["MANIFEST", "NEAR", "RECORDS_SHARE", "ImportedCases", "import_cases"]


class ImportedCases(NamedTuple):
    """What an import wrote.

    Attributes:
        tasks: Number of tasks in each split.
        records: Number of records.
        common: Tasks of common diseases.
        rare: Tasks of rare diseases.
        diseases: Number of diseases of the tasks.
    """

    tasks: dict[str, int]
    records: int
    common: int
    rare: int
    diseases: int


def import_cases(
    reported: Iterable[ReportedCase],
    out: Path,
    taxonomy: Taxonomy,
    extractor: Extractor,
    *,
    raw: bool,
    left_out: LeftOut,
    splits: SplitRule = "test",
    records_share: float = RECORDS_SHARE,
    near: float = NEAR,
    options: Mapping[str, Any] | None = None,
    origin: Mapping[str, Any] | None = None,
) -> ImportedCases:
    """Make a folder of tasks, for ``gym.make("clinic/DxSearch-v0", folder=…)``.

    Args:
        reported: The cases of a reader.
        out: The folder; new or empty.
        taxonomy: Names and codes of diseases and findings.
        extractor: Screens and reads texts.
        raw: Whether texts are screened.
        left_out: Called with the reason for each case that is no task.
        splits: One split of all tasks, or the share of each.
        records_share: Share of the good cases of a disease that become records.
        near: Similarity of findings from which a patient is not shown in a task.
        options: Options of the environment in which the tasks are to be played and are proved.
        origin: What the manifest says of the source.

    Raises:
        ConfigError: If an option is out of range, or the folder is not empty.
        TaskError: If no case becomes a task; nothing is written then.
    """
    _check_share("records_share", records_share, MOST_RECORDS)
    _check_share("near", near, 1.0)
    chosen = dict(options or {})
    if reserved := sorted(chosen.keys() & {"folder", "own_records", "split"}):
        raise ConfigError(f"{reserved[0]} is what the import makes; leave it out of the options")
    patients = chosen.get("patients", EMBEDDED)
    why: Counter[str] = Counter()

    def counted(reason: str) -> None:
        why[reason] += 1
        left_out(reason)

    unprovable: dict[str, str] = {}

    def refuse(case: str, reason: str) -> None:
        unprovable[case] = reason
        counted(reason)

    good, records = code_cases(reported, taxonomy, extractor, raw=raw, left_out=counted)
    known = diseases_of(patients) | {case.disease.name.casefold() for case in records}
    drafted, more = divide(
        good,
        lambda disease: any(name.casefold() in known for name in disease.names),
        records_share,
        counted,
    )
    records += more
    if not drafted:
        raise TaskError(_none(why))
    with staged(out) as stage:
        database = Database(patients, records)
        if database.own is not None:
            database.own.save(stage / RECORDS)
            chosen["own_records"] = str(stage / RECORDS)
        tasks = prove(make_tasks(drafted, database, near, refuse), chosen, refuse)
        if not tasks:
            raise TaskError(_none(why))
        placed = _placed(tasks, splits)
        kept = {task.gold["case"] for task in tasks}
        counts = as_counts(case for case in drafted if case.reported.case.id in kept)
        done = ImportedCases(
            {split: len(listed) for split, listed in placed.items()}, len(records), **counts
        )
        manifest = {
            "notice": NOTICE,
            **(origin or {}),
            "near": near,
            "records_share": records_share,
            "options": dict(options or {}),
            "made": done._asdict(),
            "left_out": dict(sorted(why.items())),
            "unprovable": unprovable,
        }
        write_tasks(stage, placed, manifest)
    return done


def _check_share(name: str, value: Any, most: float) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= most:
        raise ConfigError(f"{name} is a number from 0 to {most:g}, not {value!r}")


def _placed(tasks: Sequence[Task], splits: SplitRule) -> dict[str, list[Task]]:
    split_of = assign_splits({task.id: 1 for task in tasks}, splits, "")
    placed: dict[str, list[Task]] = {}
    for task in tasks:
        placed.setdefault(split_of[task.id], []).append(task)
    return placed


def _none(why: Mapping[str, int]) -> str:
    return "; ".join(("no case becomes a task", *(f"{n:,} {reason}" for reason, n in why.items())))
