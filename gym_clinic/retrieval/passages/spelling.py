"""Correction of a word that a base does not know to the nearest word that it knows.

Source:
    The distance is the optimal string alignment of Damerau (Commun ACM 1964, 7:171-176). Words
    that sound alike are found in the manner of Soundex and its successors: letters of one sound
    are one letter, and vowels do not count.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

SHORTEST, LONGEST = 4, 40
"""Letters of a word that is corrected."""

LIMITS = ((6, 1), (10, 2), (LONGEST, 3))
"""Longest word -> most wrong letters; one more in a word that sounds like the known one."""

FEWEST_RIGHT = 5
"""Letters of a word for each wrong one, if the word sounds otherwise."""

MOST = 5
"""Known words that are named for a misspelt one."""

OTHER_START, SAME_SOUND = 0.5, 0.6
"""Of the distance: added for another first letter, taken away for the same sound."""

_SOUNDS = tuple(
    (re.compile(pattern), letters)
    for pattern, letters in (
        (r"^(?:p(?=[nst])|[gkm](?=n)|w(?=r))", ""),  # pneumonia, psoriasis, gnat, knee
        (r"ph", "f"),
        (r"sch", "sk"),
        (r"[ck]h|c(?=[eiy])", "s"),
        (r"gh|h", ""),
        (r"dg|j|g(?=[eiy])", "j"),
        (r"[cq]|ck", "k"),
        (r"x", "ks"),
        (r"z", "s"),
        (r"(?<=.)[aeiouyw]", ""),
        (r"^[aeiouy]", "a"),
        (r"(.)\1+", r"\1"),
    )
)


def sound(word: str) -> str:
    """Return the consonants of a word as they sound.

    >>> sound("pneumonia") == sound("newmonia"), sound("sciatica") == sound("siatica")
    (True, True)
    """
    for pattern, letters in _SOUNDS:
        word = pattern.sub(letters, word)
    return word


class Corrector:
    """Finds the known words that a misspelt one may stand for.

    Attributes:
        near: Plain word -> the nearest known words, at most ``MOST``, the best one first.
    """

    def __init__(self, words: Mapping[str, int]) -> None:
        """Index the known words.

        Args:
            words: Plain word -> its frequency, which breaks ties.
        """
        self.near = lru_cache(maxsize=1 << 14)(self._near)
        self._frequency = words
        self._by_length: dict[int, list[str]] = defaultdict(list)
        for word in sorted(words):
            if is_correctable(word):
                self._by_length[len(word)].append(word)

    def _near(self, word: str) -> tuple[str, ...]:
        if not is_correctable(word):
            return ()
        limit = next(most for longest, most in LIMITS if len(word) <= longest)
        heard = sound(word)
        found: list[tuple[float, int, str]] = []
        for length in range(len(word) - limit - 1, len(word) + limit + 2):
            for near, wrong, _ in process.extract_iter(
                word,
                self._by_length.get(length, ()),
                scorer=OSA.distance,
                processor=None,
                score_cutoff=limit + 1,
            ):
                alike = sound(near)
                same = alike == heard
                # Two wrong letters are a slip if they hardly change the sound, or in a long word.
                if wrong > limit + same or (
                    wrong * FEWEST_RIGHT > len(word) and OSA.distance(heard, alike) > 1
                ):
                    continue
                cost = wrong + OTHER_START * (near[0] != word[0]) - SAME_SOUND * same
                found.append((cost, -self._frequency[near], near))
        return tuple(near for _, _, near in sorted(found)[:MOST])


def is_correctable(word: str) -> bool:
    """Return whether a plain word can be corrected: Latin letters, neither short nor very long."""
    return SHORTEST <= len(word) <= LONGEST and word.isascii() and word.isalpha()
