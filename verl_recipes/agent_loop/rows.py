"""The tasks of an environment as verl's data rows; there is no file between them."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils.data import Dataset

from gym_clinic import ClinicEnv, ConfigError, Illustrated, Task
from gym_clinic.taskset import first
from verl_recipes import settings
from verl_recipes.agent_loop.environment import (
    PromptLengthError,
    images_in,
    make_env,
    opening,
    shows_tools,
)
from verl_recipes.agent_loop.tokens import Tokens

logger = logging.getLogger(__name__)

POOL = 256
"""Tasks of an endless split that stand for all: lengths are measured on them."""

RETRIES = 100
"""Draws after which a split without a short enough prompt is given up."""


class ClinicRows(Dataset[dict[str, Any]]):
    """The tasks of one split; ``data.train_files`` and ``data.val_files`` name the splits.

    An endless split has ``clinic.endless_rows`` rows. Their tasks are drawn by the run's seed and
    made when a row is read.

    Args:
        data_files: The split's name, alone or in a list.
        tokenizer: The model's.
        config: verl's ``data`` section, which carries ours as ``clinic``.
        processor: The model's, where it reads images.
        max_samples: Keep the first so many, -1 for all.

    Attributes:
        longest: Id and tokens of the longest prompt that was measured.
        skipped: Prompts that were left out because they are too long.
        illustrated: Whether any prompt has images; every row then has ``multi_modal_data``.

    Raises:
        ConfigError: If no task is left, or a prompt is too long and ``clinic.overlong`` is
            ``error``.
    """

    def __init__(
        self,
        data_files: str | Sequence[str],
        tokenizer: Any,
        config: Any,
        processor: Any = None,
        max_samples: int = -1,
    ) -> None:
        self.split = data_files if isinstance(data_files, str) else _only(data_files)
        self.clinic = settings.from_config(config)
        self.env = make_env(
            self.clinic.env,
            {**self.clinic.env_kwargs, "split": self.split},
            self.clinic.modules,
        )
        self.tokens = Tokens(
            tokenizer,
            config.get("model_type", None),
            native=self.clinic.tools == "native",
            template_options=config.get("apply_chat_template_kwargs", None),
            processor=processor,
        )
        self.limit = int(config.max_prompt_length)
        tasks = shortest(self.env, self.clinic.shortest, self.clinic.seed)
        self.endless = self.env.tasks.endless and self.clinic.shortest is None
        lengths = {}
        self.illustrated = False
        for task in tasks:
            ids, images = read_prompt(self.env, task, self.tokens)
            lengths[task.id] = len(ids)
            self.illustrated = self.illustrated or bool(images)
        self.longest = max(lengths.items(), key=lambda one: one[1], default=("", 0))
        too_long = {name: length for name, length in lengths.items() if length > self.limit}
        self.skipped = len(too_long)
        if too_long and self.clinic.overlong == "error":
            raise PromptLengthError(
                f"{len(too_long)} of {len(tasks)} prompts exceed data.max_prompt_length="
                f"{self.limit:,}; the longest, of task {self.longest[0]!r}, has "
                f"{self.longest[1]:,} tokens. Raise the limit, or set clinic.overlong=skip"
            )
        if too_long:
            logger.warning(
                "%d of %d prompts exceed %d tokens", len(too_long), len(tasks), self.limit
            )
        self._kept = tuple(task for task in tasks if task.id not in too_long)
        if not self._kept:
            raise ConfigError(f"{self.clinic.env}: no task of split {self.split!r} is left")
        count = self.clinic.endless_rows if self.endless else len(self._kept)
        self._count = min(count, max_samples) if max_samples > 0 else count

    def __len__(self) -> int:
        """Return how many rows there are."""
        return self._count

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return one row."""
        if not -self._count <= index < self._count:
            raise IndexError(index)
        task = self.task(index % self._count)
        row = {
            "task_id": task.id,
            "split": self.split,
            "index": index,
            "draw": 0,
            "environment": self.clinic.env,
            "data_source": self.clinic.env,
            "agent_name": "clinic",
            "raw_prompt": [{"role": "user", "content": task.id}],
            "reward_model": {"style": "environment", "ground_truth": ""},
            "extra_info": {"index": index},
            "dummy_tensor": torch.zeros(1, dtype=torch.uint8),  # verl wants one tensor in a row
        }
        if self.illustrated:
            row["multi_modal_data"] = {"images": read_prompt(self.env, task, self.tokens)[1]}
        return row

    def task(self, index: int) -> Task:
        """Return the task of a row.

        Raises:
            PromptLengthError: If an endless split draws only prompts that are too long.
        """
        if not self.endless:
            return self._kept[index]
        for attempt in range(RETRIES):
            task = drawn(self.env, f"{self.clinic.seed}:{index}:{attempt}")
            if len(prompt(self.env, task, self.tokens)) <= self.limit:
                return task
            if self.clinic.overlong == "error":
                break
        raise PromptLengthError(
            f"the prompt of task {task.id!r} exceeds data.max_prompt_length={self.limit:,}. Raise "
            f"the limit, or set clinic.overlong=skip"
        )

    def sample(self, count: int) -> tuple[Task, ...]:
        """Return the tasks of the first rows."""
        return tuple(self.task(index) for index in range(min(count, len(self))))


def drawn(env: ClinicEnv, key: str) -> Task:
    """Return a task of an endless split, the same for the same key in every process."""
    digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
    return env.tasks[int.from_bytes(digest, "big") % len(env.tasks)]


def candidates(env: ClinicEnv, seed: int = 0) -> tuple[Task, ...]:
    """Return all tasks of an environment, or some of an endless split."""
    if env.tasks.endless:
        return tuple(drawn(env, f"{seed}:{index}:0") for index in range(POOL))
    return tuple(first(env.tasks))


def shortest(env: ClinicEnv, count: int | None, seed: int = 0) -> tuple[Task, ...]:
    """Return the candidates of an environment, or the ``count`` shortest.

    Tasks whose records mark all their documents as short (``"short": true``) come first, then
    those with the shortest tickets.

    Args:
        env: The environment.
        count: How many; None for all.
        seed: Draws the candidates of an endless split.
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
    return read_prompt(env, task, tokens)[0]


def read_prompt(env: ClinicEnv, task: Task, tokens: Tokens) -> tuple[list[int], list[Any]]:
    """Return the tokens of a task's prompt, and its images."""
    _, info = env.reset(options={"task_id": task.id})
    messages = opening(info, native=tokens.native)
    images = images_in(messages) if "images" in info else []
    tools = info["tools"] if shows_tools(info, native=tokens.native) else None
    return tokens.prompt(messages, tools, images), images


def _only(names: Sequence[str]) -> str:
    if len(names) != 1:
        raise ConfigError(f"data files name one split each, not {list(names)}")
    return str(names[0])
