"""Correction of misspelt words.

Source:
    The distance is the optimal string alignment of Damerau (Commun ACM 1964, 7:171-176): a letter
    inserted, deleted or replaced, or two adjacent letters exchanged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from operator import itemgetter

from rapidfuzz import process
from rapidfuzz.distance import OSA

from gym_clinic.retrieval.graph.words import word_set

LONGEST_WORD = 40
"""Longest word that is corrected."""

SHORTEST = 5
"""Shortest word that is corrected."""

MOST_WRONG = 2
"""Most wrong letters of a long word; of other words one."""

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


class Spelling:
    """Corrects misspelt words to known words.

    Attributes:
        nearest: Word -> the nearest known word, and 1 less the share of letters that are wrong;
            ("", 0.0) where none is near.
    """

    def __init__(self, words: Iterable[str]) -> None:
        """Index the known words, in small letters."""
        self.nearest = lru_cache(maxsize=1 << 14)(self._nearest)
        self._words = sorted({word for word in words if len(word) >= SHORTEST})
        # A misspelling rarely changes the first letter, so only words that share it are compared.
        self._alike: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word in self._words:
            self._alike[word[0], len(word)].append(word)

    def __reduce__(self) -> tuple[type[Spelling], tuple[list[str]]]:
        """A copy in another process is indexed again, with an empty cache."""
        return Spelling, (self._words,)

    def _nearest(self, word: str) -> tuple[str, float]:
        if not SHORTEST <= len(word) <= LONGEST_WORD or not word.isalpha():
            return "", 0.0
        if word in CORRECT_WORDS:
            return "", 0.0
        # Of equally near words, one of the same length goes first.
        lengths = (len(word) + more for more in (0, 1, -1, 2, -2))
        alike = [known for length in lengths for known in self._alike.get((word[0], length), ())]
        found = process.extract_iter(
            word, alike, scorer=OSA.distance, processor=None, score_cutoff=MOST_WRONG
        )
        for near, wrong, _ in sorted(found, key=itemgetter(1)):
            letters = max(len(word), len(near))
            if wrong <= (MOST_WRONG if letters >= LONG else 1) and not _differ(word, near):
                return near, 1 - wrong / letters
        return "", 0.0


def _differ(one: str, other: str) -> bool:
    """Return whether two similar words are different words."""
    if len(one) == len(other) < SHORT:
        unlike = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
        if len(unlike) == 1 and not set(unlike[0]) <= VOWELS:
            return True
    for parts, has in ((BEGINNINGS, str.startswith), (ENDINGS, str.endswith)):
        first, second = (
            next((part for part in parts if has(word, part)), None) for word in (one, other)
        )
        if first and second and first != second:
            return True
    return False
