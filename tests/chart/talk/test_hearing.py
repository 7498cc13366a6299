"""Lay words are understood as what they say, and questions as what they ask."""

from __future__ import annotations

import pytest

from gym_clinic.chart.talk import RulesPatient
from gym_clinic.chart.talk.hearing import areas, hearing_of
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.telling.lay_words import (
    Speaker,
    bare,
    in_person,
    lay_words,
    negatable,
)

FACTS = load()
HEARING = hearing_of(FACTS)
IDS = FACTS.finding_ids


def misheard(name: str, text: str, status: str) -> bool:
    """Whether a text says another finding than this one, or not this one."""
    key = IDS[name]
    links = HEARING.linker.link(text)
    right = [one for one in links if one.record.id == key and one.status == status]
    others = [
        one for one in links
        if one.status != status
        or (one.record.id != key and (status == "absent" or one.record.id not in FACTS.above[key]))
    ]  # fmt: skip
    return not right or bool(others)


def phrases(name: str, speaker: Speaker) -> list[tuple[str, str]]:
    words = lay_words()[name]
    said = [(f"Yes, {in_person(one, speaker, 'male')}.", "present") for one in words.nouns]
    said += [(f"{in_person(one, speaker, 'male')}.", "present") for one in words.says]
    return said


@pytest.mark.parametrize("speaker", ["patient", "parent"])
def test_every_lay_phrase_is_heard_as_its_finding_and_nothing_else(speaker: Speaker) -> None:
    wrong = [
        (name, text)
        for name in lay_words()
        for text, status in phrases(name, speaker)
        if misheard(name, text, status)
    ]
    assert wrong == []


def test_a_phrase_of_another_finding_is_noticed() -> None:
    assert misheard("Headache", "Yes, a sore throat.", "present")
    assert misheard("Headache", "No headache.", "present")
    assert not misheard("Headache", "No headache.", "absent")


def test_every_denied_noun_is_heard_as_absent_and_nothing_else() -> None:
    wrong = [
        (name, text)
        for name, words in lay_words().items()
        for noun in negatable(words.nouns)
        if misheard(name, text := f"No {bare(in_person(noun, 'patient', 'female'))}.", "absent")
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What brings you in today?", "opening"),
        ("When did it start?", "onset"),
        ("How long have you had this?", "onset"),
        ("Is it getting worse?", "course"),
        ("Where exactly is it?", "site"),
        ("Does it go anywhere?", "spread"),
        ("How bad is it, out of ten?", "severity"),
        ("What makes it better?", "relief"),
        ("What medication are you on?", "medicines"),
        ("Any allergies?", "allergies"),
        ("Do you have any other medical conditions?", "past"),
        ("Does anything run in the family?", "family"),
        ("You don't smoke, do you?", "smoking"),
        ("How much do you drink?", "alcohol"),
        ("Have you been abroad lately?", "travel"),
        ("What do you do for a living?", "work"),
        ("Who do you live with?", "home"),
        ("When did you last eat?", "meal"),
        ("Could you be pregnant?", "pregnant"),
        ("When was your last period?", "period"),
        ("How old are you?", "born"),
        ("What's your name?", "name"),
        ("Anything else?", "more"),
    ],
)
def test_topics_are_heard(question: str, topic: str) -> None:
    assert topic in HEARING.hear(question).topics


def test_everything_that_a_question_names_is_heard() -> None:
    heard = HEARING.hear("Any headache, vomiting or tummy pain, and do you take ibuprofen?")
    assert heard.findings == (IDS["Headache"], IDS["Vomiting"], IDS["Abdominal pain"])
    assert heard.drugs == ("ibuprofen",)
    assert HEARING.hear("Do you have high blood pressure?").illnesses == ("hypertension",)
    assert HEARING.hear("How are your bowels?").areas == ("bowels",)


def test_what_a_relative_has_is_asked_of_the_family() -> None:
    for question in ("Did your mother have a stroke?", "Any seizures in your brothers or sisters?"):
        assert "family" in HEARING.hear(question).topics


def test_what_names_nothing_is_heard_as_nothing() -> None:
    heard = HEARING.hear("Colourless green ideas?")
    assert (heard.findings, heard.topics, heard.drugs, heard.illnesses) == ((), (), (), ())


def test_areas_name_findings_of_the_tables() -> None:
    for names in areas().values():
        assert set(names) <= lay_words().keys()


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("diahrea", "diarrhea"), ("vomitting", "vomiting"), ("siezure", "seizure")],
)
def test_common_misspellings_are_understood(wrong: str, right: str) -> None:
    asked, meant = (HEARING.hear(f"Any {word}?").findings for word in (wrong, right))
    assert asked == meant
    assert asked


