"""Reads the metrics that a training run has written so far."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gym_clinic import strict_json
from gym_clinic.errors import ConfigError

PATTERN = "metrics-*.jsonl"
"""The metric files of a run; a run that was resumed has several."""


@dataclass(frozen=True)
class Run:
    """The metrics of a training run.

    Attributes:
        name: Name of its folder; of folder and file where one file is read alone.
        steps: Step -> metric -> value, steps ascending; only finite values.
        cut: The files whose last line is cut short: one that is being written, or one whose
            writer was killed.
    """

    name: str
    steps: dict[int, dict[str, float]]
    cut: tuple[Path, ...] = ()

    def series(self, metric: str) -> tuple[list[int], list[float]]:
        """Return the steps at which a metric was logged, and its values."""
        found = [(step, data[metric]) for step, data in self.steps.items() if metric in data]
        return [step for step, _ in found], [value for _, value in found]

    @cached_property
    def metrics(self) -> list[str]:
        """The name of every metric, in the order of first appearance."""
        return list(dict.fromkeys(name for data in self.steps.values() for name in data))


def read_run(path: str | Path) -> Run:
    """Read a run.

    The files are read in the order of their names, numbers in names counting as numbers. Where a
    step was logged again (a run that was resumed repeats what came after its checkpoint), the
    later value of each metric counts. A last line that is cut short is left out, and the file
    named in :attr:`Run.cut`.

    Args:
        path: A folder that holds ``metrics-*.jsonl``, as verl's file logger writes them, or one
            such file: a line ``{"step": int, "data": {name: number}}`` each. A number that was
            not finite is null.

    Raises:
        ConfigError: If there is no such folder or file, nothing is logged in it, or a line is
            broken; it names file and line.
    """
    path = Path(path)
    steps: dict[int, dict[str, float]] = {}
    cut = []
    for file in _files(path):
        lines = file.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            try:
                row = strict_json.loads(line.decode()) if line.strip() else None
            except ValueError as error:  # of the JSON, or of its encoding
                if number < len(lines):
                    raise ConfigError(f"{file}, line {number}: {error}") from None
                cut.append(file)  # no end of line came after it
                continue
            if row is not None:
                step, data = _check(row, f"{file}, line {number}")
                steps.setdefault(step, {}).update(data)
    if not any(steps.values()):
        raise ConfigError(f"{path}: no metrics have been logged yet")
    return Run(_name(path), dict(sorted(steps.items())), tuple(cut))


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ConfigError(
            f"no run at {str(path)!r}: expected a folder that holds {PATTERN}, or one such file"
        )
    found = sorted(path.glob(PATTERN), key=_natural)
    if not found:
        raise ConfigError(f"{str(path)!r} holds no {PATTERN}: not the folder of a training run")
    return found


def _natural(path: Path) -> list[tuple[int, str]]:
    """Return a key that sorts ``metrics-2`` before ``metrics-10``."""
    parts = re.split(r"(\d+)", path.name)
    return [(int(part), "") if index % 2 else (0, part) for index, part in enumerate(parts)]


def _name(path: Path) -> str:
    whole = path.resolve()
    return f"{whole.parent.name}/{whole.stem}" if whole.is_file() else whole.name


def _check(row: Any, where: str) -> tuple[int, dict[str, float]]:
    """Return step and metrics of a line, without those that are null.

    Raises:
        ConfigError: If it is no line of metrics.
    """
    if not isinstance(row, dict) or not {"step", "data"} <= row.keys():
        raise ConfigError(f'{where}: expected {{"step": …, "data": {{…}}}}')
    step, data = row["step"], row["data"]
    if not isinstance(step, int) or isinstance(step, bool) or step < 0:
        raise ConfigError(f"{where}: step is a whole number from 0, not {str(step)[:80]!r}")
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: data is an object, not {str(data)[:80]!r}")
    for name, value in data.items():
        if not isinstance(value, int | float | None):
            raise ConfigError(f"{where}: {name[:80]!r} is a number, not {str(value)[:80]!r}")
    return step, {name: float(value) for name, value in data.items() if value is not None}
