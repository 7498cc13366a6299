from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.facts import naming
from gym_clinic.facts.naming import same_name, words


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("Ménière disease", "MENIERE DISEASE", True),
        ("Ehlers-Danlos syndrome", "Ehlers Danlos syndrome", True),
        ("Sjögren’s syndrome", "Sjogren's syndrome", True),
        ("Autosomal recessive ichthyosis", "Ichthyosis, autosomal recessive", True),
        ("Down's syndrome", "Down syndrome", True),
        ("Subarachnoid haemorrhage", "Subarachnoid hemorrhage", True),
        ("Œsophageal tumours", "Esophageal tumors", True),
        ("Generalised anxiety disorder", "Generalized anxiety disorder", True),
        ("Muscle fibre titre", "Muscle fiber titer", True),
        ("Necrotising fasciitis", "Necrotizing fasciitis", True),
        ("Sulphite oxidase deficiency", "Sulfite oxidase deficiency", True),
        ("Hyperglycaemia", "Hypoglycaemia", False),
        ("Fever blister", "Blister fever", False),
        ("Ataxia 1", "Ataxia 2", False),
        ("", "", False),
        ("?", "!", False),
    ],
)
def test_names_agree_but_for_case_punctuation_and_inversion(ours, theirs, same):
    assert same_name(ours, theirs) is same


@given(st.text())
def test_words_are_plain(name):
    found = words(name)
    assert words(" ".join(found)) == found


@given(st.text(alphabet="aeoiæœ'’su lphtbmnrdzgcv"))
def test_american_spelling_is_kept(name):
    found = words(name)
    assert words(" ".join(found)) == found


@given(st.text())
def test_punctuation_does_not_matter(name):
    found = words(name)
    assert same_name(name, f"({name})") is bool(found)


def test_the_examples_of_the_documentation_hold():
    assert doctest.testmod(naming) == (0, 4)
