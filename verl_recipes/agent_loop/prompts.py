"""The tasks of one environment and the tokens of their prompts."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gym_clinic import ClinicEnv, ConfigError, Illustrated, Task
from gym_clinic.taskset import TaskList, Tasks, first
from verl_recipes import settings
from verl_recipes.agent_loop.environment import PromptLengthError, opening
from verl_recipes.agent_loop.tokens import Tokens

logger = logging.getLogger(__name__)

POOL = 256
"""Tasks of an endless split that stand for all: lengths are measured on them."""

RETRIES = 100
"""Draws after which a split without a short enough prompt is given up."""


class TaskPool:
    """The tasks of one environment at a split whose prompts fit into ``limit`` tokens.

    Where training draws classes evenly, so does the pool, by the draw of the split itself, unless
    ``clinic.draws`` is ``natural``.

    Attributes:
        size: Rows of an epoch: one a task; where classes are drawn, for each as many as the
            largest has tasks; of an endless split ``clinic.endless_rows``.
        longest: Id and tokens of the longest prompt that was measured.
        skipped: Prompts that were left out because they are too long.

    Raises:
        ConfigError: If no task is left, or a prompt is too long and ``clinic.overlong`` is
            ``error``.
    """

    def __init__(
        self,
        name: str,
        split: str,
        env: ClinicEnv,
        clinic: settings.ClinicSettings,
        tokens: Tokens,
        limit: int,
        *,
        training: bool = False,
    ) -> None:
        self.name, self.split, self.env = name, split, env
        self.clinic, self.tokens, self.limit = clinic, tokens, limit
        tasks = shortest(env, clinic.shortest, clinic.seed)
        self.endless = env.tasks.endless and clinic.shortest is None
        lengths = {task.id: len(prompt(env, task, tokens)) for task in tasks}
        self.longest = max(lengths.items(), key=lambda one: one[1], default=("", 0))
        too_long = {task for task, length in lengths.items() if length > limit}
        self.skipped = len(too_long)
        if too_long and clinic.overlong == "error":
            raise PromptLengthError(
                f"{name}: {len(too_long)} of {len(tasks)} prompts exceed data.max_prompt_length="
                f"{limit:,}; the longest, of task {self.longest[0]!r}, has {self.longest[1]:,} "
                "tokens. Raise the limit, or set clinic.overlong=skip"
            )
        if too_long:
            counts = len(too_long), len(tasks), limit
            logger.warning("%s: %d of %d prompts exceed %d tokens", name, *counts)
        self._kept = tuple(task for task in tasks if task.id not in too_long)
        if not self._kept:
            raise ConfigError(f"{name}: no task of split {split!r} is left")
        self._source: Tasks | None = None  # what rows are drawn from, if they are
        self.size = len(self._kept)
        if self.endless:
            self._source, self.size = env.tasks, clinic.endless_rows
        elif training and clinic.draws == "classes" and isinstance(env.tasks, TaskList):
            left = env.tasks.only(self._kept)
            if len(left.classes) > 1:
                self._source, self.size = left, len(left.classes) * max(map(len, left.classes))

    def task(self, number: int) -> Task:
        """Return the task of a row; where none is drawn, they begin anew beyond the last one.

        Raises:
            PromptLengthError: If an endless split draws only prompts that are too long.
        """
        if self._source is None:
            return self._kept[number % len(self._kept)]
        for attempt in range(RETRIES):
            task = drawn(self._source, f"{self.clinic.seed}:{number}:{attempt}")
            if not self.endless or len(prompt(self.env, task, self.tokens)) <= self.limit:
                return task
            if self.clinic.overlong == "error":
                break
        raise PromptLengthError(
            f"the prompt of task {task.id!r} exceeds data.max_prompt_length={self.limit:,}. Raise "
            f"the limit, or set clinic.overlong=skip"
        )

    def sample(self, count: int) -> tuple[Task, ...]:
        """Return the first tasks, at most ``count``."""
        return tuple(self.task(number) for number in range(min(count, self.size)))


def drawn(tasks: Tasks, key: str) -> Task:
    """Return a task as a split draws it, the same for the same key in every process."""
    digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
    return tasks.draw(np.random.default_rng(int.from_bytes(digest, "big")))


def candidates(env: ClinicEnv, seed: int = 0) -> tuple[Task, ...]:
    """Return all tasks of an environment, or some of an endless split."""
    if env.tasks.endless:
        return tuple(drawn(env.tasks, f"{seed}:{index}:0") for index in range(POOL))
    return tuple(first(env.tasks))


def shortest(env: ClinicEnv, count: int | None, seed: int = 0) -> tuple[Task, ...]:
    """Return the candidates of an environment, or the ``count`` shortest.

    Tasks whose records mark all their documents as short (``"short": true``) come first, then
    those with the shortest tickets. The seed draws the candidates of an endless split.
    """
    tasks = candidates(env, seed)
    if count is None:
        return tasks

    def order(task: Task) -> tuple[bool, int, str]:
        marks = list(_marks(task.record))
        ticket = env.domain.ticket(task)
        length = len(ticket.text if isinstance(ticket, Illustrated) else ticket)
        return (not (marks and all(marks)), length, task.id)

    return tuple(sorted(tasks, key=order)[:count])


def _marks(value: Any) -> Iterator[bool]:
    """Yield every flag ``short`` anywhere in a record."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            if name == "short" and isinstance(item, bool):
                yield item
            else:
                yield from _marks(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _marks(item)


def prompt(env: ClinicEnv, task: Task, tokens: Tokens) -> list[int]:
    """Return the tokens of a task's prompt."""
    _, info = env.reset(options={"task_id": task.id})
    return tokens.prompt(*opening(info, native=tokens.native))
