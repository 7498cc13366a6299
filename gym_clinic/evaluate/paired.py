"""The paired difference of two runs over the tasks that both have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gym_clinic.errors import ConfigError
from gym_clinic.evaluate.intervals import Interval, mean_intervals, resamples
from gym_clinic.evaluate.manifest import read_manifest
from gym_clinic.evaluate.recorded import read_episodes
from gym_clinic.evaluate.replay import run_files
from gym_clinic.evaluate.report import Grid, mean_cell, range_cell
from gym_clinic.evaluate.summary import Result
from gym_clinic.evaluate.trace import TRACE

SETTINGS = ("env_options", "version", "seed", "trials")
"""Settings that two runs may differ in; a comparison says so."""


@dataclass(frozen=True)
class RecordedRun:
    """A finished run.

    Attributes:
        folder: Its folder.
        settings: Its settings, see ``run.json``.
        results: Task id -> the scored episodes.
    """

    folder: Path
    settings: Mapping[str, Any]
    results: Mapping[str, Sequence[Result]]

    @property
    def name(self) -> str:
        """The label of its policy."""
        return str(self.settings["policy"])


@dataclass(frozen=True)
class Difference:
    """One figure of two runs.

    Attributes:
        first: Mean over the common tasks in the first run.
        second: The same in the second.
        difference: Second less first, with the interval of a bootstrap over tasks.
    """

    first: float
    second: float
    difference: Interval


@dataclass(frozen=True)
class TaskDifference:
    """The reward of one task in two runs.

    Attributes:
        task_id: The task.
        first: Mean reward over its trials in the first run.
        second: The same in the second.
    """

    task_id: str
    first: float
    second: float

    @property
    def difference(self) -> float:
        """Second less first."""
        return self.second - self.first


@dataclass(frozen=True)
class PairedRuns:
    """Two runs, compared task by task.

    Attributes:
        names: What the runs are called.
        notes: Sentences on what the runs do not share.
        figures: Name -> its difference: reward, success, parts of the reward, metrics.
        tasks: The common tasks, those that differ most first.
    """

    names: tuple[str, str]
    notes: Sequence[str]
    figures: Mapping[str, Difference]
    tasks: Sequence[TaskDifference]

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain JSON."""
        return asdict(self)


def read_results(place: Path) -> RecordedRun:
    """Read a finished run.

    Raises:
        ConfigError: If there is none, there are several, or it is not finished.
    """
    files = run_files(place)
    if len(files) > 1:
        names = ", ".join(str(path.parent) for path in files)
        raise ConfigError(f"{place} holds several runs; choose one of {names}")
    if files[0].name != TRACE:
        raise ConfigError(f"the run in {files[0].parent} is not finished")
    results: dict[str, list[Result]] = {}
    for _, row in read_episodes(files[0]):
        kept = results.setdefault(row["task_id"], [])
        if row["error"] is None:
            kept.append(Result.of(row))
    return RecordedRun(files[0].parent, read_manifest(files[0].parent), results)


