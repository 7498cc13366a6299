from __future__ import annotations

import doctest

import pytest

from gym_clinic.retrieval.passages import spelling, vocabulary
from gym_clinic.retrieval.passages.spelling import MOST, Corrector, is_correctable, sound

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
