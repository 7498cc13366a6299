"""Embedders from sentence-transformers checkpoints, with the settings of known ones."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.dense.embedder import Embeddings, unit_rows
from gym_clinic.retrieval.passages.passage import encodable

BATCH = 64
"""Texts in one batch."""


@dataclass(frozen=True)
class Checkpoint:
    """The settings of a checkpoint; those that are not given come from its own configuration.

    Attributes:
        article: Checkpoint that embeds the texts.
        query: Checkpoint that embeds the queries; None if it is the same.
        instruction: Put before every query.
        pooling: ``cls`` or ``mean``, for a checkpoint that does not configure its pooling.
        article_tokens: Longest text, for a checkpoint that does not configure its pooling.
        query_tokens: Longest query, likewise.
        paired: Whether title and text are two segments.
        source: Source of the settings.
    """

    article: str
    source: str
    query: str | None = None
    instruction: str = ""
    pooling: str | None = None
    article_tokens: int = 512
    query_tokens: int = 512
    paired: bool = False


_BGE = "Represent this sentence for searching relevant passages: "
_BGE_CARD = "model card of {}, section 'Usage' (Xiao et al., C-Pack, SIGIR 2024, arXiv:2309.07597)"
_MEDCPT = "github.com/ncbi/MedCPT, README (Jin et al., Bioinformatics 39(11):btad651, 2023)"


def _bge(size: str) -> Checkpoint:
    name = f"BAAI/bge-{size}-en-v1.5"
    return Checkpoint(name, _BGE_CARD.format(name), instruction=_BGE)


CHECKPOINTS: Mapping[str, Checkpoint] = {
    # MedCPT ranks by the dot product of its rows. Here rows are scaled to length 1, as for every
    # embedder, so scores are cosines and the order may differ from the paper's.
    "medcpt": Checkpoint(
        "ncbi/MedCPT-Article-Encoder",
        _MEDCPT,
        query="ncbi/MedCPT-Query-Encoder",
        pooling="cls",
        query_tokens=64,
        paired=True,
    ),
    "medcpt-query": Checkpoint(
        "ncbi/MedCPT-Query-Encoder", _MEDCPT, pooling="cls", article_tokens=64, query_tokens=64
    ),
    "bge-small": _bge("small"),
    "bge-base": _bge("base"),
    "bge-large": _bge("large"),
    "biolord": Checkpoint(
        "FremyCompany/BioLORD-2023",
        "model card of FremyCompany/BioLORD-2023 (Remy et al., JAMIA 2024, ocae029)",
    ),
}
"""The known checkpoints. BGE and BioLORD configure their pooling; MedCPT does not."""


class SentenceTransformer:
    """A checkpoint run by sentence-transformers; threads take turns.

    Args:
        name: A key of :data:`CHECKPOINTS`, the name of a checkpoint, or its folder. One that is
            not in the table runs with its own configuration, for queries and texts alike.
        device: ``cpu``, ``cuda``, …; chosen by sentence-transformers by default.
        batch: Texts in one batch.

    Raises:
        ConfigError: If sentence-transformers is not installed, or it cannot load the checkpoint.
    """

    def __init__(self, name: str, *, device: str | None = None, batch: int = BATCH) -> None:
        self.checkpoint = known(name)
        self.name, self.device, self.batch = self.checkpoint.article, device, batch
        self._turn = threading.Lock()  # a tokenizer does not allow two threads at once
        self._texts = _load(self.checkpoint, self.name, self.checkpoint.article_tokens, device)
        query = self.checkpoint.query
        self._queries = self._texts
        if query is not None:
            self._queries = _load(self.checkpoint, query, self.checkpoint.query_tokens, device)
        self.dimension = int(self._encode(self._texts, ["dimension"], ["dimension"]).shape[1])

    def __repr__(self) -> str:
        return f"SentenceTransformer({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the settings; a copy in another process loads the checkpoint again."""
        return partial(SentenceTransformer, self.name, device=self.device, batch=self.batch), ()

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a row for each text, shape (n, dimension).

        A paired checkpoint takes the first line of a text as its title, if there are more.
        """
        if not self.checkpoint.paired:
            return self._encode(self._texts, texts, [encodable(text).strip() for text in texts])
        parts = [encodable(text).partition("\n") for text in texts]
        # A batch holds pairs only; a text without a title has an empty one.
        pairs = [(title, text) if text else ("", title) for title, _, text in parts]
        return self._encode(self._texts, texts, pairs)

    def embed_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return a row for each query, shape (n, dimension)."""
        asked = [self.checkpoint.instruction + encodable(text) for text in texts]
        return self._encode(self._queries, texts, asked)

    def _encode(self, model: Any, texts: Sequence[str], read: Sequence[object]) -> Embeddings:
        """Return the rows of a model's inputs; zeros for an empty text."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        with self._turn:
            rows = model.encode(
                read, batch_size=self.batch, convert_to_numpy=True, show_progress_bar=False
            )
        units = unit_rows(np.asarray(rows, np.float32))
        # A model gives a row even to an empty text.
        units[[not text.strip() for text in texts]] = 0
        return units


def known(name: str) -> Checkpoint:
    """Return the settings of a checkpoint, by its key or its own name."""
    for key, checkpoint in CHECKPOINTS.items():
        if name in (key, checkpoint.article):
            return checkpoint
    return Checkpoint(name, "its own configuration")


def _load(checkpoint: Checkpoint, name: str, tokens: int, device: str | None) -> Any:
    library = _library("sentence_transformers")
    try:
        if checkpoint.pooling is None:
            return library.SentenceTransformer(name, device=device)
        modules = _modules()
        reader = modules.Transformer(name, max_seq_length=tokens)
        pooling = modules.Pooling(_width(reader), checkpoint.pooling)
        return library.SentenceTransformer(modules=[reader, pooling], device=device)
    except (OSError, ValueError) as error:
        # Raised by the hub client and transformers for a name that they cannot resolve.
        raise ConfigError(f"the checkpoint {name!r} cannot be loaded: {error}") from error


def _modules() -> ModuleType:
    """Return the module of model parts, which newer releases have moved."""
    try:
        return importlib.import_module("sentence_transformers.sentence_transformer.modules")
    except ModuleNotFoundError:  # in older releases
        return importlib.import_module("sentence_transformers.models")


def _width(reader: Any) -> int:
    """Return the dimension of a model; newer releases have renamed the method."""
    if hasattr(reader, "get_embedding_dimension"):
        return int(reader.get_embedding_dimension())
    return int(reader.get_word_embedding_dimension())


def _library(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sentence_transformers":
            raise
        raise ConfigError(
            'this embedder needs sentence-transformers: pip install "gym_clinic[embed]"'
        ) from None
