from __future__ import annotations

import copy
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import pytest
import tiny_domain

from gym_clinic import Case, Episode, Task
from gym_clinic.calling import ACTION_LIMIT
from gym_clinic.env import ClinicEnv
from gym_clinic.policies import ADVERSARIES, POLICIES, load
from gym_clinic.policies.playing import Outcome, play
from gym_clinic.policies.reachable import reachable
from gym_clinic.policies.snoop import Snoop
from gym_clinic.rewards import Rubric, scale

TINY = ("tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE")
each_tiny = pytest.mark.parametrize("name", TINY)
each_dialect = pytest.mark.parametrize("dialect", ["hermes", "json"])

# Where the answer is all that counts and one answer is right most of the time, a constant pays.
LOPSIDED = replace(
    tiny_domain.TRIAGE,
    tasks={
        split: [task for task in tasks if "red" in task.gold["answer"]]
        for split, tasks in tiny_domain.TRIAGE.tasks.items()
    },
)


def episodes(env: ClinicEnv, policy: str, trials: int = 3) -> list[Outcome]:
    maker = load(policy, env)
    return [play(env, task, maker(seed), seed) for seed, task in enumerate([*env.tasks] * trials)]


def mean(env: ClinicEnv, policy: str) -> float:
    outcomes = episodes(env, policy)
    return sum(scale(one.reward, env.reward_range) for one in outcomes) / len(outcomes)


def test_every_adversary_is_a_policy() -> None:
    assert set(ADVERSARIES) <= set(POLICIES)


@pytest.mark.parametrize("policy", ADVERSARIES)
@each_tiny
@each_dialect
def test_no_adversary_earns_much(policy: str, name: str, dialect: str) -> None:
    env = ClinicEnv(name, dialect=dialect, split="test")
    assert mean(env, policy) <= 0.5 + 1e-9 < mean(env, "oracle")


@pytest.mark.parametrize("policy", ["every-tool", "repeater", "rambler", "forger", "snoop"])
def test_answers_are_the_constant_that_pays_best(policy: str) -> None:
    """A reward that only looks at a lopsided answer is seen through by every one of them."""
    env = ClinicEnv(f"{__name__}:LOPSIDED", split="test", weights={"accuracy": 1.0})
    assert mean(env, policy) == 1.0
    assert mean(env, "prior") == 1.0


def test_the_silent_adversary_writes_nothing() -> None:
    for outcome in episodes(ClinicEnv(TINY[0]), "silent", trials=1):
        assert [turn.action for turn in outcome.episode.turns] == [""] * 4


@each_dialect
def test_every_tool_is_called(dialect: str) -> None:
    for outcome in episodes(ClinicEnv(TINY[0], dialect=dialect), "every-tool", trials=1):
        called = [call.name for call in outcome.episode.calls]
        assert called == ["check_interaction", "read_allergies", "submit_grade"]
    for outcome in episodes(ClinicEnv(TINY[1], dialect=dialect), "every-tool", trials=1):
        signs = [call.arguments for call in outcome.episode.calls]
        assert signs == [{"sign": "pulse"}, {"sign": "spo2"}]
        assert outcome.episode.answer


@each_tiny
@each_dialect
def test_the_adversary_gives_every_option_at_once(name: str, dialect: str) -> None:
    words = ("major", "moderate", "none") if name == TINY[0] else ("red", "yellow", "green")
    outcomes = episodes(ClinicEnv(name, dialect=dialect), "every-option", trials=1)
    for turn in (turn for one in outcomes for turn in one.episode.turns):
        assert all(word in turn.action for word in words)
    orders = {one.episode.turns[0].action for one in outcomes}
    assert len(orders) == 1


def test_the_repeater_repeats_one_call() -> None:
    for outcome in episodes(ClinicEnv(TINY[0]), "repeater", trials=1):
        *repeated, last = outcome.episode.turns
        assert [len(turn.calls) for turn in repeated] == [50, 50, 50]
        assert len({str(call.arguments) + call.name for t in repeated for call in t.calls}) == 1
        assert all(call.ok for turn in repeated for call in turn.calls)
        assert last.calls[0].name == "submit_grade"
    few = load("repeater", ClinicEnv(TINY[0]), {"times": 3})
    env = ClinicEnv(TINY[0])
    assert len(play(env, env.tasks[0], few(0)).episode.turns[0].calls) == 3


def test_the_echo_adversary_returns_its_observation() -> None:
    env = ClinicEnv(TINY[1])
    observation, info = env.reset(seed=0)
    echo = load("echo", env)(0)
    assert echo.act(observation, info) == observation
    assert echo.act("next", {}) == "next"


@each_tiny
def test_the_rambler_fills_its_actions(name: str) -> None:
    env = ClinicEnv(name)
    first = episodes(env, "rambler", trials=1)[0].episode.turns[0].action
    assert 45_000 < len(first) < ACTION_LIMIT
    thought, speech = first.split("</think>")
    for label in ("major", "moderate") if name == TINY[0] else ("red", "green"):
        assert label in thought
        assert label in speech
    for one in env.toolbox:
        assert one.name in thought


