"""No cheap trick is worth playing: every adversary against every task of the test split."""

from __future__ import annotations

from functools import cache

import gymnasium as gym
import pytest

from gym_clinic.domain import Menu
from gym_clinic.policies import ADVERSARIES, load
from gym_clinic.policies.moves import scripted
from gym_clinic.policies.playing import play
from gym_clinic.rewards import scale

IDS = ("clinic/ClinGen-v0", "clinic/ClinGenSingle-v0")


pytestmark = pytest.mark.population


def rewards_of(env, maker):
    """What a policy earns on each task of the split; task n is played with seed n."""
    return [play(env, task, maker(seed), seed).reward for seed, task in enumerate(env.tasks)]


@cache
def scaled_mean(name: str, policy: str) -> float:
    env = gym.make(name, split="test").unwrapped
    earned = rewards_of(env, load(policy, env))
    return sum(scale(reward, env.reward_range) for reward in earned) / len(earned)


@pytest.mark.parametrize("split", ["train", "dev", "test"])
@pytest.mark.parametrize("name", IDS)
def test_the_oracle_earns_the_maximum_on_every_task(name, split):
    env = gym.make(name, split=split).unwrapped
    assert set(rewards_of(env, load("oracle", env))) == {env.reward_range[1]}


@pytest.mark.parametrize("policy", ADVERSARIES)
@pytest.mark.parametrize("name", IDS)
def test_no_adversary_is_worth_playing(name, policy):
    assert scaled_mean(name, policy) < 0.5
    assert scaled_mean(name, policy) < scaled_mean(name, "rules")


@pytest.mark.parametrize("name", IDS)
def test_rules_are_no_solution(name):
    assert 0.5 < scaled_mean(name, "rules") < 0.85
    assert scaled_mean(name, "random") < scaled_mean(name, "rules")


@pytest.mark.parametrize("name", IDS)
def test_outcome_alone_rewards_a_constant(name):
    # Why the default is the hybrid: published classes are mostly Definitive.
    env = gym.make(name, split="test", reward="outcome").unwrapped
    menu: Menu = env.domain.menu(env.tasks[0])
    move = next(move for label, move in menu.answers.items() if label.startswith("Definitive"))
    earned = rewards_of(env, lambda seed: scripted([move]))
    scaled = [scale(reward, env.reward_range) for reward in earned]
    assert sum(scaled) / len(scaled) == pytest.approx(0.79, abs=0.02)


def test_the_right_class_without_its_evidence_is_worth_half_of_the_scale():
    env = gym.make(IDS[0], split="test").unwrapped
    answers = [f"CLASSIFICATION: {task.gold['classification']}" for task in env.tasks]
    assert set(rewards_of(env, lambda number: scripted([answers[number]]))) == {0.0}
