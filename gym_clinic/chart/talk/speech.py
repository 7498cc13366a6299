"""The words of a patient: pools of phrases, drawn without repeating what was said."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from random import Random

from gym_clinic.facts.phrases import ParsedPhrase, parse
from gym_clinic.facts.records.epidemiology import Sex
from gym_clinic.simulate.clinic.telling.lay_words import Speaker
from gym_clinic.simulate.grammar import Grammar, read_grammar, read_pools
from gym_clinic.simulate.split import Split, of_split
from gym_clinic.simulate.writer import Writer, punctuate

FOLDER = Path(__file__).with_name("speech")

SLOTS = ("i", "my", "me", "ive", "im", "s", "have", "havent", "do", "dont")
_FORMS: Mapping[str, tuple[str, ...]] = {
    "patient": ("I", "my", "me", "I've", "I'm", "", "have", "haven't", "do", "don't"),
    "male": ("he", "his", "him", "he's", "he's", "s", "has", "hasn't", "does", "doesn't"),
    "female": ("she", "her", "her", "she's", "she's", "s", "has", "hasn't", "does", "doesn't"),
}


@lru_cache(maxsize=4)
def grammar_of(split: Split) -> Grammar:
    """Return the pools of a split.

    Raises:
        TaskError: For a mistake in a file.
    """
    checked = read_grammar(FOLDER, pool_names())
    pools = {}
    for path in sorted(FOLDER.glob("*.txt")):
        for name, entries in read_pools(path).pools.items():
            texts = of_split(name, [one.text for one in entries], split)
            pools[name] = tuple(parse(text) for text in texts)
    assert pools.keys() == checked.keys()
    return Grammar(pools)


@lru_cache(maxsize=1)
def pool_names() -> frozenset[str]:
    """Return the names of the pools."""
    files = (read_pools(path) for path in sorted(FOLDER.glob("*.txt")))
    return frozenset(name for file in files for name in file.pools)


@lru_cache(maxsize=1 << 12)
def _in_order(key: str, pool: str, split: Split) -> tuple[ParsedPhrase, ...]:
    """The phrases of a pool in the order in which one patient comes to them."""
    phrases = list(grammar_of(split)[pool])
    Random(f"{key}:{pool}").shuffle(phrases)
    return tuple(phrases)


@lru_cache(maxsize=1 << 13)
def _written(
    key: str, split: Split, person: str, pool: str, number: int,
    facts: tuple[tuple[str, str], ...],
) -> str:  # fmt: skip
    """A phrase of a pool as one patient writes it out when he comes to it for the n-th time."""
    phrases = _in_order(key, pool, split)
    slots = {**dict(zip(SLOTS, _FORMS[person], strict=True)), **dict(facts)}
    writer = Writer(grammar_of(split), Random(f"{key}:{pool}:{number}"), slots)
    return writer.write(phrases[number % len(phrases)])


@lru_cache(maxsize=1 << 12)
def _shuffled(key: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Words in the order in which one patient comes to them."""
    drawn = list(words)
    Random(key).shuffle(drawn)
    return tuple(drawn)


class Speech:
    """Writes what one patient says; every pool is gone through before a phrase comes again.

    Args:
        key: What the draws depend on.
        speaker: Who speaks; may be set anew when another person answers.
        sex: Sex of the patient.
        split: Whose phrases are drawn.

    Attributes:
        used: Pool -> how often it was drawn from.
    """

    def __init__(self, key: str, speaker: Speaker, sex: Sex, split: Split) -> None:
        self.key, self.speaker, self.sex, self.split = key, speaker, sex, split
        self.used: dict[str, int] = {}

    def say(self, pool: str, **facts: str) -> str:
        """Write a phrase of a pool as one or more sentences."""
        return punctuate(self.part(pool, **facts))

    def part(self, pool: str, **facts: str) -> str:
        """Write a phrase of a pool as part of a sentence."""
        number = self.used.get(pool, 0)
        self.used[pool] = number + 1
        person = "patient" if self.speaker == "patient" else self.sex
        return _written(self.key, self.split, person, pool, number, tuple(facts.items()))

    def choose(self, name: str, options: tuple[str, ...], pool: str) -> str:
        """Choose one of the words for something; the next time another one."""
        return self.choose_of(name, of_split(pool, options, self.split))

    def choose_of(self, name: str, possible: list[str]) -> str:
        """Choose one of the words of this split; the next time another one."""
        number = self.used.get(name, 0)
        self.used[name] = number + 1
        return _shuffled(f"{self.key}:{name}", tuple(possible))[number % len(possible)]

    def random(self, name: str) -> Random:
        """Return a source of randomness for a part of an answer."""
        number = self.used.get(name, 0)
        self.used[name] = number + 1
        return Random(f"{self.key}:{name}:{number}")
