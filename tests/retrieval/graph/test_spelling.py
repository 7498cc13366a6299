from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.facts.naming import stem
from gym_clinic.retrieval.graph.spelling import Spelling


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("palpitatoins", "palpitations"),  # two letters exchanged
        ("hematuira", "hematuria"),
        ("huematuria", "haematuria"),  # of equally near words, the one of the same length
        ("hypothermai", "hypothermia"),
        ("edena", ""),  # a short word with another consonant
        ("hyperthermia", ""),  # another word, not a misspelling
        ("gever", ""),  # another first letter
        ("conclusion", ""),
        ("couch", ""),
    ],
)
def test_the_nearest_known_word_is_found(word, near):
    known = ["palpitations", "hematuria", "haematuria", "hypothermia", "edema", "fever", "cough"]
    assert Spelling([*known, "confusion"]).nearest(word)[0] == near


@given(st.sampled_from(["palpitations", "constipation", "convulsion"]), st.integers(1, 10))
def test_a_letter_left_out_or_doubled_is_found(word, place):
    spelling = Spelling(["palpitations", "constipation", "convulsion", "contraction"])
    for wrong in (word[:place] + word[place + 1 :], word[:place] + word[place - 1 :]):
        assert spelling.nearest(wrong)[0] == word


@given(st.text())
def test_any_word_is_looked_up(word):
    near, likeness = Spelling(["fever", "edema"]).nearest(word)
    assert (near in ("fever", "edema")) == (likeness > 0)
    assert isinstance(stem(word), str)
