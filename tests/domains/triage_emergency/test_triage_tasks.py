"""Tasks of triage: levels, reference plans, twins, and what cheap play earns."""

from __future__ import annotations

from functools import cache
from random import Random

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv
from gym_clinic.catalog import unwrap
from gym_clinic.chart.results import VITALS, measure_vitals
from gym_clinic.clinical import MadeTask, TaskDraft
from gym_clinic.clinical.tasks import seed_of, task_of
from gym_clinic.domains.triage_emergency.acuity import acuity
from gym_clinic.domains.triage_emergency.judging import JUDGE, pathway_named
from gym_clinic.domains.triage_emergency.settings import solution
from gym_clinic.domains.triage_emergency.tasks import LEVELS, SPEC, condition_of, make_task, pools
from gym_clinic.domains.triage_emergency.tools import TOOLS
from gym_clinic.domains.triage_emergency.twins import make_twin
from gym_clinic.domains.triage_emergency.world import TriageCase
from gym_clinic.facts import load as load_facts
from gym_clinic.policies import play
from gym_clinic.policies.moves import scripted
from gym_clinic.toolbox import Kind


@cache
def env() -> ClinicEnv:
    return unwrap(gym.make("clinic/TriageEmergency-v0", split="test"))


@cache
def made(label: str) -> MadeTask:
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(60))
    return next(one for one in map(make_task, drafts) if one is not None)


@pytest.mark.parametrize("label", LEVELS)
def test_a_task_is_of_its_level_and_its_plan_earns_everything(label: str) -> None:
    one = made(label)
    assert one.gold["answer"]["level"] == int(label)
    task = task_of(SPEC, one)
    moves = [env().dialect.write(move) for move in solution(task) if not isinstance(move, str)]
    done = play(env(), task, scripted(moves))
    assert done.reward == pytest.approx(1.0)
    assert done.info["metrics"]["accuracy"] == 1


def test_a_wrong_level_costs_half_the_accuracy() -> None:
    one = task_of(SPEC, made("3"))
    *moves, last = env().domain.solve(one)
    assert not isinstance(last, str)
    ((name, arguments),) = last
    texts = [env().dialect.write(move) for move in moves if not isinstance(move, str)]
    wrong = env().dialect.write(((name, {**arguments, "level": 5}),))
    done = play(env(), one, scripted([*texts, wrong]))
    assert done.info["metrics"]["accuracy"] == pytest.approx(0.5)
    assert done.reward < 0.95


def test_pools_name_conditions_that_bring_patients() -> None:
    conditions = load_facts().conditions
    assert tuple(pools()) == LEVELS
    for listed in pools().values():
        assert all(conditions[one].role != "background" for one in listed)
        assert len(listed) == len(set(listed))


def test_half_of_the_urgent_drafts_have_a_protocol() -> None:
    drawn = [condition_of("2", seed)[1] for seed in range(200)]
    assert 90 < sum(one is not None for one in drawn) < 150
    assert all(condition_of("4", seed)[1] is None for seed in range(20))


@pytest.mark.parametrize("label", ["1", "3"])
def test_a_neutral_twin_keeps_the_answer(label: str) -> None:
    one = made(label)
    edits = next(
        found for seed in range(9) if (found := make_twin(one, "neutral", Random(seed)))
        and found[0]["kind"] == "name"
    )  # fmt: skip
    twin = make_task(TaskDraft(label, one.record["seed"], "train", edits))
    assert twin is not None
    assert twin.gold["answer"] == one.gold["answer"]
    assert twin.ticket != one.ticket


def test_a_pulse_in_the_danger_zone_turns_level_three() -> None:
    drafts = (TaskDraft("3", seed_of("dev", number), "dev") for number in range(60))
    for draft in drafts:
        one = make_task(draft)
        edits = one and make_twin(one, "turns", Random(1))
        twin = edits and make_task(draft._replace(edit=edits))
        if one and twin:
            assert twin.gold["answer"]["level"] < 3
            return
    raise AssertionError("no twin in 60 drafts")


def test_the_case_has_a_department_and_no_triage_note() -> None:
    case = TriageCase(made("2").record)
    kinds = {one["kind"] for one in case["documents"].values()}
    assert "triage" not in kinds
    assert case.department.waiting >= 0


def test_the_tools_are_as_many_as_the_paper_has() -> None:
    kinds = [one.kind for one in TOOLS]
    assert kinds.count(Kind.READ) >= 16
    assert kinds.count(Kind.WRITE) >= 3
    assert kinds.count(Kind.SUBMIT) == kinds.count(Kind.THINK) == 1


def test_protocols_are_known_by_id_name_and_pathway() -> None:
    assert pathway_named("STEMI") == pathway_named("cath_lab") == "stemi"
    assert pathway_named("Acute stroke") == "stroke"
    assert pathway_named("") == pathway_named("none") == "none"
    assert pathway_named("everything") is None
    assert sum(JUDGE.weights.values()) == 1


@pytest.mark.parametrize("label", LEVELS)
def test_measured_vital_signs_lead_to_the_same_level(label: str) -> None:
    one = made(label)
    case = TriageCase(one.record)
    case.spend(2, seen=True)
    row = measure_vitals(case)
    measured = {name: float(row[name]) for name in VITALS if name in row}
    assert acuity(case.patient, measured).level == one.gold["answer"]["level"]
    failing = {**measured, "spo2": 84.0}
    assert acuity(case.patient, failing).level == 1


def test_gold_levels_agree_with_the_patient_of_the_record() -> None:
    one = made("2")
    assert acuity(TriageCase(one.record).patient).level == 2
