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
from gym_clinic.clinical.judging.judge import JudgedEpisode
from gym_clinic.clinical.naming import find_action
from gym_clinic.clinical.tasks import TaskDraft, seed_of
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clinical_diagnosis.judge import JUDGE, harms
from gym_clinic.domains.clinical_diagnosis.tasks import make_task, try_plan
from gym_clinic.episode import Task
from gym_clinic.facts import load as facts_of
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


def test_every_order_can_be_judged_beside_the_medicines_that_are_taken() -> None:
    """Names of two drugs in one, and of drugs that the facts do not have, are orders too."""
    names = ["amlodipine/atorvastatin", "protamine", "vincristine", "saline", "drug:oxygen"]
    facts, made = facts_of(), [find_action(facts_of(), one) for one in names]
    one = MagicMock(_made=frozenset(each for each in made if each))
    one.case = MagicMock(patient=MagicMock(facts=facts, medicines=[MagicMock(drug="simvastatin")]))
    one.case.__getitem__.return_value = ()
    one.case.computed.side_effect = lambda key, make: make()
    assert JudgedEpisode.duplicated.func(one) == ("atorvastatin",)


@pytest.mark.parametrize(
    ("oxygen", "place", "found"), [(84.0, "home", [4]), (84.0, "ward", []), (98.0, "home", [])]
)
def test_who_is_failing_and_sent_home_is_harmed(
    oxygen: float, place: str, found: list[int]
) -> None:
    well = {"hr": 80.0, "sbp": 120.0, "spo2": 98.0, "rr": 15.0, "gcs": 15.0, "temp_c": 36.8}
    one = MagicMock(gold={})
    one.case.events, one.answer.disposition = [], place
    one.case.patient.person.age, one.case.patient.usual = 40.0, well
    one.case.patient.state.return_value = {**well, "spo2": oxygen}
    assert [each.severity for each in harms(one)] == found


def test_who_waits_until_harm_is_done_has_harmed_whether_or_not_it_was_an_emergency() -> None:
    drafts = (TaskDraft("testicular-torsion", seed_of("dev", n), "dev") for n in range(20))
    made = next(one for one in map(make_task, drafts) if one is not None)
    assert made.gold["unharmed"]
    plan = [[(one["name"], one["arguments"]) for one in batch] for batch in made.gold["plan"]]
    for more, severities in (([], []), ([("wait", {"minutes": 240})], [4])):
        tried = try_plan(made.record, [*plan, more] if more else plan)
        found = harms(tried.judged(JUDGE, made.gold, made.gold["answer"]))
        assert [one.severity for one in found] == severities


@pytest.mark.parametrize(("condition", "treatment"), [
    ("paroxysmal-supraventricular-tachycardia", (
        ("perform_procedure", {"procedure": "vagal-manoeuvre", "emergency": True}),
    )),
    ("asthma", (
        ("give_medication", {"drug": "Salbutamol", "dose": 5.0, "unit": "mg", "route": "inhaled"}),
        ("give_medication", {"drug": "Prednisolone", "dose": 40.0, "unit": "mg", "route": "oral"}),
    )),
])  # fmt: skip
def test_an_attack_goes_home_once_it_is_treated_and_watched(
    condition: str, treatment: tuple[CallSpec, ...]
) -> None:
    drafts = (TaskDraft(condition, seed_of("dev", number), "dev") for number in range(30))
    made = next(
        one
        for one in map(make_task, drafts)
        if one is not None and "home" in one.gold["acceptable"]["dispositions"]
    )
    plan = [[(one["name"], one["arguments"]) for one in batch] for batch in made.gold["plan"]]
    answer = {**made.gold["answer"], "disposition": "home"}
    watch = ("wait", {"minutes": 90})
    for given, waits, sent_too_early in (
        (treatment, 0, True),
        ((), 1, True),
        (treatment, 1, False),
    ):
        tried = try_plan(made.record, [plan[0], list(given), *plan[1:], *[[watch]] * waits])
        broken = {one.rule for one in tried.judged(JUDGE, made.gold, answer).violations}
        assert ("S5-16" in broken) is sent_too_early, (given, waits)


def test_citations_that_were_not_read_lower_coherence() -> None:
    unread = [{"finding": "late-night-salivary-cortisol", "present": True}] * 3
    assert judged(cited_findings=unread)["rewards"]["coherence"] == 0


def test_an_honest_wrong_answer_can_be_coherent() -> None:
    other = task().gold["answer"]["differential"][1]
    info = judged(diagnosis=other)
    assert 0 <= info["rewards"]["coherence"] <= 1
    assert info["rewards"]["process"] > 0
