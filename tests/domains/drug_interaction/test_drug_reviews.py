"""Reviews as they are played: the record, the tools, the answer and its judgement."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv, Task
from gym_clinic.catalog import unwrap
from gym_clinic.clinical import MadeTask
from gym_clinic.domains.drug_interaction.baselines import read_ticket
from gym_clinic.domains.drug_interaction.gold import gold_of
from gym_clinic.domains.drug_interaction.plans import plan_score
from gym_clinic.domains.drug_interaction.solution import is_perfect
from gym_clinic.domains.drug_interaction.ticket import ticket_of
from gym_clinic.domains.drug_interaction.world import open_case, review_patient
from gym_clinic.errors import ToolError
from gym_clinic.frozen import thaw
from gym_clinic.policies import load, play
from gym_clinic.toolbox import Toolbox


@pytest.fixture(scope="module")
def env() -> ClinicEnv:
    return unwrap(gym.make("clinic/DrugInteraction-v0", split="dev"))


def call(env: ClinicEnv, number: int, tool_name: str, **arguments: Any) -> Any:
    tool = Toolbox(env.domain.tools).get(tool_name)
    assert tool is not None
    return tool.call(arguments, open_case(env.tasks[number]))


def reviewed(env: ClinicEnv, task: Task, answer: Any) -> float:
    """The reward of the perfect reviewer's reading with an answer."""
    env.reset(seed=0, options={"task_id": task.id})
    for move in env.domain.solve(task)[:-1]:
        assert not isinstance(move, str)
        env.step_calls([{"name": name, "arguments": dict(given)} for name, given in move])
    _, reward, ended, _, _ = env.step_calls([{"name": "submit_answer", "arguments": thaw(answer)}])
    assert ended
    return reward


@pytest.mark.parametrize("number", range(3))
def test_the_perfect_reviewer_earns_the_maximum(env: ClinicEnv, number: int) -> None:
    reward = reviewed(env, env.tasks[number], env.tasks[number].gold["answer"])
    assert reward == pytest.approx(1.0)
    assert env.domain.success(env.episode)


def test_another_verdict_earns_less(env: ClinicEnv) -> None:
    task = env.tasks[0]
    wrong = next(
        one for one in ("start as proposed", "do not start", "start with change")
        if one not in task.gold["acceptable"]["verdicts"]
    )  # fmt: skip
    assert reviewed(env, task, {**thaw(task.gold["answer"]), "verdict": wrong}) < 0.7


@pytest.mark.parametrize("listed", [True, False])
def test_a_verdict_that_something_is_wrong_earns_nothing_without_a_reason(
    env: ClinicEnv, listed: bool
) -> None:
    asked = (one for one in env.tasks if ("drug" not in one.record["question"]) is listed)
    task = next(one for one in asked if one.gold["problems"])
    right = thaw(task.gold["answer"])
    for problems in ([], [{"kind": "hepatic", "drugs": ["glucagon"], "severity": "major"}]):
        assert reviewed(env, task, {**right, "problems": problems}) < 0.3
        judged = env.episode.case.judged[1]  # type: ignore[attr-defined]
        assert judged.accuracy == 0
        assert not judged.held({"check": "verdict_holds"})
    ungraded = [{**one, "severity": "minor"} for one in right["problems"]]
    assert reviewed(env, task, {**right, "problems": ungraded}) > 0.6


def test_silence_earns_nothing(env: ClinicEnv) -> None:
    assert play(env, env.tasks[0], load("silent", env)(0), 0).reward == 0


def test_the_gold_follows_from_the_hidden_patient(env: ClinicEnv) -> None:
    for number in range(4):
        task = env.tasks[number]
        record = thaw(task.record)
        made = gold_of(record, review_patient(record))
        assert made["answer"]["verdict"] == task.gold["answer"]["verdict"]
        assert made["decided"] == task.gold["decided"]


def test_what_is_hidden_is_not_on_the_list(env: ClinicEnv) -> None:
    for number in range(8):
        task = env.tasks[number]
        listed = {one["drug"] for one in open_case(task)["medicines"]}
        for edit in task.record["edit"]:
            if edit["kind"] == "take" and edit.get("told") == "hidden":
                name = review_patient(thaw(task.record)).facts.drugs[edit["drug"]].name
                assert name not in listed


