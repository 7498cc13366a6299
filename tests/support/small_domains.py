"""Domains made by functions with options, and what is no domain."""

from __future__ import annotations

from gym_clinic import Domain, Rubric, Task
from gym_clinic.rewards import exact_answer

RUBRIC = Rubric({"accuracy": exact_answer}, {"accuracy": 1.0})


def make_small(size: int = 2, name: str = "small") -> Domain:
    task = Task(id="t", record={}, gold={"answer": "a"}, ticket="?")
    return Domain(
        name=f"{name}-{size}",
        policy="",
        tasks={"train": [task] * size},
        rubric=RUBRIC,
        read_answer=str.strip,
    )


NOT_A_DOMAIN = 7


def returns_no_domain() -> int:
    return 7
