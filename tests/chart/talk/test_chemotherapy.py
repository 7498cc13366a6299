"""Who has had chemotherapy denies neither the cancer nor what the treatment has cost."""

from __future__ import annotations

import pytest

from gym_clinic.chart.talk import RulesPatient
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.texts import documents

TREATED = next(
    one for seed in range(20)
    if (one := draw_patient(seed, "febrile-neutropenia")).past
    and one.speaker == "patient" and not one.background
)  # fmt: skip


@pytest.mark.parametrize(
    "question",
    [
        "Do you have cancer?",
        "Is your immune system weak?",
        "Have you lost your hair?",
        "Do you have a port or a line?",
        "Any illnesses?",
    ],
)
def test_the_treatment_is_told_and_nothing_is_denied(question: str) -> None:
    answer = RulesPatient(TREATED).answer(question, 5)
    assert "chemotherapy" in answer.text
    assert {one.fact for one in answer.facts if one.value == "no"} <= {"past"}
    assert not answer.text.startswith(("No", "Never"))


def test_others_deny_all_of_it() -> None:
    rules = RulesPatient(draw_patient(1, "migraine"))
    for question in ("Is your immune system weak?", "Do you have a port or a line?"):
        answer = rules.answer(question, 5)
        assert [one.value for one in answer.facts] == ["no"], answer.text


def test_the_notes_name_the_cancer_that_is_treated() -> None:
    treated = TREATED.past[0].what.partition(" for ")[2].removeprefix("a ")
    texts = [one.text for one in documents(TREATED) if one.kind in ("note", "triage")]
    assert any(f"{treated} under chemotherapy" in one for one in texts)
    assert not any("fit and well" in one for one in texts)
