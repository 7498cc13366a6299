"""The known word that a misspelt one stands for.

Source:
    The distance is that of Damerau (Commun ACM 1964, 7:171-176) in its restricted form: a letter
    more, less or other, or two changed about.
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
"""Letters of a word that is looked up."""

SHORTEST = 5
"""Letters of a word that may be a misspelling."""

MOST_WRONG = 2
"""Letters of a long word that may be wrong; of others one."""

SHORT = 10
"""Letters below which no consonant is taken for another: "enema" is no "edema"."""

LONG = 12
"""Letters from which two may be wrong: "conclusion" is no "confusion"."""

ENDINGS = (
    "aemia", "emia", "uria", "penia", "itis", "osis", "oma", "asia", "algia", "pathy", "plegia",
)  # fmt: skip
BEGINNINGS = (
    "hyper", "hypo", "macro", "micro", "inter", "intra", "infra", "supra", "ante", "anti", "poly",
    "oligo", "endo", "epi", "exo", "hemi",
)  # fmt: skip
"""Parts that say what a word means: "hyperthermia" is no misspelt "hypothermia"."""

CORRECT_WORDS = word_set(
    "anomia arteritis couch enteritis haemostasis hemostasis irrigation overnight roles rules "
    "scores stores thirty titres tries"
)
"""Words that are one letter from the name of a symptom, and spelt as they should be."""

VOWELS = frozenset("aeiouy")


class Spelling:
    """Finds the known word that a misspelt one stands for.

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
    """Whether two words are different for all that they look alike."""
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
