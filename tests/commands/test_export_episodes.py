from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_runs import ID, Run


@pytest.fixture
def trace(run: Run, tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    argv = ("--trials", 1, "--limit", 3, "--out", folder, "--no-progress")
    assert run("eval", ID, "--policy", "every-tool", *argv).status == 0
    return folder


def test_calls_are_marked(run: Run, trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "marked.jsonl"
    assert run("export", "episodes", trace, "--out", out) == (0, f"{out}: 3 episodes\n", "")
    rows = [json.loads(line) for line in out.read_bytes().splitlines()]
    marks = [call["mark"] for row in rows for call in row["calls"]]
    assert set(marks) <= {"needed", "extra"}
    assert "extra" in marks
    for row in rows:
        needed = sum(call["mark"] == "needed" for call in row["calls"])
        assert needed + len(row["missed"]) == 1  # one reading solves each of these tasks


def test_the_trace_is_never_overwritten(run: Run, trace: Path) -> None:
    file = trace / "trace.jsonl"
    before = file.read_bytes()
    status, _, err = run("export", "episodes", file, "--out", file)
    assert (status, "is a source itself" in err) == (2, True)
    assert file.read_bytes() == before
