"""A search server of 40 passages on a free port, and clients of it."""

from __future__ import annotations

import pytest
from memory_base import MemoryBase, passages

from gym_clinic.retrieval.serving.client import KnowledgeClient
from gym_clinic.retrieval.serving.server import KnowledgeServer


@pytest.fixture(scope="module")
def base():
    return MemoryBase(passages())


@pytest.fixture(scope="module")
def server(base):
    with KnowledgeServer(base, port=0) as running:
        yield running


@pytest.fixture
def client(server):
    with KnowledgeClient(server.url) as opened:
        yield opened


@pytest.fixture
def raw(server):
    """A plain HTTP client, for requests that KnowledgeClient would not send."""
    httpx = pytest.importorskip("httpx")
    with httpx.Client(base_url=server.url, trust_env=False) as opened:
        yield opened
