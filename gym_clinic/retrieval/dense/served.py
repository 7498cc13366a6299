"""Embeddings by a model on a server that speaks OpenAI's embeddings interface, such as vLLM."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from gym_clinic.endpoint import Answer, BrokenReplyError, Endpoint
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.retrieval.dense.embedder import Embeddings, unit_rows

BATCH = 64
"""Texts in one request."""


class _ServedRow(BaseModel):
    index: int
    embedding: list[float]


class _ServedRows(BaseModel):
    data: list[_ServedRow]


class ServedEmbedder:
    """A model on an embedding server.

    Args:
        url: Address of the server's interface, such as ``http://localhost:8000/v1``.
        model: The model's name on that server.
        options: Further arguments of :class:`gym_clinic.endpoint.Endpoint`: key, timeout, retries.

    Raises:
        ConfigError: The model is not named, an option is unusable, or httpx or tenacity is not
            installed.
    """

    def __init__(self, url: str, model: str, **options: Any) -> None:
        if not model:
            raise ConfigError(f"name the model behind a '#', as {url}#MODEL")
        self.model = model
        self._endpoint = Endpoint(url, **options)

    def __repr__(self) -> str:
        return f"ServedEmbedder({self.name!r})"

    @property
    def name(self) -> str:
        """Address and model, as ``http://localhost:8000/v1#MODEL``."""
        return f"{self._endpoint.url}#{self.model}"

    @cached_property
    def dimension(self) -> int:
        """Length of a row; the server is asked once."""
        return int(self.embed(["dimension"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a row for each text, shape (n, dimension); that of an empty text is of zeros.

        Raises:
            ServiceError: The server refused, or gave no usable reply in all attempts.
        """
        said = [number for number, text in enumerate(texts) if text.strip()]
        if not said:  # how long a row is only a reply tells
            return np.zeros((len(texts), self.dimension), np.float32)
        rows = [
            row
            for start in range(0, len(said), BATCH)
            for row in self._ask([texts[number] for number in said[start : start + BATCH]])
        ]
        if len({len(row) for row in rows}) > 1:
            raise ServiceError(f"{self.name}: rows of different lengths; expected one length")
        found = np.zeros((len(texts), len(rows[0])), np.float32)
        found[said] = unit_rows(np.array(rows, dtype=np.float64))
        return found

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        body = json.dumps({"model": self.model, "input": list(texts)}).encode()

        def read(answer: Answer) -> list[list[float]]:
            try:
                data = _ServedRows.model_validate_json(answer.content).data
            except ValidationError as error:
                raise BrokenReplyError(f"no embeddings: {error.errors()[0]['msg']}") from None
            rows = {row.index: row.embedding for row in data}
            if sorted(rows) != list(range(len(texts))):
                raise BrokenReplyError(f"{len(data)} embeddings of {len(texts)} texts")
            return [rows[number] for number in range(len(texts))]

        return self._endpoint.ask(read, "/embeddings", body)
