"""A dense index: exact answers, filters, damaged files, forks and copies."""

from __future__ import annotations

import json
import multiprocessing
import pickle
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from dense_rows import EMBEDDER, exact
from memory_base import passages

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.retrieval.dense.build import build_dense, passage_text
from gym_clinic.retrieval.dense.hashed import HashedNgrams
from gym_clinic.retrieval.dense.index import DenseIndex, dense_folder, faiss_library, read_manifest
from gym_clinic.retrieval.passages.passage import Passage

faiss = pytest.importorskip("faiss")

QUERIES = ["seizure sign4", "children with fever", "jaundice card", "sign17"]


def test_the_nearest_are_found_exactly(folder):
    index = DenseIndex(folder)
    assert len(index) == 40
    for query, hits in zip(QUERIES, index.search_many(QUERIES, 7), strict=True):
        best = exact(query, passages(), 7)
        assert [hit.score for hit in hits] == pytest.approx([score for score, _ in best], abs=1e-5)
        assert {hit.record for hit in hits[:3]} == {name for _, name in best[:3]}
        assert index.search(query, 7) == hits
    assert index.search_many([]) == []
    assert len(index.search("fever", 1000)) == 40


def test_only_passages_of_a_source_are_found(folder):
    index = DenseIndex(folder)
    for source in ("cards", "notes"):
        held = [one for one in passages() if one.source == source]
        hits = index.search("fever", 100, source)
        assert {hit.record for hit in hits} == {one.id for one in held}
        assert hits[0].record == exact("fever", held, 1)[0][1]
    with pytest.raises(ConfigError, match="no source 'card'; did you mean 'cards'"):
        index.search("fever", source="card")


def test_equal_scores_are_ordered_by_id(tmp_path):
    same = [Passage(f"p{at:02}", "s", "", "the same text") for at in range(30, 0, -1)]
    build_dense(same, EMBEDDER, tmp_path / "i", content_hash="abc")
    hits = DenseIndex(tmp_path / "i").search("the same text", 15)
    assert [hit.record for hit in hits] == sorted(hit.record for hit in hits)


@pytest.mark.parametrize("kind", ["flat", "hnsw"])
def test_no_equal_passage_is_left_out_before_its_turn(tmp_path, kind):
    # Far more of one score than are fetched at first, in the wrong order.
    same = [Passage(f"p{at:03}", "s", "", "the same text") for at in range(300, 0, -1)]
    build_dense(same, EMBEDDER, tmp_path / "i", content_hash="abc", kind=kind)
    hits = DenseIndex(tmp_path / "i").search("the text", 5)
    assert [hit.record for hit in hits] == ["p001", "p002", "p003", "p004", "p005"]
    assert len({hit.score for hit in hits}) == 1


def test_a_score_does_not_depend_on_the_batch(folder):
    index = DenseIndex(folder)
    queries = [f"{one.title} {one.text}" for one in passages()]  # enough for faiss to take BLAS
    assert index.search_many(queries, 7) == [index.search(query, 7) for query in queries]
    assert max(hit.score for hits in index.search_many(queries, 1) for hit in hits) <= 1
    double = EMBEDDER.embed([passage_text(one) for one in passages()]).astype(np.float64)
    cosines = double @ EMBEDDER.embed([queries[0]])[0].astype(np.float64)
    assert index.search(queries[0], 1)[0].score == pytest.approx(cosines.max(), abs=1e-15)


@pytest.mark.parametrize("kind", ["hnsw", "ivf"])
def test_a_small_source_is_searched_exactly_whatever_the_kind(tmp_path, kind):
    held = [
        replace(one, id=f"{one.id}{word}", text=f"{one.text} {word}", source="large")
        for word in ("acute", "chronic", "mild", "severe", "rare", "familial")
        for one in passages()
    ]
    held[::40] = [replace(one, source="small") for one in held[::40]]
    small = [one for one in held if one.source == "small"]
    build_dense(held, EMBEDDER, tmp_path / "i", content_hash="abc", kind=kind, breadth=1)
    index = DenseIndex(tmp_path / "i")
    for query in QUERIES:
        assert [hit.record for hit in index.search(query, 6, "small")] == [
            name for _, name in exact(query, small, 6)
        ]


