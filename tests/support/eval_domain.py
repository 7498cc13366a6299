"""A small domain and policies that succeed, guess, fail and crash, for tests of evaluation."""

from __future__ import annotations

import math
import os
import random
import signal
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym

from gym_clinic import Case, Domain, Episode, Kind, Rubric, ServiceError, Task, ToolError, tool
from gym_clinic.rewards import call_f1, exact_answer


@tool
def read_temperature(case: Case, route: str) -> str:
    """Read the temperature.

    Args:
        route: Where it was taken: oral or rectal.
    """
    if case["route"] != route:
        raise ToolError(f"no {route} reading")
    return f"{case['celsius']} °C"


@tool(kind=Kind.THINK)
def note(text: str) -> str:
    """Write a note.

    Args:
        text: The note.
    """
    return "noted"


def _read_fever(text: str) -> str:
    if text not in ("FEVER: yes", "FEVER: no"):
        raise ToolError("Expected 'FEVER: yes' or 'FEVER: no'.")
    return text


def _tasks(split: str, number: int) -> list[Task]:
    draw = random.Random(f"fever:{split}")
    tasks = []
    for _ in range(number):
        celsius, route = round(draw.uniform(36, 41), 1), draw.choice(["oral", "rectal"])
        tasks.append(
            Task(
                id=f"f{draw.getrandbits(32):08x}",
                ticket=f"Does this child have fever? The thermometer was {route}.",
                record={"celsius": celsius, "route": route},
                gold={
                    "answer": "FEVER: yes" if celsius >= 38 else "FEVER: no",
                    "calls": [{"name": "read_temperature", "arguments": {"route": route}}],
                    "secret": f"gold-{split}-{celsius}",
                },
            )
        )
    return tasks


def _metrics(episode: Episode) -> dict[str, float]:
    if not episode.calls:
        return {"right": float(episode.answer is not None), "answered_calls": math.nan}
    answered = sum(call.ok for call in episode.calls) / len(episode.calls)
    return {"right": exact_answer(episode), "answered_calls": answered}


def _balanced(rows: Sequence[tuple[Task, Mapping[str, float]]]) -> dict[str, float]:
    """Return the mean over the two answers of the share that is right."""
    right: dict[str, list[float]] = {}
    for task, metrics in rows:
        right.setdefault(str(task.gold["answer"]), []).append(metrics["right"])
    shares = [sum(values) / len(values) for values in right.values()]
    return {"balanced": sum(shares) / len(shares)}


DOMAIN = Domain(
    name="fever",
    policy="Read the temperature, then answer 'FEVER: yes' or 'FEVER: no'.",
    tasks={"train": _tasks("train", 5), "test": _tasks("test", 8)},
    rubric=Rubric(
        {"accuracy": exact_answer, "process": call_f1},
        {"accuracy": 1.0, "process": 0.5},
        range=(-1.0, 1.0),
    ),
    tools=(read_temperature, note),
    read_answer=_read_fever,
    metrics=_metrics,
    aggregate=_balanced,
    max_turns=4,
)

ID = "evaluation/Fever-v0"
gym.register(id=ID, entry_point="gym_clinic.env:ClinicEnv", kwargs={"domain": "eval_domain:DOMAIN"})


class Nurse:
    """Reads by the route on the ticket, then judges by the number it was told."""

    def act(self, observation: str, info: dict[str, Any]) -> str:
        if "task_id" in info:
            route = "oral" if "was oral" in observation else "rectal"
            call = f'{{"name": "read_temperature", "arguments": {{"route": "{route}"}}}}'
            return f"<tool_call>{call}</tool_call>"
        celsius = float(observation.split("\n")[1].split()[0])
        return "FEVER: yes" if celsius >= 38 else "FEVER: no"


class Guesser:
    """Notes a random number, then guesses; counts what it wrote."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.usage = {"completion_tokens": 0}

    def act(self, observation: str, info: dict[str, Any]) -> str:
        self.usage["completion_tokens"] += 3
        if "task_id" in info:
            text = f"{self.draw.random()} 38.4 °C\u2028β 😀"
            return f'<tool_call>{{"name": "note", "arguments": {{"text": "{text}"}}}}</tool_call>'
        return self.draw.choice(["FEVER: yes", "FEVER: no"])


class Scribbler:
    """Writes what no file can hold as it is, into texts and into what it was handed."""

    def act(self, observation: str, info: dict[str, Any]) -> str:
        for message in info["messages"]:
            message["content"] = "forged"
        if "task_id" in info:
            deep = "[" * 100 + "]" * 100
            call = f'{{"name": "note", "arguments": {{"text": {deep}}}}}'
            return f"lone \ud800 line\u2028 and\x85 <tool_call>{call}</tool_call>"
        return "FEVER: no"


class Flaky(Nurse):
    """A nurse whose line is dead while a file is missing; on some episodes only."""

    def __init__(self, seed: int, path: str, every: int = 3) -> None:
        self.broken = seed % every == 0 and not Path(path).exists()

    def act(self, observation: str, info: dict[str, Any]) -> str:
        if self.broken and "task_id" not in info:
            raise ServiceError("the line is dead")
        return super().act(observation, info)


class Clumsy(Nurse):
    """Divides by zero in one episode in four."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def act(self, observation: str, info: dict[str, Any]) -> str:
        if self.seed % 4 == 0:
            raise ZeroDivisionError("no readings to average")
        return super().act(observation, info)


_left = [0]
_counting = threading.Lock()


class Mortal(Guesser):
    """A guesser that kills its process after a number of episodes, without a word."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        with _counting:
            _left[0] += 1
            if _left[0] > int(os.environ.get("EVAL_DOMAIN_LIVES", "1000000")):
                os.kill(os.getpid(), signal.SIGKILL)


class Impatient(Nurse):
    """Presses Ctrl-C in the fifth episode."""

    def __init__(self) -> None:
        with _counting:
            _left[0] += 1
            if _left[0] == 5:
                signal.raise_signal(signal.SIGINT)
