"""Marks of a chat model: written as they come, continued, and read by no reward."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from chat_server import ChatServer

from gym_clinic.consult import ChatClient
from gym_clinic.errors import ConfigError
from gym_clinic.evaluate import evaluate, judge_answers

GOOD = {"accuracy": 0.9, "coherence": 1, "safety": 0.5, "reason": "It is the same."}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        running.script = [running.answer(json.dumps(GOOD))]
        yield running


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    evaluate(eval_domain.ID, "oracle", out=folder, trials=1, limit=3, progress=False)
    return folder


def client(server: ChatServer, **options: Any) -> ChatClient:
    return ChatClient(server.url, options.pop("model", "judge"), retries=0, **options)


def test_each_answer_is_marked_against_the_oracles(
    server: ChatServer, trace: Path, tmp_path: Path
) -> None:
    out = tmp_path / "judged.jsonl"
    found = judge_answers([trace], client(server), out)
    assert len(found.rows) == 3
    assert found.means()["accuracy"].mean == pytest.approx(0.9)
    assert found.agreement() == 1
    assert [json.loads(line)["reason"] for line in out.read_bytes().splitlines()] == [
        "It is the same."
    ] * 3
    asked = [request["messages"][-1]["content"] for request in server.requests]
    for text in asked:
        assert "Does this child have fever?" in text
        before, _, after = text.partition("<answer>")
        assert ("FEVER: yes" in before) == ("FEVER: yes" in after)


def test_a_second_call_asks_only_for_what_is_missing(
    server: ChatServer, trace: Path, tmp_path: Path
) -> None:
    out = tmp_path / "judged.jsonl"
    server.script = [server.answer(json.dumps(GOOD)), server.answer("no marks")]
    first = judge_answers([trace], client(server, concurrency=1), out)
    assert (len(first.rows), len(first.failed)) == (1, 2)
    assert "no readable reply" in next(iter(first.failed.values()))
    with out.open("ab") as file:
        file.write(b'{"half')  # as a killed process leaves it
    server.script = [server.answer(json.dumps(GOOD))]
    before = len(server.requests)
    second = judge_answers([trace], client(server, concurrency=1), out)
    assert (len(second.rows), second.failed) == (3, {})
    assert len(server.requests) - before == 2
    assert len(out.read_bytes().splitlines()) == 3


def test_each_failed_answer_counts_also_of_one_task(server: ChatServer, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    evaluate(eval_domain.ID, "oracle", out=folder, trials=3, limit=1, progress=False)
    server.script = [server.answer("no marks")]
    found = judge_answers([folder], client(server), tmp_path / "judged.jsonl")
    assert len(found.failed) == 3


def test_marks_of_two_models_do_not_mix(server: ChatServer, trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "judged.jsonl"
    judge_answers([trace], client(server), out)
    with pytest.raises(ConfigError, match="another model"):
        judge_answers([trace], client(server, model="other"), out)
    with pytest.raises(ConfigError, match="another model"):
        judge_answers([trace], client(server, temperature=0.0), out)


@pytest.mark.parametrize("accuracy", [1.2, -0.1, "high", None, True])
def test_marks_outside_the_scale_are_asked_for_again(
    server: ChatServer, trace: Path, tmp_path: Path, accuracy: object
) -> None:
    server.script = [server.answer(json.dumps(GOOD | {"accuracy": accuracy}))]
    found = judge_answers([trace], client(server), tmp_path / "judged.jsonl")
    assert found.rows == []
    assert len(found.failed) == 3
    assert len(server.requests) == 6


def test_who_does_not_answer_is_counted_and_not_marked(server: ChatServer, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    evaluate(eval_domain.ID, "silent", out=folder, trials=1, limit=2, progress=False)
    found = judge_answers([folder], client(server), tmp_path / "judged.jsonl")
    assert (found.rows, found.unanswered) == ([], 2)
    assert found.means()["accuracy"].mean is None
    assert server.requests == []


@pytest.mark.parametrize("line", [b"[]\n", b"{}\n", b"nothing\n"])
def test_a_file_of_something_else_is_left_alone(
    server: ChatServer, trace: Path, tmp_path: Path, line: bytes
) -> None:
    out = tmp_path / "judged.jsonl"
    out.write_bytes(line)
    with pytest.raises(ConfigError, match="line 1: not a row of marks"):
        judge_answers([trace], client(server), out)
    assert out.read_bytes() == line
    with pytest.raises(ConfigError, match="is a source itself"):
        judge_answers([trace], client(server), trace / "trace.jsonl")
