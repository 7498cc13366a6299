"""Clients that execute call by call lose nothing: the oracle earns full marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gym_clinic.catalog import ids, make, unwrap
from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Task
from gym_clinic.taskset import first

pytestmark = pytest.mark.population

MOST = 75
"""Tasks of a split at most; `gym-clinic tasks validate` has the oracle play every task."""


@pytest.mark.parametrize("limits", [{}, {"max_calls": 400}], ids=["same message", "calls"])
@pytest.mark.parametrize("name", [name for name in ids() if name.startswith("clinic/")])
def test_the_oracle_earns_full_marks(
    name: str, limits: dict[str, int], some: Any, request: pytest.FixtureRequest
) -> None:
    splits = unwrap(make(name)).domain.tasks
    for split in splits:
        env = unwrap(make(name, split=split, **limits))
        tasks = some(first(env.tasks, 12 if env.tasks.endless else None))
        tasks = tasks if request.config.getoption("--whole") else tasks[::3]
        _play(env, tasks[:: -(-len(tasks) // MOST)], not limits)


def _play(env: ClinicEnv, tasks: Sequence[Task], one_message: bool) -> None:
    for task in tasks:
        env.reset(options={"task_id": task.id})
        reward = 0.0
        for move in env.domain.solve(task):
            if isinstance(move, str):
                reward += env.step(move)[1]
                continue
            for number, (tool, arguments) in enumerate(move):
                call = {"id": f"c{number}", "name": tool, "arguments": dict(arguments)}
                same = one_message and number > 0
                reward += env.step_calls([call], same_message=same)[1]
        walked = env.domain.paid_turns is not None  # a walk ends at its last layer
        assert env.episode.stop == ("last layer" if walked else "answered"), task.id
        assert reward == env.reward_range[1], task.id
