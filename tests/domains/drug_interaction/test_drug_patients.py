"""The patient of a review after edits: kidneys, twins, and what of the answer has limits."""

from __future__ import annotations

import dataclasses
from random import Random
from typing import Any

import pytest

from gym_clinic.clinical import MadeTask
from gym_clinic.clinical.judging.judge import JudgedEpisode
from gym_clinic.domains.drug_interaction.answer import submit_answer
from gym_clinic.domains.drug_interaction.gold import in_words
from gym_clinic.domains.drug_interaction.plans import plan_score
from gym_clinic.domains.drug_interaction.plausibility import plausible
from gym_clinic.domains.drug_interaction.rewards import JUDGE, harms, supported
from gym_clinic.domains.drug_interaction.settings import make_domain
from gym_clinic.domains.drug_interaction.twins import twin_of
from gym_clinic.domains.drug_interaction.world import CKD, open_case, reported, review_patient
from gym_clinic.episode import Episode, Task
from gym_clinic.errors import ToolError

QUESTION = {"drug": "amoxicillin", "dose": 500, "unit": "mg", "per_day": 3, "route": "po",
            "indication": "Lyme disease"}  # fmt: skip
LIVED = {"kind": "lives with", "condition": CKD, "years": 6}


def review(*edits: dict[str, Any], seed: int = 7) -> dict[str, Any]:
    shown = {"kind": "shown", "documents": ["letter"], "egfr": True}
    return {"seed": seed, "condition": "osteoarthritis", "split": "train", "question": QUESTION,
            "edit": [*edits, shown]}  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_urea_potassium_and_haemoglobin_follow_failing_kidneys(seed: int) -> None:
    before = review_patient(review(seed=seed))
    after = review_patient(review(LIVED, {"kind": "kidneys", "creatinine": 3.2}, seed=seed))
    assert reported(after, "creatinine") == pytest.approx(3.2, abs=0.06)
    assert reported(after, "bun") > 1.3 * reported(before, "bun")
    assert reported(after, "k") > reported(before, "k")
    assert reported(after, "hb") < reported(before, "hb")


@pytest.mark.parametrize("seed", range(6))
def test_kidneys_that_work_have_no_disease_and_no_medicine_for_it(seed: int) -> None:
    failing = {"kind": "kidneys", "creatinine": 3.2}
    well = review_patient(review(LIVED, failing, {"kind": "kidneys", "creatinine": 0.8}, seed=seed))
    assert reported(well, "creatinine") == pytest.approx(0.8, abs=0.03)
    assert CKD not in {one.condition for one in well.background}
    assert CKD not in {one.condition for one in well.medicines}


def test_a_chart_with_failing_kidneys_and_no_disease_is_refused() -> None:
    record = review({"kind": "kidneys", "creatinine": 3.2})
    assert not plausible(record, review_patient(record))


def test_a_twin_in_other_words_is_the_same_person() -> None:
    record = review()
    found = None
    for number in range(40):
        edits = twin_of(MadeTask(record, {}, ""), "neutral", Random(number))
        assert edits is not None
        found = next((one for one in edits if one["kind"] == "wording"), found)
    assert found is not None
    first, second = (
        open_case(Task("t", one, {}))
        for one in (record, {**record, "edit": [*record["edit"], found]})
    )
    assert first["person"] == second["person"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("problems", [{"kind": "interaction", "drugs": ["a"] * 6, "severity": "major"}]),
        ("problems", [{"kind": "interaction", "drugs": ["a"], "severity": "major"}] * 13),
        ("problems", [{"kind": "interaction", "drugs": ["a" * 400], "severity": "major"}]),
        ("plan", {"monitoring": [{"test": "INR", "first_day": 4}] * 13}),
        ("plan", {"stop": ["ibuprofen"] * 13}),
        ("plan", {"alternative": "a" * 400}),
    ],
)
def test_an_answer_beyond_its_limits_is_refused(field: str, value: object) -> None:
    answer = {"verdict": "start with change", "problems": [], "plan": {}, "cited_findings": []}
    with pytest.raises(ToolError):
        submit_answer.call({**answer, field: value}, open_case(Task("t", review(), {})))


def test_what_is_watched_twice_is_logged_once() -> None:
    case = open_case(Task("t", review(), {}))
    problem = {"kind": "interaction", "drugs": ["warfarin"] * 5, "severity": "major"}
    submit_answer.call(
        {"verdict": "start with change", "problems": [problem] * 12,
         "plan": {"monitoring": [{"test": "INR", "first_day": 4}] * 12},
         "cited_findings": []}, case)  # fmt: skip
    assert sum(one["tool"] == "monitor" for one in case.events) == 2


