from __future__ import annotations

from pathlib import Path

from command_runs import ID, Run


def test_sheets_are_written_filled_and_read(run: Run, tmp_path: Path) -> None:
    folder, out = tmp_path / "run", tmp_path / "sheet.csv"
    argv = ("--trials", 1, "--limit", 2, "--out", folder, "--no-progress")
    assert run("eval", ID, "--policy", "oracle", *argv).status == 0
    status, said, err = run("sheets", "write", "steps", folder, "--out", out)
    assert (status, err) == (0, "")
    assert "no advice" in said
    text = out.read_text()
    copies = [tmp_path / f"{name}.csv" for name in "ab"]
    for copy in copies:  # the column before the remarks, the last one
        copy.write_text("".join(_filled(line) for line in text.splitlines(keepends=True)))
    status, said, err = run("sheets", "agree", "steps", *copies)
    assert (status, err) == (0, "")
    assert "100.0%" in said
    assert run("sheets", "agree", "steps", out, out).status == 2
    assert run("sheets", "write", "study", folder, "--out", out).status == 2
    assert "did you mean" in run("sheets", "write", "step", folder, "--out", out).err
    status, said, _ = run("sheets", "study", folder, "--out", tmp_path / "study", "--cases", 1)
    assert status == 0
    assert len(list((tmp_path / "study").iterdir())) == 5


def _filled(line: str) -> str:
    return f"{line[:-2]}helpful,\n" if line.endswith(",,\n") else line
