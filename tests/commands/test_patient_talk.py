"""``gym-clinic patient talk``."""

from __future__ import annotations

import io

import pytest
from chat_server import ChatServer

from gym_clinic.cli import main


def asked(monkeypatch: pytest.MonkeyPatch, *questions: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(questions) + "\n"))


def test_questions_are_read_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked(monkeypatch, "What brings you in?", "", "Do you smoke?", "quit", "Not asked any more?")
    assert main(["patient", "talk", "--seed", "7", "--condition", "acute-appendicitis"]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert ", answers." in first or "comes with" in first
    assert lines[0] == "> What brings you in?"
    assert lines[2] == "> Do you smoke?"
    assert len(lines) == 4


def test_the_same_seed_gives_the_same_talk(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for _ in range(2):
        asked(monkeypatch, "What brings you in?", "Anything else?")
        assert main(["patient", "talk", "--seed", "3"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def test_a_chat_patient_is_checked_and_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer() as server:
        server.script = [server.answer("I am taking 900 mg of digoxin.")]
        asked(monkeypatch, "What do you take?")
        options = ["--url", server.url, "--model", "m", "--condition", "acute-appendicitis"]
        assert main(["patient", "talk", "--seed", "1", *options]) == 0
    out = capsys.readouterr().out
    assert "not in the record: medicine: digoxin is not in the record" in out
    assert "patient/medicine 1" in out


def test_a_url_needs_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["patient", "talk", "--url", "http://localhost:1"]) == 2
    assert "needs both --url and --model" in capsys.readouterr().err
