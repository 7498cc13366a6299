"""Open and finished episodes of every id travel to another process, and score the same there."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium as gym
import pytest
import toy_domains

from gym_clinic.env import ClinicEnv
from gym_clinic.policies import load
from gym_clinic.policies.playing import take

IDS = [*sorted(name for name in gym.registry if name.startswith("clinic/")), *toy_domains.IDS]


def begun(name: str, policy: str, steps: int | None) -> ClinicEnv:
    """Return an environment after some steps of a policy; None plays to the end."""
    env = gym.make(name, split="test").unwrapped
    assert isinstance(env, ClinicEnv)
    observation, info = env.reset(options={"task_id": env.tasks[0].id})
    player = load(policy, env)(3)
    while env.episode.stop is None and (steps is None or len(env.episode.turns) < steps):
        observation, *_, info = take(env, player.act(observation, info))
    return env


def travelled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("policy", ["oracle", "random"])
@pytest.mark.parametrize("steps", [0, 1, None])
def test_episodes_travel_and_score_the_same(name: str, policy: str, steps: int | None) -> None:
    env = begun(name, policy, steps)
    score, success = env.rubric.score(env.episode), env.domain.success(env.episode)
    metrics = env.domain.metrics(env.episode)
    for again in (travelled(env.episode), travelled(env).episode):
        assert len(again.turns) == len(env.episode.turns)
        assert [turn.observation for turn in again.turns] == [
            turn.observation for turn in env.episode.turns
        ]
        assert env.rubric.score(again) == score
        assert env.domain.success(again) == success
        assert env.domain.metrics(again) == metrics


@pytest.mark.parametrize("name", IDS)
def test_an_open_environment_goes_on_the_same_elsewhere(name: str) -> None:
    env = begun(name, "oracle", 1)
    env.rubric.score(env.episode)  # what a judge keeps does not travel
    other = travelled(env)
    if env.episode.stop is not None:
        with pytest.raises(gym.error.ResetNeeded):
            other.step("hello")
    else:
        assert env.step("hello") == other.step("hello")
    if env.episode.stop is None:
        assert env.truncate("enough") == other.truncate("enough")