def test_the_request_is_read_from_the_ticket(env: ClinicEnv) -> None:
    for number in range(8):
        question = env.tasks[number].record["question"]
        request = read_ticket(env.tasks[number].ticket)
        assert request is not None
        assert request.drug == question["drug"]
        assert request.daily == pytest.approx(question["dose"] * question["per_day"], rel=0.01)


def test_an_unknown_drug_is_an_error_with_the_nearest_name(env: ClinicEnv) -> None:
    with pytest.raises(ToolError, match="warfarin"):
        call(env, 0, "check_interaction", first="warfarine", second="aspirin")


def test_tools_answer_about_what_they_are_asked(env: ClinicEnv) -> None:
    names = call(env, 0, "resolve_drug_name", name="Zestoretic")
    assert [one["drug"] for one in names["ingredients"]] == ["Lisinopril", "Hydrochlorothiazide"]
    found = call(env, 0, "check_interactions", drugs=["Coumadin", "ibuprofen", "Lipitor"])
    assert found["interactions"][0]["severity"] == "major"
    renal = call(env, 0, "check_renal_dose", drug="metformin", egfr=25)
    assert renal["drugs"][0]["rules"][0]["severity"] == "contraindicated"
    allergy = call(env, 0, "check_allergy", drug="amoxicillin", allergen="penicillin")
    assert allergy["drugs"][0]["severity"] == "contraindicated"
    with pytest.raises(ToolError, match="weeks"):
        call(env, 0, "check_pregnancy", drug="ramipril", weeks=60)


AVOID = {
    "acceptable": {"verdicts": ["do not start"], "alternatives": ["colchicine"]},
    "problems": [{"actions": ["avoid"], "remedies": [
        {"kind": "wait", "drugs": [], "most": None, "watch": [], "amount": 5.0, "taken": {}}]}],
}  # fmt: skip
LOWER = {
    "acceptable": {"verdicts": ["start with change"], "alternatives": []},
    "problems": [{"actions": ["change"], "remedies": [
        {"kind": "dose", "drugs": ["simvastatin"], "most": 20.0, "watch": [], "amount": 0.0,
         "taken": {"simvastatin": 40.0}}]}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("verdict", "plan", "gold", "score"),
    [
        ("do not start", {"alternative": "colchicine"}, AVOID, 1),
        ("do not start", {"alternative": "naproxen"}, AVOID, 0),
        ("do not start", {"wait_days": 6}, AVOID, 1),
        ("do not start", {"wait_days": 2}, AVOID, 0),
        ("do not start", {"alternative": "colchicine", "stop": ["aspirin"]}, AVOID, 0),
        (
            "start with change",
            {"doses": [{"drug": "Zocor", "daily_dose": 20}]},
            LOWER,
            1,
        ),
        ("start with change", {"doses": [{"drug": "simvastatin", "daily_dose": 30}]}, LOWER, 0),
        ("start with change", {"doses": [{"drug": "simvastatin", "daily_dose": 0}]}, LOWER, 0),
        ("start as proposed", {}, LOWER, 1),
        ("start as proposed", {"stop": ["aspirin"]}, LOWER, 0),
    ],
)
def test_a_plan_is_right_if_it_answers_the_problem(
    verdict: str, plan: dict[str, Any], gold: dict[str, Any], score: float
) -> None:
    assert plan_score(verdict, plan, gold) == score


def take(drug: str, per_day: int, reason: str, **more: object) -> dict[str, object]:
    regimen = {"drug": drug, "dose": 20, "unit": "mg", "per_day": per_day, "for": reason}
    return {"kind": "take", **regimen, **more}


def test_a_problem_without_any_remedy_gives_no_task() -> None:
    reflux = "gastroesophageal-reflux-disease"
    record = {
        "seed": 1, "condition": reflux, "split": "train",
        "edit": [take("famotidine", 2, reflux),
                 take("omeprazole", 1, "heartburn", bought=True, told="hidden"),
                 {"kind": "shown", "documents": ["letter"], "egfr": True}],
        "question": {"drug": "omeprazole", "dose": 20, "unit": "mg", "per_day": 1, "route": "po",
                     "indication": "reflux"},
    }  # fmt: skip
    patient = review_patient(record)
    gold = gold_of(record, patient)
    assert any(not one["remedies"] for one in gold["problems"])
    assert gold["answer"]["plan"] == {"stop": ["omeprazole"]}
    made = MadeTask(record, {**gold, "class": "bought duplicate"}, ticket_of(record, patient))
    assert not is_perfect(made)
