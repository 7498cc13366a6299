"""Words by which biomedical articles speak of experimental evidence, as patterns.

The words are in ``cues.txt``. Each of its pools is an attribute of this module, a pattern that is
compiled when it is first used: ``lexicon.ORGANISM``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from gym_clinic.simulate.grammar import read_pools

IS_KNOWN = re.compile(r"\S+ (?:is|was) (?:an?|already|long|itself|mutated|the)\b")
"""The next sentence says no more than that the other gene is a known one."""

IDENTIFIED = re.compile(
    r"(?:it|this|that|the (?:protein|gene|other|one)) (?:was|proved|turned out)\b"
)
"""A sentence that says which gene the ones before were about."""


def any_of(alternatives: str) -> re.Pattern[str]:
    """Compile one pattern of many, each beginning a word; they are set apart by `` ;``."""
    return _any(" ".join(part.split()) for part in alternatives.split(" ;"))


def _any(parts: Iterable[str]) -> re.Pattern[str]:
    joined = "|".join(part.replace("| ", "|") for part in parts if part)
    return re.compile(rf"(?<![a-z0-9])(?:{joined})")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


@cache
def _cues() -> dict[str, list[str]]:
    pools = read_pools(Path(__file__).with_name("cues.txt")).pools
    return {name: [entry.text for entry in entries] for name, entries in pools.items()}


def _composed(name: str) -> Any:
    """What is made of several pools; None for another name."""
    cell = "|".join(_cues()["CELL"])
    if name == "CELL":
        return re.compile(rf"(?<![a-z])(?:(?:{cell})|{'|'.join(_cues()['CELL_LINE'])})")
    if name == "ANIMAL_CELLS":  # taken from an animal, but no animal
        organism = _any(_cues()["ORGANISM"]).pattern
        return re.compile(rf"{organism}[ -](?:[\w-]+ ){{0,3}}?(?:{cell})")
    if name == "TOGETHER":  # any sign that two genes are looked at together
        together = ("COMBINED", "BOUND", "SHARED")
        return re.compile("|".join(_any(_cues()[pool]).pattern for pool in together))
    if name == "TOPICS":  # category -> how an abstract announces it
        kinds = [pool for pool in _cues() if pool.startswith("TOPIC.")]
        return {pool.partition(".")[2]: _any(_cues()[pool]) for pool in kinds}
    return None


def __getattr__(name: str) -> Any:
    made = _composed(name) if name.isupper() else None
    if made is None and name.isupper() and name in _cues():
        made = _any(_cues()[name])
    if made is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = made
    return made
