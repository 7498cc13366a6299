from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from command_runs import Run

from gym_clinic import Task
from gym_clinic.paths import tasks_dir


def test_validate_finds_a_broken_task(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, _ = run("tasks", "validate", eval_domain.ID, "eval_domain")
    assert status == 0
    assert out.count("all well") == 2
    good = eval_domain.DOMAIN.tasks["test"][0]
    call = {"name": "read_temprature", "arguments": {"route": "oral"}}
    bad = Task("f1", good.record, {"answer": "FEVER: yes", "calls": [call]}, good.ticket)
    monkeypatch.setitem(eval_domain.DOMAIN.tasks, "dev", [bad, good])
    status, out, _ = run("tasks", "validate", eval_domain.ID)
    assert status == 1
    assert "problems" in out
    assert "Did you mean 'read_temperature'?" in out
    assert f"task {good.id!r}: the id also stands in" in out


def test_validate_takes_arguments_of_the_environment(run: Run, tmp_path: Path) -> None:
    embedded = tasks_dir("clingen") / "dev.jsonl"
    lines = embedded.read_text(encoding="utf-8").splitlines(keepends=True)[:2]
    (tmp_path / "dev.jsonl").write_text("".join(lines), encoding="utf-8")
    chosen = ("--set", f"folder={tmp_path}")
    status, out, _ = run("tasks", "validate", "clinic/ClinGen-v0", *chosen)
    assert (status, out) == (0, "clinic/ClinGen-v0: dev 2: all well\n")
    status, out, _ = run("tasks", "validate", "clingen", *chosen, "--set", "reward=process")
    assert (status, out.count("dev 2: all well")) == (0, 2)
    (tmp_path / "test.jsonl").write_text("".join(lines), encoding="utf-8")
    status, out, _ = run("tasks", "validate", "clinic/ClinGenSingle-v0", *chosen)
    assert (status, "the id also stands in dev" in out) == (1, True)
    assert run("tasks", "validate", "eval_domain", "--set", "max_turns=2")[0] == 0
    assert run("tasks", "validate", "eval_domain", "--set", "max_turns=1")[0] == 1
    status, _, err = run("tasks", "validate", "eval_domain", "--set", f"folder={tmp_path}")
    assert (status, "folder" in err) == (2, True)


def test_build_writes_into_the_named_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gym_clinic.domains.clingen import build

    # All three splits take half a minute.
    def few(pairs: list[Any], seed: int) -> dict[str, Any]:
        return {"dev": build.build_split("dev", pairs[:20], seed)}

    monkeypatch.setattr(build, "build", few)
    status, out, _ = run("tasks", "build", "clingen", "--out", tmp_path / "new", "--seed", 5)
    assert status == 0
    assert "dev 20" in out
    lines = (tmp_path / "new" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["provenance"] for line in lines] == ["synthetic"] * 20
    # The module is the same command: same arguments, same bytes.
    build.main(["--out", str(tmp_path / "same"), "--seed", "5"])
    again = (tmp_path / "same" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    assert again == lines


def test_build_shows_the_arguments_of_its_builder(run: Run) -> None:
    status, out, _ = run("tasks", "build", "clingen", "--help")
    assert status == 0
    assert out.startswith("usage: gym-clinic tasks build clingen [-h] [--out DIR]")
    assert "--facts FILE" in out
    status, _, err = run("tasks", "build", "clingen", "--facts", "no.jsonl")
    assert (status, err.startswith("gym-clinic: cannot read no.jsonl")) == (2, True)
    status, _, err = run("tasks", "build", "clingne")
    assert (status, "did you mean 'clingen'?" in err) == (2, True)


def test_broken_imports_write_nothing(run: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.jsonl"
    source.write_text("not,the\ndownload,at all\n")
    status, _, err = run("tasks", "import", "clingen-csv", source, target)
    assert status == 2
    assert "in.csv" in err
    assert not target.exists()
    (tmp_path / "a.json").write_text("[]")
    argv = ("tasks", "import", "clingen-articles", tmp_path / "a.json", tmp_path, tmp_path / "t")
    assert run(*argv)[0] == 2
    status, _, err = run(*argv, "--panels", tmp_path / "a.json")
    assert (status, "panel -> split" in err) == (2, True)
    status, _, err = run(*argv, "--panels", tmp_path / "a.json", "--share", "train=1")
    assert (status, "exclude each other" in err) == (2, True)
    assert not (tmp_path / "t").exists()
