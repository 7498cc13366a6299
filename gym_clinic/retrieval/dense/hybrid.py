"""Hybrid search: the rankings by words and by embeddings, fused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum

from gym_clinic.errors import TaskError
from gym_clinic.names import at_least_one, checked_number
from gym_clinic.retrieval.dense.hashed import HASHED
from gym_clinic.retrieval.dense.index import DenseIndex
from gym_clinic.retrieval.passages.passage import FoundPassage, FoundPassages, Passage
from gym_clinic.retrieval.passages.query import AnyOf, Phrase, Query, Title, parse_query
from gym_clinic.retrieval.passages.searcher import (
    ContentManifest,
    PassageBase,
    Ranker,
    Ranking,
    Reader,
    check_search,
)

K = 60
"""Of reciprocal rank fusion: reduces the weight of the first ranks; 60 as in the paper."""

DEPTH = 50
"""Hits of each ranking to fuse."""

HASHED_WEIGHT = 0.03
"""Weight of the ranking by n-grams of letters, which know spelling and no meaning; a trained
embedder has 1. More than this places passages that words alone rank better too low."""

OPENING = 200
"""Characters of the snippet of a passage without any word of the query."""


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], k: int = K, weights: Sequence[float] | None = None
) -> list[tuple[str, float]]:
    """Fuse rankings: the score of an id is the sum of weight / (k + rank) over its rankings.

    Source: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods", SIGIR 2009, pages 758-759.

    Args:
        rankings: Ids, best first, each at most once in a ranking; ranks count from 1.
        k: Reduces the weight of the first ranks.
        weights: Of the rankings, in their order; 1 each by default, as in the paper.

    Returns:
        All ids with their scores, best first; equal scores by id.

    Raises:
        ConfigError: If k is below 1.

    >>> reciprocal_rank_fusion([["a", "b"], ["b"]], k=1)
    [('b', 0.8333333333333333), ('a', 0.5)]
    """
    at_least_one("k", k)
    shares: dict[str, list[float]] = {}
    for weight, ranking in zip(weights or [1.0] * len(rankings), rankings, strict=True):
        for rank, name in enumerate(ranking, 1):
            shares.setdefault(name, []).append(weight / (k + rank))
    # fsum, so that the order of the rankings does not change the last bit.
    scores = {name: fsum(some) for name, some in shares.items()}
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))


class HybridBase:
    """A knowledge base and a dense index of its passages, searched as one.

    A query with conditions (``operator="and"``, an "exact phrase", AND or NOT) returns passages
    that meet them; the dense index then only reorders the best of these, by the words that are
    not excluded. A query without words finds nothing.

    Args:
        base: Finds passages by their words.
        dense: Finds passages by their embeddings; built from the same base.
        depth: Hits of each to fuse; raised to the limit of a search.
        weight: Weight of the ranking by embeddings, beside 1 of the ranking by words; by default
            1 for a trained embedder, and 0.03 for n-grams of letters.

    Raises:
        ConfigError: If the depth is below 1, the weight is negative, or the index was built from
            another base.
    """

    def __init__(
        self,
        base: PassageBase,
        dense: DenseIndex,
        *,
        depth: int = DEPTH,
        weight: float | None = None,
    ) -> None:
        dense.check_base(base.manifest.content_hash)
        self.base, self.dense, self.depth = base, dense, at_least_one("depth", depth)
        if weight is None:
            weight = HASHED_WEIGHT if dense.manifest.embedder.startswith(HASHED) else 1.0
        checked_number("weight", weight, least=0.0)
        self.weight = weight

    def __len__(self) -> int:
        return len(self.dense)

    @property
    def manifest(self) -> ContentManifest:
        """The manifest of the base."""
        return self.base.manifest

    def search(
        self, query: str, limit: int = 10, source: str | None = None, operator: str = "or"
    ) -> FoundPassages:
        """Return the passages that answer a query; arguments and errors as of the base.

        The score is that of the fusion. The snippet of a passage that only its embedding found
        is the start of its text. Where no passage has what is asked for, only a weight of at least
        1, that of a trained embedder, finds passages by their embeddings alone.
        """
        check_search(limit, operator)
        depth = max(limit, self.depth)
        worded = self._ranked(query, depth, source, operator)
        tree = parse_query(query, operator)
        absent = worded.reading.absent if worded.reading else ()
        # A trained embedder may know another name of what no passage has; n-grams do not.
        if tree is None or (absent and not worded.ids and self.weight < 1.0):
            return FoundPassages((), absent)
        conditions = operator == "and" or _sets_conditions(tree)
        wanted = " ".join(_words(tree)) if conditions else self._spelt_out(query)
        near = [hit.record for hit in self.dense.search(wanted, depth, source)]
        if conditions:
            near = [name for name in near if name in worded.ids]
        fused = reciprocal_rank_fusion([worded.ids, near], weights=[1.0, self.weight])[:limit]
        shown = worded.passages([name for name, _ in fused if name in worded.ids])
        known = {passage.id: passage for passage in shown}
        found = (replace(known.get(name) or self._get(name), score=score) for name, score in fused)
        return FoundPassages(found, absent)

    def get(self, id: str) -> Passage | None:
        """Return the passage of an id, as the base does."""
        return self.base.get(id)

    def _spelt_out(self, query: str) -> str:
        if isinstance(self.base, Reader):
            return self.base.read_query(query).spelt_out(query)
        return query

    def _ranked(self, query: str, depth: int, source: str | None, operator: str) -> Ranking:
        if isinstance(self.base, Ranker):
            return self.base.ranked(query, depth, source, operator)
        found = {hit.id: hit for hit in self.base.search(query, depth, source, operator)}
        return Ranking(tuple(found), lambda ids: [found[name] for name in ids])

    def _get(self, name: str) -> FoundPassage:
        passage = self.base.get(name)
        if passage is None:
            raise TaskError(
                f"the dense index {self.dense.folder} holds the passage {name!r}, which the base "
                "lacks; build the index again from this base"
            )
        return FoundPassage(passage, 0.0, passage.text[:OPENING])


def _sets_conditions(query: Query) -> bool:
    """Return whether a query asks for more than any of its words."""
    if isinstance(query, AnyOf):
        return any(map(_sets_conditions, query.parts))
    # Anything but a single word: words in a row, or all of several parts.
    return not (isinstance(query, Phrase) and len(query.words) == 1)


def _words(query: Query) -> Iterator[str]:
    """Yield the words of a query, without those that it excludes."""
    if isinstance(query, (Phrase, Title)):
        yield from query.words
    else:
        for part in query.parts:
            yield from _words(part)
