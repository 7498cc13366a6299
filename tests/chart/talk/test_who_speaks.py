"""Who answers follows consciousness: the woken answer, who drops does not."""

from __future__ import annotations

import dataclasses
import re

import pytest

from gym_clinic.chart import open_chart
from gym_clinic.chart.talk import RulesPatient
from gym_clinic.chart.talk.chat import NO_ANSWER, ChatPatient
from gym_clinic.chart.talk.own_record import SAYS_WORDS
from gym_clinic.consult import ChatClient
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.patient import CONVERSES

FACTS = load()
GLUCOSE = {"drug:glucose": 5.0}
LATER = 120.0


@pytest.fixture(scope="module")
def unconscious() -> ClinicPatient:
    found = (draw_patient(seed, "hypoglycaemia") for seed in range(40))
    return next(one for one in found if one.speaker == "crew")


@pytest.fixture(scope="module")
def dropping() -> ClinicPatient:
    """A grown patient who comes talking and loses consciousness."""
    found = (draw_patient(seed, "subarachnoid-haemorrhage") for seed in range(60))
    return next(
        one for one in found
        if one.speaker == "patient" and one.person.age > 16 and one.state(480)["gcs"] < CONVERSES
    )  # fmt: skip


def test_the_crew_speaks_until_the_patient_wakes(unconscious: ClinicPatient) -> None:
    rules = RulesPatient(unconscious)
    assert rules.record.speaker_at(LATER, {}) == "crew"
    assert rules.record.speaker_at(LATER, GLUCOSE) == "patient"
    sex = unconscious.person.sex
    person = "he" if sex == "male" else "she"
    before = rules.answer("What medicines do you take? Do you smoke?", LATER, {}).text.lower()
    after = [
        rules.answer("Do you smoke? Any headache, and what do you do for a living?", LATER, GLUCOSE)
        for _ in range(4)
    ]
    words = " ".join(one.text for one in after).replace("'", " ").split()
    assert "i" not in before.replace("'", " ").split()
    assert "I" in words
    assert person not in words


def test_who_was_unconscious_does_not_remember_it(unconscious: ClinicPatient) -> None:
    rules = RulesPatient(unconscious)
    names = ("Coma", "Confusion", "Reduced consciousness/confusion")
    key = next(FACTS.finding_ids[one] for one in names)
    plan = rules.record.plan[rules.record.complaint]
    rules.record.plan = {key: dataclasses.replace(plan, finding=key, distortion=None)}
    rules.record.__dict__.pop("implied", None)
    question = f"Any {FACTS.phenotypes[key].name.lower()}?"
    assert [one.value for one in rules.answer(question, LATER, {}).facts] == ["yes"]
    assert [one.value for one in rules.answer(question, LATER, GLUCOSE).facts] == ["unknown"]


def test_who_drops_does_not_answer(dropping: ClinicPatient) -> None:
    rules = RulesPatient(dropping)
    assert rules.answer("What brings you in?", 0).facts
    silent = rules.answer("What brings you in?", 480)
    assert silent.facts == ()
    assert silent.text.startswith("(")
    chat = ChatPatient(dropping, ChatClient("http://127.0.0.1:9", "nobody"))
    assert chat.answer("What brings you in?", 480).text == NO_ANSWER
    assert chat.answers == 0


def test_a_parent_answers_for_a_child_who_drops(dropping: ClinicPatient) -> None:
    child = dataclasses.replace(dropping, person=dataclasses.replace(dropping.person, age=12.0))
    assert RulesPatient(child).record.speaker_at(480, {}) in ("parent", "patient")
    assert RulesPatient(child).record.speaker_at(480, {}) != "crew"


def test_the_chart_asks_whoever_can_answer(unconscious: ClinicPatient) -> None:
    chart = open_chart(unconscious)
    chart.minute = LATER
    assert chart.ask("Do you smoke?") == RulesPatient(unconscious, chart["split"]).answer(
        "Do you smoke?", LATER, chart.given()
    )


def test_nobody_who_says_words_is_silent_with_closed_eyes(dropping: ClinicPatient) -> None:
    low = {one: dropping.state(one)["gcs"] for one in range(0, 1440, 20)}
    muddled = [one for one, gcs in low.items() if SAYS_WORDS <= gcs < CONVERSES]
    silent = [one for one, gcs in low.items() if gcs < SAYS_WORDS]
    rules = RulesPatient(dropping)
    assert muddled
    for minutes, others in ((muddled, "eyes stay|no reply|no response"), (silent, "mumbl|mutter")):
        said = [rules.answer("Does it hurt?", one, {}).text for one in minutes for _ in range(6)]
        assert not [one for one in said if re.search(others, one, re.IGNORECASE)]


@pytest.mark.parametrize("age", [12, 15, 17])
def test_a_girl_who_may_be_pregnant_does_not_say_that_she_is_a_child(age: int) -> None:
    found = (draw_patient(seed, "cystitis") for seed in range(60))
    woman = next(one for one in found if one.person.sex == "female" and one.person.age > 20)
    person = dataclasses.replace(woman.person, age=age, pregnant_weeks=None)
    rules = RulesPatient(dataclasses.replace(woman, person=person))
    said = {rules.answer("Are you pregnant?", 5.0, {}).text for _ in range(12)}
    assert not [one for one in said if re.search(r"child|young|age", one)]
