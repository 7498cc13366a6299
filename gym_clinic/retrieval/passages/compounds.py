"""Words that are written apart or together: "heart burn", "bloodpressure"."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from gym_clinic.retrieval.passages.vocabulary import plain

SHORTEST_JOINED = 6
"""Shortest word that is joined from two."""

SHORTEST_PART = 4
"""Shortest word that another is split into: "percentage" is not "percent age"."""


def pairs(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the place of each word that may be joined with the next one, and the joined word."""
    for at, (first, second) in enumerate(itertools.pairwise(words)):
        joined = plain(first + second)
        if len(joined) >= SHORTEST_JOINED and joined.isascii() and joined.isalpha():
            yield at, joined


def join(
    words: Sequence[str],
    known: Callable[[str], bool],
    beside: Callable[[str, str], bool],
) -> tuple[list[str], dict[str, str]]:
    """Join the words that are one word, and that no passage has side by side.

    Args:
        words: Words of a query as they are written.
        known: Whether passages or aliases have a plain word.
        beside: Whether passages have two words in a row.

    Returns:
        The words, and what was joined: the words as written -> the word.
    """
    joined = {
        at: word
        for at, word in pairs(words)
        if known(word) and not beside(words[at], words[at + 1])
    }
    found: list[str] = []
    changed: dict[str, str] = {}
    at = 0
    while at < len(words):
        if at in joined:
            found.append(joined[at])
            changed[f"{words[at]} {words[at + 1]}"] = joined[at]
            at += 2
        else:
            found.append(words[at])
            at += 1
    return found, changed


def split(
    word: str,
    words: Mapping[str, int] | Collection[str],
    beside: Callable[[str, str], bool],
) -> tuple[str, str] | None:
    """Return the two known words that a word consists of, if passages or names have them in a row.

    Args:
        word: A plain word.
        words: Known plain words.
        beside: Whether passages or names have two words in a row.
    """
    for at in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
        first, second = word[:at], word[at:]
        if first in words and second in words and beside(first, second):
            return first, second
    return None
