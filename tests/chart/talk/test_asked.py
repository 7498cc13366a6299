"""Questions about acts, mood, long-standing illnesses, children and pregnancy are heard as such."""

from __future__ import annotations

import dataclasses
from datetime import datetime, timedelta
from random import Random

import pytest

from gym_clinic.chart.talk import AnswerCheck, RulesPatient
from gym_clinic.chart.talk.times import vaguely_ago
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.people import Background
from gym_clinic.simulate.clinic.telling.disclosure import (
    WRONG_TIME,
    Disclosure,
    Distortion,
    Manner,
    Recollection,
)

FACTS = load()
IDS = FACTS.finding_ids

ACTS = (
    "Did you take any tablets or an overdose?",
    "How many did you take?",
    "How many paracetamol did you take?",
    "Did you drink or swallow anything?",
    "Did you take anything?",
)


@pytest.fixture(scope="module")
def patient() -> ClinicPatient:
    return draw_patient(7, "acute-appendicitis")


@pytest.fixture(scope="module")
def child() -> ClinicPatient:
    return draw_patient(103, "bacterial-gastroenteritis")


def planned(patient: ClinicPatient, *plans: tuple[str, Manner]) -> RulesPatient:
    """A patient who has the complaint and these findings alone."""
    rules = RulesPatient(patient)
    complaint = rules.record.complaint
    ones = [Disclosure(IDS[name], True, "problem", how, None, -300, -300) for name, how in plans]
    rules.record.plan = {complaint: rules.record.plan[complaint]} | {
        one.finding: one for one in ones
    }
    rules.record.__dict__.pop("implied", None)
    return rules


def values(rules: RulesPatient, question: str) -> dict[str, str]:
    answer = rules.answer(question, 5)
    assert AnswerCheck(rules.record).failures(answer.text, 5) == ()
    return {one.fact: one.value for one in answer.facts}


@pytest.mark.parametrize("question", ACTS)
def test_an_act_is_answered_by_the_exposure_and_never_by_the_medicines(
    patient: ClinicPatient, question: str
) -> None:
    overdose = f"finding:{IDS['Overdose of tablets']}"
    told = values(planned(patient, ("Overdose of tablets", "asked")), question)
    assert told.pop(overdose) == "yes"
    assert all(one.startswith("amount:") for one in told)
    assert values(planned(patient), question) == {overdose: "no"}


@pytest.mark.parametrize("again", ["Did you take an overdose?", "You can tell me, no one judges."])
def test_an_exposure_that_is_kept_back_opens_when_it_is_asked_again(
    patient: ClinicPatient, again: str
) -> None:
    rules = planned(patient, ("Overdose of tablets", "omitted"))
    overdose = f"finding:{IDS['Overdose of tablets']}"
    assert values(rules, "Did you take an overdose?") == {overdose: "unknown"}
    assert values(rules, f"{again} Did you take too many tablets?") == {overdose: "yes"}


def test_medicines_that_are_taken_are_still_medicines(patient: ClinicPatient) -> None:
    for question in (
        "What tablets do you take?", "Have you taken anything for the pain?",
        "Any tablets every day?", "Have you taken any medicines today?",
    ):  # fmt: skip
        assert any(one.startswith("medicine") for one in values(planned(patient), question))


def test_questions_about_mood_and_self_harm_are_answered_by_them(patient: ClinicPatient) -> None:
    low = (("Anhedonia", "asked"), ("Suicidal ideation", "asked"))
    thoughts, joyless = (f"finding:{IDS[one]}" for one in ("Suicidal ideation", "Anhedonia"))
    for question in ("How have you been feeling in yourself?", "Have you been depressed before?"):
        told = values(planned(patient, *low), question)
        assert told[thoughts] == told[joyless] == "yes"
        assert f"finding:{IDS['Depression']}" not in told
    assert values(planned(patient, *low), "Have you thought of harming yourself?") == {
        thoughts: "yes"
    }
    assert values(planned(patient), "Have you thought of harming yourself?") == {thoughts: "no"}
    plan = "Do you have a plan?"
    assert list(values(planned(patient, *low), plan).values()) == ["unknown"]
    assert values(planned(patient), plan) == {thoughts: "no"}
    high = "Have there been periods of being very high in mood?"
    assert values(planned(patient, *low), high) == {f"finding:{IDS['Mania']}": "no"}


