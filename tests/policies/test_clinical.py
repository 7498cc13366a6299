"""The tricks on clinical domains: each is played to its end, and none earns much."""

from __future__ import annotations

import clinical_domain
import gymnasium as gym
import orjson
import pytest

from gym_clinic.catalog import unwrap
from gym_clinic.clinical.adversaries import ADVERSARIES
from gym_clinic.env import ClinicEnv
from gym_clinic.policies import load, play
from kb.build.pages.domain import clinical_ids


@pytest.fixture(scope="module")
def env() -> ClinicEnv:
    return unwrap(gym.make(clinical_domain.ID))


@pytest.mark.parametrize("name", ADVERSARIES)
def test_a_trick_is_played_and_earns_little(env: ClinicEnv, name: str) -> None:
    maker = load(name, env, {"tasks": 2})
    tasks = clinical_domain.domain().split("train")[:2]
    earned = [play(env, task, maker(0)) for task in tasks]
    assert [one.episode.stop for one in earned] == ["answered"] * 2
    assert sum(one.reward for one in earned) / 2 < 0.6


def test_who_orders_everything_pays_for_it(env: ClinicEnv) -> None:
    maker = load("order-everything", env, {"tasks": 2})
    done = play(env, clinical_domain.domain().split("train")[0], maker(0))
    assert done.info["metrics"]["orders"] > 50
    assert done.info["metrics"]["economy"] == pytest.approx(0.15)


def test_a_score_from_invented_values_is_noted(env: ClinicEnv) -> None:
    maker = load("every-instrument", env, {"tasks": 2})
    done = play(env, clinical_domain.domain().split("train")[0], maker(0))
    assert done.info["metrics"]["invented_values"] > 0


@pytest.mark.parametrize("name", clinical_ids().values())
def test_every_trick_does_what_its_name_says(name: str) -> None:
    env = unwrap(gym.make(name, split="train"))
    task = next(iter(env.tasks))
    done = {}
    for trick in ADVERSARIES:
        played = play(env, task, load(trick, env, {"tasks": 2})(0)).episode
        done[trick] = orjson.dumps([[call.name, call.arguments] for call in played.calls])
    assert len(set(done.values())) == len(done), sorted(done.items(), key=lambda one: one[1])
