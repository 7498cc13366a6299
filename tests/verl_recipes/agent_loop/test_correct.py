"""What training by outcomes asks for: the domain's ``correct``, its success by default."""

from __future__ import annotations

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv
from gym_clinic.policies import Playbook, load, play, scripted


def ended(name: str, most: int | None) -> ClinicEnv:
    """Return an environment whose task ended with the right class and at most so many calls."""
    env = gym.make(name, split="dev").unwrapped
    assert isinstance(env, ClinicEnv)
    task = next(task for task in env.tasks if len(task.gold["evidence"]) > 2)
    *before, answer = env.domain.solve(task)
    calls = [call for move in before if not isinstance(move, str) for call in move]
    play(env, task, scripted(Playbook(env).plan(calls[:most], answer)))
    return env


@pytest.mark.parametrize("name", ["clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"])
def test_the_right_class_is_correct_before_it_is_a_success(name: str) -> None:
    for most, solved in ((None, True), (1, False)):
        env = ended(name, most)
        assert env.domain.is_correct(env.episode)
        assert env.domain.success(env.episode) is solved


def test_correct_is_success_where_a_domain_says_nothing_else() -> None:
    env = gym.make("clinic/DrugInteraction-v0", split="dev").unwrapped
    assert isinstance(env, ClinicEnv)
    assert env.domain.correct is None
    for policy in ("oracle", "silent"):
        play(env, env.tasks[0], load(policy, env)(0))
        assert env.domain.is_correct(env.episode) is (policy == "oracle")