@pytest.mark.parametrize(
    ("manner", "distortion", "value"),
    [("told", None, "3.0 years"), ("asked", None, "3.0 years"), ("vague", None, "vague")],
)
def test_a_long_standing_illness_has_its_own_time(
    patient: ClinicPatient, manner: Manner, distortion: Distortion | None, value: str
) -> None:
    copd = "chronic-obstructive-pulmonary-disease"
    lived = Background(copd, 3.0, {})
    rules = RulesPatient(dataclasses.replace(patient, background=(lived,)))
    fact = f"condition:{copd}"
    recollections = {**rules.record.recollections, fact: Recollection(fact, manner, distortion)}
    rules.record.recollections = recollections
    assert values(rules, "How long have you had COPD?") == {f"since:{copd}": value}


def test_how_often_is_no_duration(child: ClinicPatient) -> None:
    rules = RulesPatient(child)
    (fact,) = values(rules, "How many times a day?")
    assert fact.startswith("often:")


def test_drinking_of_a_child_is_feeding_and_of_an_adult_alcohol(
    child: ClinicPatient, patient: ClinicPatient
) -> None:
    assert values(planned(child), "Is he drinking? Wet nappies?") == {
        "area:feeding": "no",
        "area:nappies": "no",
    }
    told = values(planned(child, ("Poor feeding", "asked")), "Is he drinking? Wet nappies?")
    assert told == {f"finding:{IDS['Poor feeding']}": "yes", "area:nappies": "no"}
    assert list(values(planned(patient), "How much do you drink?")) == ["life:alcohol"]


@pytest.mark.parametrize(
    ("question", "facts"),
    [
        ("Any bleeding or fluid from below?", ["area:below"]),
        ("Are you passing urine normally?", ["area:waterworks"]),
        ("Is anyone else ill at home?", ["life:contacts"]),
        ("Are your vaccinations up to date?", ["life:vaccines"]),
        ("What is your blood pressure normally?", ["life:usual values"]),
        ("Any recent blood tests?", ["life:usual values"]),
        ("Has he eaten anything unusual?", ["life:unusual food"]),
    ],
)
def test_what_no_record_has_is_not_known(
    patient: ClinicPatient, question: str, facts: list[str]
) -> None:
    told = values(planned(patient), question)
    assert list(told) == facts
    assert all(
        value == ("unknown" if fact.startswith("life:") else "no") for fact, value in told.items()
    )


def test_a_vague_time_never_shrinks_days_to_hours() -> None:
    now, random = datetime(2025, 6, 17, 14, 20), Random(5)
    for hours in range(20, 24 * 11):
        then = now + timedelta(minutes=random.randrange(1440))
        text = vaguely_ago(hours * 60, then, random)
        assert "day" in text, (hours, text)
        assert hours < 44 or "days" in text, (hours, text)


def test_a_wrong_time_leaves_days_days() -> None:
    assert min(WRONG_TIME) * 3 * 24 >= 36


@pytest.mark.parametrize("question", ["Is the pain moving?", "Has the rash moved?"])
def test_a_pain_that_moves_is_no_movement_of_a_baby(patient: ClinicPatient, question: str) -> None:
    assert "life:movements" not in values(planned(patient), question)


def test_weeks_are_those_of_the_pregnancy_and_else_of_the_complaint() -> None:
    def facts(condition: str) -> set[str]:
        rules = RulesPatient(draw_patient(3, condition))
        return {one.fact.partition(":")[0] for one in rules.answer("How many weeks?").facts}

    assert facts("preeclampsia") == {"life"}
    assert facts("acute-appendicitis") == {"onset"}


def test_weeks_of_a_finding_are_its_onset_in_pregnancy_too() -> None:
    rules = RulesPatient(draw_patient(3, "preeclampsia"))
    answer = rules.answer("How many weeks have you had this?")
    assert {one.fact.partition(":")[0] for one in answer.facts} == {"onset"}


def test_nobody_with_clouded_consciousness_is_said_not_to_be_drowsy() -> None:
    values = set()
    for condition in ("bacterial-meningitis", "acute-appendicitis"):
        rules = RulesPatient(draw_patient(1, condition))
        values |= {(condition, one.value) for one in rules.answer("Is he drowsy?").facts}
    assert values == {("bacterial-meningitis", "yes"), ("acute-appendicitis", "no")}


