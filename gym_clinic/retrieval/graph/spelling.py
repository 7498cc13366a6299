"""The known word that a misspelt one stands for.

Source:
    The distance is that of Damerau (Commun ACM 1964, 7:171-176) in its restricted form: a letter
    more, less or other, or two changed about.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

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

COMPARED = 12
"""Words, those with the most trigrams in common, whose letters are compared."""

ENDINGS = (
    "aemia", "emia", "uria", "penia", "itis", "osis", "oma", "asia", "algia", "pathy", "plegia",
)  # fmt: skip
BEGINNINGS = (
    "hyper", "hypo", "macro", "micro", "inter", "intra", "infra", "supra", "ante", "anti", "poly",
    "oligo", "endo", "epi", "exo", "hemi",
)  # fmt: skip
"""Parts that say what a word means: "hyperthermia" is no misspelt "hypothermia"."""

WORDS_OF_THEIR_OWN = word_set(
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
        self._words = sorted(word for word in words if len(word) >= SHORTEST)
        self._sizes = [len(_trigrams(word)) for word in self._words]
        # A misspelling rarely begins with another letter, so only words of the same are compared.
        self._places: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, word in enumerate(self._words):
            for trigram in _trigrams(word):
                self._places[word[0], trigram].append(place)

    def __reduce__(self) -> tuple[type[Spelling], tuple[list[str]]]:
        """A copy in another process is indexed anew: what it has compared stays here."""
        return Spelling, (self._words,)

    def _nearest(self, word: str) -> tuple[str, float]:
        if not SHORTEST <= len(word) <= LONGEST_WORD or not word.isalpha():
            return "", 0.0
        if word in WORDS_OF_THEIR_OWN:
            return "", 0.0
        trigrams = _trigrams(word)
        shared = Counter(
            itertools.chain.from_iterable(
                self._places.get((word[0], trigram), ()) for trigram in trigrams
            )
        )
        likely = sorted(
            (-2 * count / (len(trigrams) + self._sizes[place]), place)
            for place, count in shared.items()
            if abs(len(self._words[place]) - len(word)) <= MOST_WRONG
        )
        found = min(
            (
                (wrong_letters(word, self._words[place]), rank, self._words[place])
                for rank, (_, place) in enumerate(likely[:COMPARED])
                if not _differ(word, self._words[place])
            ),
            default=(MOST_WRONG + 1, 0, ""),
        )
        wrong, _, near = found
        letters = max(len(word), len(near))
        if wrong > (MOST_WRONG if letters >= LONG else 1):
            return "", 0.0
        return near, 1 - wrong / letters


def wrong_letters(one: str, other: str) -> int:
    """Return the letters more, less, other or changed about, each counted once.

    >>> wrong_letters("palpitatoins", "palpitations")
    1
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        last, before, row = before, row, [number]
        for place, letter_here in enumerate(other, 1):
            cost = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != letter_here))
            about = number > 1 and place > 1
            if about and letter == other[place - 2] and one[number - 2] == letter_here:
                cost = min(cost, last[place - 2] + 1)
            row.append(cost)
    return row[-1]


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


def _trigrams(word: str) -> frozenset[str]:
    framed = f"^{word}$"
    return frozenset(framed[start : start + 3] for start in range(len(framed) - 2))
