"""Building a dense index: what is written, refused options, and builds that fail or meet."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from dense_rows import EMBEDDER, exact
from memory_base import passages
from places import ROOT, SUPPORT

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.retrieval.dense.build import build_dense
from gym_clinic.retrieval.dense.hashed import HashedNgrams
from gym_clinic.retrieval.dense.index import DenseIndex, read_manifest

pytest.importorskip("faiss")


def test_the_manifest_describes_the_index(folder):
    made = read_manifest(folder)
    assert (folder / made.build).stat().st_mode == folder.stat().st_mode  # as readable as the rest
    assert (made.embedder, made.dimension, made.count) == (EMBEDDER.name, 64, 40)
    assert (made.content_hash, made.kind, made.recall) == ("abc", "flat", 1.0)
    assert made.sources == ("notes", "cards")
    assert sorted(path.name for path in (folder / made.build).iterdir()) == [
        "ends.u64",
        "ids.bin",
        "index.faiss",
        "sources.u16",
    ]


@pytest.mark.parametrize("kind", ["hnsw", "ivf"])
def test_approximate_kinds_say_their_recall(tmp_path, kind):
    held = [
        replace(one, text=f"{one.text} {word}")
        for word in ("acute", "chronic", "mild", "severe", "rare", "familial")
        for one in passages()
    ]
    held = [replace(one, id=str(at)) for at, one in enumerate(held)]
    made = build_dense(held, EMBEDDER, tmp_path / "i", content_hash="abc", kind=kind)
    assert made.recall > 0.9
    index = DenseIndex(tmp_path / "i")
    best = {name for _, name in exact("severe fever", held, 10)}
    assert len(best & {hit.record for hit in index.search("severe fever", 10)}) >= 8
    notes = {one.id for one in held if one.source == "notes"}
    assert {hit.record for hit in index.search("severe fever", 10, "notes")} <= notes
    narrow = build_dense(held, EMBEDDER, tmp_path / "n", content_hash="abc", kind=kind, breadth=1)
    assert narrow.breadth == 1
    assert narrow.recall <= made.recall


def test_one_passage_is_enough_for_every_kind(tmp_path):
    for kind in ("flat", "hnsw", "ivf"):
        where = tmp_path / kind
        build_dense(passages(1), EMBEDDER, where, content_hash="abc", kind=kind)
        assert [hit.record for hit in DenseIndex(where).search("seizure")] == ["p000"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "flatt"}, "no kind of index 'flatt'; did you mean 'flat'"),
        ({"breadth": 3}, "breadth is for hnsw and ivf"),
        ({"kind": "ivf", "breadth": 0}, "breadth is a whole number from 1"),
    ],
)
def test_wrong_options_are_reported(tmp_path, options, said):
    with pytest.raises(ConfigError, match=said):
        build_dense(passages(), EMBEDDER, tmp_path / "i", content_hash="abc", **options)
    assert not (tmp_path / "i").exists()


def test_nothing_to_index_is_reported(tmp_path):
    with pytest.raises(TaskError, match="no passage"):
        build_dense([], EMBEDDER, tmp_path / "i", content_hash="abc")
    assert list((tmp_path / "i").iterdir()) == []
    with pytest.raises(ConfigError, match=r"no dense index at .*manifest\.json is missing"):
        DenseIndex(tmp_path / "i")


class Odd(HashedNgrams):
    """Gives what are no rows, once it comes to a certain text."""

    def embed(self, texts):
        rows = super().embed(texts)
        rows[0] = np.nan
        return rows


class Narrow(HashedNgrams):
    def embed(self, texts):
        return super().embed(texts)[:, :3]


@pytest.mark.parametrize(
    ("embedder", "said"), [(Odd(64), "no finite row for the passage 'p000'"), (Narrow(64), "shape")]
)
def test_an_invalid_row_stops_the_build_and_the_old_index_stays(folder, embedder, said):
    before = sorted(folder.rglob("*"))
    with pytest.raises(TaskError, match=said):
        build_dense(passages(), embedder, folder, content_hash="new")
    assert sorted(folder.rglob("*")) == before
    assert DenseIndex(folder, content_hash="abc").search("fever")


def test_a_new_build_takes_the_place_of_the_old_and_of_a_killed_one(folder):
    (folder / "build-killed").mkdir()
    (folder / "build-killed" / "rows.f32").write_bytes(b"1234")
    old = DenseIndex(folder)
    build_dense(passages(7), EMBEDDER, folder, content_hash="new")
    assert len(DenseIndex(folder, content_hash="new")) == 7
    assert len(list(folder.glob("build-*"))) == 1
    assert len(old.search("fever", 100)) == 40  # who has opened the old one goes on with it


def test_two_builds_at_once_do_not_mix(folder):
    def meanwhile():
        yield from passages(5)
        with pytest.raises(ConfigError, match="another process is building"):
            build_dense(passages(9), EMBEDDER, folder, content_hash="second")
        yield from passages(7)[5:]

    build_dense(meanwhile(), EMBEDDER, folder, content_hash="first")
    assert len(DenseIndex(folder, content_hash="first").search("fever", 100)) == 7


def test_a_killed_build_leaves_the_old_index(folder):
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from memory_base import passages\n"
        "from gym_clinic.retrieval.dense.build import build_dense\n"
        "from gym_clinic.retrieval.dense.hashed import HashedNgrams\n"
        "def deadly():\n"
        "    yield from passages(30) * 10\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "build_dense(deadly(), HashedNgrams(64), Path(sys.argv[1]), content_hash='new')\n"
    )
    path = os.pathsep.join([str(ROOT), str(SUPPORT)])
    child = subprocess.run(
        [sys.executable, "-c", code, str(folder)], env=os.environ | {"PYTHONPATH": path}
    )
    assert child.returncode == -signal.SIGKILL
    assert len(list(folder.glob("build-*"))) == 2
    assert len(DenseIndex(folder, content_hash="abc").search("fever", 100)) == 40
    build_dense(passages(7), EMBEDDER, folder, content_hash="new")
    assert len(list(folder.glob("build-*"))) == 1
