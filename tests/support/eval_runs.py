"""Runs of the policies of eval_domain, and the lines of their traces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import eval_domain

from gym_clinic.evaluate import episodes, evaluate

KEYS = [
    "id", "env_options", "version", "data", "policy", "policy_options", "split", "task_id",
    "trial", "seed", "messages", "calls", "answer", "turns", "rewards", "weights", "total",
    "reward", "success", "metrics", "stop", "usage", "error",
]  # fmt: skip


def play(policy: str, out: Path, **rest: Any) -> Any:
    given = {"trials": 2, "progress": False, **rest}
    return evaluate(eval_domain.ID, f"eval_domain:{policy}", out=out, **given)


def rows(out: Path) -> list[dict[str, Any]]:
    return list(episodes(out / "trace.jsonl"))