def test_a_query_without_words_finds_nothing(folder):
    index = DenseIndex(folder)
    assert index.search_many(["", "?!", "🙂", "\ud800"]) == [[], [], [], []]


@pytest.mark.parametrize("limit", [0, -1, 2.5, True])
def test_a_wrong_limit_is_reported(folder, limit):
    with pytest.raises(ConfigError, match="limit is a whole number from 1"):
        DenseIndex(folder).search("fever", limit)


def test_ids_of_any_script_and_a_missing_title(tmp_path):
    held = [
        Passage("β/1", "s", "", "fever"),
        Passage("", "s", "", "rash"),
        Passage("é", "s", "T", ""),
    ]
    build_dense(held, EMBEDDER, tmp_path / "i", content_hash="abc")
    index = DenseIndex(tmp_path / "i")
    assert [index.search(one)[0].record for one in ("fever", "rash", "T")] == ["β/1", "", "é"]
    assert [passage_text(one) for one in held] == ["\nfever", "\nrash", "T\n"]
    assert passage_text(Passage("a", "s", "of two\n lines", "text")) == "of two lines\ntext"


def test_another_base_or_embedder_is_refused(folder):
    assert DenseIndex(folder, content_hash="abc").manifest.count == 40
    with pytest.raises(ConfigError, match="made of another base, with the content hash abc"):
        DenseIndex(folder, content_hash="abd")
    with pytest.raises(ConfigError, match="made by hashed-ngrams:64:3-5:0 with rows of 64"):
        DenseIndex(folder, HashedNgrams(128))


@pytest.mark.parametrize("name", ["ends.u64", "ids.bin", "index.faiss", "sources.u16"])
def test_files_cut_short_or_missing_are_reported(folder, name):
    path = folder / read_manifest(folder).build / name
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(TaskError, match=name):
        DenseIndex(folder)
    path.unlink()  # as when another process has just built it again
    with pytest.raises(TaskError, match=name):
        DenseIndex(folder)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "format"),
        ({"count": 0}, "count"),
        ({"count": 41}, "40 numbers for 41 passages"),
        ({"build": "../elsewhere"}, "build"),
        ({"kind": "cloud"}, "kind"),
        ({"more": 1}, "more"),
    ],
)
def test_a_manifest_that_is_not_ours_is_reported(folder, change, said):
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(TaskError, match=said):
        DenseIndex(folder)
    path.write_text("{")
    with pytest.raises(TaskError, match="build the index again"):
        DenseIndex(folder)


def test_an_index_with_other_rows_is_reported(folder):
    index = faiss.IndexFlatIP(32)
    index.add(np.ones((40, 32), np.float32))
    faiss.write_index(index, str(folder / read_manifest(folder).build / "index.faiss"))
    with pytest.raises(TaskError, match="40 rows of 32; the manifest says 40 of 64"):
        DenseIndex(folder)


MANY = ["seizure sign4"] * 64  # so many that faiss shares them out among threads


def _in_a_child(index, results):
    results.put(index.search_many(MANY, 1)[-1][0].record)


def test_a_fork_searches_too(folder):
    index = DenseIndex(folder)
    found = index.search_many(MANY, 1)[-1][0].record
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=_in_a_child, args=(index, results))
    child.start()
    try:
        assert results.get(timeout=300) == found
    finally:
        child.kill()
        child.join()


def test_a_copy_opens_the_same_index(folder):
    index = DenseIndex(folder, EMBEDDER)
    copy = pickle.dumps(index)
    assert pickle.loads(copy).search("fever") == index.search("fever")
    build_dense(passages(7), EMBEDDER, folder, content_hash="new")
    with pytest.raises(ConfigError, match="made of another base, with the content hash new"):
        pickle.loads(copy)


def test_the_missing_extra_is_reported(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    faiss_library.cache_clear()
    with pytest.raises(ConfigError, match=r'pip install "gym_clinic\[dense\]"'):
        DenseIndex(folder)


def test_the_folder_lies_beside_the_base():
    assert dense_folder(Path("a/clinic.db")) == Path("a/clinic.db.dense")