def judged(problems: list[dict[str, Any]], verdict: str, *edits: dict[str, Any]) -> JudgedEpisode:
    extra = {"kind": "interaction", "drugs": ["amlodipine", "simvastatin"], "severity": "moderate"}
    gold = {"acceptable": {"verdicts": ["start as proposed"], "alternatives": []}, "problems": [],
            "extras": [extra]}  # fmt: skip
    task = Task("t", review(*edits), gold)
    cited = [{"finding": "warfarin", "present": True}]
    answer = {"verdict": verdict, "problems": problems, "plan": {}, "cited_findings": cited}
    case = open_case(task)
    found = JudgedEpisode(JUDGE, Episode(task, case, [], answer, "answered"))
    found.read = frozenset({"medicine:warfarin", "lab:creatinine"})
    return found


def test_a_problem_that_does_not_exist_in_this_patient_is_not_supported() -> None:
    warfarin = {"kind": "take", "drug": "warfarin", "dose": 5, "unit": "mg", "per_day": 1,
                "for": "atrial-fibrillation"}  # fmt: skip
    invented = [{"kind": "duplicate", "drugs": ["warfarin", "amoxicillin"], "severity": "major"}]
    assert supported(judged(invented, "do not start", warfarin)) == 0.0


def test_what_is_true_and_asks_for_nothing_needs_no_citation() -> None:
    warfarin = {"kind": "take", "drug": "warfarin", "dose": 5, "unit": "mg", "per_day": 1,
                "for": "atrial-fibrillation"}  # fmt: skip
    decides = {"kind": "interaction", "drugs": ["amoxicillin", "warfarin"], "severity": "moderate"}
    told = {"kind": "interaction", "drugs": ["amlodipine", "simvastatin"], "severity": "moderate"}
    false = {**told, "drugs": ["amlodipine", "naproxen"]}
    shares = [supported(judged([decides, *more], "start with change", warfarin))
              for more in ([], [told], [false])]  # fmt: skip
    assert shares == [1.0, 1.0, 0.5]


def test_a_medicine_that_is_right_is_withheld_at_a_severe_price() -> None:
    name = in_words(f"medicine:{review()['question']['drug']}")
    assert [*harms(judged([], "do not start"))] == [
        (4, f"{name} is withheld, and nothing speaks against it.")
    ]
    assert [one.severity for one in harms(judged([], "start with change"))] == [2]
    assert [one.severity for one in harms(judged([], "start as proposed"))] == []


def test_a_medicine_that_is_added_moves_the_results() -> None:
    take = {"kind": "take", "drug": "warfarin", "dose": 3, "unit": "mg", "per_day": 1,
            "for": "atrial-fibrillation"}  # fmt: skip
    assert reported(review_patient(review()), "inr") < 1.4
    assert 1.5 < reported(review_patient(review(take)), "inr") < 4


def test_blood_comes_before_a_review() -> None:
    record = {**review(seed=7), "condition": "osteoarthritis"}
    patient = review_patient(record)
    assert plausible(record, patient)
    pale = dataclasses.replace(patient, healthy={**patient.healthy, "hb": 5.0})
    assert reported(pale, "hb") < 7
    assert not plausible(record, pale)


def test_the_place_of_a_medicine_does_not_tell_that_it_is_the_problem() -> None:
    last, expected = 0, 0.0
    for task in make_domain("embedded").tasks["train"]:
        problems = [one for one in task.gold["problems"] if len(one["drugs"]) > 1]
        proposed = task.record["question"].get("drug")
        wrong = {drug for one in problems for drug in one["drugs"]} - {proposed}
        taken = [one.drug for one in review_patient(task.record).medicines]
        if wrong & {*taken} and len(taken) > 2:
            last += taken[-1] in wrong
            expected += len(wrong & {*taken}) / len(taken)
    assert expected > 20
    assert 0.6 * expected < last < 1.4 * expected


def test_a_plan_that_says_everything_answers_nothing() -> None:
    lower = {"kind": "dose", "drugs": ["digoxin"], "taken": {"digoxin": 0.25}, "most": None}
    problem = {"actions": ["change"], "drugs": ["digoxin"], "remedies": [lower], "stoppable": []}
    gold = {"problems": [problem], "acceptable": {"alternatives": []}}
    half = {"drug": "digoxin", "daily_dose": 0.125}
    assert plan_score("start with change", {"doses": [half]}, gold) == 1.0
    for more in (
        {"doses": [half, {"drug": "digoxin", "daily_dose": 0.06}]},
        {"doses": [half, {"drug": "ramipril", "daily_dose": 2.5}]},
        {"doses": [half], "separate_hours": 4},
        {"doses": [half], "stop": ["ramipril"]},
    ):
        assert plan_score("start with change", more, gold) == 0.0
