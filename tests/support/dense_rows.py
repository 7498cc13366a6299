"""Rows of hashed n-grams, and the nearest passages found without an index."""

from __future__ import annotations

from gym_clinic.retrieval.dense.build import passage_text
from gym_clinic.retrieval.dense.hashed import HashedNgrams

EMBEDDER = HashedNgrams(64)


def exact(query, held, limit):
    """Return the scores and ids of the passages nearest to a query, best first."""
    rows = EMBEDDER.embed([passage_text(one) for one in held])
    scores = rows @ EMBEDDER.embed([query])[0]
    best = sorted(zip(scores.tolist(), [one.id for one in held], strict=True), key=lambda s: s[1])
    return sorted(best, key=lambda s: -s[0])[:limit]
