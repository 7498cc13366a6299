"""The phrase pools of the articles, divided between train, dev and test, and their writer."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import cast

from gym_clinic.facts.phrases import ParsedPhrase, parse, slots_of
from gym_clinic.simulate.grammar import Grammar, read_pools
from gym_clinic.simulate.split import Split, of_split
from gym_clinic.simulate.writer import Writer

PHRASES = Path(__file__).parent / "phrases"

_AN = re.compile(r"\b([Aa]) (?=[AEIO][A-Z0-9]|[FHLMNRSX][BCDFGHJKLMNPQRSTVWXZ0-9])")

SHARED_BELOW = 4
"""Pools with fewer phrases are not divided."""


@lru_cache(maxsize=3)
def grammar_of(split: Split) -> Grammar:
    """Return the pools that articles of a split draw from.

    Args:
        split: "train", "dev" or "test".
    """
    pools: dict[str, tuple[ParsedPhrase, ...]] = {}
    for path in sorted(PHRASES.glob("*.txt")):
        for name, entries in read_pools(path).pools.items():
            texts = [entry.text for entry in entries]
            if len(texts) >= SHARED_BELOW:
                texts = list(dict.fromkeys(of_split(name, texts, split)))
            pools[name] = tuple(parse(text, f"{path.name}: {name}") for text in texts)
    return Grammar(pools)


class ArticleWriter:
    """Writes the sentences of one article; a phrase comes again only when its pool is used up.

    Args:
        split: Whose phrases are used.
        seed: Names the article.
        facts: Slot -> text; an unknown fact is left out, and no phrase with its slot is drawn.
    """

    def __init__(self, split: Split, seed: str, facts: dict[str, str]) -> None:
        self.rng = Random(seed)
        self._writer = Writer(grammar_of(split), self.rng, facts)
        self._waiting: dict[str, list[ParsedPhrase]] = {}

    def tell(self, pool: str, **facts: str) -> str:
        """Write a phrase of a pool as a sentence; empty if none has all its facts."""
        phrase = self._next(pool, facts)
        return _AN.sub(r"\1n ", self._writer.sentence(phrase)) if phrase is not None else ""

    @property
    def facts(self) -> dict[str, str]:
        """What all phrases may use; may be added to."""
        return cast("dict[str, str]", self._writer.facts)

    def begun(self, pool: str) -> bool:
        """Return whether a phrase of a pool has been written."""
        return pool in self._waiting

    def clause(self, pool: str, **facts: str) -> str:
        """Write a phrase of a pool without capital and full stop."""
        phrase = self._next(pool, facts)
        return _AN.sub(r"\1n ", self._writer.write(phrase)) if phrase is not None else ""

    def _next(self, pool: str, facts: dict[str, str]) -> ParsedPhrase | None:
        self._writer.facts.update(facts)
        known = self._writer.facts
        for _ in range(2):
            waiting = self._waiting.get(pool) or self._writer.shuffled(pool)
            self._waiting[pool] = waiting
            for place, phrase in enumerate(waiting):
                if all(slot in known for slot in slots_of(phrase)):
                    return waiting.pop(place)
            self._waiting[pool] = []
        return None
