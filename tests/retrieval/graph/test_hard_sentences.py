"""Hard sentences keep the precision and recall that were measured."""

from __future__ import annotations

import pytest
from linking_sentences import hard_sentences, score

from gym_clinic import embedded

# Set -> the least precision and recall.
FLOORS = {"tuned": (0.97, 0.96), "held": (0.96, 0.96)}


@pytest.mark.parametrize("name", FLOORS)
def test_hard_sentences_have_their_floor(name):
    found = score(embedded.linker(), hard_sentences(name))
    print(f"{name:6} precision {found.precision:.3f} recall {found.recall:.3f}")
    assert found.precision >= FLOORS[name][0], found.wrong
    assert found.recall >= FLOORS[name][1], found.wrong


def test_hard_sentences_are_many_and_distinct():
    texts = [sentence.text for name in FLOORS for sentence in hard_sentences(name)]
    assert len(texts) == len(set(texts)) >= 500


def test_hard_sentences_name_findings_of_the_tables():
    names = {node.name for node in embedded.graph().nodes}
    for name in FLOORS:
        for sentence in hard_sentences(name):
            for mark in sentence.marks:
                assert {one[1:] for one in mark if one} <= names, sentence.text
