"""Phrases of simulated articles: enough of them are held out, and none is a train phrase again."""

from __future__ import annotations

import re

import pytest

from gym_clinic.domains.clingen.literature.prose.labels import short_arm, short_measure, shorten
from gym_clinic.domains.clingen.literature.prose.pools import PHRASES, SHARED_BELOW
from gym_clinic.domains.clingen.literature.records import Arm, Experiment, GroupComparison
from gym_clinic.simulate.grammar import read_pools
from gym_clinic.simulate.split import HELD_OUT, held_out

RUN = 8
TECHNICAL = re.compile(r"protocol_|material_|head_|origin_homozygous")


@pytest.fixture(scope="module")
def pools():
    return {
        name: [entry.text for entry in entries]
        for path in sorted(PHRASES.glob("*.txt"))
        for name, entries in read_pools(path).pools.items()
    }


def runs(phrase):
    """The runs of eight words between the choices of a phrase; a slot is no word."""
    found = set()
    for part in re.split(r"\[[^\[\]]*\]|\{\w+\}", phrase.casefold()):
        words = re.findall(r"[\w']+", part)
        found.update(tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))
    return found


def repeated(pools):
    """Held-out phrases that share a run of words with a phrase of train."""
    held = {name: held_out(name, texts) for name, texts in pools.items()}
    train = {
        run for name, texts in pools.items() for text in texts if text not in held[name]
        for run in runs(text)
    }  # fmt: skip
    return [text for name in pools for text in held[name] if runs(text) & train]


def large(pools):
    return {name: texts for name, texts in pools.items() if len(texts) >= SHARED_BELOW}


def test_only_technical_pools_are_shared_by_all_splits(pools):
    assert not [
        name
        for name, texts in pools.items()
        if len(texts) < SHARED_BELOW and not TECHNICAL.match(name)
    ]


def test_three_in_ten_phrases_are_held_out(pools):
    for name, texts in large(pools).items():
        assert len(held_out(name, texts)) >= HELD_OUT * len(texts), name


def test_no_held_out_phrase_repeats_eight_words_of_train(pools):
    assert repeated(large(pools)) == []


def test_a_train_phrase_put_into_the_held_out_ones_is_found(pools):
    name, texts = max(large(pools).items(), key=lambda one: len(one[1]))
    held = held_out(name, texts)
    own = next(text for text in texts if text not in held)
    longer = own + " while nothing in the plan of this work was changed"
    fresh = [f"{longer} {number}" for number in range(10)]
    changed = large(pools) | {name: [*texts, *fresh]}
    assert set(repeated(changed)) & set(fresh)


def test_a_measure_and_its_groups_are_short_where_they_recur():
    one = Experiment(
        "R1", "model_null_mouse", "NUS1", "mice", "grip strength of the forelimb", "g", "animals",
        (
            Arm("test", "mice without NUS1", 9, 81.0, 9.0),
            Arm("reference", "wild-type siblings", 9, 99.0, 9.0),
        ),
        GroupComparison("Welch's t test", -18.0, -27.0, -9.0, 0.001), "positive",
    )  # fmt: skip
    text = (
        "Grip strength of the forelimb was lower in mice without NUS1 than in wild-type siblings. "
        "Grip strength of the forelimb of mice without NUS1 did not drift."
    )
    assert shorten(text, [one]).endswith(". Grip strength of mutant mice did not drift.")
    assert text.startswith(shorten(text, [one])[:80])
    assert short_measure("motor nerve conduction velocity") == "conduction velocity"
    assert short_arm("spleen") == "spleen"
