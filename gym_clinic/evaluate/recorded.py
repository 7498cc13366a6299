"""Reads recorded episodes and finds their tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym

from gym_clinic.catalog import make, unwrap
from gym_clinic.domain import Domain
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.evaluate.trace import JOURNAL, TRACE, encode
from gym_clinic.taskset import Tasks, data_hash

_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "id": str, "env_options": dict, "data": str, "split": str, "task_id": str, "calls": list,
    "success": (bool, type(None)), "error": (str, type(None)),
}  # fmt: skip


def trace_files(places: Sequence[str | Path]) -> list[Path]:
    """Return the traces of files and folders, without duplicates, in the order given.

    Raises:
        ConfigError: If one of them holds no trace.
    """
    files: dict[Path, None] = {}
    for place in map(Path, places):
        inside = [place / TRACE, *sorted(place.glob(f"*/{TRACE}"))]
        found = [place] if place.is_file() else [path for path in inside if path.is_file()]
        if not found:
            unfinished = (place / JOURNAL).is_file()
            hint = "the run is not finished" if unfinished else f"expected a {TRACE}, or its folder"
            raise ConfigError(f"no trace at {str(place)!r}: {hint}")
        files |= dict.fromkeys(path.resolve() for path in found)
    return list(files)


def read_episodes(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place (for errors) and the content of each line of a trace.

    Raises:
        TaskError: If a line is not an episode.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            where = f"{path}, line {number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                raise TaskError(f"{where}: {error}") from None
            if not isinstance(row, dict):
                raise TaskError(f"{where}: expected a JSON object, an episode")
            wrong = [name for name, of in _FIELDS.items() if not isinstance(row.get(name, ...), of)]
            if wrong:
                raise TaskError(f"{where}: not an episode of 'gym-clinic eval': see {wrong}")
            yield where, row


def checked_calls(where: str, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of an episode.

    Raises:
        TaskError: If one of them is not a call.
    """
    for call in row["calls"]:
        if not isinstance(call, dict) or not {"name", "arguments", "ok", "response"} <= call.keys():
            raise TaskError(
                f"{where}: a call has name, arguments, ok and response, not {str(call)[:80]}"
            )
    return list(row["calls"])


class RecordedTasks:
    """Finds the tasks of recorded episodes, with the options they were recorded with.

    Args:
        env_options: Options of the environment instead of the recorded ones.
    """

    def __init__(self, env_options: Mapping[str, Any] | None = None) -> None:
        self._env_options = dict(env_options or {})
        self._opened: dict[bytes, tuple[Domain, Tasks]] = {}

    def find(self, where: str, row: Mapping[str, Any]) -> tuple[Domain, Task]:
        """Return the domain and the task of an episode.

        Args:
            where: Place of the episode, for errors.
            row: Its line of the trace.

        Raises:
            ConfigError: If its environment cannot be made, or holds other tasks now.
            TaskError: If there is no such task.
        """
        key = encode([row["id"], row["split"], row["data"], row["env_options"]])
        if key not in self._opened:
            self._opened[key] = self._open(where, row)
        domain, tasks = self._opened[key]
        try:
            return domain, tasks.by_id(row["task_id"])
        except KeyError:
            raise TaskError(
                f"{where}: split {row['split']!r} has no task {row['task_id']!r}"
            ) from None

    def _open(self, where: str, row: Mapping[str, Any]) -> tuple[Domain, Tasks]:
        env_id, split = row["id"], row["split"]
        try:
            env = unwrap(
                make(env_id, **{**row["env_options"], **self._env_options, "split": split})
            )
        except ConfigError as error:
            missing = env_id not in gym.registry
            hint = "; or import the module that registers it (--module)" if missing else ""
            raise ConfigError(f"{where}: {error}{hint}") from None
        if (here := data_hash(env.tasks, env.domain.scoring())) != row["data"]:
            raise ConfigError(
                f"{where}: recorded on other tasks: {env_id}, {split} was {row['data']} then and "
                f"is {here} now; give the option 'folder' if they are elsewhere"
            )
        return env.domain, env.tasks
