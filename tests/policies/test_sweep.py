"""The sweep reads what the menu and usual solutions read, and answers as it has learned."""

from __future__ import annotations

import sys
from statistics import fmean

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv
from gym_clinic.catalog import unwrap
from gym_clinic.errors import ConfigError
from gym_clinic.policies import load, play
from gym_clinic.policies.fitted.sweep import sweep
from gym_clinic.taskset import first
from gym_clinic.toolbox import Kind

TASKS, CALLS = 24, 12


@pytest.fixture(scope="module")
def env() -> ClinicEnv:
    return unwrap(gym.make("clinic/TriageEmergency-v0", split="train"))


def test_it_reads_orders_and_answers_by_what_it_has_learned(env: ClinicEnv) -> None:
    pytest.importorskip("sklearn")
    tasks, maker = first(env.tasks, TASKS), sweep(env, tasks=TASKS, calls=CALLS)
    played = [play(env, task, maker(seed), seed) for seed, task in enumerate(tasks)]
    constant = load("answer-without-looking", env, {"tasks": 2})
    least = [play(env, task, constant(seed), seed) for seed, task in enumerate(tasks)]
    # It has seen these very patients.
    assert fmean(one.info["metrics"]["accuracy"] for one in played) > 0.8
    assert fmean(one.reward for one in played) > fmean(one.reward for one in least)
    kinds = {tool.name: tool.kind for tool in env.domain.tools}
    assert env.domain.menu is not None
    for task, one in zip(tasks, played, strict=True):
        made = [(call.name, dict(call.arguments)) for call in one.episode.calls]
        assert all((name, dict(given)) in made for name, given in env.domain.menu(task).calls)
    orders = [call.name for one in played for call in one.episode.calls]
    assert any(kinds[name] is Kind.WRITE for name in orders)
    answered = [kinds[one.episode.calls[-1].name] is Kind.SUBMIT for one in played]
    assert fmean(answered) > 0.8  # a patient may leave, or die, before


def test_a_recipe_orders_nothing_before_it_has_concluded(env: ClinicEnv) -> None:
    pytest.importorskip("sklearn")
    tasks, maker = first(env.tasks, TASKS), sweep(env, tasks=TASKS, calls=CALLS, recipe=True)
    played = [play(env, task, maker(seed), seed) for seed, task in enumerate(tasks)]
    kinds = {tool.name: tool.kind for tool in env.domain.tools}
    early = [kinds[call.name] for one in played for call in one.episode.turns[0].calls]
    assert Kind.WRITE not in early
    assert any(len(one.episode.turns) > 2 for one in played)
    assert fmean(one.info["metrics"]["accuracy"] for one in played) > 0.6


def test_without_scikit_learn_it_says_what_to_install(
    env: ClinicEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ConfigError, match=r"gym_clinic\[adversaries\]"):
        sweep(env, tasks=2)
