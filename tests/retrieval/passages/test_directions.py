"""Too little and too much, and the order of passages by topic."""

from __future__ import annotations

import doctest

import pytest

from gym_clinic.retrieval.passages import absent, directions, passage, word_lists
from gym_clinic.retrieval.passages.directions import direction_of, is_opposite, topic_of
from gym_clinic.retrieval.passages.ranking import (
    OPPOSITE_FACTOR,
    REPEATED_FACTORS,
    is_ranked_by_topic,
    ranked_by_topic,
)
from gym_clinic.retrieval.passages.reading import QueryReading


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("vitamin D deficiency", "low"),
        ("low potassium", "low"),
        ("Hypokalaemia", "low"),
        ("thrombocytopenia", "low"),
        ("bradycardia", "low"),
        ("iron overload", "high"),
        ("raised calcium", "high"),
        ("thrombocytosis", "high"),
        ("low sodium in hypertension", None),
        ("gout", None),
        ("hypersensitivity", None),
        ("", None),
    ],
)
def test_words_have_a_direction(text: str, direction: str | None) -> None:
    assert direction_of(text.split()) == direction


def test_the_topic_of_a_title_decides_what_is_opposite() -> None:
    assert is_opposite("low", topic_of("Hypervitaminosis D: management and treatment"))
    assert not is_opposite("low", topic_of("Osteomalacia: high calcium"))
    assert not is_opposite("high", topic_of("High sodium"))


def test_the_examples_of_the_modules_hold() -> None:
    for module in (directions, passage, word_lists, absent):
        assert doctest.testmod(module).failed == 0


TITLES = {1: "Gout: signs", 2: "Gout: tests", 3: "Gout: treatment", 4: "Low urate", 5: "Fever"}
SCORES = {1: 10.0, 2: 9.0, 3: 8.0, 4: 7.0, 5: 6.0}
TOPICS = frozenset({"gout", "fever"})


def test_further_passages_of_a_topic_count_less_unless_it_alone_is_named() -> None:
    no_topic = QueryReading(None)
    first, second, third = REPEATED_FACTORS
    assert ranked_by_topic(SCORES, TITLES, no_topic, TOPICS) == {
        1: 10 * first, 2: 9 * second, 3: 8 * third, 4: 7, 5: 6,
    }  # fmt: skip
    one = QueryReading(None, topics=frozenset({"gout"}))
    assert ranked_by_topic(SCORES, TITLES, one, TOPICS) == SCORES
    assert not is_ranked_by_topic(one, TOPICS)
    assert not is_ranked_by_topic(no_topic, ())
    two = QueryReading(None, topics=frozenset({"gout", "fever"}))
    assert ranked_by_topic(SCORES, TITLES, two, TOPICS)[3] == 8 * third


def test_an_opposite_topic_counts_less() -> None:
    high = QueryReading(None, direction="high", topics=frozenset({"gout"}))
    assert is_ranked_by_topic(high, ())
    assert ranked_by_topic(SCORES, TITLES, high, TOPICS)[4] == 7 * OPPOSITE_FACTOR
