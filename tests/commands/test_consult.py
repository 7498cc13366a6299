"""``gym-clinic consult``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chat_server import ChatServer

TEXT = "I have had a fever and a cough for three days, and I lost my sense of smell. No rash."


def test_a_text_is_guided_to_a_panel(run: Any) -> None:
    done = run("consult", TEXT)
    assert done.status == 0
    assert done.out.startswith("A simulation, not advice.")
    for part in ("present: Fever, Cough", "Anosmia", " -> ", "Options\n  A. ", "vote: ",
                 "Round 0 (first diagnosis)", "Result of the consultation: "):  # fmt: skip
        assert part in done.out
    assert "not yet known" in done.out


def test_the_log_has_the_fields_of_a_service(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    for _ in range(2):
        assert run("consult", TEXT, "--log", file).status == 0
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 2
    fields = ("adoption", "intervention", "satisfaction", "conversion")
    assert all(rows[0][field] is None for field in fields)
    assert rows[0]["simulation"] is True
    assert rows[0]["answer"]


def test_too_little_is_said_so(run: Any) -> None:
    done = run("consult", "hello there")
    assert "Too little to guide by" in done.out


def test_wrong_input_is_explained(run: Any) -> None:
    assert "the text is empty" in run("consult", "  ").err
    assert "a chat model needs --url and --model" in run("consult", TEXT, "--model", "x").err


def test_a_chat_model_is_the_panel(run: Any, chat_server: ChatServer) -> None:
    reply = {"choice": "B", "confidence": 0.7, "findings": ["Fever"], "explanation": "It fits."}
    chat_server.script = [chat_server.answer(json.dumps(reply))] * 5
    done = run("consult", TEXT, "--url", chat_server.url, "--model", "tiny")
    assert done.status == 0
    assert "It fits." in done.out
    assert "(unanimous)" in done.out
