"""Words written apart or together, and words that are misspelt as other words."""

from __future__ import annotations

import pytest

from gym_clinic.retrieval.passages import compounds
from gym_clinic.retrieval.passages.near_names import NearNames

KNOWN = {"heartburn", "headache", "blood", "pressure", "chest", "pain", "percent"}
BESIDE = {("blood", "pressure"), ("chest", "pain"), ("head", "ache")}


def beside(first: str, second: str) -> bool:
    return (first, second) in BESIDE


@pytest.mark.parametrize(
    ("text", "words", "changed"),
    [
        ("heart burn now", ["heartburn", "now"], {"heart burn": "heartburn"}),
        ("Heart Burn", ["heartburn"], {"Heart Burn": "heartburn"}),
        ("head ache", ["head", "ache"], {}),  # passages have it as it is written
        ("blood pressure", ["blood", "pressure"], {}),
        ("x y", ["x", "y"], {}),
        ("", [], {}),
    ],
)
def test_words_that_are_one_word_are_joined(
    text: str, words: list[str], changed: dict[str, str]
) -> None:
    assert compounds.join(text.split(), KNOWN.__contains__, beside) == (words, changed)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("bloodpressure", ("blood", "pressure")),
        ("chestpain", ("chest", "pain")),
        ("bloodpain", None),  # known words, but nowhere in a row
        ("percentage", None),
        ("blood", None),
    ],
)
def test_a_word_of_two_known_words_in_a_row_is_split(
    word: str, parts: tuple[str, str] | None
) -> None:
    assert compounds.split(word, KNOWN, beside) == parts


NAMES = NearNames(
    [("bowel", "obstruction"), ("heart", "attack"), ("chicken", "pox"), ("lower", "back", "pain")]
)


@pytest.mark.parametrize(
    ("text", "at", "is_word", "right"),
    [
        ("bowl obstruction", 0, True, ["bowel"]),
        ("hart attack", 0, True, ["heart"]),
        ("chicken pocks", 1, False, ["pox"]),
        ("lour back pain", 0, False, ["lower"]),
        ("heart attack", 0, True, []),
        ("panic attack", 0, True, []),
        ("heart", 0, True, []),
    ],
)
def test_a_word_is_read_as_what_makes_a_name_with_its_neighbours(
    text: str, at: int, is_word: bool, right: list[str]
) -> None:
    words = text.split()
    assert list(NAMES.completing(words, at, words[at], lambda: is_word)) == right


def test_another_consonant_makes_another_word_where_the_word_exists() -> None:
    names = NearNames([("foot", "pain")])
    assert list(names.completing(["food", "pain"], 0, "food", lambda: True)) == []
    assert list(names.completing(["food", "pain"], 0, "food", lambda: False)) == ["foot"]
