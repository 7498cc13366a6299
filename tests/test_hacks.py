"""No cheap trick is worth playing: every adversary, on a sample of the test split or all of it.

The trained ones, which take long to fit, play with ``--whole`` only. The clinical domains have
their own tests, in tests/domains/test_clinical.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Any

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv, Task
from gym_clinic.policies import TRAINED, adversaries_of, load, play
from gym_clinic.policies.moves import Playbook, scripted
from gym_clinic.rewards import scale
from gym_clinic.taskset import first

CLINGEN = ("clinic/ClinGen-v0", "clinic/ClinGenSingle-v0")
AHEAD, MOST = 0.1, 0.85
"""How far the rules lie above every adversary on the balanced mean, and the most they may earn."""

pytestmark = pytest.mark.population

Some = Callable[[Sequence[Task]], Sequence[Task]]


def make(name: str, **options: Any) -> ClinicEnv:
    env = gym.make(name, **options).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def rewards_of(env: ClinicEnv, maker: Any, tasks: Sequence[Task]) -> Iterator[float]:
    """What a policy earns on each task; task n is played with seed n."""
    return (play(env, task, maker(seed), seed).reward for seed, task in enumerate(tasks))


def means(env: ClinicEnv, maker: Any, tasks: Sequence[Task]) -> tuple[float, float]:
    """The scaled mean over the tasks, and over the means of the classes."""
    earned = [scale(reward, env.reward_range) for reward in rewards_of(env, maker, tasks)]
    by_class: dict[str, list[float]] = defaultdict(list)
    for task, reward in zip(tasks, earned, strict=True):
        by_class[env.domain.classes(task) if env.domain.classes else ""].append(reward)
    return fmean(earned), fmean(map(fmean, by_class.values()))


@pytest.mark.parametrize("name", CLINGEN)
def test_the_oracle_earns_the_maximum(name: str) -> None:
    # Here on few tasks of test; `gym-clinic tasks validate` plays it on every task.
    env = make(name, split="test")
    earned = rewards_of(env, load("oracle", env), first(env.tasks)[::15])
    assert set(earned) == {env.reward_range[1]}


@pytest.mark.parametrize("name", CLINGEN)
def test_every_adversary_earns_little(
    name: str, some: Some, request: pytest.FixtureRequest
) -> None:
    env = make(name, split="test")
    tasks = some(first(env.tasks))
    whole = bool(request.config.getoption("--whole"))
    players = [who for who in adversaries_of(name) if whole or who not in TRAINED]
    fewer = {} if whole else {"prior": {"tasks": 24}}
    earned = {who: means(env, load(who, env, fewer.get(who, {})), tasks) for who in players}
    assert {who: both for who, both in earned.items() if max(both) >= 0.5} == {}
    rules, balanced = means(env, load("rules", env), tasks)
    assert rules <= MOST
    assert means(env, load("random", env), tasks)[0] < rules
    # A sample of 24 tasks is too small for the whole distance.
    needed = AHEAD if whole else 0.0
    assert {who: both for who, both in earned.items() if both[0] > rules} == {}
    assert {who: both for who, both in earned.items() if both[1] > balanced - needed} == {}


@pytest.mark.parametrize("name", CLINGEN)
def test_outcome_alone_rewards_a_constant(name: str) -> None:
    # Why the default is the hybrid: published classes are mostly Definitive.
    env = make(name, split="test", reward="outcome")
    assert env.domain.menu is not None
    menu = env.domain.menu
    answers = menu(env.tasks[0]).answers
    move = next(move for label, move in answers.items() if label.startswith("Definitive"))
    tasks = first(env.tasks)
    # The single agent's class counts once it has opened an article.
    book = Playbook(env)
    plans = [book.plan(menu(task).calls[:1] if "Single" in name else [], move) for task in tasks]
    mean, _ = means(env, lambda seed: scripted(plans[seed]), tasks)
    assert mean == pytest.approx(0.765, abs=0.02)


def test_the_right_class_without_its_evidence_is_worth_half_of_the_scale() -> None:
    env = make(CLINGEN[0], split="test")
    tasks = first(env.tasks)
    answers = [f"CLASSIFICATION: {task.gold['classification']}" for task in tasks]
    assert set(rewards_of(env, lambda number: scripted([answers[number]]), tasks)) == {0.0}
