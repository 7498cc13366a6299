"""Each row of the table of cues does what its examples say, with every phrase of the row."""

from __future__ import annotations

import pytest

from gym_clinic import embedded
from gym_clinic.retrieval.graph import cues
from gym_clinic.retrieval.graph.words import words_of

MARKS = {
    "present": "+", "absent": "-", "past": "<", "other": "@", "hypothetical": "~", "context": "#",
}  # fmt: skip


def told(text: str) -> list[str]:
    return sorted(MARKS[link.status] + link.record.name for link in embedded.linker().link(text))


def written(example: str, phrase: str) -> tuple[str, list[str]]:
    """Return an example with a phrase in its place, and the marks that it must get."""
    text, _, marks = example.partition(" => ")
    text = text.replace("{}", phrase).replace("(?) ", "?")
    return text, sorted(mark.strip() for mark in marks.split(";"))


@pytest.mark.parametrize("row", cues.rows(), ids=lambda row: f"{row.kind}: {row.cues[0]}")
def test_each_cue_does_what_its_examples_say(row):
    wrong = {}
    for example in row.examples:
        for cue in row.cues:
            for phrase in cues.phrases(cue):
                text, expected = written(example, phrase)
                if (found := told(text)) != expected:
                    wrong[text] = found
    assert not wrong, (len(wrong), wrong)
