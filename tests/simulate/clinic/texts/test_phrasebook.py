"""Phrases are divided between the splits by families, and every finding has words."""

from __future__ import annotations

from gym_clinic.facts import load
from gym_clinic.facts.phrases import parse
from gym_clinic.simulate.clinic.texts import phrasebook
from gym_clinic.simulate.clinic.texts.phrasebook import grams, split_phrases, splits

ALONE = 0.02
"""Share of pools whose phrases are so alike that train must have more of them."""


def test_three_in_ten_phrases_of_a_pool_are_held_out() -> None:
    short = []
    for pool, phrases in splits().items():
        held = sum(one != "train" for one in phrases.values())
        if len(phrases) > 1 and held < 0.3 * len(phrases):
            short.append((pool, held, len(phrases)))
    assert len(short) <= ALONE * len(splits()), short
    phrases = [one for pool in splits().values() for one in pool.values()]
    assert sum(one != "train" for one in phrases) > 0.3 * len(phrases)


def test_every_pool_has_a_phrase_for_train() -> None:
    assert all("train" in phrases.values() for phrases in splits().values())


def test_four_words_of_a_held_out_phrase_are_in_no_phrase_of_train() -> None:
    owners: dict[tuple[str, ...], set[str]] = {}
    for phrases in splits().values():
        for phrase, split in phrases.items():
            for gram in grams(phrase):
                owners.setdefault(gram, set()).add(split)
    assert [gram for gram, found in owners.items() if len(found) > 1] == []


def test_phrases_with_four_words_in_common_go_together() -> None:
    first = [parse("came in by the early train"), parse("walked here"), parse("ran over")]
    second = [parse("left by the early train"), parse("sat down"), parse("stood up")]
    found = split_phrases({"arrival": first, "leaving": second})
    assert found["arrival"][first[0]] == found["leaving"][second[0]]


def test_grams_stop_at_slots() -> None:
    assert grams(parse("[no|nil] pain in {where} for three whole days")) == {
        ("for", "three", "whole", "days")
    }


def test_every_complaint_has_words() -> None:
    complaints = {
        one.finding for condition in load().conditions.values() for one in condition.complaints
    }
    assert complaints <= phrasebook.finding_words().keys()


def test_words_are_those_of_findings_and_conditions() -> None:
    facts = load()
    assert phrasebook.finding_words().keys() <= facts.finding_ids.keys()
    lived_with = {key for key, one in facts.conditions.items() if one.role != "presenting"}
    assert lived_with <= phrasebook.condition_words().keys() <= facts.conditions.keys()
