"""Correction of an unknown word to a known one: freely for a search, strictly for a link.

A search names what it corrected, and a wrong correction only adds passages; so words may differ in
several letters if they sound alike. A link states what a patient has; so only slips are corrected,
and never one term of medicine to another.

Source:
    The distance is the optimal string alignment of Damerau (Commun ACM 1964, 7:171-176): a letter
    inserted, deleted or replaced, or two adjacent letters exchanged. Words that sound alike are
    found in the manner of Soundex and its successors: letters of one sound are one letter, and
    vowels do not count.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from operator import itemgetter

from rapidfuzz import process
from rapidfuzz.distance import OSA

from gym_clinic.retrieval.graph.words import word_set

SHORTEST_WORD, LONGEST_WORD = 4, 40
"""Letters of a word that is corrected."""

LIMITS = ((6, 1), (10, 2), (LONGEST_WORD, 3))
"""Longest word -> most wrong letters; one more in a word that sounds like the known one."""

LENGTHS = (0, 1, -1, 2, -2, 3, -3, 4, -4)
"""Letters that a known word may have more, in the order in which words are compared."""

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

SHORTEST_STRICT = 5
"""Shortest word that is corrected strictly."""

SHORT = 10
"""Words below this length are not corrected by a consonant: "enema" is not "edema"."""

LONG = 12
"""Length from which two letters may be wrong: "conclusion" is not "confusion"."""

ENDINGS = (
    "aemia", "emia", "uria", "penia", "itis", "osis", "oma", "asia", "algia", "pathy", "plegia",
)  # fmt: skip
BEGINNINGS = (
    "hyper", "hypo", "macro", "micro", "inter", "intra", "infra", "supra", "ante", "anti", "poly",
    "oligo", "endo", "epi", "exo", "hemi",
)  # fmt: skip
"""Parts with a meaning: "hyperthermia" is no misspelt "hypothermia"."""

CORRECT_WORDS = word_set(
    "anomia arteritis camping couch enteritis grasping haemostasis hemostasis irrigation mitotic "
    "overnight plants roles rules scores staff station stores thirty titres tries"
)
"""Correct words that differ by one letter from a symptom name."""

VOWELS = frozenset("aeiouy")


class KnownWords:
    """Known words, and which of them are near a word."""

    def __init__(self, words: Iterable[str]) -> None:
        self._of_length: dict[int, list[str]] = defaultdict(list)
        for word in sorted(set(words)):
            self._of_length[len(word)].append(word)

    def near(self, word: str, most: int, start: str = "") -> Iterator[tuple[str, int]]:
        """Yield known words and how many letters differ; those of the same length first.

        Args:
            word: A word.
            most: Letters that differ, at most.
            start: First letter of the known words; any if empty.
        """
        for more in LENGTHS[: 2 * most + 1]:
            known = self._of_length.get(len(word) + more, [])
            if start:
                known = known[bisect_left(known, start) : bisect_left(known, chr(ord(start) + 1))]
            for near, wrong, _ in process.extract_iter(
                word, known, scorer=OSA.distance, processor=None, score_cutoff=most
            ):
                yield near, wrong


class Corrector:
    """Finds the known words that a misspelt one of a search may stand for.

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
        self._known = KnownWords(filter(is_correctable, words))

    def _near(self, word: str) -> tuple[str, ...]:
        if not is_correctable(word):
            return ()
        limit = next(most for longest, most in LIMITS if len(word) <= longest)
        heard = sound(word)
        found: list[tuple[float, int, str]] = []
        for near, wrong in self._known.near(word, limit + 1):
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


class StrictCorrector:
    """Finds the known word of which a word is a slip.

    Attributes:
        nearest: Word -> the nearest known word, and 1 less the share of letters that are wrong;
            ("", 0.0) where none is near.
    """

    def __init__(self, words: Iterable[str]) -> None:
        """Index the known words, in small letters."""
        self.nearest = lru_cache(maxsize=1 << 14)(self._nearest)
        self._words = sorted({word for word in words if len(word) >= SHORTEST_STRICT})
        self._known = KnownWords(self._words)

    def __reduce__(self) -> tuple[type[StrictCorrector], tuple[list[str]]]:
        """A copy in another process is indexed again, with an empty cache."""
        return StrictCorrector, (self._words,)

    def _nearest(self, word: str) -> tuple[str, float]:
        if not SHORTEST_STRICT <= len(word) <= LONGEST_WORD or not word.isalpha():
            return "", 0.0
        if word in CORRECT_WORDS:
            return "", 0.0
        # A misspelling rarely changes the first letter, so only words that share it are compared.
        near_words = self._known.near(word, 2, start=word[0])
        for near, wrong in sorted(near_words, key=itemgetter(1)):
            letters = max(len(word), len(near))
            if wrong <= 1 + (letters >= LONG) and not differ_in_meaning(word, near):
                return near, 1 - wrong / letters
        return "", 0.0


def sound(word: str) -> str:
    """Return the consonants of a word as they sound.

    >>> sound("pneumonia") == sound("newmonia"), sound("sciatica") == sound("siatica")
    (True, True)
    """
    for pattern, letters in _SOUNDS:
        word = pattern.sub(letters, word)
    return word


def is_correctable(word: str) -> bool:
    """Return whether a plain word can be corrected: Latin letters, neither short nor very long."""
    return SHORTEST_WORD <= len(word) <= LONGEST_WORD and word.isascii() and word.isalpha()


def differ_in_meaning(one: str, other: str) -> bool:
    """Return whether two similar words are different words."""
    if len(one) == len(other) < SHORT:
        unlike = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
        if len(unlike) == 1 and not set(unlike[0]) <= VOWELS:
            return True
    return differ_in_part(one, other)


def differ_in_part(one: str, other: str) -> bool:
    """Return whether two words have different beginnings or endings of medicine.

    >>> differ_in_part("hyperthermia", "hypothermia")
    True
    """
    for parts, has in ((BEGINNINGS, str.startswith), (ENDINGS, str.endswith)):
        first, second = (
            next((part for part in parts if has(word, part)), None) for word in (one, other)
        )
        if first and second and first != second:
            return True
    return False
