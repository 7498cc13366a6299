"""Where tasks come from: files, lists, or a generator without end."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, overload

import orjson

from gym_clinic import strict_json
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.names import nearest

if TYPE_CHECKING:
    from numpy.random import Generator


SEEDS = 2**32
"""The length of an endless split: the number of its seeds."""


class Tasks(Protocol):
    """The tasks of one split."""

    @property
    def endless(self) -> bool:
        """Whether tasks are made from seeds, too many to iterate over."""

    def __len__(self) -> int: ...

    def __getitem__(self, position: int, /) -> Task: ...

    def by_id(self, task_id: str) -> Task:
        """Return a task by its id.

        Raises:
            KeyError: If there is none.
        """

    def draw(self, source: Generator) -> Task:
        """Return a task drawn by a random source."""


class TaskList(Sequence[Task]):
    """Tasks that are at hand, each equally likely to be drawn, or else each class.

    Args:
        tasks: The tasks; ids are unique.
        class_of: The class of a task. Classes are then drawn first, each equally likely, and a
            task of the class second.

    Attributes:
        classes: The positions of the tasks of each class; one tuple of all without classes.
    """

    endless = False

    def __init__(
        self, tasks: Sequence[Task], class_of: Callable[[Task], Hashable] | None = None
    ) -> None:
        self._tasks = tuple(tasks)
        self._class_of = class_of
        self._by_id: dict[str, Task] | None = None
        classes: dict[Hashable, list[int]] = {}
        for number, task in enumerate(self._tasks):
            classes.setdefault(class_of(task) if class_of else None, []).append(number)
        self.classes = tuple(map(tuple, classes.values()))

    def __len__(self) -> int:
        return len(self._tasks)

    @overload
    def __getitem__(self, position: int) -> Task: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Task, ...]: ...
    def __getitem__(self, position: int | slice) -> Task | tuple[Task, ...]:
        return self._tasks[position]

    def by_id(self, task_id: str) -> Task:
        """Return a task by its id.

        Raises:
            KeyError: If there is none.
        """
        if self._by_id is None:
            self._by_id = {task.id: task for task in self._tasks}
        return self._by_id[task_id]

    def draw(self, source: Generator) -> Task:
        """Return a task drawn by a random source."""
        several = len(self.classes) > 1
        drawn = self.classes[int(source.integers(len(self.classes))) if several else 0]
        return self._tasks[drawn[int(source.integers(len(drawn)))]]

    def only(self, tasks: Sequence[Task]) -> TaskList:
        """Return a list of some of the tasks, drawn in the same way."""
        return TaskList(tasks, self._class_of)

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all tasks, in order."""
        return tuple(task.id for task in self._tasks)


class EndlessTasks:
    """Tasks made from seeds: task n is the same in every process, and found again by its id.

    Args:
        make: Makes the task of a seed, ``0 <= seed < SEEDS``; its id is replaced.
        prefix: Begins every id, which is ``<prefix>-<seed in hexadecimal>``.
    """

    endless = True

    def __init__(self, make: Callable[[int], Task], prefix: str) -> None:
        self.prefix = prefix
        self._make = lru_cache(maxsize=256)(make)  # the rollouts of one group share a task

    def __len__(self) -> int:
        return SEEDS

    def __getitem__(self, position: int) -> Task:
        if not 0 <= position < len(self):
            raise IndexError(f"a seed is from 0 to {len(self) - 1:,}, not {position:,}")
        task = self._make(position)
        return replace(task, id=f"{self.prefix}-{position:08x}")

    def by_id(self, task_id: str) -> Task:
        """Return a task by its id.

        Raises:
            KeyError: If it is no id of such a task.
        """
        prefix, _, seed = task_id.rpartition("-")
        if prefix != self.prefix or len(seed) != 8 or set(seed) - set("0123456789abcdef"):
            raise KeyError(task_id)
        return self[int(seed, 16)]

    def draw(self, source: Generator) -> Task:
        """Return the task of a seed drawn by a random source."""
        return self[int(source.integers(len(self)))]


def as_tasks(tasks: Sequence[Task] | Tasks) -> Tasks:
    """Return tasks as a domain may give them in the form that the environment uses."""
    if isinstance(tasks, TaskList | EndlessTasks):
        return tasks
    return TaskList(tasks) if isinstance(tasks, Sequence) else tasks


def find_task(tasks: Tasks, task_id: Any) -> Task:
    """Return the task of an id.

    Raises:
        ConfigError: If there is none; the error names the nearest, or the first.
    """
    try:
        return tasks.by_id(task_id)
    except (KeyError, TypeError, AttributeError):
        pass
    near = None
    if not tasks.endless:
        near = nearest(str(task_id), tuple(tasks[number].id for number in range(len(tasks))))
    hint = f"; did you mean {near!r}?" if near else f", such as {tasks[0].id!r}"
    shown = repr(task_id)[:80]
    raise ConfigError(f"no task {shown} among the {len(tasks):,} of this split{hint}")


