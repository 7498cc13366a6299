"""What a domain adds to info: at every reset and step, as a copy, and never from the gold."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Mapping
from typing import Any

import graph_domain
import numpy as np
import pytest
from graph_domain import GOLD_READERS, SHARED
from tiny_domain import DRUGS

from gym_clinic import ClinicEnv, ConfigError, Domain, Kind
from gym_clinic.info import RESERVED
from gym_clinic.policies import oracle, play
from gym_clinic.testing import check_domain

NAME = "graph_domain:GRAPHS"


def env_of(domain: Domain) -> ClinicEnv:
    env = ClinicEnv(NAME)
    env.domain = domain
    return env


def checked_pair(env: ClinicEnv) -> dict[str, Any]:
    moves = env.domain.solve(env.episode.task)
    calls = [call for move in moves for call in move if not isinstance(call, str)]
    name, arguments = next(call for call in calls if call[0] == "check_interaction")
    return {"id": "1", "name": name, "arguments": dict(arguments)}


def test_info_has_the_domains_own_at_every_reset_and_step() -> None:
    env = ClinicEnv(NAME)
    _, first = env.reset(options={"task_id": env.tasks[0].id})
    assert first["graph"]["edges"] == {"checked": []}
    assert first["graph"]["nodes"] == [[1.0, 0.0]] * len(DRUGS)
    call = checked_pair(env)
    *_, info = env.step_calls([call])
    pair = [DRUGS.index(call["arguments"][name]) for name in ("drug_a", "drug_b")]
    assert info["graph"]["edges"] == {"checked": [pair]}
    assert info["graph"]["turns_left"] == first["graph"]["turns_left"] - 1
    *_, last = env.truncate("budget")
    assert last["graph"] == info["graph"]
    assert "success" in last


def test_other_keys_of_info_are_as_without_it() -> None:
    plain, more = ClinicEnv("tiny_domain:INTERACTIONS"), ClinicEnv(NAME)
    task = plain.tasks[0]
    for env in (plain, more):
        assert play(env, task, oracle(env)(0)).reward == 1.0
    _, before = plain.reset(options={"task_id": task.id})
    _, after = more.reset(options={"task_id": task.id})
    assert after.keys() - before.keys() == {"graph"}
    assert {key: after[key] for key in before} == before


@pytest.mark.parametrize("domain", GOLD_READERS)
def test_the_gold_is_out_of_reach(domain: Domain) -> None:
    with pytest.raises(ConfigError, match=r"'reader': info\(episode\) reads the gold of the task"):
        env_of(domain).reset()


def test_the_episode_keeps_its_gold() -> None:
    env = ClinicEnv(NAME)
    env.reset()
    assert env.episode.task.gold["answer"]
    assert env.episode.task is env.tasks.by_id(env.episode.task.id)


def test_what_is_handed_out_is_a_copy() -> None:
    env = env_of(graph_domain.SHARING)
    _, info = env.reset()
    assert info["graph"] == SHARED["graph"]
    info["graph"]["nodes"].clear()
    assert SHARED["graph"]["nodes"] == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ([1], "returns a list; expected an object"),
        (None, "returns a NoneType; expected an object"),
        ({"x": {1, 2}}, "['x'] is a set; expected plain JSON"),
        ({"x": [0.0, math.nan]}, "['x'][1] is nan; expected plain JSON"),
        ({"x": {"y": -math.inf}}, "['x']['y'] is -inf; expected plain JSON"),
        ({"x": np.zeros(2)}, "['x'] is a ndarray; expected plain JSON"),
        ({"x": np.float64(0.5)}, "['x'] is a float64; expected plain JSON"),
        ({"x": Kind.READ}, "['x'] is a Kind; expected plain JSON"),
        ({"x": {1: 2}}, "['x'] has the key 1; keys of plain JSON are text"),
        ({"_x": 1}, "returns ['_x'], which are reserved: choose names that do not begin"),
        ({7: 1}, "has the key 7"),
        *(
            ({name: 1, "x": 2}, f"returns ['{name}'], which are reserved")
            for name in sorted(RESERVED)
        ),
    ],
)
def test_anything_else_is_refused_with_a_sentence(found: Any, says: str) -> None:
    env = env_of(graph_domain._with(lambda episode: found))
    with pytest.raises(ConfigError) as caught:
        env.reset()
    assert str(caught.value).startswith("domain 'graphs': info(episode)")
    assert says in str(caught.value)


def test_every_key_of_the_environments_own_is_reserved() -> None:
    env = ClinicEnv(NAME, max_calls=3)
    _, info = env.reset()
    keys = set(info)
    *_, last = env.truncate("budget")
    assert (keys | set(last)) - {"graph"} <= RESERVED


def test_forks_and_pickles_show_it_too() -> None:
    env = ClinicEnv(NAME)
    env.reset(options={"task_id": env.tasks[0].id})
    call = checked_pair(env)
    for twin in (env.fork(), pickle.loads(pickle.dumps(env)), copy.copy(env)):
        *_, info = twin.step_calls([call])
        assert isinstance(info["graph"], Mapping)


@pytest.mark.parametrize("name", ["GRAPHS", "PLAIN"])
def test_the_conformance_test_takes_such_a_domain(name: str) -> None:
    check_domain(f"graph_domain:{name}")


def test_the_conformance_test_asks_for_the_same_keys_at_every_end() -> None:
    domain = graph_domain._with(lambda episode: {"late": 1} if episode.answer is None else {})
    graph_domain.FICKLE = domain  # type: ignore[attr-defined]
    with pytest.raises(AssertionError, match="info at the end has"):
        check_domain("graph_domain:FICKLE")
