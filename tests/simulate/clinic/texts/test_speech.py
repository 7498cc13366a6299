"""The patient's own words on arrival: what happened once is told as an event."""

from __future__ import annotations

import re

import pytest

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.telling.lay_words import lay_words
from gym_clinic.simulate.clinic.texts import documents, speech

GOES_ON = re.compile(
    r"\b(?:for|since|from) (?:the last |about )?(?:\d|yesterday|[A-Z])"
    r"|(?<!right |.over )\bnow\b|still (?:there|got)|^\d+ \w+ of\b|had it\b"
)
"""Words of something that goes on."""

CONDITIONS = ("vasovagal-syncope", "paracetamol-poisoning", "epilepsy", "febrile-convulsion")


def openings() -> list[str]:
    """Opening words of patients whose complaint is an event."""
    facts, found = load(), []
    for condition in CONDITIONS:
        for seed in range(40):
            patient = draw_patient(seed, condition)
            complaint = patient.problems[0].complaint
            if facts.phenotypes[complaint].name in EVENTS:
                texts = documents(patient)
                found += [one.text for one in texts if one.kind == "opening words"]
    return found


EVENTS = frozenset(speech.events())


def test_nobody_has_fainted_for_hours_or_has_an_overdose_that_is_still_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = openings()
    assert len(told) > 40
    assert not [one for one in told if GOES_ON.search(one.split(". ")[0])]
    monkeypatch.setattr(speech, "events", frozenset)
    assert [one for one in openings() if GOES_ON.search(one.split(". ")[0])]


def test_every_event_is_a_finding_with_a_clause_of_its_own() -> None:
    names = {one.name for one in load().phenotypes.values()}
    assert {*EVENTS} <= names
    assert all(lay_words()[one].says for one in EVENTS)
