"""Passages by their embeddings: embedders, a FAISS index, and hybrid search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.retrieval.dense.build import build_dense as build_dense
    from gym_clinic.retrieval.dense.checkpoints import CHECKPOINTS as CHECKPOINTS
    from gym_clinic.retrieval.dense.checkpoints import SentenceTransformer as SentenceTransformer
    from gym_clinic.retrieval.dense.embedder import Embedder as Embedder
    from gym_clinic.retrieval.dense.embedder import Embeddings as Embeddings
    from gym_clinic.retrieval.dense.embedder import QueryEmbedder as QueryEmbedder
    from gym_clinic.retrieval.dense.hashed import HashedNgrams as HashedNgrams
    from gym_clinic.retrieval.dense.hybrid import HybridBase as HybridBase
    from gym_clinic.retrieval.dense.hybrid import reciprocal_rank_fusion as reciprocal_rank_fusion
    from gym_clinic.retrieval.dense.index import DenseIndex as DenseIndex
    from gym_clinic.retrieval.dense.index import DenseManifest as DenseManifest
    from gym_clinic.retrieval.dense.index import dense_folder as dense_folder
    from gym_clinic.retrieval.dense.opening import open_embedder as open_embedder
    from gym_clinic.retrieval.dense.served import ServedEmbedder as ServedEmbedder

_HOMES = {
    "CHECKPOINTS": "checkpoints",
    "DenseIndex": "index",
    "DenseManifest": "index",
    "Embedder": "embedder",
    "HashedNgrams": "hashed",
    "HybridBase": "hybrid",
    "QueryEmbedder": "embedder",
    "Embeddings": "embedder",
    "SentenceTransformer": "checkpoints",
    "ServedEmbedder": "served",
    "dense_folder": "index",
    "build_dense": "build",
    "open_embedder": "opening",
    "reciprocal_rank_fusion": "hybrid",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
