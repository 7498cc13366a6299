"""What tools do to an episode: a domain made here, with tools that write, fail and wait."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gymnasium as gym
import pytest
import tiny_domain

from gym_clinic import Case, Domain, Kind, Rubric, ServiceError, Task, ToolError, tool
from gym_clinic.action import DIALECTS
from gym_clinic.env import ClinicEnv
from gym_clinic.toolbox import Toolbox

HERMES = DIALECTS["hermes"]


def write(*calls: tuple[str, Mapping[str, Any]]) -> str:
    return HERMES.write(calls)


@tool(kind=Kind.WRITE)
def chart_dose(case: Any, milligrams: float) -> str:
    """Chart a dose.

    Args:
        milligrams: How much, in mg.
    """
    case.edit("doses").append(milligrams)
    return f"{len(case['doses'])} doses charted"


@tool
def break_down() -> str:
    """Fail as only our own code fails."""
    raise ZeroDivisionError("our mistake")


@tool
def where_am_i() -> str:
    """Tell the thread."""
    return threading.current_thread().name


@tool(kind=Kind.SUBMIT)
def finish(case: Any, confirmed: bool) -> dict[str, Any]:
    """Close the chart; what it returns is the answer.

    Args:
        confirmed: Whether all is charted.
    """
    if not confirmed:
        raise ToolError("confirm first")
    return {"doses": len(case["doses"])}


PHARMACY: list[str] = []


@tool
def ask_pharmacy(case: Case) -> str:
    """Ask the pharmacy."""
    case.charge({"tokens": 7})
    if not PHARMACY:
        raise ServiceError("pharmacy: no reply")
    return PHARMACY[-1]


@tool(kind=Kind.SUBMIT)
def finish_with(doses: int) -> None:
    """Finish.

    Args:
        doses: Number of doses.
    """


def _charting() -> Domain:
    gold = {"answer": {"doses": 2}, "calls": []}
    return Domain(
        name="charting",
        policy="",
        tasks={"train": [Task(id="c1", ticket="Chart.", record={"doses": [1.0]}, gold=gold)]},
        rubric=Rubric(
            {"doses": lambda episode: float(len(episode.case["doses"]))},
            {"doses": 1.0},
            range=(0.0, 5.0),
        ),
        tools=(chart_dose, break_down, where_am_i, ask_pharmacy, finish, finish_with),
        turn_reward=lambda episode: -0.25,
        turn_range=(-0.25, 0.0),
    )


CHARTING = _charting()
WAITING = replace(CHARTING, blocking=True)


def charting(name: str = "CHARTING") -> ClinicEnv:
    env = ClinicEnv(f"{__name__}:{name}")
    env.reset(seed=0)
    return env


def test_a_tool_changes_this_episode_only() -> None:
    env = charting()
    env.step(write(("chart_dose", {"milligrams": 2.5})))
    assert env.episode.case["doses"] == [1.0, 2.5]
    assert env.episode.case.changes == {"doses": [1.0, 2.5]}
    env.reset(seed=0)
    assert list(env.episode.case["doses"]) == [1.0]


def test_only_a_tool_of_kind_write_may_change_the_case() -> None:
    looking = tool(chart_dose.function)
    env = charting()
    env.toolbox = Toolbox([looking])
    with pytest.raises(TypeError, match="only a tool of kind WRITE changes the case"):
        env.step(write(("chart_dose", {"milligrams": 2.5})))
    assert env.episode.case.changes == {}


def test_turn_rewards_are_paid_beside_the_total() -> None:
    env = charting()
    assert env.step(write(("chart_dose", {"milligrams": 2.5})))[1] == -0.25
    _, reward, terminated, _, info = env.step(write(("finish", {"confirmed": True})))
    assert terminated
    assert reward == pytest.approx(info["total"] - 0.25)
    assert info["total"] == 2.0
    assert env.episode.answer == {"doses": 2}


def test_a_mistake_of_ours_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError, match="our mistake"):
        charting().step(write(("break_down", {})))


def test_blocking_domains_step_in_a_thread() -> None:
    async def where(env: ClinicEnv) -> str:
        observation, *_ = await env.astep(write(("where_am_i", {})))
        return observation

    here = threading.current_thread().name
    assert here in asyncio.run(where(charting()))
    assert here not in asyncio.run(where(charting("WAITING")))


def test_a_step_that_a_service_failed_can_be_tried_again() -> None:
    env = charting("WAITING")
    batch = write(("chart_dose", {"milligrams": 2.5}), ("ask_pharmacy", {}))
    PHARMACY.clear()
    with pytest.raises(ServiceError, match="pharmacy: no reply"):
        env.step(batch)
    assert env.episode.turns == []
    assert list(env.episode.case["doses"]) == [1.0]
    assert env.episode.case.usage == {"tokens": 7}
    PHARMACY.append("open")
    env.step(batch)
    assert list(env.episode.case["doses"]) == [1.0, 2.5]
    assert env.episode.case.usage == {"tokens": 14}


def test_the_answer_is_what_the_submitting_tool_understood() -> None:
    env = charting()
    env.step(write(("finish_with", {"doses": "2"})))
    assert env.episode.answer == {"doses": 2}
    assert env.episode.calls[0].arguments == {"doses": "2"}


def test_answers_of_a_tool_must_fit_the_types() -> None:
    observation, *_ = charting().step(
        '<tool_call>{"name": "chart_dose", "arguments": {"milligrams": "much"}}</tool_call>'
    )
    assert "valid number" in observation


def test_tiny_domains_are_registered() -> None:
    assert set(tiny_domain.IDS) <= set(gym.registry)