@pytest.mark.parametrize(
    ("question", "topics"),
    [
        ("Any allergies to medicines?", {"allergies"}),
        ("Are you allergic to any medication?", {"allergies"}),
        ("Do you have any medicine allergies?", {"allergies"}),
        ("Have you ever had a bad reaction to a medicine?", {"allergies"}),
        ("Which medicines do you take, and any allergies?", {"allergies", "medicines"}),
    ],
)
def test_who_is_asked_about_allergies_to_medicines_does_not_list_the_medicines(
    question: str, topics: set[str]
) -> None:
    assert {*HEARING.hear(question).topics} & {"allergies", "medicines"} == topics


def test_illnesses_of_the_family_are_not_those_of_the_patient() -> None:
    assert HEARING.hear("Any illnesses in the family?").topics == ("family",)
    assert "past" in HEARING.hear("What illnesses do you have?").topics


@pytest.mark.parametrize(
    ("question", "finding"),
    [
        ("Do you skip meals?", "Restricted eating"),
        ("Have you been skipping meals on purpose?", "Restricted eating"),
        ("Do you restrict what you eat?", "Restricted eating"),
        ("Do you limit your food on purpose?", "Restricted eating"),
        ("Are you afraid of gaining weight?", "Fear of weight gain"),
        ("Do you worry about getting fat?", "Fear of weight gain"),
        ("Are you scared of putting on weight?", "Fear of weight gain"),
    ],
)
def test_questions_about_eating_and_weight_are_heard(question: str, finding: str) -> None:
    heard = HEARING.hear(question)
    assert heard.findings == (FACTS.finding_ids[finding],)
    assert "self-harm" not in heard.topics


@pytest.mark.parametrize(
    ("question", "drugs"),
    [
        ("Any food allergy?", False),
        ("Are you allergic to any foods?", False),
        ("Are you allergic to nuts?", False),
        ("Any food or drug allergies?", True),
        ("Any allergies to foods or medicines?", True),
    ],
)
def test_who_is_asked_for_food_allergies_does_not_name_drugs(question: str, drugs: bool) -> None:
    patients = (draw_patient(seed, "deep-vein-thrombosis") for seed in range(60))
    patient = next(one for one in patients if one.allergies)
    told = [one.fact for one in RulesPatient(patient).answer(question).facts]
    assert any(one.startswith("allergy:") for one in told) is drugs
    assert drugs or told


def test_who_is_asked_for_an_allergic_nose_speaks_of_the_nose() -> None:
    drawn = (RulesPatient(draw_patient(seed, "asthma")) for seed in range(80))
    rhinitis = IDS["Allergic rhinitis"]
    has = [one for one in drawn if one.record.known(rhinitis).stance == "has"]
    assert has
    for patient in has:
        for question in ("Do you have allergic rhinitis?", "Any nasal allergies?"):
            facts = {one.fact for one in patient.answer(question).facts}
            assert facts == {f"finding:{rhinitis}"}


def test_a_swollen_leg_is_told_in_words_of_the_leg() -> None:
    for seed in range(12):
        patient = draw_patient(seed, "deep-vein-thrombosis")
        calf = FACTS.finding_ids["Calf swelling"]
        if calf in patient.problems[0].findings:
            told = RulesPatient(patient).answer("Is your leg swollen?").facts
            assert f"finding:{calf}" in {one.fact for one in told}
    assert not [one for one in lay_words()["Edema"].nouns if "water" in one or "fluid" in one]


def test_what_means_the_same_is_answered_by_what_is_there() -> None:
    for seed in range(8):
        patient = draw_patient(seed, "anorexia-nervosa")
        weight = FACTS.finding_ids["Decreased body weight"]
        if weight in patient.problems[0].findings:
            told = RulesPatient(patient).answer("Have you lost weight?").facts
            assert [one.fact for one in told] == [f"finding:{weight}"]


@pytest.mark.parametrize(
    "question",
    [
        "Have you been abroad?",
        "Any travel?",
        "Have you been out of the country?",
        "Have you left the country recently?",
        "Where have you been lately?",
        "Did you visit another country?",
        "Have you been to Africa or Asia?",
        "Have you been to the tropics?",
    ],
)
def test_a_journey_is_told_to_whoever_asks_for_it(question: str) -> None:
    tropics = f"finding:{FACTS.finding_ids['Stay in the tropics']}"
    for seed in range(4):
        answer = RulesPatient(draw_patient(seed, "malaria")).answer(question)
        told = {one.fact: one.value for one in answer.facts}
        assert told["life:travel"] != "no"
        assert told[tropics] == "yes"
    nobody = RulesPatient(draw_patient(3, "panic-disorder")).answer(question).facts
    assert {one.value for one in nobody} == {"no"}


def test_who_is_asked_where_it_hurts_tells_of_no_journey() -> None:
    assert "travel" not in HEARING.hear("Where have you been hurting?").topics


def test_nobody_has_malaria_without_a_journey() -> None:
    tropics = FACTS.finding_ids["Stay in the tropics"]
    for condition in ("malaria", "dengue-fever"):
        for seed in range(25):
            assert tropics in draw_patient(seed, condition).problems[0].findings
