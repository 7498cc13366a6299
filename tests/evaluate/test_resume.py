"""Runs that were killed, interrupted, failed or damaged go on where they were."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from eval_runs import KEYS, play, rows
from places import ROOT, SUPPORT

from gym_clinic import ConfigError
from gym_clinic.evaluate import Interrupted

PATH = os.pathsep.join(map(str, (SUPPORT, ROOT)))


def test_a_finished_run_is_not_played_again(tmp_path: Path) -> None:
    first = play("Guesser", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    again = play("Guesser", tmp_path, concurrency=3)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert again == first


def killed(out: Path, lives: int) -> subprocess.CompletedProcess[bytes]:
    code = (
        "import eval_domain; from gym_clinic.evaluate import evaluate; "
        f"evaluate(eval_domain.ID, 'eval_domain:Mortal', out={str(out)!r}, trials=3, "
        "concurrency=4, progress=False)"
    )
    env = {**os.environ, "EVAL_DOMAIN_LIVES": str(lives), "PYTHONPATH": PATH}
    return subprocess.run([sys.executable, "-c", code], env=env, timeout=300)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert killed(whole, 1000).returncode == 0
    for lives in (7, 9):
        assert killed(cut, lives).returncode == -signal.SIGKILL
        assert not (cut / "trace.jsonl").exists()
    kept = (cut / "journal.jsonl").read_bytes().count(b"\n")
    assert 10 <= kept <= 16  # four at a time: all but the last few were written
    assert killed(cut, 1000).returncode == 0
    for name in ("trace.jsonl", "summary.json", "summary.md"):
        assert (cut / name).read_bytes() == (whole / name).read_bytes()
    # No episode that was kept is played again; at most the last time of a killed run is lost.
    assert 22 <= (cut / "timing.jsonl").read_bytes().count(b"\n") <= 24


@pytest.mark.parametrize("share", [0.0, 0.31, 0.5, 0.77, 0.999])
def test_a_journal_cut_anywhere_gives_the_same_trace(tmp_path: Path, share: float) -> None:
    play("Guesser", tmp_path / "whole")
    trace = (tmp_path / "whole" / "trace.jsonl").read_bytes()
    out = tmp_path / "cut"
    out.mkdir()
    (out / "run.json").write_bytes((tmp_path / "whole" / "run.json").read_bytes())
    (out / "journal.jsonl").write_bytes(trace[: int(len(trace) * share)])
    (out / "timing.jsonl").write_bytes(b'{"task_id": "half')
    play("Guesser", out)
    assert (out / "trace.jsonl").read_bytes() == trace
    assert not (out / "journal.jsonl").exists()
    for line in (out / "timing.jsonl").read_bytes().splitlines():
        assert json.loads(line)["seconds"] >= 0


def test_a_run_killed_while_it_writes_its_trace_loses_nothing(tmp_path: Path) -> None:
    play("Guesser", tmp_path)
    trace = (tmp_path / "trace.jsonl").read_bytes()
    timing = (tmp_path / "timing.jsonl").read_bytes()
    (tmp_path / "journal.jsonl").write_bytes(trace)
    (tmp_path / "trace.jsonl").unlink()
    (tmp_path / ".trace.jsonl.7.part").write_bytes(trace[:100])
    (tmp_path / "summary.json").unlink()
    play("Guesser", tmp_path)
    assert (tmp_path / "trace.jsonl").read_bytes() == trace
    assert (tmp_path / "timing.jsonl").read_bytes() == timing  # nothing was played
    assert (tmp_path / "summary.json").exists()


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"trials": 1}, "2 trials, not 1: they can be raised, not lowered"),
        ({"seed": 1}, "seed 0, not 1"),
        ({"split": "train"}, "split 'test', not 'train'"),
        ({"limit": 2}, "all tasks, not 2: they can be raised, not lowered"),
        ({"env_options": {"max_turns": 3}}, "env_options {}, not {'max_turns': 3}"),
    ],
)
def test_another_run_is_not_mixed_in(tmp_path: Path, other: dict[str, Any], named: str) -> None:
    play("Nurse", tmp_path)
    before = (tmp_path / "trace.jsonl").read_bytes()
    with pytest.raises(ConfigError, match="Choose another --out") as caught:
        play("Nurse", tmp_path, **other)
    assert named in str(caught.value)
    assert (tmp_path / "trace.jsonl").read_bytes() == before


def test_changed_data_are_another_run(tmp_path: Path) -> None:
    play("Nurse", tmp_path)
    manifest = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps({**manifest, "data": "0" * 16}))
    with pytest.raises(ConfigError, match="data '0000000000000000', not"):
        play("Nurse", tmp_path)


def test_a_failing_service_is_reported_and_tried_again(tmp_path: Path) -> None:
    mended = tmp_path / "mended"
    options = {"path": str(mended), "every": 3}
    summary = play("Flaky", tmp_path / "run", policy_options=options, max_failures=None)
    failed = [row for row in rows(tmp_path / "run") if row["error"]]
    assert 0 < len(failed) < 16
    assert summary.errors == len(failed)
    assert summary.reward.mean == 1.5  # over the others
    for row in failed:
        assert row["seed"] % 3 == 0
        assert list(row) == KEYS
        assert row["error"] == "the line is dead"
        assert row["reward"] is row["total"] is row["success"] is row["stop"] is None
        assert row["rewards"] == row["metrics"] == {}
        assert row["messages"][2]["role"] == "assistant"  # as far as it came
        assert len(row["calls"]) == 1
    timing = (tmp_path / "run" / "timing.jsonl").read_bytes().count(b"\n")
    mended.touch()
    summary = play("Flaky", tmp_path / "run", policy_options=options)
    assert summary.errors == 0
    played = (tmp_path / "run" / "timing.jsonl").read_bytes().count(b"\n") - timing
    assert played == len(failed)  # only those
    play("Nurse", tmp_path / "nurse")
    expected = rows(tmp_path / "nurse")
    for row, wanted in zip(rows(tmp_path / "run"), expected, strict=True):
        assert {**row, "policy": 0, "policy_options": 0} == {
            **wanted, "policy": 0, "policy_options": 0,
        }  # fmt: skip


def test_ctrl_c_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval_domain, "_left", [0])
    with pytest.raises(Interrupted, match="the same command continues") as caught:
        play("Impatient", tmp_path, trials=4, concurrency=1)
    assert isinstance(caught.value, KeyboardInterrupt)
    kept = (tmp_path / "journal.jsonl").read_bytes().count(b"\n")
    assert 3 <= kept < 32
    assert f"{kept} of 32" in str(caught.value)
    assert play("Impatient", tmp_path, trials=4).episodes == 32


@pytest.mark.parametrize(
    "damage",
    [
        {"reward": "x"}, {"reward": None}, {"metrics": {"a": "b"}}, {"rewards": {"a": "z"}},
        {"usage": {"a": "b"}}, {"turns": "x"}, {"calls": [[[]]] * 3, "metrics": 3},
    ],
)  # fmt: skip
def test_a_damaged_line_is_played_again(damage: dict[str, Any], tmp_path: Path) -> None:
    play("Guesser", tmp_path)
    whole = (tmp_path / "trace.jsonl").read_bytes()
    first, *rest = whole.splitlines(keepends=True)
    broken = json.dumps(json.loads(first) | damage).encode() + b"\n"
    (tmp_path / "trace.jsonl").write_bytes(broken + b"[" * 200_000 + b"\n" + b"".join(rest))
    play("Guesser", tmp_path)
    assert (tmp_path / "trace.jsonl").read_bytes() == whole
