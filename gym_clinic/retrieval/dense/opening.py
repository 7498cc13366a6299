"""Embedders by name."""

from __future__ import annotations

from pathlib import Path

from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest
from gym_clinic.retrieval.dense.checkpoints import CHECKPOINTS, SentenceTransformer
from gym_clinic.retrieval.dense.embedder import Embedder
from gym_clinic.retrieval.dense.hashed import HASHED, hashed_ngrams
from gym_clinic.retrieval.dense.served import ServedEmbedder


def open_embedder(name: str = HASHED) -> Embedder:
    """Return the embedder of a name.

    Args:
        name: ``hashed-ngrams``, with settings as in ``hashed-ngrams:2048`` or
            ``hashed-ngrams:512:3-5:0``; one of the checkpoints of
            :data:`gym_clinic.retrieval.dense.checkpoints.CHECKPOINTS`, as ``medcpt``; any
            sentence-transformers checkpoint, as ``owner/name`` or a folder; or a model on an
            embedding server, as ``http://localhost:8000/v1#MODEL``.

    Raises:
        ConfigError: If there is no such embedder, its settings are unreadable, or the extra
            that it needs is not installed.
    """
    kind, _, settings = name.partition(":")
    if kind == HASHED:
        return hashed_ngrams(settings)
    if kind in ("http", "https"):
        return ServedEmbedder(*name.partition("#")[::2])
    if name in CHECKPOINTS or "/" in name or (name and Path(name).is_dir()):
        return SentenceTransformer(name)
    advice = suggest(name, (HASHED, *CHECKPOINTS))
    raise ConfigError(
        f"no embedder {name!r}; {advice} (a checkpoint is given as 'owner/name' or as its folder)"
    )
