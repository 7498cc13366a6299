"""``gym-clinic export sft``: the file it writes, its counts, and its errors."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import eval_domain
import pytest
from eval_runs import play, play_clingen, with_thermometer_model

from gym_clinic.cli import main
from gym_clinic.evaluate.conversations import collect


def test_the_command_writes_lines_and_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, out = play_clingen(tmp_path / "run", trials=2), tmp_path / "new" / "sft.jsonl"
    assert main(["export", "sft", str(run), "--out", str(out)]) == 0
    found = collect([run])
    number = len(found.conversations)
    assert capsys.readouterr().out == (
        f"dev: {number} conversations from 8 episodes\n{number} identical ones were left out\n"
        f"Written to {out}: {number} conversations\n"
    )
    lines = out.read_bytes().splitlines(keepends=True)
    assert [json.loads(line) for line in lines] == [
        {"messages": one} for one in found.conversations
    ]
    before = out.read_bytes()
    assert main(["export", "sft", str(run / "trace.jsonl"), "--out", str(out)]) == 0
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--split", "train"], "no conversation found"),
        (["--out", "sft.csv"], "written to a .jsonl or .parquet file, not sft.csv"),
        (["--set", "folder=nowhere"], "nowhere"),
        (["--module", "no_such_module"], "no module 'no_such_module'"),
        (["--out", "sft.parquet"], 'pip install "gym_clinic[train-cpu]"'),
    ],
)
def test_without_conversations_the_old_file_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    argv: list[str], said: str,
) -> None:  # fmt: skip
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.chdir(tmp_path)
    play_clingen(tmp_path / "run", limit=1)
    for name in ("sft.jsonl", "sft.csv", "sft.parquet"):
        Path(name).write_text("old")
    assert main(["export", "sft", "run", "--out", "sft.jsonl", *argv]) == 2
    err = capsys.readouterr().err
    assert err.startswith("gym-clinic: ")
    assert said in err
    assert {path.read_text() for path in tmp_path.glob("*sft*")} == {"old"}
    assert len(list(tmp_path.iterdir())) == 4


def test_an_id_of_someone_else_needs_its_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eval_domain, "DOMAIN", with_thermometer_model([]))
    play("Nurse", tmp_path / "run", limit=4, trials=1)
    argv = ["export", "sft", str(tmp_path / "run"), "--out", str(tmp_path / "sft.jsonl")]
    assert main([*argv, "--module", "eval_domain"]) == 0
    assert "test: " in capsys.readouterr().out
