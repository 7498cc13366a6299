"""Tasks of a clinical domain, made from seeds.

A domain describes how its tasks are made by a `DomainSpec`; `generate` yields as many as are asked
for, and `shipped` and `endless` make the splits of the domain::

    SPEC = DomainSpec(name="clinical_diagnosis", classes=tuple(CONDITIONS), make=make_task)
    tasks = {**task_folder(SPEC), "endless": endless(SPEC)}

``make(draft)`` returns the ticket, the gold and the record of one task for a class and a seed, or
None if this seed gives no task of the class (another seed is then tried). ``twin(draft, record,
gold, kind)`` returns the edit that makes a twin: of kind "turns" one that changes the answer, of
kind "neutral" one that must not. The twin's own gold is computed by ``make`` from the edited
patient, and checked: a turn must change ``gold["answer"]``, a neutral edit must leave it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, Literal, NamedTuple

import orjson

from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.simulate.split import Split
from gym_clinic.taskset import EndlessTasks

SIZES: Mapping[Split, int] = {"train": 600, "dev": 100, "test": 150}
"""Split -> number of tasks that ship."""

TWINS = 0.24
"""Share of the tasks of dev and test that are one of a pair; of the pairs half turn the answer."""

TRIES = 40
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
    content = orjson.dumps(
        [spec.name, made.record, made.gold, made.ticket], option=orjson.OPT_SORT_KEYS
    )
    digest = hashlib.sha256(content).hexdigest()[:12]
    return Task(f"{spec.name.replace('_', '-')}-{digest}", made.record, made.gold, made.ticket,
                "synthetic")  # fmt: skip


def generate(spec: DomainSpec, n: int, seed: int = 0, split: Split = "train") -> Iterator[Task]:
    """Yield tasks; the same arguments give the same tasks in every process.

    Classes come in turn, in an order drawn for each round. In dev and test a share of the tasks
    are pairs of twins, one after the other.

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
    made_pairs = {"turns": 0, "neutral": 0}
    order: list[str] = []
    while yielded < n:
        if not order:
            order = random.sample(spec.classes, len(spec.classes))
        label, done = order.pop(), sum(made_pairs.values())
        first, number = _first(spec, label, split, seed, number)
        wants: TwinKind = "turns" if made_pairs["turns"] <= made_pairs["neutral"] else "neutral"
        twin = None
        if done < pairs and n - yielded >= 2:
            twin = _twin(spec, first, label, split, wants, random)
        task = task_of(spec, first)
        yield task
        yielded += 1
        if twin is not None:
            made_pairs[wants] += 1
            about = {"of": task.id, "kind": wants}
            yield task_of(spec, twin._replace(gold={**twin.gold, "twin": about}))
            yielded += 1


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


def endless(spec: DomainSpec, split: Split = "train") -> EndlessTasks:
    """Return tasks without end, of the patients and phrases of a split."""

    def make(position: int) -> Task:
        label = spec.classes[position % len(spec.classes)]
        made, _ = _first(spec, label, split, 1 << 20, position * TRIES)
        return task_of(spec, made)

    return EndlessTasks(make, f"{spec.name.replace('_', '-')}-endless")


@lru_cache(maxsize=8)
def spec_of(name: str) -> DomainSpec:
    """Return the spec of a built-in domain, ``gym_clinic.domains.<name>.tasks:SPEC``.

    Raises:
        ConfigError: If the domain has none.
    """
    from gym_clinic.names import import_named

    found = import_named(f"gym_clinic.domains.{name}.tasks:SPEC", "spec of tasks")
    if not isinstance(found, DomainSpec):
        raise ConfigError(f"the tasks of domain {name!r} are not generated")
    return found