def compare_runs(first: RecordedRun, second: RecordedRun) -> PairedRuns:
    """Compare two runs over the tasks that both have scored.

    The values of a task are averaged over its trials; the interval is that of 2,000 bootstrap
    resamples of the tasks.

    Raises:
        ConfigError: If the runs have another environment, split, tasks or scoring, or no task in
            common.
    """
    for name, what in (("id", "environments"), ("split", "splits")):
        if first.settings[name] != second.settings[name]:
            raise ConfigError(
                f"the runs have different {what}: {first.settings[name]} in {first.folder}, "
                f"{second.settings[name]} in {second.folder}; there is nothing to pair"
            )
    if first.settings["data"] != second.settings["data"]:
        raise ConfigError(
            f"tasks or scoring differ: {first.folder} was run with the data "
            f"{first.settings['data']}, {second.folder} with {second.settings['data']}; run both "
            "with the same"
        )
    common = [
        task_id for task_id, results in first.results.items()
        if results and second.results.get(task_id)
    ]  # fmt: skip
    if not common:
        raise ConfigError(f"{first.folder} and {second.folder} have no scored task in common")
    pairs = [(_values(first.results[key]), _values(second.results[key])) for key in common]
    names = list(dict.fromkeys(name for before, after in pairs for name in before if name in after))
    columns = [
        [[after[name] - before[name]] if name in before and name in after else []
         for before, after in pairs]
        for name in names
    ]  # fmt: skip
    draws = resamples(len(common), int(first.settings["seed"]))
    figures = {
        name: Difference(
            _mean([before[name] for before, after in pairs if name in before and name in after]),
            _mean([after[name] for before, after in pairs if name in before and name in after]),
            interval,
        )
        for name, interval in zip(names, mean_intervals(columns, draws), strict=True)
    }
    tasks = [
        TaskDifference(task_id, before["reward"], after["reward"])
        for task_id, (before, after) in zip(common, pairs, strict=True)
    ]
    tasks.sort(key=lambda task: (-abs(task.difference), task.task_id))
    return PairedRuns(_names(first, second), _notes(first, second, len(common)), figures, tasks)


def comparison_tables(found: PairedRuns, tasks: int) -> list[Grid]:
    """Return the tables of a comparison.

    Args:
        found: The comparison.
        tasks: How many of the tasks that differ most are listed.
    """
    first, second = found.names
    better = sum(task.difference > 0 for task in found.tasks)
    worse = sum(task.difference < 0 for task in found.tasks)
    differ = [task for task in found.tasks if task.difference][:tasks]
    grids = [
        Grid(
            f"{second} less {first}, over {len(found.tasks):,} tasks: higher reward in {better:,}, "
            f"lower in {worse:,}",
            ("figure", first, second, "difference", "95% interval"),
            tuple(
                (name, f"{one.first:.3f}", f"{one.second:.3f}", mean_cell(one.difference),
                 range_cell(one.difference))
                for name, one in found.figures.items()
            ),
        ),
        Grid(
            f"The {len(differ)} tasks whose reward differs most",
            ("task", first, second, "difference"),
            tuple(
                (task.task_id, f"{task.first:.3f}", f"{task.second:.3f}", f"{task.difference:+.3f}")
                for task in differ
            ),
        ),
    ]  # fmt: skip
    return [grid for grid in grids if grid.rows]


def _values(results: Sequence[Result]) -> dict[str, float]:
    """Return the mean of each figure over the trials of a task."""
    rows = [
        {
            "success": float(result.success),
            "reward": math.nan if result.reward is None else result.reward,
            **{f"part {name}": value for name, value in result.rewards.items()},
            **result.metrics,
            "turns": float(result.turns),
            "calls": float(result.calls),
        }
        for result in results
    ]
    values = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        finite = [row[name] for row in rows if math.isfinite(row.get(name, math.nan))]
        if finite:
            values[name] = _mean(finite)
    return values


def _names(first: RecordedRun, second: RecordedRun) -> tuple[str, str]:
    """Return what two runs are called: their policies, or else their folders."""
    if first.name != second.name:
        return first.name, second.name
    return str(first.folder), str(second.folder)


def _notes(first: RecordedRun, second: RecordedRun, common: int) -> list[str]:
    """Say what two runs do not share."""
    notes = []
    a, b = set(first.results), set(second.results)
    if a != b:
        notes.append(
            f"The runs have different tasks: {common:,} in common, {len(a - b):,} only in "
            f"{first.folder}, {len(b - a):,} only in {second.folder}. Compared are those in common."
        )
    failed = sum(not (first.results[task] and second.results[task]) for task in a & b)
    if failed:
        notes.append(f"{failed:,} tasks are left out: no episode of theirs was scored in both.")
    for name in SETTINGS:
        before, after = first.settings.get(name), second.settings.get(name)
        if before != after:
            notes.append(f"{name} differs: {before!r} in {first.folder}, {after!r} in "
                         f"{second.folder}.")  # fmt: skip
    return notes


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
