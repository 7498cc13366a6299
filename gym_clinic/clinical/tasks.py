"""Tasks of a clinical domain, made from seeds.

A domain describes how its tasks are made by a `DomainSpec`; `generate` yields as many as are asked
for, and `endless` makes the split that never ends::

    SPEC = DomainSpec(name="clinical_diagnosis", classes=tuple(CONDITIONS), make=make_task)
    tasks = {**fixed, "endless": endless(SPEC)}

``make(draft)`` returns the ticket, the gold and the record of one task for a class and a seed, or
None if this seed gives no task of the class (another seed is then tried). ``twin(draft, record,
gold, kind)`` returns the edit that makes a twin: of kind "turns" one that changes the answer, of
kind "neutral" one that must not. The twin's own gold is computed by ``make`` from the edited
patient (the draft has the class of the first; that of the twin may differ), and checked: a turn
must change ``gold["answer"]``, a neutral edit must leave it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

import orjson

from gym_clinic.clinical.canary import CANARY
from gym_clinic.domain import builtin_names
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.files import replace_file
from gym_clinic.fingerprint import fingerprint
from gym_clinic.names import import_named, suggest
from gym_clinic.simulate.split import Split
from gym_clinic.taskset import EndlessTasks

SIZES: Mapping[Split, int] = {"train": 600, "dev": 100, "test": 150}
"""Split -> number of tasks that ship."""

TWINS = 0.24
"""Share of the tasks of dev and test that are one of a pair; of the pairs half turn the answer."""

MANIFEST = "manifest.json"
"""The file of a task folder that says what its tasks were made by."""

TRIES = 200
"""Seeds that are tried for one task."""

TwinKind = Literal["turns", "neutral"]


class TaskDraft(NamedTuple):
    """What a task is to be made of.

    Attributes:
        label: Its class.
        seed: Seed of the patient; seeds of different splits never meet.
        split: The split.
        edit: Edits of the patient (see :mod:`.edits`); none for the first of a pair.
    """

    label: str
    seed: int
    split: Split
    edit: tuple[Mapping[str, Any], ...] = ()


class MadeTask(NamedTuple):
    """A task without its id.

    Attributes:
        record: As `open_world` takes it.
        gold: What is right.
        ticket: The text that opens the case.
    """

    record: Mapping[str, Any]
    gold: Mapping[str, Any]
    ticket: str


@dataclass(frozen=True)
class DomainSpec:
    """How the tasks of a domain are made.

    Attributes:
        name: Name of the domain, as in ``tasks/<name>/``.
        classes: The classes of its tasks; each is drawn equally often.
        make: Draft -> the task; None if the seed gives none of this class.
        twin: The task, the kind and a random source -> the edits that make its twin; None if this
            patient allows none.
        version: Raised when tasks or scoring change.
    """

    name: str
    classes: tuple[str, ...]
    make: Callable[[TaskDraft], MadeTask | None]
    twin: Callable[[MadeTask, TwinKind, Random], tuple[Mapping[str, Any], ...] | None]
    version: int = 1


def seed_of(split: Split, number: int, seed: int = 0) -> int:
    """Return the seed of a patient: different for every number, split and seed."""
    digest = hashlib.blake2b(f"{split}:{seed}:{number}".encode(), digest_size=6).digest()
    place = {"train": 0, "dev": 1, "test": 2}[split]
    return int.from_bytes(digest, "big") // 4 * 4 + place


def task_of(spec: DomainSpec, made: MadeTask) -> Task:
    """Return a task with the hash of its content for its id."""
    parts = [spec.name, made.record, made.gold, made.ticket]
    content = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    name = f"{spec.name.replace('_', '-')}-{hashlib.sha256(content).hexdigest()[:12]}"
    return Task(name, made.record, made.gold, made.ticket, f"synthetic; {CANARY}")


def generate(spec: DomainSpec, n: int, seed: int = 0, split: Split = "train") -> Iterator[Task]:
    """Yield tasks; the same arguments give the same tasks in every process.

    Classes come equally often, in an order in which one tells nothing of the next. In dev and test
    a share of the tasks are pairs of twins, one after the other. Half of the pairs turn the answer,
    as far as there are patients who allow it.

    Args:
        spec: How they are made.
        n: How many.
        seed: Decides everything that is drawn.
        split: Whose patients and phrases are used.

    Raises:
        ConfigError: If the number is below 1.
        TaskError: If a class gives no task for many seeds.
    """
    if n < 1:
        raise ConfigError(f"n is the number of tasks, 1 or more, not {n}")
    random = Random(f"{spec.name}:{split}:{seed}:order")
    pairs = 0 if split == "train" else -(-round(n * TWINS) // 2)
    yielded = number = 0
    left: dict[TwinKind, int] = {"turns": pairs // 2, "neutral": pairs - pairs // 2}
    rounds = -(-(n - pairs) // len(spec.classes))
    size = len(spec.classes)
    order = [label for _ in range(rounds) for label in random.sample(spec.classes, size)]
    while yielded < n:
        label = order.pop() if order else random.choice(spec.classes)
        first, number = _first(spec, label, split, seed, number)
        task = task_of(spec, first)
        yield task
        yielded += 1
        if yielded == n:
            return
        late = n - yielded <= 2 * sum(left.values())
        for kind in sorted(left, key=lambda one: -left[one]):
            if left[kind] < 1 and not (late and sum(left.values()) > 0):
                continue
            twin = _twin(spec, first, label, split, kind, random)
            if twin is not None:
                short = kind if left[kind] > 0 else next(one for one in left if left[one] > 0)
                left[short] -= 1
                about = {"of": task.id, "kind": kind}
                yield task_of(spec, twin._replace(gold={**twin.gold, "twin": about}))
                yielded += 1
                break


def _first(
    spec: DomainSpec, label: str, split: Split, seed: int, number: int
) -> tuple[MadeTask, int]:
    for tried in range(number, number + TRIES):
        made = spec.make(TaskDraft(label, seed_of(split, tried, seed), split))
        if made is not None:
            return made, tried + 1
    raise TaskError(f"{spec.name}: {TRIES} seeds give no task of class {label!r}")


def _twin(
    spec: DomainSpec, first: MadeTask, label: str, split: Split, kind: TwinKind, random: Random
) -> MadeTask | None:
    """The twin of a task; None if its patient allows none of this kind."""
    edits = spec.twin(first, kind, random)
    if edits is None:
        return None
    made = spec.make(TaskDraft(label, first.record["seed"], split, edits))
    if made is None:
        return None
    turned = made.gold["answer"] != first.gold["answer"]
    return made if turned is (kind == "turns") else None


def _class_at(spec: DomainSpec, position: int) -> str:
    """The class of an endless task: each once in every round, in an order that its id hides."""
    turn, place = divmod(position, len(spec.classes))
    order = Random(f"{spec.name}:round:{turn}").sample(spec.classes, len(spec.classes))
    return order[place]


def endless(spec: DomainSpec, split: Split = "train") -> EndlessTasks:
    """Return tasks without end, of the patients and phrases of a split."""

    def make(position: int) -> Task:
        label = _class_at(spec, position)
        made, _ = _first(spec, label, split, 1 << 20, position * TRIES)
        return task_of(spec, made)

    return EndlessTasks(make, f"{spec.name.replace('_', '-')}-endless")


def task_lines(
    spec: DomainSpec, split: Split, n: int | None = None, seed: int = 0
) -> Iterator[str]:
    """Yield tasks as the lines of a file; as many as ship if ``n`` is None.

    Errors are those of `generate`.
    """
    for task in generate(spec, SIZES[split] if n is None else n, seed, split):
        row = {"id": task.id, "ticket": task.ticket, "record": task.record, "gold": task.gold,
               "provenance": task.provenance}  # fmt: skip
        yield orjson.dumps(row).decode() + "\n"


def write_folder(
    spec: DomainSpec, folder: Path, splits: Sequence[Split], n: int | None = None, seed: int = 0
) -> dict[str, int]:
    """Write the files of splits and the manifest; return the number of tasks of each split.

    The manifest holds the canary, the fingerprint of the code and tables that make and score the
    tasks, the seed, and a hash of each file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    counts: dict[str, int] = {}
    hashes: dict[str, str] = {}
    for split in splits:
        lines = list(task_lines(spec, split, n, seed))
        text = "".join(lines).encode()
        replace_file(folder / f"{split}.jsonl", [text])
        counts[split], hashes[split] = len(lines), hashlib.sha256(text).hexdigest()
    made_by = fingerprint((spec,), module=spec.make.__module__)
    manifest = {"canary": CANARY, "fingerprint": made_by, "version": spec.version,
                "seed": seed, "sha256": hashes}  # fmt: skip
    replace_file(folder / MANIFEST, [json.dumps(manifest, indent=2).encode(), b"\n"])
    return counts


def spec_of(name: str) -> DomainSpec:
    """Return how the tasks of a domain are made.

    Args:
        name: A built-in domain, or "package.module:NAME" of a spec.

    Raises:
        ConfigError: If there is no such spec.
    """
    if ":" not in name and name not in builtin_names():
        raise ConfigError(f"no domain {name!r}; {suggest(name, builtin_names())}")
    path = name if ":" in name else f"gym_clinic.domains.{name}.tasks:SPEC"
    found = import_named(path, "tasks of a clinical domain")
    if not isinstance(found, DomainSpec):
        raise ConfigError(f"{path!r} is a {type(found).__name__}; expected a DomainSpec")
    return found