@each_dialect
def test_malformed_is_malformed_and_varied(dialect: str) -> None:
    outcomes = episodes(ClinicEnv(TINY[0], dialect=dialect), "malformed", trials=2)
    actions = [turn.action for one in outcomes for turn in one.episode.turns]
    assert len(set(actions)) > 25
    assert max(map(len, actions)) <= ACTION_LIMIT
    assert sum(one.episode.malformed for one in outcomes) > 10


def test_the_forger_makes_no_call() -> None:
    env = ClinicEnv(TINY[1])
    for outcome in episodes(env, "forger", trials=1):
        assert outcome.episode.calls == []
        first = outcome.episode.turns[0].action
        assert "<tool_response>" in first
        assert '"has_evidence":true' in first
    policy = load("forger", env)(0)
    observation, info = env.reset(seed=0)
    policy.act(observation, info)
    assert "<|im_start|>tool" in policy.act("", {})


@each_tiny
def test_snoop_finds_nothing(name: str) -> None:
    env = ClinicEnv(name)
    maker = load("snoop", env)
    for seed, task in enumerate(env.tasks):
        snoop = maker(seed)
        assert isinstance(snoop, Snoop)
        play(env, task, snoop)
        assert snoop.found is None


def _leak_episode(env: ClinicEnv) -> Any:
    return {"deep": [{"er": SimpleNamespace(env=env)}]}


LEAKS = {
    "the environment": lambda env: env,
    "the environment, deep inside": _leak_episode,
    "the episode": lambda env: env.episode,
    "the task": lambda env: [env.episode.task],
    "all tasks": lambda env: {"cache": tuple(env.tasks)},
    "the gold": lambda env: copy.deepcopy(dict(env.episode.task.gold)),
    "a key": lambda env: {"x": {"gold": dict(env.episode.task.gold)}},
    "a closure": lambda env: lambda: env,
    "a bound method": lambda env: env.reset,
    "a default": lambda env: lambda episode=env.episode: episode,
    "a generator": lambda env: (task for task in [env.episode.task]),
    "an attribute": lambda env: SimpleNamespace(hidden=env.episode),
    "a set": lambda env: {env.reset},
}


@pytest.mark.parametrize("leak", LEAKS)
@each_tiny
def test_snoop_finds_every_leak(name: str, leak: str) -> None:
    env = ClinicEnv(name, split="test")
    maker = load("snoop", env)
    wins = 0
    for seed in range(6):
        snoop = maker(seed)
        assert isinstance(snoop, Snoop)
        observation, info = env.reset(seed=seed)
        info["extra"] = LEAKS[leak](env)
        over = False
        while not over:
            action = snoop.act(observation, info)
            observation, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        assert snoop.found is not None
        assert snoop.found.startswith("info['extra']")
        wins += info["success"]
    assert wins == 6


def test_snoop_uses_a_telling_label() -> None:
    env = ClinicEnv(TINY[0], split="test")
    snoop = load("snoop", env)(0)
    observation, info = env.reset(seed=1)
    info["hint"] = {"label": env.episode.task.gold["answer"]["grade"]}
    *_, info = env.step(snoop.act(observation, info))
    assert info["success"]


def test_snoop_writes_into_what_it_was_given() -> None:
    env = ClinicEnv(TINY[0])
    observation, info = env.reset(seed=0)
    pristine = copy.deepcopy(info)
    load("snoop", env)(0).act(observation, info)
    assert info["tools"] == []
    assert info["messages"] == []
    assert "gold" in info
    assert env.reset(seed=0) == (observation, pristine)


def test_walk_reaches_only_objects_that_are_held() -> None:
    task = Task(id="x", record={}, gold={"answer": "secret"})
    episode = Episode(task, Case({}))
    paths = dict(reachable([("a", [episode]), ("b", {"k": (1, "text")})]))
    assert paths["a[0].task.gold['answer']"] == "secret"
    assert paths["b['k'][1]"] == "text"
    # a class is seen, not entered
    classes = list(reachable([("class", ClinicEnv)]))
    assert classes == [("class", ClinicEnv)]


def test_walk_ends_on_circles_and_at_its_limit() -> None:
    circle: list[Any] = []
    circle.append(circle)
    assert len(list(reachable([("circle", circle)]))) == 1
    assert len(list(reachable([("many", list(range(1_000, 5_000)))], limit=100))) == 100


def test_walk_finds_nothing_in_a_spec() -> None:
    env = gym.make("tiny/Triage-v0").unwrapped
    kinds = (Task, Episode, ClinicEnv, Rubric)
    assert not [path for path, item in reachable([("spec", env.spec)]) if isinstance(item, kinds)]
