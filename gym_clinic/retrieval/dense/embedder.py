"""The protocol of an embedder: texts as unit rows, so that a dot product is a cosine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Embeddings = NDArray[np.float32]
"""Embeddings, shape (texts, dimension)."""


class Embedder(Protocol):
    """Turns texts into embeddings, one row for each."""

    @property
    def name(self) -> str:
        """Name and settings, from which :func:`open_embedder` makes the same embedder."""

    @property
    def dimension(self) -> int:
        """Length of a row."""

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a row for each text, shape (n, dimension), of length 1.

        A text in which the embedder sees nothing, such as an empty one, has a row of zeros.
        """


@runtime_checkable
class QueryEmbedder(Protocol):
    """An embedder that treats queries differently from texts."""

    def embed_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return a row for each query, as :meth:`Embedder.embed` does for texts."""


def embed_queries(embedder: Embedder, queries: Sequence[str]) -> Embeddings:
    """Return the rows of queries, shape (n, dimension), read as queries if that differs."""
    if isinstance(embedder, QueryEmbedder):
        return embedder.embed_queries(queries)
    return embedder.embed(queries)


def unit_rows(rows: NDArray[np.floating]) -> Embeddings:
    """Return rows of length 1, shape (n, d); rows of zeros stay as they are."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Embeddings = (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return scaled
