"""What dynamic sampling stands on, without Ray: verl's store of trajectories, and a clock."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import pytest

FAULT = None
"""Outcome of a trajectory that its environment failed."""


class Queue:
    """Stands in for verl's store: prompts with a status, trajectories with a record."""

    def __init__(self) -> None:
        self.tags: dict[str, dict[str, dict[str, Any]]] = {"train": {}, "val": {}}
        self.records: dict[str, dict[str, float]] = {}
        self.read: list[str] = []

    def prompt(self, uid: str, status: str, partition: str = "train") -> None:
        self.tags[partition][uid] = {"is_prompt": True, "status": status, "global_steps": 1}

    def group(
        self,
        uid: str,
        outcomes: Sequence[float | None],
        status: str = "finished",
        partition: str = "train",
    ) -> None:
        self.prompt(uid, status, partition)
        for session, outcome in enumerate(outcomes):
            key = f"{uid}_{session}_0"
            self.tags[partition][key] = {"status": "success", "prompt_len": session}
            success = 0.0 if outcome is FAULT else outcome
            self.records[key] = {
                "success": success,
                "correct": success,
                "score": success / 2 + session,
                "fault": float(outcome is FAULT),
            }

    def kv_list(self) -> dict[str, dict[str, dict[str, Any]]]:
        return copy.deepcopy(self.tags)

    def kv_batch_get(self, keys: list[str], partition_id: str, select_fields: list[str]) -> Any:
        assert select_fields == ["extra_fields"]
        self.read += keys
        found = [{"reward_extra_info": self.records[key], "environment": "a/A-v0"} for key in keys]
        rows = [{"extra_fields": one} for one in found]
        tensordicts = importlib.import_module("verl.utils.tensordict_utils")
        return tensordicts.list_of_dict_to_tensordict(rows)

    def kv_clear(self, partition_id: str, keys: list[str]) -> None:
        for key in keys:
            del self.tags[partition_id][key]


class Clock:
    """Time that passes only while somebody sleeps; ``then`` happens after each sleep."""

    def __init__(self, then: Callable[[float], None] = lambda now: None) -> None:
        self.now, self.then = 0.0, then

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.then(self.now)


def buffer(
    refill: Callable[[int], Any] = lambda count: pytest.fail("a refill"),
    *,
    metric: str | None = "success",
    max_refills: int = 3,
    stall_s: float = 10.0,
) -> Any:
    """Make the replay buffer as verl does."""
    replay = importlib.import_module("verl_recipes.trainer.replay")
    filtered = {"enable": metric is not None, "metric": metric or "success"}
    return replay.BoundedReplayBuffer(
        trainer_mode="sync",
        trainer_config={},
        max_off_policy_threshold=8,
        max_off_policy_strategy="drop",
        sampler_kwargs={
            "filter_groups": filtered, "max_refills": max_refills, "stall_s": stall_s,
        },
        refill_fn=refill,
        poll_interval=1.0,
    )  # fmt: skip


def name(number: int) -> str:
    return f"s000001n{number:05d}"


def uids(batch: Any) -> list[str]:
    return list(dict.fromkeys(key.split("_")[0] for key in batch.keys))
