from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.facts.stems import stem
from gym_clinic.retrieval.graph.spelling import Spelling, wrong_letters

LETTERS = st.text("abcdeo", max_size=9)


@pytest.mark.parametrize(
    ("one", "other", "wrong"),
    [
        ("", "", 0),
        ("fever", "", 5),
        ("fevre", "fever", 1),
        ("fver", "fever", 1),
        ("feever", "fever", 1),
        ("fover", "fever", 1),
        ("ca", "abc", 3),
        ("hemmorage", "hemorrhage", 3),
    ],
)
def test_wrong_letters(one, other, wrong):
    assert wrong_letters(one, other) == wrong_letters(other, one) == wrong


@given(LETTERS, LETTERS)
def test_wrong_letters_are_none_for_equals_only_and_at_most_all(one, other):
    wrong = wrong_letters(one, other)
    assert (wrong == 0) == (one == other)
    assert abs(len(one) - len(other)) <= wrong <= max(len(one), len(other))


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
