"""Who admits an overdose says of what it was; nobody else is heard to have taken one."""

from __future__ import annotations

import pytest

from gym_clinic.chart.talk.asked_tables import overdoses
from gym_clinic.chart.talk.rules import RulesPatient
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient

OVERDOSE = "Overdose of tablets"


@pytest.mark.parametrize("condition", sorted(overdoses().drugs))
@pytest.mark.parametrize(
    "question", ["Which drug did you overdose on?", "What tablets did you take, and how many?"]
)
def test_who_admits_an_overdose_says_of_what(condition: str, question: str) -> None:
    named = [load().drugs[one] for one in overdoses().drugs[condition]]
    words = {text.casefold() for one in named for text in (one.name, *one.synonyms)}
    admitted = 0
    for seed in range(12):
        patient = RulesPatient(draw_patient(seed, condition))
        finding = patient.record.patient.facts.finding_ids[OVERDOSE]
        if patient.record.known(finding).stance != "has":
            continue
        admitted += 1
        answer = patient.answer(question, 5)
        assert any(word in answer.text.casefold() for word in words), answer.text
        assert (f"finding:{finding}", "yes") in {(one.fact, one.value) for one in answer.facts}
    assert admitted >= 3


def test_the_drug_itself_is_not_denied_and_another_one_is() -> None:
    patient = RulesPatient(draw_patient(3, "salicylate-poisoning"))
    assert "aspirin" in patient.answer("Was it aspirin?", 5).text.casefold()
    finding = patient.record.patient.facts.finding_ids[OVERDOSE]
    other = patient.answer("Was it paracetamol?", 5)
    assert (f"finding:{finding}", "yes") not in {(one.fact, one.value) for one in other.facts}


def test_nobody_else_is_heard_to_have_taken_one() -> None:
    patient = RulesPatient(draw_patient(3, "pneumonia"))
    finding = patient.record.patient.facts.finding_ids[OVERDOSE]
    answer = patient.answer("What tablets did you take, and how many?", 5)
    assert (f"finding:{finding}", "yes") not in {(one.fact, one.value) for one in answer.facts}
