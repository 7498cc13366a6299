"""Reciprocal rank fusion, and a base and a dense index searched as one."""

from __future__ import annotations

import bases
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_base import MemoryBase, passages

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.retrieval.dense.build import build_dense
from gym_clinic.retrieval.dense.hashed import HashedNgrams
from gym_clinic.retrieval.dense.hybrid import OPENING, HybridBase, reciprocal_rank_fusion
from gym_clinic.retrieval.dense.index import DenseIndex
from gym_clinic.retrieval.passages.reading import QueryReading

pytest.importorskip("faiss")

ranking = st.lists(st.sampled_from("abcdefgh"), unique=True)


@pytest.fixture(scope="module")
def dense(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dense")
    build_dense(passages(), HashedNgrams(256), folder, content_hash="abc")
    return DenseIndex(folder)


@pytest.fixture
def hybrid(dense):
    return HybridBase(MemoryBase(passages()), dense, weight=1.0)


def test_the_score_is_the_paper_s():
    fused = dict(reciprocal_rank_fusion([["a", "b", "c"], ["c", "a"], ["d"]]))
    assert fused["a"] == pytest.approx(1 / 61 + 1 / 62)
    assert fused["b"] == pytest.approx(1 / 62)
    assert fused["c"] == pytest.approx(1 / 63 + 1 / 61)
    assert fused["d"] == pytest.approx(1 / 61)


@given(st.lists(ranking, max_size=4))
def test_fusion_does_not_depend_on_the_order_of_the_rankings(rankings):
    fused = reciprocal_rank_fusion(rankings)
    assert fused == reciprocal_rank_fusion(rankings[::-1])
    assert {name for name, _ in fused} == {name for one in rankings for name in one}
    assert fused == sorted(fused, key=lambda one: (-one[1], one[0]))


@given(ranking)
def test_a_ranking_alone_keeps_its_order(names):
    assert [name for name, _ in reciprocal_rank_fusion([names, names])] == names


def test_a_weight_scales_the_share_of_a_ranking():
    fused = dict(reciprocal_rank_fusion([["a", "b"], ["b"]], weights=[1.0, 0.1]))
    assert fused["a"] == pytest.approx(1 / 61)
    assert fused["b"] == pytest.approx(1 / 62 + 0.1 / 61)


def test_n_grams_of_letters_weigh_less_than_a_trained_embedder(dense, tmp_path, monkeypatch):
    words = HybridBase(MemoryBase(passages()), dense)
    assert words.weight == 0.03
    # Words decide; the embeddings only break ties and add passages below.
    assert words.search("seizures seizure", 5)[0].score == pytest.approx(1 / 61, rel=0.04)
    monkeypatch.setattr(
        dense, "manifest", dense.manifest.model_copy(update={"embedder": "medcpt"}), raising=False
    )
    assert HybridBase(MemoryBase(passages()), dense).weight == 1.0
    with pytest.raises(ConfigError, match="weight must be a number of at least 0"):
        HybridBase(MemoryBase(passages()), dense, weight=-1.0)


class ReadingBase(MemoryBase):
    """A base that reads "Fieber" as an alias of fever."""

    def read_query(self, query, operator="or"):
        return QueryReading(None, {"seizre": "seizure"}, aliases={"Fieber": ("fever",)})


def test_embeddings_are_of_the_query_as_the_base_reads_it(dense, monkeypatch):
    asked = []
    monkeypatch.setattr(dense, "search", lambda text, *_: asked.append(text) or [])
    HybridBase(ReadingBase(passages()), dense).search("Fieber, seizre")
    HybridBase(MemoryBase(passages()), dense).search("Fieber, seizre")
    assert asked == ["Fieber, seizure fever", "Fieber, seizre"]


def test_a_wrong_k_is_reported():
    with pytest.raises(ConfigError, match="k is a whole number from 1"):
        reciprocal_rank_fusion([["a"]], k=0)


def test_passages_in_both_rankings_come_first(hybrid):
    found = hybrid.search("seizure sign8", 10)
    assert found[0].id == "p008"
    assert found[0].score == pytest.approx(2 / 61)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_a_passage_found_by_its_embedding_alone_is_whole(hybrid, dense):
    # No passage holds this word; the index sees the word within it.
    found = hybrid.search("seizures", 5)
    assert found
    assert "seizure" in found[0].title
    assert found[0].text == hybrid.get(found[0].id).text
    assert found[0].snippet == found[0].text[:OPENING]
    assert found[0].score == pytest.approx(1 / 61)


def test_a_passage_found_by_words_keeps_its_snippet(hybrid):
    found = {one.id: one for one in hybrid.search("sign8", 10)}
    assert found["p008"].snippet == "<b>sign8</b>"


@pytest.mark.parametrize(
    ("query", "operator"),
    [
        ("seizure sign8", "and"),
        ("sign8", "and"),
        ('rash OR "sign8 is seen"', "or"),
        ("sign8 NOT seizures", "or"),
        ("sign8 AND (seizure OR fever)", "or"),
    ],
)
def test_conditions_are_met(hybrid, query, operator):
    found = {one.id for one in hybrid.search(query, 40, operator=operator)}
    assert found == {one.id for one in hybrid.base.search(query, 50, operator=operator)}


def test_words_alone_set_no_condition(hybrid):
    for query in ("sign8", "sign8 OR (fever)", 'sign8 "'):
        assert len(hybrid.search(query, 40)) == 40


def test_the_source_limits_words_and_vectors(hybrid):
    found = hybrid.search("seizure", 40, source="notes")
    assert {one.source for one in found} == {"notes"}
    assert len(found) == 14  # every one is near to some degree


def test_the_base_is_asked_deep_enough(hybrid, dense):
    hybrid.search("fever", 60)
    assert hybrid.base.asked[-1] == ("fever", 60, None, "or")
    HybridBase(hybrid.base, dense, depth=5).search("fever", 3)
    assert hybrid.base.asked[-1] == ("fever", 5, None, "or")


class Talkative(HashedNgrams):
    """Has something to say of every text, as a checkpoint has."""

    def embed(self, texts):
        return super().embed([f"fever {text}" for text in texts])


def test_nothing_is_found_for_no_words(hybrid, tmp_path):
    assert hybrid.search("") == hybrid.search("?!") == []
    build_dense(passages(), Talkative(64), tmp_path, content_hash="abc")
    index = DenseIndex(tmp_path, Talkative(64))
    assert index.search("?!")
    assert HybridBase(hybrid.base, index).search("?!") == []


@pytest.mark.parametrize(
    ("query", "operator", "embedded"),
    [
        ("a child NOT rash", "or", "child"),
        ('"sign8 is" OR (cough NOT ("no fever" OR rash))', "or", "sign8 is cough"),
        ("What is a rash?", "or", "What is a rash?"),
        ("rash cough", "and", "rash cough"),
    ],
)
def test_excluded_words_do_not_attract(hybrid, dense, monkeypatch, query, operator, embedded):
    asked, search = [], DenseIndex.search

    def noted(index, text, *options):
        asked.append(text)
        return search(index, text, *options)

    monkeypatch.setattr(DenseIndex, "search", noted)
    hybrid.search(query, operator=operator)
    assert asked == [embedded]


def test_wrong_options_are_reported(hybrid, dense):
    with pytest.raises(ConfigError, match="limit"):
        hybrid.search("fever", 0)
    with pytest.raises(ConfigError, match="no operator 'nand'; did you mean 'and'"):
        hybrid.search("fever", operator="nand")
    with pytest.raises(ConfigError, match="depth"):
        HybridBase(hybrid.base, dense, depth=0)


def test_an_index_of_another_base_is_refused(dense):
    with pytest.raises(ConfigError, match="made of another base, with the content hash abc"):
        HybridBase(MemoryBase(passages(), content_hash="abd"), dense)
    with pytest.raises(TaskError, match="which the base lacks"):
        HybridBase(MemoryBase(passages(3)), dense).search("headache", 40)


class Plain:
    """A base that can only search."""

    def __init__(self, base):
        self.manifest, self.search, self.get = base.manifest, base.search, base.get


@pytest.mark.parametrize("engine", ["fts5", "tantivy"])
def test_snippets_are_made_for_returned_passages_only(tmp_path, monkeypatch, engine):
    if engine == "tantivy":
        pytest.importorskip("tantivy")
    base = bases.base(tmp_path, engine, passages())
    folder, content = tmp_path / "dense", base.manifest.content_hash
    build_dense(base, HashedNgrams(256), folder, content_hash=content)
    index = DenseIndex(folder)
    queries = ["child with fever", "rash NOT sign5", "seizures sign8", ""]
    expected = [HybridBase(Plain(base), index).search(query, 5) for query in queries]
    shown, snippets = [], base._engine.snippets

    def noted(tree, texts):
        shown.append(len(texts))
        return snippets(tree, texts)

    monkeypatch.setattr(base._engine, "snippets", noted)
    assert [HybridBase(base, index).search(query, 5) for query in queries] == expected
    assert shown
    assert max(shown) <= 5
