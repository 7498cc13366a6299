"""Too little or too much: what is the opposite of a query must not be found before it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Literal

from gym_clinic.retrieval.passages.vocabulary import plain

Direction = Literal["low", "high"]

_TABLE = json.loads(Path(__file__).with_name("directions.json").read_text(encoding="utf-8"))
_NEITHER = frozenset(_TABLE["neither"])
_WORDS = {word: key for key in ("low", "high") for word in _TABLE[key]["words"]}
_BEGINNINGS = {key: tuple(_TABLE[key]["beginnings"]) for key in ("low", "high")}
_ENDINGS = {key: tuple(_TABLE[key]["endings"]) for key in ("low", "high")}
_WORD = re.compile(r"[^\W_]+")
_HEAD = ":"
"""Ends the part of a title that names its topic."""


def direction_of(words: Iterable[str]) -> Direction | None:
    """Return the direction that some words have; None if they have none, or both.

    >>> direction_of(["low", "potassium"]), direction_of(["hyperkalaemia"])
    ('low', 'high')
    >>> direction_of(["low", "sodium", "hypertension"]) is None
    True
    """
    found = {direction for word in words if (direction := _direction(plain(word)))}
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=1 << 14)
def topic_of(title: str) -> str:
    """Return the words of a title that name its topic, in small letters.

    >>> topic_of("Guillain-Barre syndrome: management and treatment")
    'guillain barre syndrome'
    """
    return " ".join(_WORD.findall(title.partition(_HEAD)[0])).casefold()


@lru_cache(maxsize=1 << 14)
def is_opposite(direction: Direction, topic: str) -> bool:
    """Return whether the topic of a passage has the other direction."""
    other = direction_of(topic.split())
    return other is not None and other != direction


@lru_cache(maxsize=1 << 14)
def _direction(word: str) -> Direction | None:
    if word in _NEITHER:
        return None
    if stated := _WORDS.get(word):
        return "low" if stated == "low" else "high"
    keys: tuple[Direction, Direction] = ("low", "high")
    for key in keys:
        if word.startswith(_BEGINNINGS[key]) or word.endswith(_ENDINGS[key]):
            return key
    return None
