"""No name that an agent may write ends an episode with an exception, for any tool of any id."""

from __future__ import annotations

from functools import lru_cache, partial
from random import Random

import gymnasium as gym
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.env import ClinicEnv
from gym_clinic.testing.names import NameFuzzer, believed, play_strange, replaced, texts_of
from gym_clinic.testing.reporting import Reporting
from gym_clinic.toolbox import Toolbox

IDS = sorted(name for name in gym.registry if name.startswith("clinic/"))
CALLS = 5_000
each_id = pytest.mark.parametrize("name", IDS)

ROUTES = ("stat", "-", "в/в", "", "  ", "the", "静脈内", "\u0301", "...")


def make(name: str) -> ClinicEnv:
    env = gym.make(name).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


@lru_cache
def fuzzer_of(name: str) -> NameFuzzer:
    return NameFuzzer(make(name))


def problems(name: str, seed: int, calls: int) -> list[str]:
    fuzzer, found = fuzzer_of(name), list[str]()
    fuzzer.random = Random(f"{name} {seed}")
    found += play_strange(fuzzer, calls, partial(Reporting, found))
    return found


@each_id
def test_strange_names_are_answered(name: str) -> None:
    assert problems(name, 0, CALLS // len(IDS)) == []


@each_id
@given(seed=st.integers(0, 2**32))
def test_strange_names_of_any_seed_are_answered(name: str, seed: int) -> None:
    assert problems(name, seed, 10) == []


@each_id
def test_a_name_without_a_letter_names_nothing(name: str) -> None:
    found: list[str] = []
    found += believed(make(name), partial(Reporting, found))
    assert found == []


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("tool", "drug", "more"),
    [
        ("give_medication", "paracetamol", {}),
        ("prescribe_medication", "amoxicillin", {"times_per_day": 3}),
        ("prescribe_medication", "amoxicillin", {"times_per_day": 3, "start": "at home"}),
    ],
)
def test_an_unknown_route_is_answered_with_the_routes(
    tool: str, drug: str, more: dict[str, object], route: str
) -> None:
    env = make("clinic/ClinicalDiagnosis-v0")
    env.reset(seed=0)
    arguments = {"drug": drug, "dose": 500, "unit": "mg", "route": route, **more}
    shown, *_ = env.step_calls([{"name": tool, "arguments": arguments}])
    assert not env.episode.calls[0].ok
    assert "route" in shown
    assert all(way in shown for way in ("iv", "im", "po", "inhaled", "vaginal"))


def test_a_fault_of_a_look_up_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "gym_clinic.chart.order_names._likeness", lambda one, two: len(one & two) / len(one | two)
    )
    env = make("clinic/ClinicalDiagnosis-v0")
    env.toolbox = Toolbox(tool for tool in env.toolbox if tool.name == "give_medication")
    found: list[str] = []
    found += play_strange(NameFuzzer(env), 100, partial(Reporting, found))
    assert any("ZeroDivisionError" in problem for problem in found)


def test_texts_are_replaced_where_they_stand() -> None:
    arguments = {"drugs": ["a", {"name": "b"}], "dose": 1}
    assert list(texts_of(arguments)) == [("drugs", 0), ("drugs", 1, "name")]
    assert replaced(arguments, ("drugs", 1, "name"), "-")["drugs"] == ["a", {"name": "-"}]
    assert arguments["drugs"] == ["a", {"name": "b"}]