@pytest.mark.parametrize("question", ["Is he drowsy?", "Has he been confused?", "Is he sleepy?"])
def test_no_form_of_clouded_consciousness_is_denied_at_a_low_coma_score(question: str) -> None:
    said = set()
    for seed in range(6):
        patient = draw_patient(seed, "bacterial-meningitis")
        if patient.state(0)["gcs"] < 14.5:
            said |= {one.value for one in RulesPatient(patient).answer(question).facts}
    assert said
    assert "no" not in said


@pytest.mark.parametrize(
    "question",
    [
        "Any contact with an allergen?",
        "Have you been in contact with anything you're allergic to?",
        "Were you exposed to something you react to?",
        "Were you stung by anything?",
    ],
)
def test_contact_with_an_allergen_is_no_question_about_allergies(question: str) -> None:
    answer = RulesPatient(draw_patient(3, "anaphylaxis")).answer(question)
    assert {one.fact for one in answer.facts} == {
        f"finding:{FACTS.finding_ids['Contact with an allergen']}"
    }


@pytest.mark.parametrize(
    "question", ["Is there anything you're allergic to?", "Any food you are allergic to?"]
)
def test_a_question_about_allergies_is_none_about_contact(question: str) -> None:
    answer = RulesPatient(draw_patient(3, "anaphylaxis")).answer(question)
    assert {one.fact for one in answer.facts} == {"allergies"}


@pytest.mark.parametrize(
    ("condition", "finding"),
    [
        ("peptic-ulcer-disease", "Epigastric pain"),
        ("ovarian-torsion", "Pelvic pain"),
        ("renal-colic", "Flank pain"),
    ],
)
def test_pain_in_a_part_of_the_belly_answers_a_question_about_the_belly(
    condition: str, finding: str
) -> None:
    hurt = next(
        one for seed in range(30)
        if IDS[finding] in (one := draw_patient(seed, condition)).problems[0].findings
        and one.speaker == "patient"
    )  # fmt: skip
    answer = RulesPatient(hurt).answer("Do you have any stomach pain?", 5)
    assert answer.facts[0].fact == f"finding:{IDS[finding]}"
    assert answer.facts[0].value in ("yes", "vague", "slight")


@pytest.mark.parametrize(
    ("question", "both"),
    [
        ("Fever, and for how many days?", True),
        ("Have you had a fever? If so, since when?", True),
        ("For how many days have you had the fever?", False),
    ],
)
def test_whether_and_since_when_are_both_answered(question: str, both: bool) -> None:
    hot = next(
        one for seed in range(30)
        if IDS["Fever"] in (one := draw_patient(seed, "pneumonia")).problems[0].findings
        and one.speaker == "patient"
    )  # fmt: skip
    kinds = [one.fact.split(":")[0] for one in RulesPatient(hot).answer(question, 5).facts]
    assert kinds == (["finding", "onset"] if both else ["onset"])


def test_what_comes_and_goes_is_a_finding_and_no_question_about_the_course() -> None:
    with_weals = draw_patient(0, "anaphylaxis")
    rules = RulesPatient(with_weals)
    asked = ("Do you have weals that come and go?", "The weals: do they come and go?")
    facts = [rules.answer(one, 5).facts[0].fact for one in asked]
    assert [one.split(":")[0] for one in facts] == ["finding", "course"]


def test_a_woman_past_the_age_of_periods_has_none_to_miss() -> None:
    asked = 0
    for seed in range(60):
        patient = draw_patient(seed, "osteoarthritis")
        if patient.person.sex == "female" and patient.person.age > 60:
            asked += 1
            answer = RulesPatient(patient).answer("Have you missed a period?", 5)
            assert not answer.text.startswith(("No,", "No.", "Nothing")), answer.text
    assert asked > 5


def test_who_takes_a_statin_does_not_deny_one_first() -> None:
    drawn = (draw_patient(seed, "stable-angina-pectoris") for seed in range(60))
    taking = next(
        one for one in drawn
        if one.speaker == "patient" and "atorvastatin" in {it.drug for it in one.medicines}
    )  # fmt: skip
    facts = RulesPatient(taking).answer("What do you take atorvastatin for?", 5).facts
    assert {one.fact.split(":")[0] for one in facts} == {"medicine"}
