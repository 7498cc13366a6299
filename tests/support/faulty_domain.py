"""A domain whose service fails, at the moment that the task is named after."""

from __future__ import annotations

from typing import Literal

from gym_clinic import Case, Domain, Episode, Kind, Rubric, Task, tool
from gym_clinic.rewards import exact_answer

FAULTS = ("reset", "step", "truncate", "not a number")


LEFT = {"once": 0}
"""How often the service of the task "once" still fails."""


class ServiceDownError(Exception):
    """What a client of a service raises."""


def _open_case(task: Task) -> Case:
    if task.id == "reset":
        raise ServiceDownError("no connection")
    return Case(task.record)


@tool
def ask(case: Case) -> str:
    """Ask the service."""
    if case["fails"] == "step":
        raise ServiceDownError("no answer")
    if case["fails"] == "once" and LEFT["once"]:
        LEFT["once"] -= 1
        raise ServiceDownError("no answer yet")
    return "Say yes."


@tool(kind=Kind.SUBMIT)
def say(word: Literal["yes", "no"]) -> None:
    """Answer.

    Args:
        word: What to say.
    """


def _judged(episode: Episode) -> float:
    if episode.task.id == "truncate" and episode.stop == "token_budget":
        raise ServiceDownError("the judge is away")
    return float("nan") if episode.task.id == "not a number" else exact_answer(episode)


def _metrics(episode: Episode) -> dict[str, float]:
    return {"calls": float(len(episode.calls))}


def _task(name: str) -> Task:
    answer = {"word": "yes"}
    return Task(
        id=name,
        ticket="What is it?",
        record={"fails": name},
        gold={
            "answer": answer,
            "calls": [{"name": "ask", "arguments": {}}, {"name": "say", "arguments": answer}],
        },
        provenance="synthetic",
    )


FAULTY = Domain(
    name="faulty",
    policy="Ask, then say what you heard.",
    tasks={"train": [_task(name) for name in ("none", "once", *FAULTS)], "test": [_task("test")]},
    rubric=Rubric({"accuracy": _judged}, {"accuracy": 1.0}),
    tools=(ask, say),
    open_case=_open_case,
    metrics=_metrics,
    max_turns=3,
)
