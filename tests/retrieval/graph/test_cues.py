"""Each row of the table of cues does what its examples say, with every phrase of the row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from gym_clinic import embedded
from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import read_record
from gym_clinic.retrieval.graph.context import ENDS
from gym_clinic.retrieval.graph.cues import TABLE, CueTable, cue_table, cues_by_word

MARKS = {
    "present": "+", "absent": "-", "past": "<", "other": "@", "hypothetical": "~", "context": "#",
}  # fmt: skip
SPECIAL = {"number": "3", "finding": "cough"}


def phrases(cue: str) -> Iterator[str]:
    """Yield what a cue may read, with the first word of each class and no word of a run."""
    choices: list[list[str]] = []
    for part in cue.split():
        if part.endswith("*}"):
            continue
        if part.startswith("{"):
            name = part[1:-1]
            choices.append([SPECIAL.get(name) or cue_table().words[name].split()[0]])
            continue
        optional = part.endswith("?") and part != "(?)"
        words = (part[:-1] if optional else part).split("|")
        choices.append([""] * optional + words)
    for chosen in product(*choices):
        yield " ".join(filter(None, chosen))


def told(text: str) -> list[str]:
    return sorted(MARKS[link.status] + link.record.name for link in embedded.linker().link(text))


def written(example: str, phrase: str) -> tuple[str, list[str]]:
    """Return an example with a phrase in its place, and the marks that it must get."""
    text, _, marks = example.partition(" => ")
    text = text.replace("{}", phrase).replace("(?) ", "?")
    return text, sorted(mark.strip() for mark in marks.split(";"))


@pytest.mark.parametrize("row", cue_table().cues, ids=lambda row: f"{row.kind}: {row.cues[0][:30]}")
def test_each_cue_does_what_its_examples_say(row):
    assert row.cues
    assert row.examples
    wrong = {}
    for example in row.examples:
        for cue in row.cues:
            for phrase in phrases(cue):
                text, expected = written(example, phrase)
                if (found := told(text)) != expected:
                    wrong[text] = found
    assert not wrong, (len(wrong), wrong)


def test_the_phrases_of_a_cue_are_written_out():
    assert list(phrases("has|had now? {degree*} gone")) == [
        "has gone", "has now gone", "had gone", "had now gone",
    ]  # fmt: skip


def test_kinds_ends_and_classes_are_those_of_the_table():
    table = cue_table()
    assert {row.kind for row in table.cues} == set(table.kinds)
    ends = {name for name, kind in table.kinds.items() if kind.layer == "end"}
    assert {end for kind in table.kinds.values() for end in kind.ends} <= ends | ENDS
    for kind in table.kinds.values():
        assert bool(kind.status) == bool(kind.directions)
        assert {kind.needs, kind.unless} <= {"", *table.words}


def test_no_class_says_a_word_twice():
    for name, words in cue_table().words.items():
        assert len(set(words.split())) == len(words.split()), name


def test_no_cue_is_written_twice_in_a_kind():
    seen = [(row.kind, row.directions, cue) for row in cue_table().cues for cue in row.cues]
    assert len(set(seen)) == len(seen)


def test_a_broken_table_names_the_field():
    broken = TABLE.read_bytes().replace(b'"layer": "denial"', b'"layer": "denials"', 1)
    with pytest.raises(TaskError, match=r"field kinds\..*\.layer"):
        read_record(broken, CueTable, "cues.json")


def test_a_cue_is_found_by_each_of_its_first_words():
    assert {"he", "she"} <= set(cues_by_word())
    assert all(cue.elements[0].least == 1 for cues in cues_by_word().values() for cue in cues)
