"""Calls of clinical episodes are marked by what they read or do."""

from __future__ import annotations

import dataclasses
from typing import Any

import clinical_domain
import pytest

from gym_clinic import Task
from gym_clinic.domain import CallSpec
from gym_clinic.domains import drug_interaction
from gym_clinic.evaluate.clinical_marks import is_clinical, marks_by_meaning
from gym_clinic.evaluate.marks import mark

SOLUTION: tuple[CallSpec, ...] = (
    ("measure_vital_signs", {}),
    ("examine_patient", {"system": "heart"}),
    ("order_study", {"study": "ecg"}),
    ("calculate_qsofa", {"respiratory_rate": 18, "systolic_bp": 120, "altered_mentation": False}),
    ("wait", {"minutes": 20}),
    ("read_results", {}),
)
"""It also computes a score that nobody needs."""


@pytest.fixture(scope="module")
def task() -> Task:
    for one in clinical_domain.domain().split("train")[:]:
        if one.record["condition"] == clinical_domain.STEMI:
            return one
    raise AssertionError("no infarction")


def made(*calls: CallSpec) -> list[dict[str, Any]]:
    """Calls as a trace has them."""
    return [{"name": name, "arguments": arguments, "ok": True} for name, arguments in calls]


def test_what_reads_or_orders_the_same_is_needed_however_it_is_written(task: Task) -> None:
    calls = made(
        ("read_allergies", {}),
        ("order_ecg", {}),
        ("examine_patient", {"system": "heart"}),
        ("examine_patient", {"system": "heart"}),
        ("wait", {"minutes": 33}),
        ("read_results", {"order": "ecg"}),
    )
    needed, missed = marks_by_meaning(clinical_domain.domain(), task, calls, SOLUTION)
    assert needed == [False, True, True, False, True, True]
    assert [name for name, _ in missed] == ["measure_vital_signs"]


def test_a_score_of_the_solution_that_reads_nothing_is_neither_needed_nor_missed(
    task: Task,
) -> None:
    calls = made(SOLUTION[3])
    needed, missed = marks_by_meaning(clinical_domain.domain(), task, calls, SOLUTION)
    assert needed == [False]
    assert [name for name, _ in missed] == [
        "measure_vital_signs", "examine_patient", "order_study", "read_results",
    ]  # fmt: skip


def test_a_failed_call_is_extra_and_the_answer_is_needed(task: Task) -> None:
    domain = clinical_domain.domain()
    assert is_clinical(domain, task)
    failed = {"name": "measure_vital_signs", "arguments": {}, "ok": False}
    rows, _ = mark(domain, task, [failed, *made(("submit_answer", {"diagnosis": "MI"}))])
    assert [row["mark"] for row in rows] == ["extra", "needed"]


def test_a_call_that_the_reward_expects_is_needed_once_and_missed_without(task: Task) -> None:
    expected = [{"name": "read_patient_record", "arguments": {}}]
    asked = dataclasses.replace(task, gold={**task.gold, "expected": expected})
    domain, record = clinical_domain.domain(), ("read_patient_record", {})
    needed, missed = marks_by_meaning(domain, asked, made(record, record), [record])
    assert (needed, missed) == ([True, False], [])
    assert marks_by_meaning(domain, asked, [], [record])[1] == [record]


def test_a_check_of_the_patients_own_medicines_is_not_wasted() -> None:
    take = {"kind": "take", "drug": "warfarin", "dose": 5, "unit": "mg", "per_day": 1,
            "for": "atrial-fibrillation"}  # fmt: skip
    question = {"drug": "naproxen", "dose": 500, "unit": "mg", "per_day": 2, "route": "po",
                "indication": "osteoarthritis"}  # fmt: skip
    record = {"seed": 4, "condition": "osteoarthritis", "split": "train", "question": question,
              "edit": [take, {"kind": "shown", "documents": ["letter"]}]}  # fmt: skip
    reviewed = Task("t", record, {"read": [], "cite": [], "expected": []})
    kidneys = ("calculate_ckdepi2021", {"creatinine": 0.9, "age": 60, "sex": "male"})
    own = ("check_interactions", {"drugs": ["warfarin", "naproxen"]})
    strange = ("check_pregnancy", {"drug": "isotretinoin", "weeks": 10})
    calls = made(kidneys, own, strange, own)
    needed, _ = marks_by_meaning(drug_interaction.domain(), reviewed, calls, [])
    assert needed == [True, True, False, False]
