"""``kb embed`` and ``kb serve`` on a base that stands in for one on disk."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading

import pytest
from memory_base import MemoryBase, passages
from places import ROOT, SUPPORT

from gym_clinic.commands.kb import embed, serve
from gym_clinic.commands.kb.embed import add_embed
from gym_clinic.commands.kb.serve import add_serve
from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.dense.index import DenseIndex, beside, read_manifest
from gym_clinic.retrieval.serving.client import KnowledgeClient
from gym_clinic.retrieval.serving.server import KnowledgeServer

pytest.importorskip("faiss")
pytest.importorskip("fastapi")


class OpenedBase(MemoryBase):
    """Opened by its path."""

    def __init__(self, path):
        super().__init__(passages())
        self.path = path

    def __iter__(self):
        return iter(self.held.values())


@pytest.fixture
def command(monkeypatch):
    for module in (embed, serve):
        monkeypatch.setattr(module, "open_base", OpenedBase)

    def run(*argv):
        parser = argparse.ArgumentParser()
        commands = parser.add_subparsers(required=True)
        add_embed(commands)
        add_serve(commands)
        args = parser.parse_args([str(one) for one in argv])
        return args.run(args)

    return run


def test_a_dense_index_is_laid_beside_the_base(command, tmp_path, capsys):
    base = tmp_path / "clinic.db"
    assert command("embed", base, "--embedder", "hashed-ngrams:64", "--no-progress") == 0
    assert capsys.readouterr().out == (
        f"{base}.dense: 40 passages by hashed-ngrams:64:3-5:0, flat, exact\n"
    )
    assert DenseIndex(beside(base), content_hash="abc").search("fever")
    assert command("embed", base, "--kind", "hnsw", "--breadth", "9") == 0
    said = capsys.readouterr()
    assert "by hashed-ngrams:2048:3-5:0, hnsw, recall of the 10 nearest" in said.out
    assert "embedding" in said.err
    assert read_manifest(beside(base)).breadth == 9


def test_an_unknown_embedder_is_told(command, tmp_path):
    with pytest.raises(ConfigError, match="no embedder 'medcp'; did you mean 'medcpt'"):
        command("embed", tmp_path / "clinic.db", "--embedder", "medcp")


@pytest.mark.parametrize("dense", [False, True])
def test_a_base_is_served(command, tmp_path, capsys, monkeypatch, dense):
    base = tmp_path / "clinic.db"
    if dense:
        command("embed", base, "--embedder", "hashed-ngrams:256", "--no-progress")
    servers, up = [], threading.Event()
    run = KnowledgeServer.run

    def noted(server):
        servers.append(server)
        up.set()
        run(server)

    monkeypatch.setattr(KnowledgeServer, "run", noted)
    argv = ("serve", base, "--port", 0, *(["--dense"] if dense else []))
    thread = threading.Thread(target=command, args=argv)
    thread.start()
    try:
        assert up.wait(30)
        with KnowledgeClient(servers[0].url) as client:
            found = client.search("seizures", 3)  # a form that no passage has
            assert bool(found) is dense
            assert client.search("sign3", 1)[0].id == "p003"
            assert len(client) == 40
    finally:
        servers[0].stop()
        thread.join(30)
    assert not thread.is_alive()
    assert f"{base}: 40 passages at {servers[0].url}\n" in capsys.readouterr().out


def test_what_is_not_there_is_told(command, tmp_path):
    with pytest.raises(ConfigError, match="no dense index at"):
        command("serve", tmp_path / "clinic.db", "--dense")
    with pytest.raises(SystemExit):
        command("serve")


def test_a_server_in_a_process_of_its_own_ends_when_it_is_told(tmp_path):
    code = (
        "from memory_base import MemoryBase, passages\n"
        "from gym_clinic.retrieval.serving.server import KnowledgeServer\n"
        "server = KnowledgeServer(MemoryBase(passages()), port=0)\n"
        "print(server.url, flush=True)\n"
        "server.run()\n"
    )
    path = os.pathsep.join([str(ROOT), str(SUPPORT)])
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    with child, KnowledgeClient(child.stdout.readline().strip()) as client:
        assert client.search("sign3", 1)[0].id == "p003"
        child.send_signal(signal.SIGTERM)
        assert child.wait(60) == -signal.SIGTERM
