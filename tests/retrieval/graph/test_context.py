"""Each rule of scope holds for any finding that stands in its place."""

from __future__ import annotations

import pytest

from gym_clinic import embedded

FINDINGS = ("cough", "headache", "tremor", "jaundice", "palpitations", "chest pain", "vertigo")

PRESENT = (
    "His mother had gout, and on examination he had {}.",
    "His wife has noticed {} since May.",
    "His wife is concerned about his {}.",
    "No rash, preceded by {}.",
    "PMH: gout. C/o {}.",
    "No fever, {}++.",
)
PAST = (
    "He had {} in January, but that cleared up completely.",
    "He had {} but it has gone.",
    "He was admitted with {}, all of which had fully resolved.",
    "PMH: {}.",
)
ABSENT = ("ROS: + fatigue, - {}, - rash.",)
HYPOTHETICAL = ("Call 911 for {}.", "We discussed the risks of {}.")
OTHER = ("FHx: mother gout, father {}.", "Family history: gout (father), {} (sister).")

CASES = [
    (template, status)
    for status, templates in {
        "present": PRESENT,
        "past": PAST,
        "absent": ABSENT,
        "hypothetical": HYPOTHETICAL,
        "other": OTHER,
    }.items()
    for template in templates
]


@pytest.mark.parametrize(("template", "status"), CASES)
def test_a_scope_holds_for_every_finding(template, status):
    wrong = {}
    for name in FINDINGS:
        text = template.format(name)
        links = [one for one in embedded.linker().link(text) if one.text.casefold() == name]
        if [one.status for one in links] != [status]:
            wrong[text] = links
    assert not wrong


@pytest.mark.parametrize(
    "text",
    [
        "Follow up in two weeks.",
        "He was seen following the operation.",
        "Reciprocal depression inferiorly.",
        "It is only a bit of a tickle.",
        "Discharged, d/c home.",
        "I go to sleep at ten.",
        "He went back up the stairs.",
    ],
)
def test_ordinary_words_name_no_finding(text):
    assert embedded.linker().link(text) == []
