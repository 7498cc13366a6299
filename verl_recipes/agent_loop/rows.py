"""The tasks of the environments of a run as verl's data rows; there is no file between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import Dataset

from verl_recipes import settings
from verl_recipes.agent_loop.environment import is_training, open_splits
from verl_recipes.agent_loop.prompts import TaskPool
from verl_recipes.agent_loop.tokens import Tokens


class ClinicRows(Dataset[dict[str, Any]]):
    """The tasks of a split; ``data.train_files`` and ``data.val_files`` name the splits.

    Of several environments, training rows are mixed by the weights: there are as many rows as let
    every task occur, and where an environment has fewer tasks than its share, they occur again.
    The splits of an environment are mixed by their shares in the same way.
    Where an environment draws its training tasks evenly over classes, so are its training rows,
    unless ``clinic.draws`` is ``natural``.
    Validation has every task once, the environments in turn.

    Args:
        data_files: The split's name, alone or in a list.
        tokenizer: The model's.
        config: verl's ``data`` section, which carries ours as ``clinic``.
        processor: The model's, where it reads images.
        max_samples: Keep the first so many, -1 for all.

    Attributes:
        pools: The tasks of each environment and split, in the order of the config.

    Raises:
        ConfigError: If no task of an environment is left, or a prompt is too long and
            ``clinic.overlong`` is ``error``.
    """

    def __init__(
        self,
        data_files: str | Sequence[str],
        tokenizer: Any,
        config: Any,
        processor: Any = None,
        max_samples: int = -1,
    ) -> None:
        clinic = settings.from_config(config)
        tokens = Tokens(
            tokenizer,
            config.get("model_type", None),
            native=clinic.tools == "native",
            template_options=config.get("apply_chat_template_kwargs", None),
            processor=processor,
        )
        limit, training = int(config.max_prompt_length), is_training(config, data_files)
        opened = open_splits(config, data_files)
        self.pools = [
            TaskPool(name, split, env, clinic, tokens, limit, training=training)
            for name, split, _, env in opened
        ]
        sizes = [pool.size for pool in self.pools]
        if training:
            counts = shares(sizes, [share for _, _, share, _ in opened])
            self._order = interleaved(counts, counts)
        else:
            self._order = interleaved(sizes, [1] * len(sizes))
        if max_samples > 0:
            self._order = self._order[:max_samples]

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._order)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return one row."""
        which, number = self._order[index]
        pool = self.pools[which]
        task = pool.task(number)
        return {
            "task_id": task.id,
            "environment": pool.name,
            "split": pool.split,
            "index": index,
            "draw": 0,
            "data_source": pool.name,  # verl keeps the figures of an evaluation by this
            "agent_name": "clinic",
            "raw_prompt": [{"role": "user", "content": task.id}],
            "reward_model": {"style": "environment", "ground_truth": ""},
            "extra_info": {"index": index},
            "dummy_tensor": torch.zeros(1, dtype=torch.uint8),  # verl wants one tensor in a row
        }


def shares(sizes: Sequence[int], weights: Sequence[float]) -> list[int]:
    """Return the rows of each environment: in the ratio of the weights, none below its size.

    Args:
        sizes: Tasks of each, above 0.
        weights: Of each, above 0.
    """
    unit = max(size / weight for size, weight in zip(sizes, weights, strict=True))
    return [
        max(size, math.floor(unit * weight + 0.5))
        for size, weight in zip(sizes, weights, strict=True)
    ]


def interleaved(counts: Sequence[int], paces: Sequence[int]) -> list[tuple[int, int]]:
    """Return the order of rows, as (environment, number).

    Args:
        counts: Rows of each environment.
        paces: Of each: in the ratio of these they take turns, until one has no more.
    """
    rows = (
        ((number + 0.5) / pace, which, number)
        for which, (count, pace) in enumerate(zip(counts, paces, strict=True))
        for number in range(count)
    )
    return [(which, number) for _, which, number in sorted(rows)]
