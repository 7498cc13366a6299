"""Every finding that patients may have and know can be said in lay words."""

from __future__ import annotations

import re

from gym_clinic.facts import load
from gym_clinic.simulate.clinic.telling.incidental import is_felt, known_findings
from gym_clinic.simulate.clinic.telling.lay_words import bare, in_person, lay_words, words_of
from gym_clinic.simulate.split import held_out

FACTS = load()


def test_every_finding_of_the_conditions_can_be_said() -> None:
    felt = {FACTS.phenotypes[one].name for one in known_findings(FACTS) if is_felt(FACTS, one)}
    assert felt == lay_words().keys()


def test_each_has_several_words_of_which_some_are_held_out() -> None:
    for name, words in lay_words().items():
        assert len(words.nouns) >= 3, name
        assert len({*words.nouns, *words.says}) == len(words.nouns) + len(words.says)
        assert 0.3 <= len(held_out(name, words.nouns)) / len(words.nouns) < 1, name


def test_people_do_not_speak_in_the_names_of_the_tables_alone() -> None:
    """At least one noun of a finding is another than its name."""
    same = [
        name for name, words in lay_words().items()
        if all(bare(one).casefold() == name.casefold() for one in words.nouns)
    ]  # fmt: skip
    assert same == []


def test_two_findings_never_share_a_phrase() -> None:
    owners: dict[str, str] = {}
    for name, words in lay_words().items():
        for phrase in {*(bare(one) for one in words.nouns), *words.says}:
            assert owners.setdefault(phrase, name) == name, phrase


def test_what_happened_is_told_in_the_plain_past() -> None:
    """Nobody who is asked says "yes, I had taken an overdose"."""
    said = [one for age in (5.0, 40.0) for name in lay_words()
            if (words := words_of(name, age)) is not None for one in words.says]  # fmt: skip
    assert not [one for one in said if re.search(r"\{i\} had (been|just|got|\w+(ed|en|nd))\b", one)]


def test_no_verb_takes_a_third_s() -> None:
    """Of "{i} pass{s}" a parent would make "he passs"."""
    assert not [one for words in lay_words().values() for one in words.says if "s{s}" in one]


def test_no_noun_tells_for_how_long() -> None:
    """A sentence adds since when, of which "a cough for months, from January" came."""
    nouns = [one for words in lay_words().values() for one in words.nouns]
    assert not [one for one in nouns if re.search(r"for (weeks|months|years)$", one)]


def test_the_bleeding_of_the_pregnant_is_between_no_periods() -> None:
    words = lay_words()["Abnormal vaginal bleeding"]
    assert not [one for one in (*words.nouns, *words.says) if "period" in one]


def test_slots_follow_the_person_who_speaks() -> None:
    assert in_person("{ive} hurt {my} leg", "patient", "male") == "I've hurt my leg"
    assert in_person("{i} feel{s} sick", "parent", "male") == "he feels sick"
    assert in_person("{im} not {himself}", "crew", "female") == "she's not herself"
    for words in lay_words().values():
        for phrase in (*words.nouns, *words.says, *words.denies):
            assert "{" not in in_person(phrase, "parent", "female")
