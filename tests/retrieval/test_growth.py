"""The parts of bench/growth.py, without its measurements."""

from __future__ import annotations

import json
import sys

import bases
import growth
import pytest

from gym_clinic.retrieval.passages.knowledge import KnowledgeBase


def test_the_first_passages_are_written(tmp_path):
    corpus, out = tmp_path / "corpus.tsv", tmp_path / "passages.jsonl"
    corpus.write_text("a\tcards\tFever\ttext β\tcard\tmore\nb\tcards\tRash\ttext\tcard\n")
    growth.write_passages(corpus, 1, out)
    assert [json.loads(line) for line in out.read_text().splitlines()] == [
        {"id": "a", "source": "cards", "title": "Fever", "content": "text β", "category": "card"}
    ]
    growth.check_size(corpus, 2)
    with pytest.raises(SystemExit, match="has 2 passages, fewer than 3"):
        growth.check_size(corpus, 3)


def test_a_command_is_measured_and_its_failure_reported():
    row = growth.timed("build", [sys.executable, "-c", "x = bytearray(80 << 20)"])
    assert row["build peak MiB"] > 80
    assert row["build CPU s"] > 0
    assert row["build s"] > 0
    with pytest.raises(SystemExit, match="ended with 3"):
        growth.timed("build", [sys.executable, "-c", "raise SystemExit(3)"])


def test_tables_have_a_column_for_each_run():
    rows = [
        {"passages": 1e6, "build s": 2.0, "open s": 0.5, "engine": "tantivy", "or p99 ms": 1.0},
        {"passages": 2e6, "build s": 3.0, "open s": 0.25, "engine": "tantivy", "or p99 ms": 9.0},
    ]
    assert growth.table(rows) == (
        "| passages | 1,000,000 | 2,000,000 |\n| --- | ---: | ---: |\n"
        "| build s | 2 | 3 |\n| open s | 0.5 | 0.25 |\n| engine | tantivy | tantivy |\n"
        "| or p99 ms | 1 | 9 |"
    )
    for order in (rows, rows[::-1]):
        assert growth.extrapolated(order).splitlines()[2:] == [
            "| build s | 3 | 1 | 28 |",  # 1 s, and 1 s more for each of 27 million
            "| open s | 0.25 | 0 | 0.25 |",
        ]
    assert growth.extrapolated(rows[:1] * 2) == "There is one size, and no line through it."
    rows[0]["engine"] = "fts5"
    assert "different engines" in growth.extrapolated(rows)


@pytest.mark.slow
def test_a_small_corpus_is_measured(tmp_path, capsys):
    pytest.importorskip("faiss")
    corpus, queries = tmp_path / "corpus.tsv", tmp_path / "queries.json"
    corpus.write_text("".join(f"p{at}\tcards\tFever\tsign{at} rash\tcard\n" for at in range(50)))
    queries.write_text(json.dumps({"or": ["rash sign3"] * 3, "and": ["rash sign3"] * 3}))
    options = ["--dense", "hnsw", "--work", str(tmp_path), "--searches", "2"]
    growth.main([str(corpus), str(queries), "--sizes", "20", "50", *options])
    said = capsys.readouterr().out
    for name in ("| passages | 20 | 50 |", "| engine | fts5 | fts5 |", "| dense recall | 1 | 1 |"):
        assert name in said
    assert "| and p50 ms |" in said
    assert "Arithmetic from the two largest sizes, to 27,000,000 passages" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.tsv", "queries.json"]


def test_queries_of_kind_and_use_the_operator_and(tmp_path, monkeypatch):
    base, asked = bases.base(tmp_path, "fts5"), []
    search = KnowledgeBase.search

    def noted(self, query, *args, **options):
        asked.append((query, options["operator"]))
        return search(self, query, *args, **options)

    monkeypatch.setattr(KnowledgeBase, "search", noted)
    queries = tmp_path / "queries.json"
    queries.write_text(json.dumps({"or": ["a"], "heavy": ["b"], "and": ["c"]}))
    growth.measure(base.path, queries, 1, dense=False)
    assert set(asked) == {("a", "or"), ("b", "or"), ("c", "and")}
