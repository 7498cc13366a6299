"""Tablets that a young child swallowed: an accident, in all words, signs and questions."""

from __future__ import annotations

import re

import pytest

from gym_clinic.chart import open_chart
from gym_clinic.domains.triage_emergency.complaints import SUICIDE, flags_of
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.telling.lay_words import BY_ACCIDENT
from gym_clinic.simulate.clinic.texts import documents

ON_PURPOSE = re.compile(
    r"overdose|\bOD\b|intentional(?<!unintentional)|low mood|mood low|tearful|withdrawn|flat affect"
    r"|crisis team|too many tablets|more tablets than prescribed",
    re.IGNORECASE,
)
FACTS = load()
TABLETS = FACTS.finding_ids["Overdose of tablets"]


def swallowed(young: bool) -> list[ClinicPatient]:
    drawn = (draw_patient(seed, "paracetamol-poisoning") for seed in range(200))
    return [one for one in drawn if (one.person.age < BY_ACCIDENT) is young][:8]


def all_that_is_said(patient: ClinicPatient) -> str:
    chart = open_chart(patient)
    asked = ("What happened?", "Do you have an overdose of tablets?", "Why are you here?")
    said = [chart.ask(one).text for one in asked]
    written = [one.text for one in documents(patient)]
    return "\n".join((*said, *written, *(sign.text for sign in patient.problems[0].signs)))


def test_no_word_of_a_young_child_is_of_self_harm() -> None:
    assert [ON_PURPOSE.search(all_that_is_said(one)) for one in swallowed(True)] == [None] * 8


def test_those_who_are_older_have_such_words() -> None:
    assert any(ON_PURPOSE.search(all_that_is_said(one)) for one in swallowed(False))


@pytest.mark.parametrize("young", [True, False])
def test_the_mood_is_abnormal_in_those_who_are_older(young: bool) -> None:
    for patient in swallowed(young):
        signs = [one for one in patient.problems[0].signs if one.site == "mental state"]
        assert all(one.abnormal is not young for one in signs)


def test_nobody_asks_for_the_suicide_of_a_young_child() -> None:
    assert SUICIDE in flags_of(FACTS, [TABLETS], 30).findings
    assert SUICIDE not in flags_of(FACTS, [TABLETS], 3).findings


@pytest.mark.parametrize("question", ["What was taken?", "Which tablets were swallowed?"])
def test_what_was_swallowed_is_told(question: str) -> None:
    told = re.compile("paracetamol|acetaminophen", re.IGNORECASE)
    assert any(told.search(open_chart(one).ask(question).text) for one in swallowed(True))


def test_nobody_in_a_coma_answers() -> None:
    drawn = (draw_patient(seed, "tricyclic-antidepressant-poisoning") for seed in range(150))
    deep = [one for one in drawn if one.state(0)["gcs"] < 8]
    assert deep
    for patient in deep:
        texts = [one.text for one in patient.problems[0].signs if one.site == "general"]
        assert not re.search("answers|mumbl|muttering", " ".join(texts))
