"""The phrases of clinical texts, and which of them a split may use.

Phrases that share four consecutive words are one family, over all pools, and a family is in train,
in dev or in test as a whole. Of every pool at least three in ten are outside train. So no four
words of a phrase that is held out occur in the phrases of train.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.facts.phrases import Choice, ParsedPhrase, parse
from gym_clinic.simulate.clinic.telling.lay_words import lay_words, of_children
from gym_clinic.simulate.grammar import Grammar, read_grammar
from gym_clinic.simulate.split import HELD_OUT, Split, of_split

GRAM = 4
"""Consecutive words that make two phrases relatives."""

_FOLDER = Path(__file__).parent
_WORD = re.compile(r"[^\W_]+(?:['/&][^\W_]+)*")


def runs(phrase: ParsedPhrase) -> Iterator[tuple[str, ...]]:
    """Yield each way to write a phrase as its literal runs, cut at the slots."""
    ways = [
        [node] if isinstance(node, str) else _texts(node) if isinstance(node, Choice) else ["\0"]
        for node in phrase
    ]
    for parts in itertools.product(*ways):
        yield tuple("".join(parts).split("\0"))


def _texts(choice: Choice) -> list[str]:
    return ["\0".join(one) for way in choice.alternatives for one in runs(way)]


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def grams(phrase: ParsedPhrase) -> set[tuple[str, ...]]:
    """Return all sequences of four words of a phrase, slots aside."""
    found = set()
    for literal in {run for way in runs(phrase) for run in way}:
        words = words_of(literal)
        found |= {tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)}
    return found


def skeleton(phrase: ParsedPhrase) -> str:
    """Return the words of a phrase without what fills its slots; near-duplicates have the same."""
    ways = sorted(" {} ".join(" ".join(words_of(run)) for run in way) for way in runs(phrase))
    return ways[0]


def split_phrases(
    pools: Mapping[str, Collection[ParsedPhrase]],
    seen: Collection[tuple[str, ...]] = (),
) -> dict[str, dict[ParsedPhrase, Split]]:
    """Assign every phrase of every pool to a split.

    Args:
        pools: Pool -> its phrases.
        seen: Sequences of four words that occur in train anyway; phrases with them are of train.

    Returns:
        Pool -> phrase -> its split, the first of a pool of one always being in train.
    """
    family = _families(pools)
    decided: dict[int, Split] = {}
    sides: tuple[Split, Split] = ("test", "dev")
    for (pool, phrase), group in family.items():
        if len(set(pools[pool])) == 1 or not grams(phrase).isdisjoint(seen):
            decided[group] = "train"
    for pool in sorted(pools, key=lambda one: (len(set(pools[one])), one)):
        phrases = list(dict.fromkeys(pools[pool]))
        groups: dict[int, int] = {}
        for phrase in phrases:
            groups[family[pool, phrase]] = groups.get(family[pool, phrase], 0) + 1
        keys = {
            group: min(_hash(f"{pool}:{skeleton(one)}") for one in phrases
                       if family[pool, one] == group)
            for group in groups
        }  # fmt: skip
        wanted = math.ceil(HELD_OUT * len(phrases)) if len(phrases) > 1 else 0
        held = {
            side: sum(groups[one] for one in groups if decided.get(one) == side) for side in sides
        }
        free = sorted((one for one in groups if one not in decided), key=keys.__getitem__)
        # Small families first: one that is most of the pool stays in train.
        free.sort(key=lambda one: groups[one])
        for place, group in enumerate(free):
            others = sum(groups[one] for one in free[place + 1 :])
            known = sum(groups[one] for one in groups if decided.get(one) == "train")
            if sum(held.values()) < wanted and (others or known):
                # The one of the two that has fewer of this pool, so that both have some.
                order = sides if keys[group] % 2 else sides[::-1]
                decided[group] = min(order, key=held.__getitem__)
                held[decided[group]] += groups[group]
            else:
                decided[group] = "train"
    return {
        pool: {phrase: decided[family[pool, phrase]] for phrase in phrases}
        for pool, phrases in pools.items()
    }


def _families(
    pools: Mapping[str, Collection[ParsedPhrase]],
) -> dict[tuple[str, ParsedPhrase], int]:
    """The family of every phrase of every pool: connected by four words or a skeleton."""
    entries = [(pool, phrase) for pool in sorted(pools) for phrase in dict.fromkeys(pools[pool])]
    parent = list(range(len(entries)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = place = parent[parent[place]]
        return place

    first: dict[object, int] = {}
    for place, (_pool, phrase) in enumerate(entries):
        for key in (*grams(phrase), (phrase,)):
            parent[root(place)] = root(first.setdefault(key, place))
    return {entry: root(place) for place, entry in enumerate(entries)}


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


@lru_cache(maxsize=1)
def phrases() -> Grammar:
    """Return all pools: the phrases, and the words for each finding, condition and order."""
    written = read_grammar(_FOLDER / "phrases", drawn=_drawn())
    pools = {name: tuple(written[name]) for name in written}
    young = {f"{name}.child": forms for name, forms in words_of_children().items()}
    for name, forms in {**finding_words(), **condition_words(), **young}.items():
        for style, texts in zip(("full", "short"), forms, strict=True):
            if texts:
                pools[f"{name}.{style}"] = tuple(parse(one, name) for one in texts)
    return Grammar(pools)


@lru_cache(maxsize=1)
def splits() -> dict[str, dict[ParsedPhrase, Split]]:
    """Return pool -> phrase -> its split."""
    found = phrases()
    spoken = {
        gram
        for name, words in (*lay_words().items(), *of_children().items())
        for forms in (words.nouns, words.says)
        for form in of_split(name, forms, "train")
        for gram in grams(parse(form))
    }
    return split_phrases({name: found[name] for name in found}, spoken)


@lru_cache(maxsize=3)
def phrases_of(split: Split) -> Grammar:
    """Return the phrases that a split may use.

    In dev and test half of the draws from a pool are phrases that do not occur in train.
    """
    found = {}
    for name, assigned in splits().items():
        seen = [one for one in phrases()[name] if assigned[one] == "train"]
        held = [one for one in phrases()[name] if assigned[one] == split != "train"]
        times = max(round(len(seen) / len(held)), 1) if held else 0
        found[name] = (*seen, *held * times) or tuple(phrases()[name])
    return Grammar(found)


def _drawn() -> list[str]:
    """The pools that the program draws from: all of them."""
    lines = (
        line for file in sorted((_FOLDER / "phrases").glob("*.txt"))
        for line in file.read_text(encoding="utf-8").splitlines()
    )  # fmt: skip
    return [line[2:].strip() for line in lines if line.startswith("= ")]


Forms = tuple[tuple[str, ...], tuple[str, ...]]
"""Words in full, and abbreviations."""


@lru_cache(maxsize=1)
def finding_words() -> dict[str, Forms]:
    """Return finding, by name, -> how clinicians write it."""
    found: dict[str, Forms] = {}
    for file in sorted((_FOLDER / "words").glob("*.txt")):
        if file.stem != "conditions":
            found |= _read_words(file, found)
    return found


@lru_cache(maxsize=1)
def words_of_children() -> dict[str, Forms]:
    """Return finding, by name, -> how clinicians write it of a child who did it by accident."""
    return _read_words(_FOLDER / "words_of_children.txt", {})


@lru_cache(maxsize=1)
def condition_words() -> dict[str, Forms]:
    """Return condition, by id, -> how clinicians write it."""
    return _read_words(_FOLDER / "words" / "conditions.txt", {})


def _read_words(file: Path, known: Mapping[str, Forms]) -> dict[str, Forms]:
    found: dict[str, Forms] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, equals, forms = line.partition(" = ")
        if not equals or name in found or name in known:
            raise TaskError(f"{file}, line {number}: expected 'name = words', each name once")
        full, _, short = forms.partition(" | ")
        found[name] = (
            tuple(one.strip() for one in full.split(";")),
            tuple(one.strip() for one in short.split(";") if one.strip()),
        )
    return found
