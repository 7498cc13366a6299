"""Reviews of a whole list: its problems, the plan, the judgement and the tasks."""

from __future__ import annotations

import dataclasses
import itertools
from functools import lru_cache
from random import Random
from typing import Any, get_args

import pytest

from gym_clinic import ClinicEnv, Task
from gym_clinic.clinical import MadeTask, TaskDraft
from gym_clinic.domain import Domain
from gym_clinic.domains.drug_interaction.answer import Verdict
from gym_clinic.domains.drug_interaction.checks.formulary import Regimen, home_regimens
from gym_clinic.domains.drug_interaction.checks.problems import ReviewProfile, Taken
from gym_clinic.domains.drug_interaction.lists import charts
from gym_clinic.domains.drug_interaction.lists.baseline import of_list
from gym_clinic.domains.drug_interaction.lists.charts import LIST_CLASSES
from gym_clinic.domains.drug_interaction.lists.review import (
    CHANGE,
    KEEP,
    list_holds_together,
    list_problems,
)
from gym_clinic.domains.drug_interaction.lists.stopping import stoppable
from gym_clinic.domains.drug_interaction.plans import plan_score
from gym_clinic.domains.drug_interaction.settings import make_domain
from gym_clinic.domains.drug_interaction.tasks import SPEC, make
from gym_clinic.domains.drug_interaction.world import review_patient
from gym_clinic.facts import load as facts_of
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.frozen import thaw
from gym_clinic.policies import load, play

WELL = ReviewProfile(age=50, female=True, weight_kg=70, egfr=95, crcl=100)
FOUR = ("amlodipine", "atorvastatin", "paracetamol", "omeprazole")


def taking(*drugs: str, bought: tuple[str, ...] = (), **other: Any) -> ReviewProfile:
    taken = tuple(Taken(Regimen(one, 5, "mg", 1), one in bought, days=40) for one in drugs)
    return dataclasses.replace(WELL, medicines=taken, **other)


def found(who: ReviewProfile) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.kind, tuple(sorted(one.drugs))) for one in list_problems(who) if one.matters]


def test_each_problem_of_a_list_is_found_once() -> None:
    assert found(taking(*FOUR)) == []
    both = found(taking(*FOUR, "warfarin", "naproxen"))
    assert both.count(("interaction", ("naproxen", "warfarin"))) == 1
    twice = found(taking(*FOUR, "ibuprofen", "naproxen"))
    assert twice == [("duplicate", ("ibuprofen", "naproxen"))]
    asthma = taking(*FOUR, "bisoprolol", conditions=frozenset({"asthma"}))
    assert ("condition", ("bisoprolol",)) in found(asthma)
    assert ("renal", ("metformin",)) in found(taking(*FOUR, "metformin", egfr=20, crcl=22))


def begun_lately() -> set[str]:
    """What is begun lately on lists about which nothing is asked."""
    found = set()
    for seed in range(60):
        draft = TaskDraft(label="list, nothing", seed=seed, split="train")
        record = charts.list_record(draft, Random(seed))
        edits = [] if record is None else record["edit"]
        found |= {one["drug"] for one in edits if one["kind"] == "take" and "days" in one}
    return found


def test_nobody_is_started_at_the_dose_that_is_reached_slowly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    low = charts.started_low()
    assert low <= facts_of().drugs.keys()
    pressure = ("class:renin-angiotensin-blocker", "amlodipine")
    assert low >= {one for one in home_regimens() if any(is_a(one, ref) for ref in pressure)}
    assert not begun_lately() & low
    monkeypatch.setattr(charts, "started_low", frozenset)
    assert begun_lately() & low


@pytest.mark.parametrize("bought", [(), ("naproxen",)])
def test_what_is_bought_or_not_essential_is_stopped(bought: tuple[str, ...]) -> None:
    problems = list_problems(taking(*FOUR, "warfarin", "naproxen", bought=bought))
    pair = next(one for one in problems if one.drugs == {"naproxen", "warfarin"})
    assert stoppable(pair) == ["naproxen"]


def test_a_list_that_the_tables_leave_open_is_refused() -> None:
    assert list_holds_together(taking(*FOUR))
    assert not list_holds_together(taking(*FOUR[:3]))
    assert not list_holds_together(taking(*FOUR, weeks=14))  # atorvastatin, and unrated drugs


PROBLEMS = [
    {"kind": "interaction", "drugs": ["naproxen", "warfarin"], "severity": "major",
     "actions": ["avoid"], "remedies": [], "stoppable": ["naproxen"]},
    {"kind": "interaction", "drugs": ["naproxen", "ramipril"], "severity": "moderate",
     "actions": ["change"], "stoppable": [], "remedies": [
         {"kind": "monitor", "drugs": [], "most": None, "watch": "creatinine", "amount": 0.0,
          "taken": {}}]},
    {"kind": "duplicate", "drugs": ["omeprazole", "pantoprazole"], "severity": "moderate",
     "actions": ["avoid"], "remedies": [], "stoppable": ["omeprazole", "pantoprazole"]},
]  # fmt: skip
GOLD = {"acceptable": {"verdicts": [CHANGE], "alternatives": []}, "problems": PROBLEMS}


