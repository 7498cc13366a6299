"""What every patient can answer: worries, how it is now, what started it, pain, pregnancies."""

from __future__ import annotations

import dataclasses

import pytest

from gym_clinic.chart.talk import AnswerCheck, RulesPatient
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.medicines import TakenMedicine
from gym_clinic.simulate.clinic.telling.disclosure import Recollection
from gym_clinic.simulate.clinic.telling.life import FELT, draw_life
from gym_clinic.simulate.clinic.texts.sections.background import is_tablet

FACTS = load()
IDS = FACTS.finding_ids


@pytest.fixture(scope="module")
def patient() -> ClinicPatient:
    return draw_patient(7, "acute-appendicitis")


@pytest.fixture(scope="module")
def pregnant() -> ClinicPatient:
    return draw_patient(3, "preeclampsia")


def facts(patient: ClinicPatient, question: str, minute: float = 5) -> dict[str, str]:
    rules = RulesPatient(patient)
    answer = rules.answer(question, minute)
    assert AnswerCheck(rules.record).failures(answer.text, minute) == ()
    return {one.fact: one.value for one in answer.facts}


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What are you most worried about?", "life:"),
        ("What do you think is causing this?", "life:cause"),
        ("Do you have any questions for me?", "life:questions"),
        ("How are you feeling right now?", "course:"),
        ("Has this ever happened before?", "life:before"),
        ("Did anything bring it on?", ""),
        ("Is the pain sharp or dull?", ""),
        ("What kind of pain is it?", ""),
        ("Do you want something for the pain?", "severity:pain"),
        ("Have you tried anything for it?", "life:tried"),
        ("Any blood?", "area:blood loss"),
        ("Tell me about life at home.", "life:home"),
    ],
)
def test_what_anyone_can_answer_is_answered(
    patient: ClinicPatient, question: str, kind: str
) -> None:
    told = facts(patient, question)
    assert told
    assert all(one.startswith(kind) for one in told), told


def test_what_is_no_question_is_acknowledged_and_not_asked_back(patient: ClinicPatient) -> None:
    rules = RulesPatient(patient)
    for text in (
        "Thank you, we will do some tests.",
        "Okay.",
        "Don't worry, you're in good hands.",
    ):
        answer = rules.answer(text)
        assert answer.facts == ()
        assert "?" not in answer.text


def test_several_absent_findings_are_denied_in_one_sentence(patient: ClinicPatient) -> None:
    rules = RulesPatient(patient)
    answer = rules.answer("Any tinnitus, nosebleeds or seizures?")
    names = ("Tinnitus", "Epistaxis", "Seizure")
    assert {one.fact for one in answer.facts} == {f"finding:{IDS[one]}" for one in names}
    assert {one.value for one in answer.facts} == {"no"}
    assert " or " in answer.text


def test_pain_that_the_chart_scores_is_not_denied() -> None:
    """A patient without a painful finding whose pain is scored says so; the check notices a no."""
    scored = 0
    for seed, condition in ((3, "gout"), (4, "acute-bronchitis"), (0, "cirrhosis")):
        patient = draw_patient(seed, condition)
        rules = RulesPatient(patient)
        hurting = IDS["Pain"] in rules.record.implied
        pain = rules.record.pain(5)
        if patient.speaker != "patient" or hurting or not pain:
            continue
        scored += 1
        answer = rules.answer("Any pain?", 5)
        assert [(one.fact, one.value) for one in answer.facts] == [("severity:pain", str(pain))]
        check = AnswerCheck(rules.record)
        assert check.failures(answer.text, 5) == ()
        assert any("in the chart" in one for one in check.failures("No, no pain.", 5))
    assert scored


def test_nobody_but_a_woman_may_be_pregnant(patient: ClinicPatient) -> None:
    text = RulesPatient(patient).answer("Could you be pregnant?").text
    assert "male" in text
    old = dataclasses.replace(
        patient, person=dataclasses.replace(patient.person, sex="female", age=79.0)
    )
    assert "male" not in RulesPatient(old).answer("Could you be pregnant?").text


def test_pregnancies_and_movements_are_in_the_record(
    patient: ClinicPatient, pregnant: ClinicPatient
) -> None:
    assert pregnant.person.pregnant_weeks is not None
    assert pregnant.person.pregnant_weeks >= FELT
    life = draw_life(pregnant)
    assert facts(pregnant, "Is the baby moving?") == {"life:movements": str(life.movements)}
    told = facts(pregnant, "Have you been pregnant before?")
    assert told == {"life:parity": f"{life.births}+{life.losses}"}
    assert facts(patient, "Is the baby moving?") == {"life:movements": "no"}
    assert draw_life(patient).births is None


def test_a_pain_is_said_to_go_where_it_hurts_as_well(patient: ClinicPatient) -> None:
    rules = RulesPatient(patient)
    chest, jaw = IDS["Chest pain"], IDS["Jaw pain"]
    one = rules.record.plan[rules.record.complaint]
    rules.record.plan = {
        key: dataclasses.replace(one, finding=key, distortion=None) for key in (chest, jaw)
    }
    rules.record.__dict__.pop("implied", None)
    rules.about = chest
    answer = rules.answer("Does it go anywhere?")
    assert [one.fact for one in answer.facts] == [f"finding:{jaw}"]
    rules.about = IDS["Malaise"]
    assert [one.value for one in rules.answer("Does it go anywhere?").facts] == ["no"]


def test_who_came_without_pain_is_not_asked_in_vain_how_bad_it_is() -> None:
    strokes = (draw_patient(seed, "stroke") for seed in range(303, 400))
    stroke = next(one for one in strokes if one.speaker == "patient" and one.state(0)["pain"] < 0.4)
    assert facts(stroke, "How bad is the pain?") == {"severity:pain": "0"}
    assert facts(stroke, "How bad is it?").keys() != {"severity:pain"}


def test_medicines_are_told_as_often_as_they_are_taken_and_in_the_words_of_the_country() -> None:
    read = 0
    for seed in range(12):
        patient = draw_patient(seed, "asthma")
        rules = RulesPatient(patient)
        text = rules.answer("What medicines do you take?").text
        assert AnswerCheck(rules.record).failures(text) == ()
        if "butamol" in text or "albuterol" in text:
            read += 1
            assert ("albuterol" in text) == rules.record.american
            assert "no times" not in text
            assert "0 times" not in text
    assert read


def test_nobody_calls_insulin_or_an_inhaler_tablets() -> None:
    patient = draw_patient(7, "acute-appendicitis")
    taken = TakenMedicine("insulin-glargine", 20, "units", 1, "type-2-diabetes-mellitus", {}, 0.0)
    assert not is_tablet(taken)
    assert is_tablet(dataclasses.replace(taken, drug="metformin", dose=500, unit="mg"))
    puffs = dataclasses.replace(taken, drug="fluticasone-salmeterol", dose=1, unit="puffs")
    rules = RulesPatient(dataclasses.replace(patient, medicines=(puffs,)))
    plan = Recollection("medicine:fluticasone-salmeterol", "told", None)
    rules.record.recollections = {plan.fact: plan}
    assert "1 puff " in rules.answer("What medicines do you take?").text
