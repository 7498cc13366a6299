"""``kb embed`` and ``kb serve``, on a base in memory instead of one on disk."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from typing import get_args

import pytest
from memory_base import MemoryBase, passages
from places import ROOT, SUPPORT

from gym_clinic.commands.kb import build, embed, serve
from gym_clinic.retrieval import ENGINES, DenseIndex, KnowledgeClient, KnowledgeServer, dense_folder
from gym_clinic.retrieval.dense.index import IndexKind, read_manifest

pytest.importorskip("faiss")
pytest.importorskip("fastapi")


class OpenedBase(MemoryBase):
    """Opened by its path."""

    def __init__(self, path, *, aliases=False):
        super().__init__(passages())
        self.path = path

    def __iter__(self):
        return iter(self.held.values())


@pytest.fixture
def command(monkeypatch, run):
    for module in (embed, serve):
        monkeypatch.setattr(module, "open_base", OpenedBase)
    return partial(run, "kb")


def test_embed_writes_a_dense_index_beside_the_base(command, tmp_path):
    base = tmp_path / "clinic.db"
    done = command("embed", base, "--embedder", "hashed-ngrams:64", "--no-progress")
    assert done == (0, f"{base}.dense: 40 passages by hashed-ngrams:64:3-5:0, flat, exact\n", "")
    assert DenseIndex(dense_folder(base), content_hash="abc").search("fever")
    done = command("embed", base, "--kind", "hnsw", "--breadth", "9")
    assert done.status == 0
    assert "by hashed-ngrams:2048:3-5:0, hnsw, recall of the 10 nearest" in done.out
    assert "embedding" in done.err
    assert read_manifest(dense_folder(base)).breadth == 9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("embed", "b.db", "--embedder", "medcp"), "no embedder 'medcp'; did you mean 'medcpt'"),
        (("embed", "b.db", "--kind", "hnws"), "'hnws' is not one of 'flat', 'hnsw', 'ivf'"),
        (("serve", "b.db", "--dense"), "no dense index at"),
        (("serve",), "Missing argument 'BASE'"),
    ],
)
def test_mistakes_are_named(command, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    status, _, err = command(*arguments)
    assert status == 2
    assert message in err


def test_declared_choices_and_defaults_are_those_of_the_library():
    # They are written out in the commands, so that --help loads no index and no server.
    taken = inspect.signature(serve.serve).parameters
    given = inspect.signature(KnowledgeServer.__init__).parameters
    for name in ("port", "threads", "waiting"):
        assert taken[name].default == given[name].default
    assert choices(embed.embed, "kind") == get_args(IndexKind)
    assert choices(build.build_base, "engine") == tuple(ENGINES)


def choices(command, name):
    hint = inspect.signature(command, eval_str=True).parameters[name].annotation
    return get_args(get_args(hint)[0])


@pytest.mark.parametrize("dense", [False, True])
def test_serve_answers_until_stopped(command, tmp_path, monkeypatch, dense):
    base = tmp_path / "clinic.db"
    if dense:
        command("embed", base, "--embedder", "hashed-ngrams:256", "--no-progress")
    servers, up, ended = [], threading.Event(), []
    run = KnowledgeServer.run

    def noted(server):
        servers.append(server)
        up.set()
        run(server)

    monkeypatch.setattr(KnowledgeServer, "run", noted)
    argv = ("serve", base, "--port", 0, *(["--dense"] if dense else []))
    thread = threading.Thread(target=lambda: ended.append(command(*argv)))
    thread.start()
    try:
        assert up.wait(300)
        with KnowledgeClient(servers[0].url) as client:
            found = client.search("seizures", 3)  # a form that no passage has
            assert bool(found) is dense
            assert client.search("sign3", 1)[0].id == "p003"
            assert len(client) == 40
    finally:
        servers[0].stop()
        thread.join(300)
    assert not thread.is_alive()
    assert ended[0].out == f"{base}: 40 passages at {servers[0].url}\n"


def test_a_server_process_ends_on_sigterm(tmp_path):
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
        assert child.wait(300) == -signal.SIGTERM
