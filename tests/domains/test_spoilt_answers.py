"""Right answers of the clinical domains, spoilt: they are refused or judged, never an exception."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from random import Random
from typing import Any

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv
from gym_clinic.catalog import unwrap
from gym_clinic.frozen import thaw
from gym_clinic.registration import IDS
from gym_clinic.taskset import first

CLINICAL = ("clinical_diagnosis", "triage_emergency", "drug_interaction")
SPOILT = 25
"""Spoilt answers to each task."""

ODD: tuple[Any, ...] = (
    "", "\x00", "\ud800", "NaN", "٣", "warfarin+aspirin", "drug:aspirin@iv", "told:HP:9999999",
    "allergy:class:", "lab:", ":", "fever " * 5000, None, True, 0, -1, 10**400, 1e308, -1e308,
    1e-320, math.nan, math.inf, [], {}, [[]], [None], {"a": {"b": []}},
)  # fmt: skip
"""What no answer holds."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything that a value holds."""
    within = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in within:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


def spoilt(answer: dict[str, Any], draw: Random) -> dict[str, Any]:
    """An answer with one or two of its parts replaced."""
    found: dict[str, Any] = json.loads(json.dumps(answer))
    for _ in range(draw.randint(1, 2)):
        *above, last = draw.choice(list(places(found)))
        inner: Any = found
        for key in above:
            inner = inner[key]
        inner[last] = draw.choice(ODD)
    return found


def before_the_answer(env: ClinicEnv) -> tuple[str, dict[str, Any]]:
    """Play the reference plan of a task; the call that is left."""
    task = first(env.tasks, 1)[0]
    env.reset(options={"task_id": task.id})
    *moves, answer = env.domain.solve(task)
    for move in moves:
        assert not isinstance(move, str)
        env.step_calls([{"name": name, "arguments": thaw(given)} for name, given in move])
    assert not isinstance(answer, str)
    name, arguments = answer[-1]
    return name, json.loads(json.dumps(thaw(arguments)))


@pytest.mark.parametrize("name", CLINICAL)
def test_a_spoilt_answer_is_refused_or_judged(name: str) -> None:
    made = next(one for one, kwargs in IDS.items() if kwargs["domain"] == name)
    env = unwrap(gym.make(made, split="dev"))
    tool, answer = before_the_answer(env)
    draw = Random(name)
    for _ in range(SPOILT):
        call = {"name": tool, "arguments": spoilt(answer, draw)}
        observation, reward, done, _, info = env.fork().step_calls([call])
        observation.encode()
        assert 0 <= reward <= 1
        if done:
            assert all(map(math.isfinite, (*info["rewards"].values(), *info["metrics"].values())))
