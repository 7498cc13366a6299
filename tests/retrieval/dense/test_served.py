"""Embeddings from a server: what is asked, what comes back, and replies that cannot be used."""

from __future__ import annotations

import json

import numpy as np
import pytest
from chat_server import ChatServer

from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.retrieval.dense import ServedEmbedder, open_embedder


def reply(*rows: tuple[int, list[float]]) -> bytes:
    data = [{"index": index, "embedding": row, "object": "embedding"} for index, row in rows]
    return json.dumps({"object": "list", "data": data}).encode()


def test_rows_are_in_the_order_of_the_texts_and_of_length_one(chat_server: ChatServer) -> None:
    embedder = open_embedder(f"{chat_server.url}/v1#tiny")
    assert isinstance(embedder, ServedEmbedder)
    chat_server.script = [chat_server.raw(reply((1, [0.0, 2.0]), (0, [3.0, 4.0])))]
    rows = embedder.embed(["cough", " ", "rash"])
    assert np.allclose(rows, [[0.6, 0.8], [0, 0], [0, 1]])
    assert chat_server.requests == [{"model": "tiny", "input": ["cough", "rash"]}]
    assert chat_server.paths == ["/v1/embeddings"]
    assert embedder.name == f"{chat_server.url}/v1#tiny"


def test_a_text_of_nothing_has_a_row_as_long_as_the_others(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.raw(reply((0, [1.0, 0.0, 0.0])))]
    embedder = ServedEmbedder(chat_server.url, "tiny")
    assert embedder.embed([""]).tolist() == [[0.0, 0.0, 0.0]]
    assert embedder.embed([""]).shape == (1, 3)
    assert len(chat_server.requests) == 1


@pytest.mark.parametrize("body", [reply((0, [1.0])), b"{}", b"x", reply((0, [1.0]), (0, [2.0]))])
def test_a_reply_that_does_not_answer_is_an_error(chat_server: ChatServer, body: bytes) -> None:
    chat_server.script = [chat_server.raw(body)]
    embedder = ServedEmbedder(chat_server.url, "tiny", retries=1, backoff=0.0)
    with pytest.raises(ServiceError, match="no usable reply in 2 attempts"):
        embedder.embed(["a", "b"])


def test_rows_of_different_lengths_are_an_error(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.raw(reply((0, [1.0]), (1, [1.0, 2.0])))]
    with pytest.raises(ServiceError, match="rows of different lengths"):
        ServedEmbedder(chat_server.url, "tiny").embed(["a", "b"])


def test_a_server_without_a_model_is_refused() -> None:
    with pytest.raises(ConfigError, match="name the model behind a '#', as http://x/v1#MODEL"):
        open_embedder("http://x/v1")
