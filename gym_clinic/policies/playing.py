"""The protocol of a policy, and one episode played from beginning to end."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Episode, Task
from gym_clinic.errors import ConfigError
from gym_clinic.taskset import TaskList


class Policy(Protocol):
    """An agent for one episode."""

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next action.

        Args:
            observation: What ``reset`` or the last ``step`` returned.
            info: Its info; the one of ``reset`` holds ``task_id``, ``tools`` and ``messages``.
        """


Maker = Callable[[int], Policy]
"""Makes the policy of one episode from that episode's seed."""


@dataclass(frozen=True)
class Outcome:
    """The result of an episode.

    Attributes:
        reward: Sum of the rewards of its steps.
        info: The info of its last step.
        episode: The episode itself.
    """

    reward: float
    info: dict[str, Any]
    episode: Episode


def next_action(policy: Policy, observation: str, info: dict[str, Any]) -> str:
    """Return a policy's next action.

    Raises:
        ConfigError: If it is not text.
    """
    action = policy.act(observation, info)
    if not isinstance(action, str):
        kind = type(action).__name__
        raise ConfigError(f"the policy's act returned {kind}; an action is text")
    return action


def play(env: ClinicEnv, task: Task, policy: Policy, seed: int = 0) -> Outcome:
    """Play one task of any split to its end; the environment's own episode stays as it is.

    Args:
        env: Its domain, dialect, rubric, weights and limits are used.
        task: The task.
        policy: The policy that acts.
        seed: Seed of the environment.
    """
    stage = copy.copy(env)
    stage.tasks = TaskList([task])
    observation, info = stage.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        action = next_action(policy, observation, info)
        observation, reward, terminated, truncated, info = stage.step(action)
        total += float(reward)
        over = terminated or truncated
    return Outcome(total, info, stage.episode)
