"""What training by outcomes asks for: the domain's ``correct``, its success by default."""

from __future__ import annotations

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv, Domain, Episode
from gym_clinic.policies import Playbook, load, play, scripted


def ended(name: str, most: int | None) -> tuple[Domain, Episode]:
    """Return an episode that ended with the right class and at most so many calls."""
    env = gym.make(name, split="dev").unwrapped
    assert isinstance(env, ClinicEnv)
    task = next(task for task in env.tasks if len(task.gold["evidence"]) > 2)
    *before, answer = env.domain.solve(task)
    calls = [call for move in before if not isinstance(move, str) for call in move]
    return env.domain, play(env, task, scripted(Playbook(env).plan(calls[:most], answer))).episode


@pytest.mark.parametrize("name", ["clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"])
def test_the_right_class_is_correct_before_it_is_a_success(name: str) -> None:
    for most, solved in ((None, True), (1, False)):
        domain, episode = ended(name, most)
        assert domain.is_correct(episode)
        assert domain.success(episode) is solved


def test_correct_is_success_where_a_domain_says_nothing_else() -> None:
    env = gym.make("clinic/DrugInteraction-v0", split="dev").unwrapped
    assert isinstance(env, ClinicEnv)
    assert env.domain.correct is None
    for policy in ("oracle", "silent"):
        episode = play(env, env.tasks[0], load(policy, env)(0)).episode
        assert env.domain.is_correct(episode) is (policy == "oracle")
