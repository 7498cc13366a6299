"""Recorded episodes as lessons of supervised fine-tuning, by the tokens of a rollout.

An episode of ``gym-clinic eval`` is played again with the messages that were recorded, and its
tokens and its mask are those that training by reward would see: the loss is taken of what the agent
wrote, and of nothing that the environment inserted into its message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from torch.utils.data import Dataset

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.errors import TaskError
from gym_clinic.evaluate.recorded import read_episodes, trace_files
from verl_recipes.agent_loop.environment import make_env
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets, Trajectory
from verl_recipes.preflight.model import type_of
from verl_recipes.stage_settings import STRICT


@dataclass(frozen=True, config=STRICT)
class LessonSettings:
    """Which episodes are learned from, and how: ``data.lessons``.

    Attributes:
        only_success: Leave out episodes that did not solve their task.
        messages: ``all`` of the agent, or the ``last`` alone: the answer at once, without a call.
        tools: As ``clinic.tools`` of training by reward.
        model_type: Of the model's config; null reads it there.
    """

    only_success: bool = True
    messages: Literal["all", "last"] = "all"
    tools: Literal["native", "text"] = "native"
    model_type: str | None = None


_SETTINGS: TypeAdapter[LessonSettings] = TypeAdapter(LessonSettings)


class RecordedLessons(Dataset[dict[str, Any]]):
    """Recorded episodes as verl's trainer of fine-tuning reads them, one a row.

    verl makes it where ``data.custom_cls`` names it.

    Args:
        parquet_files: Traces, or folders of runs, of ``gym-clinic eval``; verl's name.
        tokenizer: The model's.
        config: verl's ``data`` section, with ours as ``lessons``.
        processor: Unused: lessons are text.
        max_samples: Keep the first so many, -1 for all.

    Attributes:
        left_out: Episodes that did not solve their task, or that a service failed.

    Raises:
        ConfigError: If a setting is unknown, rows would be padded, or no episode is left.
        TaskError: If an episode does not play as it was recorded, or is too long.
    """

    def __init__(
        self,
        parquet_files: str | Sequence[str],
        tokenizer: Any,
        config: Any,
        processor: Any = None,
        max_samples: int = -1,
    ) -> None:
        self.settings = _read(config)
        self._length = int(config.get("max_length", 0))
        if config.get("pad_mode", None) != "no_padding":
            raise ConfigError("lessons are not padded: set data.pad_mode=no_padding")
        family = self.settings.model_type or type_of(str(tokenizer.name_or_path))
        self._tokens = Tokens(tokenizer, family, native=self.settings.tools == "native")
        self._envs: dict[str, ClinicEnv] = {}
        self.left_out = 0
        files = [parquet_files] if isinstance(parquet_files, str) else list(parquet_files)
        self._rows = list(self._taken(trace_files([Path(name) for name in files])))
        if not self._rows:
            raise ConfigError(f"no lesson in {files}: {self.left_out} episodes were left out")
        if max_samples > 0:
            self._rows = self._rows[:max_samples]

    def _taken(self, paths: Sequence[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
        for path in paths:
            for where, row in read_episodes(path):
                failed = row["error"] is not None
                if failed or (self.settings.only_success and not row["success"]):
                    self.left_out += 1
                else:
                    yield where, row

    def __len__(self) -> int:
        """Return how many episodes there are."""
        return len(self._rows)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        """Return ``input_ids``, ``position_ids`` and ``loss_mask``, each (tokens,)."""
        played = self._replay(*self._rows[index])
        ids = torch.tensor(played.ids)
        mask = torch.zeros_like(ids)
        mask[len(played.prompt_ids) :] = torch.tensor(played.mask)
        return {"input_ids": ids, "position_ids": torch.arange(len(ids)), "loss_mask": mask}

    def _replay(self, where: str, row: Mapping[str, Any]) -> Trajectory:
        said = [one["content"] for one in row["messages"] if one["role"] == "assistant"]
        whole = self.settings.messages == "all"
        budgets = Budgets(prompt=self._length, response=self._length)
        one = Trajectory(self._env(row), row["task_id"], self._tokens, budgets)
        one.begin()
        for text in said if whole else said[-1:]:
            ids = self._tokens.plain(text)
            if not one.stopped(ids):
                ids = [*ids, self._tokens.end]
            if one.over or len(ids) > one.room:
                break
            one.take(ids, [0.0] * len(ids), finished=True)
        if one.truncated or not one.over or len(one.ids) > self._length:
            raise TaskError(
                f"{where}: the episode does not end within {self._length:,} tokens; raise "
                "data.max_length, or leave it out"
            )
        if whole and bool(one.info["success"]) != bool(row["success"]):
            raise TaskError(f"{where}: the episode no longer plays as it was recorded")
        return one

    def _env(self, row: Mapping[str, Any]) -> ClinicEnv:
        key = repr((row["id"], row["split"], row["env_options"]))
        if key not in self._envs:
            self._envs[key] = make_env(row["id"], {**row["env_options"], "split": row["split"]})
        return self._envs[key]


def _read(config: Any) -> LessonSettings:
    from omegaconf import OmegaConf

    section = config.get("lessons", None)
    plain = OmegaConf.to_container(section, resolve=True) if OmegaConf.is_config(section) else {}
    try:
        return _SETTINGS.validate_json(json.dumps(plain))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, ("data.lessons", *first["loc"])))
        raise ConfigError(f"{where}: {first['msg']}, not {first['input']!r}") from None