@pytest.mark.parametrize(
    ("plan", "score"),
    [
        ({"stop": ["naproxen", "omeprazole"]}, 1),
        ({"stop": ["naproxen", "pantoprazole"]}, 1),
        ({"stop": ["naproxen"]}, 2 / 3),
        ({"stop": ["warfarin", "omeprazole"]}, 0),
        ({"stop": ["naproxen", "omeprazole", "pantoprazole"]}, 0),
        ({"stop": ["naproxen", "omeprazole", "ramipril"]}, 0),
        ({"stop": ["naproxen", "omeprazole"], "alternative": "paracetamol"}, 0),
        ({"stop": ["naproxen", "omeprazole"], "separate_hours": 2}, 0),
        ({"stop": ["naproxen", "omeprazole"],
          "doses": [{"drug": "ramipril", "daily_dose": 1}]}, 0),
        ({}, 0),
    ],
)  # fmt: skip
def test_a_plan_stops_what_is_wrong_and_no_more(plan: dict[str, Any], score: float) -> None:
    assert plan_score(CHANGE, plan, GOLD) == pytest.approx(score)


def drawn(label: str) -> MadeTask:
    tried = (make(TaskDraft(seed=seed, label=label, split="dev")) for seed in range(5, 60))
    return next(one for one in tried if one is not None)


@lru_cache(maxsize=1)
def listed() -> list[Task]:
    """One task of each class of lists."""
    found = [drawn(label) for label in LIST_CLASSES]
    return [Task(f"list-{number}", *one, "dev") for number, one in enumerate(found)]


def lists() -> Domain:
    """The domain with these tasks."""
    return dataclasses.replace(make_domain("embedded"), tasks={"train": listed()})


@pytest.fixture(scope="module")
def env() -> ClinicEnv:
    return ClinicEnv(f"{__name__}:lists")


def reward(env: ClinicEnv, task: Task, answer: Any) -> float:
    """The reward of an answer after all the reading and looking up of the oracle."""
    env.reset(seed=0, options={"task_id": task.id})
    for move in env.domain.solve(task)[:-1]:
        assert not isinstance(move, str)
        env.step_calls([{"name": name, "arguments": dict(given)} for name, given in move])
    _, total, ended, _, _ = env.step_calls([{"name": "submit_answer", "arguments": thaw(answer)}])
    assert ended
    return total


def test_three_of_ten_classes_review_a_list() -> None:
    assert 0.25 <= len(LIST_CLASSES) / len(SPEC.classes) <= 0.33


def test_the_oracle_earns_the_maximum_and_each_class_is_what_it_says(env: ClinicEnv) -> None:
    for task, label in zip(listed(), LIST_CLASSES, strict=True):
        assert task.gold["decided"] == LIST_CLASSES[label]
        assert reward(env, task, task.gold["answer"]) == pytest.approx(1.0), label


def test_naming_everything_or_nothing_earns_little(env: ClinicEnv) -> None:
    for task in listed():
        taken = [one.drug for one in review_patient(thaw(task.record)).medicines]
        every = [
            {"kind": "interaction", "drugs": list(pair), "severity": "major"}
            for pair in itertools.combinations(taken, 2)
        ]
        right = thaw(task.gold["answer"])
        flood = {"verdict": CHANGE, "problems": every[:12], "plan": {"stop": taken[:12]}}
        assert reward(env, task, {**right, **flood}) < 0.65
        if task.gold["problems"]:
            silent = {"verdict": KEEP, "problems": [], "plan": {}}
            assert reward(env, task, {**right, **silent}) < 0.65


def test_one_drug_of_a_pair_does_not_name_the_problem(env: ClinicEnv) -> None:
    task = next(one for one in listed() if one.gold["decided"].endswith("duplicate"))
    right = thaw(task.gold["answer"])
    half = [{**one, "drugs": one["drugs"][:1]} for one in right["problems"]]
    assert reward(env, task, {**right, "problems": half}) < 0.85


def test_the_rules_play_a_list(env: ClinicEnv) -> None:
    totals = [play(env, task, load("rules", env)(0), 0).reward for task in listed()]
    assert max(totals) > 0.4
    assert min(totals) < 0.9


def test_a_constant_answer_becomes_one_about_a_list() -> None:
    problem = {"kind": "renal", "drugs": ["ibuprofen"], "severity": "major"}
    answer = {"verdict": "do not start", "plan": {"alternative": "x"}, "problems": [problem]}
    assert of_list(answer)["verdict"] == CHANGE
    assert of_list({**answer, "verdict": "start as proposed", "problems": []})["verdict"] == KEEP


def test_any_verdict_can_be_given_on_any_request() -> None:
    env = ClinicEnv("drug_interaction", split="dev")
    tasks = {str(task.gold["class"]): task for task in env.tasks}
    for task in tasks.values():
        *plan, (answer,) = env.domain.solve(task)
        assert not isinstance(answer, str)
        for verdict in get_args(Verdict):
            env.reset(options={"task_id": task.id})
            for move in plan:
                env.step_calls([call_of(*one) for one in move])
            _, reward, over, *_ = env.step_calls(
                [call_of(answer[0], {**answer[1], "verdict": verdict})]
            )
            assert over
            right = verdict in task.gold["acceptable"]["verdicts"]
            assert reward < 1 or right, (task.id, verdict)


def call_of(name: str, arguments: Any) -> dict[str, Any]:
    return {"id": "one", "name": name, "arguments": thaw(arguments)}
