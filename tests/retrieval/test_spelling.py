"""Correction of unknown words, freely and strictly."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.facts.naming import stem
from gym_clinic.retrieval import spelling
from gym_clinic.retrieval.passages import vocabulary
from gym_clinic.retrieval.spelling import (
    MOST,
    Corrector,
    KnownWords,
    StrictCorrector,
    is_correctable,
    sound,
)

KNOWN = {
    "fever": 90, "diabetes": 50, "diabetic": 40, "pneumonia": 30, "sciatica": 3, "asthma": 20,
    "haemorrhage": 12, "hemorrhage": 9, "breath": 20, "breast": 10, "warfarin": 8,
    "appendicitis": 4, "guillain": 2, "treatment": 200, "heat": 5, "heart": 80, "hypothermia": 4,
}  # fmt: skip


@pytest.fixture(scope="module")
def corrector() -> Corrector:
    return Corrector(KNOWN)


def test_the_doctests() -> None:
    for module in (spelling, vocabulary):
        assert not doctest.testmod(module).failed


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("feaver", "fever"),
        ("fevre", "fever"),
        ("diabetis", "diabetes"),
        ("pnemonia", "pneumonia"),
        ("newmonia", "pneumonia"),
        ("siatica", "sciatica"),
        ("astma", "asthma"),
        ("hemorhage", "hemorrhage"),
        ("warferin", "warfarin"),
        ("apendisitis", "appendicitis"),
        ("gullian", "guillain"),
        ("tretmant", "treatment"),
    ],
)
def test_the_nearest_word_is_found(corrector: Corrector, written: str, meant: str) -> None:
    assert corrector.near(written)[0] == meant


def test_several_near_words_are_named_the_best_one_first(corrector: Corrector) -> None:
    assert corrector.near("breat") == ("breath", "breast")


def test_the_more_frequent_of_equally_near_words_goes_first() -> None:
    for frequent, seldom in (("casta", "caste"), ("caste", "casta")):
        assert Corrector({frequent: 9, seldom: 1}).near("castu")[0] == frequent


@pytest.mark.parametrize("word", ["", "hx", "b12", "xylophone", "fe-ver", "лихорадка", "x" * 50])
def test_nothing_is_near_a_short_a_foreign_or_another_word(corrector: Corrector, word: str) -> None:
    assert corrector.near(word) == ()
    assert is_correctable(word) == (word == "xylophone")


def test_many_near_words_are_cut() -> None:
    many = Corrector({f"fe{one}er": 1 for one in "bcdfghjk"})
    assert len(many.near("feler")) == MOST


def test_words_that_sound_alike_have_one_sound() -> None:
    for one, other in (("psoriasis", "soriasis"), ("phlegm", "flem"), ("knee", "nee")):
        assert sound(one)[:2] == sound(other)[:2]


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
def test_a_slip_is_corrected_strictly(word: str, near: str) -> None:
    known = ["palpitations", "hematuria", "haematuria", "hypothermia", "edema", "fever", "cough"]
    assert StrictCorrector([*known, "confusion"]).nearest(word)[0] == near


@given(st.sampled_from(["palpitations", "constipation", "convulsion"]), st.integers(1, 10))
def test_a_letter_left_out_or_doubled_is_found(word: str, place: int) -> None:
    strict = StrictCorrector(["palpitations", "constipation", "convulsion", "contraction"])
    for wrong in (word[:place] + word[place + 1 :], word[:place] + word[place - 1 :]):
        assert strict.nearest(wrong)[0] == word


@given(st.text())
def test_any_word_is_looked_up(word: str) -> None:
    near, likeness = StrictCorrector(["fever", "edema"]).nearest(word)
    assert (near in ("fever", "edema")) == (likeness > 0)
    assert isinstance(stem(word), str)


@given(st.text("abc", min_size=1, max_size=8), st.integers(1, 4))
def test_known_words_are_near_by_their_distance(word: str, most: int) -> None:
    words = ["a", "abc", "abca", "bbbb", "cabcab", "cbacba", "bcabcabc", "d"]
    found = dict(KnownWords(words).near(word, most))
    expected = {one: spelling.OSA.distance(word, one) for one in words}
    assert found == {one: wrong for one, wrong in expected.items() if wrong <= most}
    start = dict(KnownWords(words).near(word, most, start="c"))
    assert start == {one: wrong for one, wrong in found.items() if one[0] == "c"}
