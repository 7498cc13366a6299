"""Asking the patient costs time, is noted, and forks with the chart."""

from __future__ import annotations

import copy
import pickle

import pytest

from gym_clinic.chart import open_chart
from gym_clinic.chart.talk import OwnRecord, PatientAnswer, RulesPatient
from gym_clinic.chart.tools import ASKING
from gym_clinic.chart.tools.asking import ask_patient
from gym_clinic.errors import ToolError
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.toolbox import Kind

PATIENT = draw_patient(7, "acute-appendicitis")


def test_asking_takes_minutes_and_is_noted() -> None:
    chart = open_chart(PATIENT)
    said = ask_patient(chart, "What brings you in?")
    assert said == RulesPatient(PATIENT).answer("What brings you in?", chart.minute).text
    assert chart.minute > 0
    assert chart.events[-1]["tool"] == "ask_patient"
    assert [one.kind for one in ASKING] == [Kind.READ]


def test_copies_of_a_chart_go_on_by_themselves() -> None:
    chart = open_chart(PATIENT)
    ask_patient(chart, "What brings you in?")
    questions = ("When did it start?", "Anything else?", "Anything else?")
    twins = [copy.deepcopy(chart), pickle.loads(pickle.dumps(chart)), chart]
    said = [[ask_patient(one, text) for text in questions] for one in twins]
    assert said[0] == said[1] == said[2]


def test_patients_who_share_a_record_remember_apart() -> None:
    questions = ("What brings you in?", "When did it start?", "Anything else?", "Anything else?")
    first, record = RulesPatient(PATIENT), OwnRecord(PATIENT)
    alone = [first.answer(text).text for text in questions]
    for _ in range(2):
        shared = RulesPatient(PATIENT, record=record)
        assert [shared.answer(text).text for text in questions] == alone


def test_another_patient_may_answer() -> None:
    class Silent:
        def answer(self, question: str, minute: float, actions: object) -> PatientAnswer:
            return PatientAnswer("...")

    chart = open_chart(PATIENT)
    chart.talk = Silent()
    assert ask_patient(chart, "What brings you in?") == "..."


@pytest.mark.parametrize("question", ["", "  ", "a" * 501])
def test_an_empty_or_endless_question_is_an_error(question: str) -> None:
    chart = open_chart(PATIENT)
    with pytest.raises(ToolError, match="1 to 500 characters"):
        ask_patient(chart, question)
    assert chart.minute == 0
