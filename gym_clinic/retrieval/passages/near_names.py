"""Misspelt words that are words themselves: "bowl obstruction", "hart attack".

A word beside others is read as the word that makes a name with them and differs by one letter, or
sounds the same. The name alone decides, so a word that no passage has is read in the same way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from rapidfuzz.distance import OSA

from gym_clinic.facts.naming import stem
from gym_clinic.retrieval.passages.word_lists import FUNCTION_WORDS
from gym_clinic.retrieval.spelling import differ_in_meaning, differ_in_part, sound

MAX_WORDS = 3
"""Most words of a name that is completed."""

SHORTEST = 4
"""Letters from which a word may differ by one; a shorter one must sound the same."""

MAX_ALIKE = 3
"""Letters in which words of the same sound may differ."""


class NearNames:
    """Names of two or three words, by what is left of each without one of its words.

    Args:
        names: The words of each name, as they are compared.
    """

    def __init__(self, names: Iterable[tuple[str, ...]]) -> None:
        missing: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name in names:
            if 2 <= len(name) <= MAX_WORDS and not FUNCTION_WORDS.intersection(name):
                for at, word in enumerate(name):
                    left = (*name[:at], "", *name[at + 1 :])
                    missing[left].append(word)
        self._missing = dict(missing)

    def completing(
        self, keys: Sequence[str], at: int, written: str, is_word: Callable[[], bool]
    ) -> Iterator[str]:
        """Yield the words that a word of a query may stand for, of the longest names first.

        Args:
            keys: The words of a query, as they are compared.
            at: The place of the word.
            written: The plain word, as it is written.
            is_word: Returns whether the word exists, so that another consonant makes another word.
        """
        for size in range(min(MAX_WORDS, len(keys)), 1, -1):
            for start in range(max(0, at - size + 1), min(at, len(keys) - size) + 1):
                row = (*keys[start:at], "", *keys[at + 1 : start + size])
                if near := [word for word in self._missing.get(row, ()) if _is_slip(written, word)]:
                    differ = differ_in_meaning if is_word() else differ_in_part
                    near = [word for word in near if not differ(written, word)]
                yield from sorted(near, key=lambda word: OSA.distance(written, word))


def _is_slip(written: str, meant: str) -> bool:
    """Return whether a word may be a misspelling of another that fits better."""
    wrong = OSA.distance(written, meant, score_cutoff=MAX_ALIKE)
    if not 0 < wrong <= MAX_ALIKE or not (written.isalpha() and meant.isalpha()):
        return False
    if stem(written) == stem(meant):
        return False
    slip = wrong == 1 and min(len(written), len(meant)) >= SHORTEST
    return slip or sound(written) == sound(meant)
