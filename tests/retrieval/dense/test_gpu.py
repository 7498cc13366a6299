"""A dense index on a GPU, with a stand-in for the GPU part of faiss."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from dense_rows import EMBEDDER
from memory_base import passages

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.dense.build import build_dense
from gym_clinic.retrieval.dense.index import DenseIndex

faiss = pytest.importorskip("faiss")


def test_a_gpu_is_taken_where_faiss_sees_one(folder, monkeypatch):
    moved = []

    def index_cpu_to_gpu(resources, device, index):
        moved.append(device)
        return index

    monkeypatch.setattr(faiss, "get_num_gpus", lambda: 1)
    monkeypatch.setattr(faiss, "StandardGpuResources", object, raising=False)
    monkeypatch.setattr(faiss, "index_cpu_to_gpu", index_cpu_to_gpu, raising=False)
    on_cpu = DenseIndex(folder, device="cpu")
    assert moved == []
    for device in ("auto", "gpu"):
        index = DenseIndex(folder, device=device)
        assert index.search("fever", 5) == on_cpu.search("fever", 5)
        assert index.search("fever", 5, "notes") == on_cpu.search("fever", 5, "notes")
    assert moved == [0, 0]
    with pytest.raises(ConfigError, match="auto, cpu or gpu"):
        DenseIndex(folder, device="tpu")

    def no_room(*_):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(faiss, "index_cpu_to_gpu", no_room)
    with pytest.raises(ConfigError, match="device='cpu' keeps it in memory: out of memory"):
        DenseIndex(folder)


class Gpu:
    """Fails as faiss does on a GPU when too much is fetched, or in a fork."""

    def __init__(self, index, process):
        self.index, self.process, self.asked = index, process, []

    def search(self, rows, count):
        assert os.getpid() == self.process
        assert count <= 2048
        self.asked.append(count)
        return self.index.search(rows, count)


def test_searches_that_a_gpu_does_not_support_run_on_the_cpu(tmp_path, monkeypatch):
    held = [replace(one, id=f"{one.id}-{at}") for at in range(60) for one in passages()]
    build_dense(held, EMBEDDER, tmp_path / "i", content_hash="abc")
    gpus = []

    def index_cpu_to_gpu(resources, device, index):
        gpus.append(Gpu(index, os.getpid()))
        return gpus[-1]

    monkeypatch.setattr(faiss, "get_num_gpus", lambda: 1)
    monkeypatch.setattr(faiss, "StandardGpuResources", object, raising=False)
    monkeypatch.setattr(faiss, "index_cpu_to_gpu", index_cpu_to_gpu, raising=False)
    index = DenseIndex(tmp_path / "i")
    assert len(index.search("fever", 2300)) == 2300
    assert gpus[0].asked == []
    found = index.search("sign17", 3)
    assert gpus[0].asked[0] == 19
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert index.search("sign17", 3) == found


def test_no_gpu_is_reported(folder, monkeypatch):
    monkeypatch.setattr(faiss, "get_num_gpus", lambda: 0)
    with pytest.raises(ConfigError, match="finds no GPU"):
        DenseIndex(folder, device="gpu")
