"""The protocol of a policy, and one episode played from beginning to end."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import gymnasium as gym

from gym_clinic.catalog import unwrap
from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Episode, Task
from gym_clinic.errors import ConfigError
from gym_clinic.taskset import TaskList

Action = str | list[dict[str, Any]]
"""Text, or structured calls."""


class Policy(Protocol):
    """An agent for one episode."""

    def act(self, observation: str, info: dict[str, Any]) -> Action:
        """Return the next action.

        Args:
            observation: The observation of ``reset`` or the last ``step``.
            info: Its info; the one of ``reset`` holds ``task_id``, ``tools`` and ``messages``.

        Returns:
            Text for ``env.step``, or calls ``{"id", "name", "arguments"}`` for
            ``env.step_calls``.
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


def next_action(policy: Policy, observation: str, info: dict[str, Any]) -> Action:
    """Return a policy's next action.

    Raises:
        ConfigError: If it is neither text nor a list of calls.
    """
    action = policy.act(observation, info)
    if isinstance(action, str):
        return action
    if isinstance(action, list) and action and all(isinstance(one, dict) for one in action):
        return action
    kind = type(action).__name__
    raise ConfigError(
        f"the policy's act returned {kind}; an action is text or a non-empty list of calls, "
        '{"id", "name", "arguments"}'
    )


def take(env: gym.Env[str, str], action: Action) -> tuple[str, float, bool, bool, dict[str, Any]]:
    """Take an action in an environment: text by ``step``, calls by ``step_calls``.

    Args:
        env: The environment, wrapped or not; calls bypass wrappers.
        action: The action.
    """
    if isinstance(action, str):
        observation, reward, terminated, truncated, info = env.step(action)
        return observation, float(reward), terminated, truncated, info
    return unwrap(env).step_calls(action)


def play(env: ClinicEnv, task: Task, policy: Policy, seed: int = 0) -> Outcome:
    """Play one task of any split to its end; the environment's own episode is not changed.

    Args:
        env: The environment, whose domain, dialect, rubric, weights and limits are used.
        task: The task.
        policy: The policy that acts.
        seed: Seed of the environment.
    """
    stage = copy.copy(env)
    stage.tasks = TaskList((task,))
    observation, info = stage.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        action = next_action(policy, observation, info)
        observation, reward, terminated, truncated, info = take(stage, action)
        total += reward
        over = terminated or truncated
    return Outcome(total, info, stage.episode)
