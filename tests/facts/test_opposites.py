"""Findings that nobody has at the same time."""

from __future__ import annotations

import pytest

from gym_clinic.facts import Facts, load


@pytest.fixture(scope="module")
def facts() -> Facts:
    return load()


@pytest.mark.parametrize(
    ("this", "that", "expected"),
    [
        ("Tachycardia", "Bradycardia", True),
        ("Hypertension", "Hypotension", True),
        ("Episodic hypertension", "Hypotension", True),
        ("Ventricular tachycardia", "Bradycardia", True),
        ("Fever", "Hypothermia", True),
        ("Miosis", "Mydriasis", True),
        ("Hyperreflexia", "Areflexia", True),
        ("Short stature", "Tall stature", True),
        ("Diarrhea", "Constipation", False),
        ("Hyperpigmentation of the skin", "Hypopigmentation of the skin", False),
        ("Macroscopic hematuria", "Microscopic hematuria", False),
        ("Fever", "Chills", False),
    ],
)
def test_opposites(facts, this, that, expected):
    ids = {one.name: key for key, one in facts.phenotypes.items()}
    assert (ids[that] in facts.opposites[ids[this]]) is expected


def test_no_finding_is_its_own_opposite(facts):
    for key, several in facts.opposites.items():
        assert key not in several
        assert several.isdisjoint(facts.above[key])
