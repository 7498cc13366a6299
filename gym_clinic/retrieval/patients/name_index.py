"""Names, searched by BM25 over an inverted index: only names that share a word are scored.

The score of a name is the sum, over the words of the query, of::

    IDF(t) * f(t, name) * (k1 + 1) / (f(t, name) + k1 * (1 - b + b * |name| / avgdl))
    IDF(t) = log((N - n(t) + 0.5) / (n(t) + 0.5) + 1)

where N is the number of names, n(t) the number of names with the word t, f(t, name) the number of
its occurrences in a name, and avgdl the mean length of a name in words. This is the formula as
printed in the paper. The library rank-bm25 has another IDF: without the + 1, and, if that is
negative (a word in more than half of the names), a quarter of the mean IDF. With the IDF of the
paper it gives the same scores.

Source:
    Deep-DxSearch paper, eq. 5 (A.4), with k1 = 1.5 and b = 0.75.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gym_clinic.facts.naming import words
from gym_clinic.names import at_least_one
from gym_clinic.retrieval.scored import Scored

K1 = 1.5
"""Saturation of repeated words."""

B = 0.75
"""Penalty of long names, from 0 to 1."""


@dataclass(frozen=True)
class NameHit(Scored[str]):
    """A name that shares a word with the query.

    Attributes:
        record: The id that has the name.
        score: Its BM25 score, above 0.
        how: The name.
        share: The score divided by the score of the query as a name in the index: about 1 for
            the same name, more for a shorter name with the rare words of the query.
        equals: Other ids with a name of the same score.
    """

    share: float = 0.0
    equals: tuple[str, ...] = ()


class NameIndex:
    """An index of names, of which several may belong to one id.

    It never changes after it is built, so any number of threads may search it.

    Args:
        names: Id and name, in the order in which ties are broken.
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        pairs = list(names)
        self._ids = [key for key, _ in pairs]
        self._names = [name for _, name in pairs]
        self._rows: dict[str, int] = {}  # word -> its row of the postings
        rows, holders, counts = array("i"), array("i"), array("i")
        lengths = np.zeros(len(pairs))
        for number, name in enumerate(self._names):
            found = Counter(words(name))
            lengths[number] = found.total()
            for word, count in found.items():
                rows.append(self._rows.setdefault(word, len(self._rows)))
                holders.append(number)
                counts.append(count)
        self._average = float(lengths.mean()) if lengths.any() else 1.0
        row_of = np.frombuffer(rows, dtype=np.int32)
        order = np.argsort(row_of, kind="stable")  # within a row by the name's number
        held = np.bincount(row_of, minlength=len(self._rows))
        self._starts = np.concatenate(([0], np.cumsum(held)))
        self._holders = np.frombuffer(holders, dtype=np.int32)[order].astype(np.intp)
        times = np.frombuffer(counts, dtype=np.int32)[order].astype(np.float64)
        rarity = np.array([self._rarity(int(n)) for n in held])
        self._weights = np.repeat(rarity, held) * _saturated(
            times, lengths[self._holders] / self._average
        )

    def __len__(self) -> int:
        return len(self._names)

    def candidates(self, query: str) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Score the names that share a word with a query.

        Returns:
            The numbers of these names in ascending order, shape (n,), and their scores, shape
            (n,); all other names score 0.
        """
        touched, scores = self._score(self._words(query))
        found, first = np.unique(touched, return_index=True)
        return found, scores[first]

    def best(self, query: str) -> NameHit | None:
        """Return the name that scores highest, the first of equals; None if none shares a word."""
        asked = self._words(query)
        touched, scores = self._score(asked)
        if not touched.size:
            return None
        top = scores.max()
        best = np.unique(touched[np.isclose(scores, top, rtol=1e-9, atol=0)])
        hit = self._hit(int(best[0]), float(top), self._own(asked))
        equals = dict.fromkeys(self._ids[number] for number in best.tolist())
        return replace(hit, equals=tuple(key for key in equals if key != hit.record))

    def search(self, query: str, limit: int = 10) -> list[NameHit]:
        """Return the ids that match best, each by its best name; ties in the order of the names.

        Args:
            query: A name.
            limit: Most ids to return.

        Raises:
            ConfigError: If the limit is no whole number from 1.
        """
        at_least_one("limit", limit)
        asked = self._words(query)
        touched, scores = self._score(asked)
        own = self._own(asked)
        best: dict[str, tuple[int, float]] = {}
        # A name occurs once for each shared word, and an id has several names. All are sorted
        # only if the best few belong to too few ids.
        for wanted in (8 * limit, scores.size):
            least = np.partition(scores, -wanted)[-wanted] if wanted < scores.size else 0.0
            kept = scores >= least
            best = self._by_id(touched[kept], scores[kept], limit)
            if len(best) == limit:
                break
        return [self._hit(number, score, own) for number, score in best.values()]

    def _words(self, query: str) -> tuple[str, ...]:
        """Return the words of a query; "Marfans" is "Marfan" where no name has the s."""
        return tuple(
            word[:-1]
            if word not in self._rows and word.endswith("s") and word[:-1] in self._rows
            else word
            for word in words(query)
        )

    def _by_id(
        self, touched: NDArray[np.intp], scores: NDArray[np.float64], limit: int
    ) -> dict[str, tuple[int, float]]:
        """Return the best ids in order, each with the number and score of its best name."""
        best: dict[str, tuple[int, float]] = {}
        for place in np.lexsort((touched, -scores)):
            number = int(touched[place])
            best.setdefault(self._ids[number], (number, float(scores[place])))
            if len(best) == limit:
                break
        return best

    def _score(self, asked: tuple[str, ...]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the names that share a word, once for each such word, and their scores."""
        scores = np.zeros(len(self))  # memory pages without a posting are never allocated
        touched = [np.zeros(0, dtype=np.intp)]
        for word, times in Counter(asked).items():
            row = self._rows.get(word)
            if row is not None:
                span = slice(self._starts[row], self._starts[row + 1])
                touched.append(self._holders[span])
                scores[touched[-1]] += times * self._weights[span]
        numbers = np.concatenate(touched)
        return numbers, scores[numbers]

    def _rarity(self, held: int) -> float:
        """Return the IDF of a word from the number of names with it."""
        return math.log((len(self) - held + 0.5) / (held + 0.5) + 1)

    def _own(self, asked: tuple[str, ...]) -> float:
        """Return the score of the query as a name in the index."""
        length = len(asked) / self._average
        return sum(
            times * self._rarity(self._held(word)) * float(_saturated(times, length))
            for word, times in Counter(asked).items()
        )

    def _held(self, word: str) -> int:
        """Return the number of names with a word; at least 1, for the query itself."""
        row = self._rows.get(word)
        return 1 if row is None else int(self._starts[row + 1] - self._starts[row])

    def _hit(self, number: int, score: float, own: float) -> NameHit:
        return NameHit(self._ids[number], score, self._names[number], score / own)


def _saturated(
    times: float | NDArray[np.float64], length: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weight of a word by its count and the length of the name (1 is the mean)."""
    return np.asarray(times * (K1 + 1) / (times + K1 * (1 - B + B * length)))
