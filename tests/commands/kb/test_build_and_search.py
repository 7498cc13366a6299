"""``gym-clinic kb``: what is built, what is found, what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gym_clinic.cli import main


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
def base(tmp_path: Path, chunks: Path, capsys: pytest.CaptureFixture[str]) -> str:
    out = str(tmp_path / "clinic.db")
    status = main(["kb", "build", f"book={chunks}", "--out", out, "--licence", "book=CC0"])
    assert status == 0
    said = capsys.readouterr()
    assert said.err == f"skipped: {chunks} line 4: field content: expected text, not nothing\n"
    assert said.out.startswith(
        f"{out}: 2 passages\n  book: 2\nleft out: duplicates 1, without text 0, broken 1\n"
        "engine: fts5 (porter unicode61 remove_diacritics 2), built with gym_clinic "
    )
    return out


def test_a_base_is_built_and_told(base, capsys):
    assert main(["kb", "info", base]) == 0
    assert "\ncontent: sha256 " in capsys.readouterr().out


def test_what_is_found_is_printed_with_its_hits(base, capsys):
    assert main(["kb", "search", base, "pain", "NOT", "troponin"]) == 0
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == "1. Migraine"
    assert second.startswith("   b  ")
    assert second.endswith("  book, CC0")
    assert third == "   <b>Pain</b> on one side of the head. \\x1b[31m"
    assert main(["kb", "search", base, "chest head", "--operator", "and"]) == 1
    assert capsys.readouterr().err == "no passage holds what was asked for\n"
    assert main(["kb", "search", base, "pain", "--limit", "1", "--source", "book"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_a_stop_from_the_keyboard_says_how_to_go_on(tmp_path, chunks, capsys, monkeypatch):
    out = tmp_path / "clinic.db"

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as stopped:
        stopped.setattr("gym_clinic.retrieval.passages.fts5.build", stop)
        assert main(["kb", "build", str(chunks), "--out", str(out)]) == 130
    assert capsys.readouterr().err.splitlines()[-1] == (
        "gym-clinic: stopped; the same command goes on from here"
    )
    assert not out.exists()
    assert main(["kb", "build", str(chunks), "--out", str(out)]) == 0
    assert capsys.readouterr().err == "going on after 4 records\n"


def test_only_so_many_broken_records_are_named(tmp_path, capsys):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": "a", "title": "", "content": "x"}\n' + "{}\n" * 25)
    assert main(["kb", "build", str(path), "--out", str(tmp_path / "b.db")]) == 0
    lines = capsys.readouterr().err.splitlines()
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
        (["build", "{chunks}", "--out", "{chunks}"], "chunks.jsonl is there, and is no knowledge"),
        (["build", "{chunks}", "--out", "embedded"], "'embedded' names the base that ships"),
        (["search", "{out}", "x"], "no knowledge base"),
        (["info", "{chunks}"], "chunks.jsonl is no knowledge base"),
    ],
)
def test_mistakes_are_named(tmp_path, chunks, capsys, arguments, expected):
    places = {"chunks": chunks, "out": tmp_path / "clinic.db"}
    whole = chunks.read_bytes()
    assert main(["kb", *(argument.format(**places) for argument in arguments)]) == 2
    assert chunks.read_bytes() == whole
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "clinic.db").exists()


def test_the_base_that_ships_goes_by_its_name(capsys):
    assert main(["kb", "info", "embedded"]) == 0
    assert "handbook: " in capsys.readouterr().out
    assert main(["kb", "search", "embedded", "antidote of paracetamol", "--limit", "1"]) == 0
    assert "acetylcysteine" in capsys.readouterr().out.lower()
