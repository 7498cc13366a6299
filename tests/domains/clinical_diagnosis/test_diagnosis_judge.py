"""How answers of clinical diagnosis are judged, on tasks that ship."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any
from unittest.mock import MagicMock

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv
from gym_clinic.catalog import unwrap
from gym_clinic.domains.clinical_diagnosis.judge import harms
from gym_clinic.episode import Task
from gym_clinic.frozen import thaw
from gym_clinic.policies import load, play, scripted
from gym_clinic.policies.moves import write_move
from gym_clinic.taskset import first


@cache
def environment() -> ClinicEnv:
    return unwrap(gym.make("clinic/ClinicalDiagnosis-v0", split="dev"))


@cache
def task() -> Task:
    return next(one for one in first(environment().tasks) if "twin" not in one.gold)


def judged(**changes: Any) -> dict[str, Any]:
    """The oracle's plan with a changed answer."""
    env, one = environment(), task()
    *plan, _ = env.domain.solve(one)
    answer = {**copy.deepcopy(thaw(one.gold["answer"])), **changes}
    moves = [*plan, (("submit_answer", answer),)]
    written = [text for move in moves for text in write_move(env.dialect, move)]
    info: dict[str, Any] = play(env, one, scripted(written)).info
    return info


def test_the_oracle_earns_everything_on_a_shipped_task() -> None:
    env = environment()
    outcome = play(env, task(), load("oracle", env)(0))
    assert outcome.reward == pytest.approx(1)
    assert env.domain.success(outcome.episode)


def test_a_wrong_diagnosis_keeps_the_other_parts() -> None:
    info = judged(diagnosis="Appendiceal nonsense")
    assert info["metrics"]["accuracy_diagnosis"] == 0
    assert info["rewards"]["accuracy"] == pytest.approx(0.4)
    assert info["rewards"]["coherence"] == 0


def test_no_treatment_a_forbidden_one_and_too_much_of_it_are_not_right() -> None:
    right = thaw(task().gold["answer"]["orders"])
    forbidden = [{"order": one} for one in task().gold["forbidden"][:1]]
    many = [{"order": name} for name in ("haemodialysis", "laparotomy", "craniotomy", "finasteride",
                                         "levothyroxine", "latanoprost")]  # fmt: skip
    for orders in ([], [*right, *forbidden], [*right, *many]):
        assert judged(orders=orders)["metrics"]["accuracy_orders"] == 0, orders


def test_two_treatments_without_a_ground_are_not_right() -> None:
    right = thaw(task().gold["answer"]["orders"])
    bare = [{"order": one} for one in ("naloxone", "artesunate")]
    assert judged(orders=[*right, bare[0]])["metrics"]["accuracy_orders"] == 1
    assert judged(orders=[*right, *bare])["metrics"]["accuracy_orders"] == 0


@pytest.mark.parametrize(
    ("oxygen", "place", "found"), [(84.0, "home", [4]), (84.0, "ward", []), (98.0, "home", [])]
)
def test_who_is_failing_and_sent_home_is_harmed(
    oxygen: float, place: str, found: list[int]
) -> None:
    well = {"hr": 80.0, "sbp": 120.0, "spo2": 98.0, "rr": 15.0, "gcs": 15.0, "temp_c": 36.8}
    one = MagicMock()
    one.case.events, one.answer.disposition = [], place
    one.case.patient.person.age, one.case.patient.usual = 40.0, well
    one.case.patient.state.return_value = {**well, "spo2": oxygen}
    assert list(harms(one)) == found


def test_citations_that_were_not_read_lower_coherence() -> None:
    unread = [{"finding": "late-night-salivary-cortisol", "present": True}] * 3
    assert judged(cited_findings=unread)["rewards"]["coherence"] == 0


def test_an_honest_wrong_answer_can_be_coherent() -> None:
    other = task().gold["answer"]["differential"][1]
    info = judged(diagnosis=other)
    assert 0 <= info["rewards"]["coherence"] <= 1
    assert info["rewards"]["process"] > 0
