"""Imported tasks -> a task folder: `train.jsonl`, `dev.jsonl` and `test.jsonl`."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.files import json_line, replace_files
from gym_clinic.frozen import thaw
from gym_clinic.importers import TASKS, TaskImporter
from gym_clinic.names import call_with_options, import_named, suggest
from gym_clinic.taskset import read_tasks

SPLITS = ("train", "dev", "test")
"""The splits that a task folder may have."""

SHARES = {"train": 0.8, "dev": 0.1, "test": 0.1}
"""Default share of each split."""

SplitRule = str | Mapping[str, str] | Mapping[str, float]


class Imported(NamedTuple):
    """What `import_tasks` wrote.

    Attributes:
        tasks: Number of tasks in each split.
        groups: The split of each group, such as a panel; empty for a benchmark without groups.
        duplicates: Number of tasks left out because an equal one was before them.
        shared: Field of the record -> values that occur in more than one split, although groups
            are kept apart.
    """

    tasks: dict[str, int]
    groups: dict[str, str]
    duplicates: int
    shared: dict[str, tuple[str, ...]]


def import_tasks(
    source: str,
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    splits: SplitRule = SHARES,
    options: Mapping[str, Any] | None = None,
) -> Imported:
    """Import a benchmark into a task folder.

    Everything is read and checked before anything is written.

    Args:
        source: Name of the benchmark, a key of `gym_clinic.importers.TASKS`.
        path: The file or folder as published.
        out: The task folder; made if it is missing. Splits that are there already stay, and must
            have neither tasks nor groups in common with the imported ones.
        splits: The one split of all tasks, ``"test"``; or the share of each split,
            ``{"train": 0.8, "test": 0.2}``; or the split of each group,
            ``{"Example Panel": "train"}``. With shares the largest groups are placed first, each
            in the split that lacks most.
        options: Options of the importer.

    Returns:
        What was written, and what the splits share.

    Raises:
        ConfigError: If there is no such importer, option or split, the shares are not positive
            numbers that add up to 1, a group has no split, a file cannot be read or written, or
            the folder holds some of the tasks or groups in another split.
        TaskError: For a broken file, one without tasks, and for two tasks with one id and
            different content.
    """
    if source not in TASKS:
        raise ConfigError(f"no importer of tasks {source!r}; {suggest(source, TASKS)}")
    importer = TASKS[source]
    reader = import_named(importer.reader, "importer")
    read = call_with_options(reader, options or {}, f"importer {source!r}", path)
    tasks, duplicates = _distinct(read)
    if not tasks:
        raise TaskError(f"{path}: no tasks; expected some of {source}")
    group = _grouping(importer.group)
    placed = assign_splits(Counter(map(group, tasks)), splits, importer.group)
    found: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        found[placed[group(task)]].append(task)
    folder = Path(out)
    _check_others(folder, found, importer)
    _write(folder, found)
    return Imported(
        {split: len(found[split]) for split in SPLITS if split in found},
        placed if importer.group else {},
        duplicates,
        _shared(_with_others(folder, found), importer.watched),
    )


def _distinct(read: Iterable[Task]) -> tuple[list[Task], int]:
    """The tasks, each once, and how many were repeated."""
    tasks: dict[str, Task] = {}
    count = 0
    for task in read:
        count += 1
        if tasks.setdefault(task.id, task) != task:
            raise TaskError(
                f"two tasks have the id {task.id}: the same record with a different gold, "
                f"{dict(tasks[task.id].gold)!r:.120} and {dict(task.gold)!r:.120}"
            )
    return list(tasks.values()), count - len(tasks)


def _grouping(field: str) -> Callable[[Task], str]:
    """A function that returns the group of a task; its id where there are no groups."""
    return lambda task: str(task.record[field]) if field else task.id


def assign_splits(sizes: Mapping[str, int], splits: SplitRule, group: str) -> dict[str, str]:
    """The split of each group."""
    if isinstance(splits, str):
        splits = dict.fromkeys(sizes, splits)
    elif not isinstance(splits, Mapping) or not splits:
        raise ConfigError(
            f"splits is {splits!r:.100}; expected a split, the share of each split like "
            '{"train": 0.8, "test": 0.2}, or the split of each group'
        )
    elif not all(isinstance(value, str) for value in splits.values()):
        return _assign_by_share(sizes, splits)
    elif not group:
        raise ConfigError("this benchmark has no groups; give one split or the share of each")
    if unknown := sorted(set(map(str, splits.values())) - set(SPLITS)):
        raise ConfigError(f"unknown splits {unknown}; choose from {list(SPLITS)}")
    if missing := sorted(sizes.keys() - splits.keys()):
        raise ConfigError(f"no split for the {group} {missing}; give each one of {SPLITS}")
    return {name: str(splits[name]) for name in sorted(sizes)}


def _assign_by_share(sizes: Mapping[str, int], share_of: Mapping[str, Any]) -> dict[str, str]:
    if unknown := sorted(set(share_of) - set(SPLITS)):
        raise ConfigError(f"unknown splits {unknown}; choose from {list(SPLITS)}")
    for split, share in share_of.items():
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not share > 0:
            raise ConfigError(f"the share of {split} is {share!r}; expected a number above 0")
    if not math.isclose(math.fsum(share_of.values()), 1, abs_tol=1e-6):
        raise ConfigError(f"the shares {dict(share_of)} do not add up to 1")
    if len(sizes) < len(share_of):
        raise ConfigError(
            f"{len(sizes)} groups cannot fill {len(share_of)} splits; a group goes to one split"
        )
    total = sum(sizes.values())
    lacking = {split: share_of[split] * total for split in SPLITS if split in share_of}
    empty = set(lacking)
    placed: dict[str, str] = {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        # No split may stay empty, so the last groups go where there is none yet.
        open_splits = empty if len(sizes) - len(placed) == len(empty) else lacking
        split = max((one for one in lacking if one in open_splits), key=lambda one: lacking[one])
        lacking[split] -= sizes[name]
        empty.discard(split)
        placed[name] = split
    return dict(sorted(placed.items()))


def _check_others(folder: Path, found: Mapping[str, list[Task]], importer: TaskImporter) -> None:
    """Check that the splits that stay in the folder share nothing with those to be written."""
    tasks = [task for some in found.values() for task in some]
    ids = {task.id for task in tasks}
    kept_apart = importer.group and importer.strict
    groups = {task.record[importer.group] for task in tasks} if kept_apart else set()
    for split in SPLITS:
        file = folder / f"{split}.jsonl"
        if split in found or not file.exists():
            continue
        for task in read_tasks(file, file.stat().st_mtime_ns):
            shared = kept_apart and task.record.get(importer.group) in groups
            if task.id in ids or shared:
                what = f"{importer.group} {task.record[importer.group]!r}" if shared else task.id
                raise ConfigError(
                    f"{file} of an earlier import has {what} too; remove it or choose another "
                    "folder"
                )


def _write(folder: Path, found: Mapping[str, list[Task]]) -> None:
    try:
        replace_files(
            {
                folder / f"{split}.jsonl": (
                    json_line(
                        {
                            "id": task.id,
                            "record": thaw(task.record),
                            "gold": thaw(task.gold),
                            "provenance": task.provenance,
                        }
                    )
                    for task in sorted(some, key=lambda task: task.id)
                )
                for split, some in found.items()
            }
        )
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error}") from None


def _with_others(folder: Path, found: Mapping[str, list[Task]]) -> dict[str, Sequence[Task]]:
    """Return the imported tasks, and those of the splits that were in the folder before."""
    files = {split: folder / f"{split}.jsonl" for split in SPLITS if split not in found}
    others = {split: read_tasks(file, file.stat().st_mtime_ns)
              for split, file in files.items() if file.exists()}  # fmt: skip
    return {**found, **others}


def _shared(
    found: Mapping[str, Sequence[Task]], watched: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    """Values of fields of the record that occur in more than one split."""
    shared = {}
    for field in watched:
        splits: dict[str, set[str]] = defaultdict(set)
        for split, tasks in found.items():
            for task in tasks:
                for value in _values(task.record, field):
                    splits[value].add(split)
        if values := sorted(value for value, names in splits.items() if len(names) > 1):
            shared[field] = tuple(values)
    return shared


def _values(record: Any, field: str) -> Iterator[str]:
    """The values at a path such as "articles.pmid", in every item of a list."""
    if isinstance(record, (list, tuple)):
        for item in record:
            yield from _values(item, field)
    elif not field:
        yield str(record)
    elif field.partition(".")[0] in record:
        name, _, rest = field.partition(".")
        yield from _values(record[name], rest)
