"""The benchmarks of patients and of the graph run, and print what they promise."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parent.parent / "bench"
PEER = BENCH.parent.parent / "shared" / "bench" / "matcher_peer.py"


def run(*arguments):
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_patients_are_matched_as_by_the_peer():
    if not PEER.exists():
        pytest.skip(f"no {PEER}")
    small = ("--cases", 400, "--phenotypes", 90, "--dimension", 32, "--repeats", 2)
    printed = run(BENCH / "patients.py", *small)
    assert "top 20 as the peer's: yes" in printed
    for what in ("new phenotypes, numpy", "known phenotypes, numpy"):
        assert re.search(rf"{what}: \d+\.\d+ ms, peer / this \d+", printed), printed


def test_the_graph_is_walked():
    printed = run(BENCH / "graph.py", "--relations", 3000, "--nodes", 200)
    assert "3,000 relations" in printed
    for what in ("any node", "an end of any relation", "a disease"):
        assert re.search(rf"neighbours of {what}: p50 \d+\.\d µs", printed), printed
