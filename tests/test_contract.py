"""What every registered id holds, and two small domains of a third party with them."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium as gym
import pytest
import toy_domains
from gymnasium.envs.registration import EnvSpec
from gymnasium.wrappers import OrderEnforcing, RecordEpisodeStatistics, TimeLimit

from gym_clinic.clinical.adversaries import ADVERSARIES as TRICKS
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.policies import TRAINED, adversaries_of, load
from gym_clinic.policies.playing import Outcome, play
from gym_clinic.spaces import ClinicalText
from gym_clinic.testing import check_domain
from gym_clinic.testing.checks import END, hostile

CLINIC = sorted(name for name in gym.registry if name.startswith("clinic/"))
IDS = [*CLINIC, *toy_domains.IDS]
# The sub-agents of the paper's training setting give back the curated annotation (eq. 3).
RECORDED = {"clinic/ClinGen-v0": ("evidence", "genetic")}
each_id = pytest.mark.parametrize("name", IDS)


def make(name: str, **options: Any) -> ClinicEnv:
    env = gym.make(name, **options).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def solve(env: gym.Env[str, str]) -> tuple[Outcome, list[str]]:
    """Play the oracle on the first task; return its actions too, to be replayed elsewhere."""
    clinic = env.unwrapped
    assert isinstance(clinic, ClinicEnv)
    outcome = play(clinic, clinic.tasks[0], load("oracle", clinic)(0))
    return outcome, [turn.action for turn in outcome.episode.turns]


def added_keys(env: ClinicEnv) -> set[str]:
    """What the domain adds to info."""
    _, info = env.reset(seed=0)
    known = {"task_id", "tools", "messages", "prompt", "max_turns", "max_calls", "stop_strings"}
    return set() if env.domain.info is None else set(info) - known - {"inline", "images"}


def test_ids_are_registered() -> None:
    assert {"clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"} <= set(CLINIC)


@each_id
def test_conforms(name: str) -> None:
    # `gym-clinic tasks validate` has the oracle play every task.
    recorded = RECORDED.get(name, ())
    check_domain(name, subprocess=True, recorded=recorded, adversaries=[], sample=2)


@pytest.mark.slow
@each_id
def test_tricks_earn_less_than_the_oracle(name: str) -> None:
    tricks = [trick for trick in adversaries_of(name) if trick not in (*TRAINED, "prior")]
    if TRICKS.keys() & set(tricks):
        pytest.skip("tests/domains/test_clinical.py plays the tricks of the clinical domains")
    check_domain(name, recorded=RECORDED.get(name, ()), adversaries=tricks, sample=8)


@each_id
@pytest.mark.parametrize("observation", ["new", "transcript"])
def test_observations_lie_in_their_space(name: str, observation: str) -> None:
    env = make(name, observation=observation)
    text, info = env.reset(seed=0)
    assert env.observation_space.contains(text)
    needed = {"task_id", "tools", "messages", "prompt", "max_turns", *added_keys(env)}
    assert needed <= info.keys() <= needed | {"max_calls", "stop_strings", "inline", "images"}
    for message in [*info["messages"], *info["prompt"]]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        assert all(part["text"] in text for part in parts if part["type"] == "text")
    for tool in info["tools"]:
        assert tool["function"]["description"].splitlines()[0] in text
    new, *_ = env.step("hello")
    assert env.observation_space.contains(new)
    assert new.startswith(text) is (observation == "transcript")


@each_id
def test_spec_round_trips_as_json(name: str) -> None:
    env = gym.make(name, split="test", max_turns=5)
    assert env.spec is not None
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.spec is not None
    assert again.spec.kwargs == env.spec.kwargs
    assert again.reset(seed=8) == env.reset(seed=8)


@each_id
def test_wrappers_behave(name: str) -> None:
    env = RecordEpisodeStatistics(gym.make(name))
    outcome, actions = solve(env)
    env.reset(options={"task_id": outcome.episode.task.id})
    *_, (*_, terminated, _, info) = map(env.step, actions)
    assert terminated
    assert info["episode"]["r"] == pytest.approx(outcome.reward)
    assert info.keys() == END | {"episode"} | added_keys(make(name))

    limited = TimeLimit(make(name), max_episode_steps=1)
    limited.reset(seed=0)
    *_, terminated, truncated, info = limited.step("hello")
    assert (terminated, truncated) == (False, True)

    ordered = OrderEnforcing(make(name))
    with pytest.raises(gym.error.ResetNeeded):
        ordered.step("hello")
    bare = make(name)
    with pytest.raises(gym.error.ResetNeeded):
        bare.step("hello")


@each_id
def test_vector_envs(name: str) -> None:
    expected = [make(name).reset(seed=seed)[0] for seed in (4, 5)]
    makers = [functools.partial(gym.make, gym.spec(name)) for _ in range(2)]
    synchronous = gym.vector.SyncVectorEnv(makers)
    observations, infos = synchronous.reset(seed=4)
    assert list(observations) == expected
    assert len(infos["task_id"]) == 2
    sync = [list(synchronous.step(["hello", "<tool_call>"])[0]) for _ in range(2)]
    asynchronous = gym.vector.AsyncVectorEnv(makers, shared_memory=False)
    try:
        observations, infos = asynchronous.reset(seed=4)
        assert list(observations) == expected
        assert [list(asynchronous.step(["hello", "<tool_call>"])[0]) for _ in range(2)] == sync
    finally:
        asynchronous.close()


@each_id
def test_shared_memory_fails_loudly(name: str) -> None:
    maker = functools.partial(gym.make, gym.spec(name))
    with pytest.raises(ValueError, match="shared_memory"):
        gym.vector.AsyncVectorEnv([maker], shared_memory=True)


@each_id
def test_seed_and_task_id_pick_the_task(name: str) -> None:
    env = make(name, split="test")
    picked = [env.reset(seed=seed)[1]["task_id"] for seed in range(30)]
    assert picked == [env.reset(seed=seed)[1]["task_id"] for seed in range(30)]
    assert len(set(picked)) > 3
    # without a new seed the stream goes on, and does so again from the same seed
    streams = []
    for _ in range(2):
        env.reset(seed=1)
        streams.append([env.reset()[1]["task_id"] for _ in range(10)])
    assert streams[0] == streams[1]
    assert len(set(streams[0])) > 1
    for task in env.tasks[:3]:
        assert env.reset(options={"task_id": task.id})[1]["task_id"] == task.id


@each_id
@pytest.mark.filterwarnings("ignore:.*render_mode")  # gymnasium's own word on it
def test_wrong_options_are_named(name: str) -> None:
    env = make(name)
    with pytest.raises(ConfigError, match="'task_id', not"):
        env.reset(options={"taskid": "x"})
    wanted = env.tasks[0].id
    with pytest.raises(ConfigError, match=rf"did you mean '{wanted[:-1]}"):
        env.reset(options={"task_id": f"{wanted}?"})
    for wrong in (
        {"split": "tset"},
        {"dialect": "hermse"},
        {"observation": "all"},
        {"max_turns": 0},
        {"max_turns": -1},
        {"max_turns": "3"},
        {"text_budget": 0},
        {"weights": {"acuracy": 1}},
        {"render_mode": "human"},
        {"no_such_option": 1},
    ):
        with pytest.raises(ConfigError):
            make(name, **wrong)


@each_id
def test_hostile_actions_in_the_other_dialect(name: str) -> None:
    assert list(hostile(make(name, dialect="json"))) == []


@each_id
@pytest.mark.parametrize("size", [1_000_000, 2_000_000])
def test_enormous_actions_are_cut_short(name: str, size: int) -> None:
    env = make(name)
    env.reset(seed=0)
    observation, _, terminated, truncated, info = env.step("<tool_call>" * (size // 11))
    assert "expected at most" in observation
    assert (terminated, truncated, info["stop"]) == (False, True, "text_budget")
    assert len(observation) < 2_000


@each_id
def test_spaces(name: str) -> None:
    env = make(name)
    assert isinstance(env.action_space, ClinicalText)
    assert "β-blocker, 5 µg – 日本" in env.action_space
    low, high = env.reward_range
    assert low < high


@each_id
def test_steps_in_an_asyncio_loop(name: str) -> None:
    import asyncio

    env = make(name)
    outcome, actions = solve(env)

    async def episode() -> list[Any]:
        env.reset(options={"task_id": outcome.episode.task.id})
        return [await env.astep(action) for action in actions]

    *_, (_, reward, terminated, _, info) = asyncio.run(episode())
    assert (info["total"], terminated) == (pytest.approx(env.rubric.reward_range[1]), True)
    assert env.reward_range[0] <= reward <= env.reward_range[1]
    assert info == outcome.info


@each_id
def test_render(name: str) -> None:
    env = gym.make(name, render_mode="ansi")
    prompt, _ = env.reset(seed=0)
    env.step("first words")
    shown = env.render()
    assert isinstance(shown, str)
    assert shown.startswith(prompt)
    assert "first words" in shown
