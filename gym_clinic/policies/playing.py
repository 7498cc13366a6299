"""One episode, played to its end: what every rehearsal, check and benchmark does."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Episode, Task
from gym_clinic.policies import Policy, ask


@dataclass(frozen=True)
class Outcome:
    """How an episode went.

    Attributes:
        reward: Sum of its rewards.
        info: The info of its last step.
        episode: All that happened.
    """

    reward: float
    info: dict[str, Any]
    episode: Episode


def play(env: ClinicEnv, task: Task, policy: Policy, seed: int = 0) -> Outcome:
    """Play one task of any split to its end, without touching the environment's own episode.

    Args:
        env: Its domain, dialect, rubric, weights and limits are played with.
        task: The task.
        policy: Who plays.
        seed: Seed of the environment.
    """
    stage = copy.copy(env)
    stage.tasks = (task,)
    observation, info = stage.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        action = ask(policy, observation, info)
        observation, reward, terminated, truncated, info = stage.step(action)
        total += float(reward)
        over = terminated or truncated
    return Outcome(total, info, stage.episode)