def first(tasks: Sequence[Task] | Tasks, limit: int | None = None) -> list[Task]:
    """Return the first tasks of a split.

    Args:
        tasks: The split.
        limit: At most so many; None for all of them.

    Raises:
        ConfigError: If all tasks of an endless split are asked for.
    """
    listed = as_tasks(tasks)
    if listed.endless and limit is None:
        raise ConfigError("an endless split cannot be listed whole; give a limit")
    count = len(listed) if limit is None else min(limit, len(listed))
    return [listed[number] for number in range(count)]


def spread(tasks: Sequence[Task] | Tasks, count: int) -> list[Task]:
    """Return at most ``count`` tasks, evenly spaced over a split."""
    listed = as_tasks(tasks)
    size = len(listed)
    return [listed[number] for number in range(0, size, max(1, -(-size // count)))]


def size_of(tasks: Mapping[str, Sequence[Task] | Tasks], split: str) -> int:
    """Return the number of tasks of a split; a mapping with a ``size`` need not read them."""
    size: Callable[[str], int] | None = getattr(tasks, "size", None)
    return size(split) if size else len(as_tasks(tasks[split]))


class TaskFolder(Mapping[str, TaskList]):
    """The splits of ``<folder>/{train,dev,test}.jsonl``, each read when first asked for.

    Args:
        folder: The task folder.
        splits: File names without ``.jsonl`` that are splits.

    Raises:
        ConfigError: If the folder holds none of them.
    """

    def __init__(self, folder: Path, splits: Sequence[str] = ("train", "dev", "test")) -> None:
        self.folder = folder
        self._splits = tuple(name for name in splits if (folder / f"{name}.jsonl").is_file())
        if not self._splits:
            names = ", ".join(f"{name}.jsonl" for name in splits)
            raise ConfigError(f"no task file in {str(folder)!r}: expected one of {names}")

    def __getitem__(self, split: str) -> TaskList:
        if split not in self._splits:
            raise KeyError(split)
        path = self.folder / f"{split}.jsonl"
        return read_tasks(path, path.stat().st_mtime_ns)

    def size(self, split: str) -> int:
        """Return the number of tasks of a split by counting its lines, which is quick."""
        text = (self.folder / f"{split}.jsonl").read_bytes()
        return text.count(b"\n") + (not text.endswith(b"\n") and bool(text))

    def __contains__(self, split: object) -> bool:
        return split in self._splits

    def __iter__(self) -> Iterator[str]:
        return iter(self._splits)

    def __len__(self) -> int:
        return len(self._splits)


@lru_cache(maxsize=32)
def read_tasks(path: Path, changed: int = 0) -> TaskList:
    """Read a task file, one JSON object a line.

    Args:
        path: The file.
        changed: Its time of change; only part of the cache key.

    Raises:
        TaskError: With file and line, if a line is not a task or an id is a duplicate.
    """
    tasks: dict[str, Task] = {}
    try:
        text = path.read_text(encoding="utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path.name}: not UTF-8 at byte {error.start}") from None
    for number, line in enumerate(text.split("\n") if text else (), 1):
        where = f"{path.name}, line {number}"
        try:
            row = strict_json.loads(line)
        except ValueError as error:
            raise TaskError(f"{where}: {error}") from None
        task = _read_task(row, where)
        if task.id in tasks:
            raise TaskError(f"{where}: duplicate id {task.id!r}")
        tasks[task.id] = task
    return TaskList(tuple(tasks.values()))


_FIELDS: Mapping[str, type] = {
    "id": str, "record": dict, "gold": dict, "ticket": str, "provenance": str,
}  # fmt: skip


def _read_task(row: Any, where: str) -> Task:
    if not isinstance(row, dict):
        raise TaskError(f"{where}: expected a JSON object")
    if missing := sorted({"id", "record", "gold"} - row.keys()):
        raise TaskError(f"{where}: a task needs {missing}")
    for name, value in row.items():
        if name not in _FIELDS:
            raise TaskError(f"{where}: unknown field {name!r}; a task has {list(_FIELDS)}")
        if not isinstance(value, _FIELDS[name]):
            kind = "an object" if _FIELDS[name] is dict else "a text"
            raise TaskError(f"{where}: {name!r} must be {kind}")
    return Task(**row)


def data_hash(tasks: Sequence[Task] | Tasks, scoring: str = "") -> str:
    """Return a hash over all that tasks hold: equal hashes, equal problems.

    Of an endless set the first 64 tasks are hashed: they change with the code that makes them.

    Args:
        tasks: The tasks.
        scoring: A fingerprint of what else results depend on.
    """
    listed = as_tasks(tasks)
    digest = hashlib.sha256(scoring.encode())
    for task in first(listed, 64 if listed.endless else None):
        digest.update(orjson.dumps([task.id, task.ticket, task.record, task.gold]))
    return digest.hexdigest()[:16]
