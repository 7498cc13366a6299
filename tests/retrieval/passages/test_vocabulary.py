from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from gym_clinic.retrieval.passages import vocabulary
from gym_clinic.retrieval.passages.database import ReadOnlyDatabase
from gym_clinic.retrieval.passages.vocabulary import Vocabulary, WordCounter


def written(counter: WordCounter, path: Path) -> Vocabulary:
    connection = sqlite3.connect(path, isolation_level=None)
    counter.write(connection)
    counter.write(connection)  # a resumed build writes again
    connection.close()
    return Vocabulary(ReadOnlyDatabase(path))


def test_spellings_are_found_from_either_side(tmp_path: Path) -> None:
    counter = WordCounter(3)
    counter.add("Anaemia", "Low iron. ANAEMIA again, 5 mg of Eisenüberladung")
    counter.add("Anemia", "Low iron, B12")
    counter.add("", "Toe and te")
    words = written(counter, tmp_path / "words.db")
    both = {"anaemia": 1, "anemia": 1}
    assert words.spellings(["anaemia", "anemia", "iron", "toe", "zebra"]) == {
        "anaemia": both,
        "anemia": both,
        "iron": {"iron": 2},
        "toe": {"toe": 1},
        "zebra": {},
    }
    assert words.all_words()["eisenuberladung"] == 1


def test_a_large_base_is_sampled_evenly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "COUNTED", 10)
    counter = WordCounter(100)
    for number in range(100):
        counter.add("", f"fever part{'ab'[number >= 50]}")
    counted = written(counter, tmp_path / "words.db").all_words()
    assert counted == {"fever": 10, "parta": 5, "partb": 5}


def test_rare_words_are_forgotten_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "MOST_KEPT", 2)
    monkeypatch.setattr(vocabulary, "MOST_COUNTED", 8)
    counter = WordCounter(50)
    letters = "abcdefghijklmnopqrstuvwxy"
    for number in range(50):
        counter.add("", f"fever cough odd{letters[number // 2]}{letters[number % 25]}")
    assert written(counter, tmp_path / "words.db").all_words() == {"fever": 50, "cough": 50}
