"""The parts of bench/growth.py; what it measures is for it to say."""

from __future__ import annotations

import json
import sys

import growth
import pytest


def test_the_first_passages_are_written(tmp_path):
    corpus, out = tmp_path / "corpus.tsv", tmp_path / "passages.jsonl"
    corpus.write_text("a\tcards\tFever\ttext β\tcard\tmore\nb\tcards\tRash\ttext\tcard\n")
    growth.write_passages(corpus, 1, out)
    assert [json.loads(line) for line in out.read_text().splitlines()] == [
        {"id": "a", "source": "cards", "title": "Fever", "content": "text β", "category": "card"}
    ]
    with pytest.raises(SystemExit, match="has 2 passages, fewer than 3"):
        growth.write_passages(corpus, 3, out)


def test_a_command_is_measured_and_its_failure_told():
    row = growth.timed("build", [sys.executable, "-c", "x = bytearray(80 << 20)"])
    assert row["build peak MiB"] > 80
    assert row["build CPU s"] > 0
    assert row["build s"] > 0
    with pytest.raises(SystemExit, match="ended with 3"):
        growth.timed("build", [sys.executable, "-c", "raise SystemExit(3)"])


def test_the_tables():
    rows = [
        {"passages": 1e6, "build s": 2.0, "open s": 0.5},
        {"passages": 2e6, "build s": 3.0, "open s": 0.25},
    ]
    assert growth.table(rows) == (
        "| passages | 1,000,000 | 2,000,000 |\n| --- | ---: | ---: |\n"
        "| build s | 2 | 3 |\n| open s | 0.5 | 0.25 |"
    )
    assert growth.extrapolated(rows).splitlines()[2:] == [
        "| build s | 3 | 1 | 28 |",  # 1 s, and 1 s more for each of 27 million
        "| open s | 0.25 | 0 | 0.25 |",
    ]
