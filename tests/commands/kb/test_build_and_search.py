"""``gym-clinic kb`` build, search and info."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gym_clinic.commands.kb.search import BOLD, PLAIN
from gym_clinic.retrieval.passages.passage import without_tags


@pytest.fixture
def chunks(tmp_path: Path) -> Path:
    path = tmp_path / "chunks.jsonl"
    rows = [
        {"id": "a", "title": "Infarction", "content": "Chest pain with raised troponin."},
        {"id": "b", "title": "Migraine", "content": "Pain on one side\n of the head. \x1b[31m"},
        {"id": "c", "title": "Migraine", "content": "Pain on one side\n of the head. \x1b[31m"},
        {"id": "d", "title": "Nothing"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def base(tmp_path: Path, chunks: Path, run) -> str:
    out = str(tmp_path / "clinic.db")
    done = run("kb", "build", f"book={chunks}", "--out", out, "--licence", "book=CC0")
    assert done.status == 0
    assert done.err == f"skipped: {chunks} line 4: field content: expected text, not nothing\n"
    assert done.out.startswith(
        f"{out}: 2 passages\n  book: 2\nleft out: duplicates 1, without text 0, broken 1\n"
        "engine: fts5 (porter unicode61 remove_diacritics 2), built with gym_clinic "
    )
    return out


def test_info_prints_the_manifest(base, run):
    status, out, _ = run("kb", "info", base)
    assert status == 0
    assert "\ncontent: sha256 " in out


def test_search_prints_passages_with_their_hits(base, run):
    status, out, _ = run("kb", "search", base, "pain", "NOT", "troponin")
    assert status == 0
    first, second, third = out.splitlines()
    assert first == "1. Migraine"
    assert second.startswith("   b  ")
    assert second.endswith("  book, CC0")
    assert third == "   Pain on one side of the head. \\x1b[31m"
    done = run("kb", "search", base, "chest head", "--operator", "and")
    assert done == (1, "", "no passage matches the query\n")
    done = run("kb", "search", base, "pain", "--limit", "1", "--source", "book")
    assert (done.status, len(done.out.splitlines())) == (0, 3)


def test_search_says_how_the_query_was_read(base, run):
    done = run("kb", "search", base, "infraction")
    assert done.status == 0
    assert done.err == "corrected: infraction -> infarction\n"
    done = run("kb", "search", base, '"infraction"')
    assert done.status == 1
    assert done.err.startswith("did you mean: infraction -> infarction\n")
    assert run("kb", "search", base, "heart attack").status == 1
    done = run("kb", "search", base, "heart attack", "--aliases")
    assert done.status == 1
    assert done.err.startswith("also: heart attack -> ")
    assert "Acute myocardial infarction" in done.err


def test_hits_are_bold_in_a_terminal_and_plain_elsewhere():
    snippet = "raised <b>troponin</b> in <b>chest</b> pain"
    assert without_tags(snippet, PLAIN) == "raised troponin in chest pain"
    assert without_tags(snippet, BOLD) == (
        "raised \x1b[1mtroponin\x1b[22m in \x1b[1mchest\x1b[22m pain"
    )


def test_search_says_what_no_passage_is_about(run):
    done = run("kb", "search", "embedded", "5-FU side effects")
    assert (done.status, done.out) == (1, "")
    assert done.err == "No passage is about 5-FU.\nno passage matches the query\n"


def test_a_stopped_build_goes_on(tmp_path, chunks, run, monkeypatch):
    out = tmp_path / "clinic.db"

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as stopped:
        stopped.setattr("gym_clinic.retrieval.passages.fts5.build", stop)
        done = run("kb", "build", chunks, "--out", out)
    assert done.status == 130
    assert done.err.splitlines()[-1] == "gym-clinic: stopped; the same command goes on from here"
    assert not out.exists()
    done = run("kb", "build", chunks, "--out", out)
    assert (done.status, done.err) == (0, "going on after 4 records\n")


def test_at_most_twenty_broken_records_are_named(tmp_path, run):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": "a", "title": "", "content": "x"}\n' + "{}\n" * 25)
    done = run("kb", "build", path, "--out", tmp_path / "b.db")
    assert done.status == 0
    lines = done.err.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "and 5 more"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["build", "{chunks}", "--out", "{out}", "--strict"], "line 4: field content: expected"),
        (["build", "{chunks}", "--out", "{out}", "--format", "jsnol"], "did you mean 'jsonl'"),
        (["build", "=x", "--out", "{out}"], "a source is PATH or NAME=PATH, not '=x'"),
        (["build", "none.jsonl", "--out", "{out}"], "no file or folder none.jsonl"),
        (["build", "{chunks}", "--out", "{out}", "--licence", "CC0"], "--licence is written NAME"),
        (["build", "{chunks}", "--out", "{chunks}"], "chunks.jsonl exists and is no knowledge"),
        (["build", "{chunks}", "--out", "embedded"], "'embedded' names the base that ships"),
        (["search", "{out}", "x"], "no knowledge base"),
        (["info", "{chunks}"], "chunks.jsonl is no knowledge base"),
    ],
)
def test_mistakes_are_named(tmp_path, chunks, run, arguments, expected):
    places = {"chunks": chunks, "out": tmp_path / "clinic.db"}
    whole = chunks.read_bytes()
    status, _, err = run("kb", *(argument.format(**places) for argument in arguments))
    assert status == 2
    assert expected in err
    assert chunks.read_bytes() == whole
    assert not (tmp_path / "clinic.db").exists()


def test_the_embedded_base_has_a_name(run):
    assert "handbook: " in run("kb", "info", "embedded").out
    done = run("kb", "search", "embedded", "antidote of paracetamol", "--limit", "1")
    assert "acetylcysteine" in done.out.lower()
