"""The tasks of an environment as verl's data rows; there is no file between them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils.data import Dataset

from gym_clinic import ClinicEnv, ConfigError, Task
from gym_clinic.images import Illustrated
from gym_clinic.taskset import first
from verl_recipes import settings
from verl_recipes.trajectory import PromptLengthError, Tokens, make_env, opening

logger = logging.getLogger(__name__)


class ClinicRows(Dataset[dict[str, Any]]):
    """The tasks of one split; ``data.train_files`` and ``data.val_files`` name the splits.

    Args:
        data_files: The split's name, alone or in a list.
        tokenizer: The model's.
        config: verl's ``data`` section, which carries ours as ``clinic``.
        processor: Of multimodal models; not used.
        max_samples: Keep the first so many, -1 for all.

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
        )
        tasks = shortest(self.env, self.clinic.shortest)
        self.tasks = fitting(
            self.env, tasks, self.tokens, int(config.max_prompt_length), self.clinic.overlong
        )
        if max_samples > 0:
            self.tasks = self.tasks[:max_samples]
        if not self.tasks:
            raise ConfigError(f"{self.clinic.env}: no task of split {self.split!r} is left")

    def __len__(self) -> int:
        """Return how many tasks there are."""
        return len(self.tasks)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return one row."""
        task = self.tasks[index]
        return {
            "task_id": task.id,
            "split": self.split,
            "index": index,
            "draw": 0,
            "data_source": self.clinic.env,
            "agent_name": "clinic",
            "raw_prompt": [{"role": "user", "content": task.id}],
            "reward_model": {"style": "environment", "ground_truth": ""},
            "extra_info": {"index": index},
            "dummy_tensor": torch.zeros(1, dtype=torch.uint8),  # verl wants one tensor in a row
        }


def _text(ticket: str | Illustrated) -> str:
    return ticket.text if isinstance(ticket, Illustrated) else ticket


def shortest(env: ClinicEnv, count: int | None) -> tuple[Task, ...]:
    """Return the tasks of an environment, or the ``count`` shortest.

    Tasks whose records mark all their documents as short (``"short": true``) come first, then
    those with the shortest tickets.
    """
    if count is None or env.tasks.endless:
        return tuple(first(env.tasks, count))
    tasks = first(env.tasks)

    def order(task: Task) -> tuple[bool, int, str]:
        marks = list(_marks(task.record))
        return (not (marks and all(marks)), len(_text(env.domain.ticket(task))), task.id)

    return tuple(sorted(tasks, key=order)[:count])


def _marks(value: Any) -> Iterator[bool]:
    """Yield what stands under ``short`` anywhere in a record."""
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
    """Return a task's prompt."""
    _, info = env.reset(options={"task_id": task.id})
    return tokens.prompt(opening(env, info, native=tokens.native), info["tools"])


def fitting(
    env: ClinicEnv, tasks: Sequence[Task], tokens: Tokens, limit: int, overlong: str
) -> tuple[Task, ...]:
    """Return the tasks whose prompts fit.

    Args:
        env: Their environment.
        tasks: The tasks.
        tokens: Of the model.
        limit: Tokens of the longest prompt allowed.
        overlong: ``error`` or ``skip``.

    Raises:
        PromptLengthError: If one does not fit and ``overlong`` is ``error``; it names the longest.
    """
    lengths = {task.id: len(prompt(env, task, tokens)) for task in tasks}
    too_long = {name: length for name, length in lengths.items() if length > limit}
    if too_long and overlong == "error":
        name = max(too_long, key=too_long.__getitem__)
        raise PromptLengthError(
            f"{len(too_long)} of {len(tasks)} prompts exceed data.max_prompt_length={limit:,}; the "
            f"longest, of task {name!r}, has {too_long[name]:,} tokens. Raise the limit, or set "
            f"clinic.overlong=skip"
        )
    if too_long:
        logger.warning("%d of %d prompts exceed %d tokens", len(too_long), len(tasks), limit)
    return tuple(task for task in tasks if task.id not in too_long)


def _only(names: Sequence[str]) -> str:
    if len(names) != 1:
        raise ConfigError(f"data files name one split each, not {list(names)}")
    return str(names[0])
