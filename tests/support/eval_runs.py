"""Runs of policies for tests of evaluation, and the lines of their traces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import eval_domain

from gym_clinic import Call, Domain
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


def play_clingen(out: Path, **rest: Any) -> Path:
    """Play four ClinGen tasks, with every sub-agent on every article; return the folder."""
    given = {"split": "dev", "trials": 1, "limit": 4, "progress": False, **rest}
    evaluate("clinic/ClinGen-v0", "every-tool", out=out, **given)
    return out


def with_thermometer_model(asked: list[Call]) -> Domain:
    """Return the domain with a model behind its thermometer; `asked` gets the calls shown to it."""

    def conversation(case: Any, call: Call) -> list[dict[str, str]] | None:
        asked.append(call)
        if call.name != "read_temperature":
            return None
        question = f"You read {case['route']} thermometers: {case['celsius']}"
        return [
            {"role": "user", "content": question},
            {"role": "assistant", "content": call.response},
        ]

    return replace(eval_domain.DOMAIN, conversation=conversation)
