"""Lay words are understood as what they say, and questions as what they ask."""

from __future__ import annotations

import pytest

from gym_clinic.chart.talk.hearing import areas, hearing_of
from gym_clinic.facts import load
from gym_clinic.simulate.clinic.lay_words import Speaker, bare, in_person, lay_words, negatable

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


def test_illnesses_of_the_family_are_not_those_of_the_patient() -> None:
    assert HEARING.hear("Any illnesses in the family?").topics == ("family",)
    assert "past" in HEARING.hear("What illnesses do you have?").topics
