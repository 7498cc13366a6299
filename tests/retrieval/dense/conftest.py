"""A dense index of 40 passages."""

from __future__ import annotations

import pytest
from dense_rows import EMBEDDER
from memory_base import passages

from gym_clinic.retrieval.dense.build import build_dense
from gym_clinic.retrieval.dense.index import dense_folder


@pytest.fixture
def folder(tmp_path):
    where = dense_folder(tmp_path / "clinic.db")
    build_dense(iter(passages()), EMBEDDER, where, content_hash="abc")
    return where
