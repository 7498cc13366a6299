"""No cheap trick is worth playing: every adversary against every task of the test split."""

from __future__ import annotations

from functools import cache

import gymnasium as gym
import pytest

from gym_clinic.domain import Menu
from gym_clinic.policies import ADVERSARIES, load
from gym_clinic.rewards import scale

IDS = ("clinic/ClinGen-v0", "clinic/ClinGenSingle-v0")


class Constant:
    """Plays one move, whatever is said."""

    def __init__(self, text: str) -> None:
        self.text = text

    def act(self, observation, info):
        return self.text


def rewards_of(env, make, split_tasks):
    earned = []
    for seed, task in enumerate(split_tasks):
        observation, info = env.reset(seed=seed, options={"task_id": task.id})
        policy, total, over = make(seed, task), 0.0, False
        while not over:
            observation, reward, done, cut, info = env.step(policy.act(observation, info))
            total += reward
            over = done or cut
        earned.append(total)
    return earned


@cache
def scaled_mean(name: str, policy: str) -> float:
    env = gym.make(name, split="test")
    maker = load(policy, env.unwrapped)
    earned = rewards_of(env, lambda seed, task: maker(seed), env.unwrapped.tasks)
    return sum(scale(reward, env.unwrapped.reward_range) for reward in earned) / len(earned)


@pytest.mark.parametrize("split", ["train", "dev", "test"])
@pytest.mark.parametrize("name", IDS)
def test_the_oracle_earns_the_maximum_on_every_task(name, split):
    env = gym.make(name, split=split)
    maker = load("oracle", env.unwrapped)
    earned = rewards_of(env, lambda seed, task: maker(seed), env.unwrapped.tasks)
    assert set(earned) == {env.unwrapped.reward_range[1]}


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
    env = gym.make(name, split="test", reward="outcome")
    menu: Menu = env.unwrapped.domain.menu(env.unwrapped.tasks[0])
    move = next(move for label, move in menu.answers.items() if label.startswith("Definitive"))
    earned = rewards_of(env, lambda seed, task: Constant(move), env.unwrapped.tasks)
    scaled = [scale(reward, env.unwrapped.reward_range) for reward in earned]
    assert sum(scaled) / len(scaled) == pytest.approx(0.79, abs=0.02)


def test_the_right_class_without_its_evidence_is_worth_half_of_the_scale():
    env = gym.make(IDS[0], split="test")
    tasks = env.unwrapped.tasks
    label = "CLASSIFICATION: {}"
    earned = rewards_of(
        env, lambda seed, task: Constant(label.format(task.gold["classification"])), tasks
    )
    assert set(earned) == {0.0}
