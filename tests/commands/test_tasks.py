from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from chat_server import ChatServer
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
    assert f"task {good.id!r}: duplicate id, also in" in out


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
    assert (status, "duplicate id, also in dev" in out) == (1, True)
    assert run("tasks", "validate", "eval_domain", "--set", "max_turns=2")[0] == 0
    assert run("tasks", "validate", "eval_domain", "--set", "max_turns=1")[0] == 1
    status, _, err = run("tasks", "validate", "eval_domain", "--set", f"folder={tmp_path}")
    assert (status, "folder" in err) == (2, True)


def test_build_writes_into_the_named_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gym_clinic.domains.clingen import build
    from gym_clinic.domains.clingen.literature.tasks import build_split, with_dossier

    # All three splits take a minute.
    def few(pairs: list[Any], seed: int) -> dict[str, Any]:
        return {"dev": build_split("dev", with_dossier(pairs)[:20], seed)}

    monkeypatch.setattr(build, "build_tasks", few)
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


def mmlu(folder: Path, *answers: str) -> Path:
    path = folder / "anatomy_test.csv"
    rows = [f"Question {number}?,a,b,c,d,{answer}\n" for number, answer in enumerate(answers)]
    path.write_text("".join(rows), encoding="utf-8")
    return path


def test_a_benchmark_becomes_a_task_folder(run: Run, tmp_path: Path) -> None:
    source, out = mmlu(tmp_path, *"ABCDABCDAB"), tmp_path / "out"
    status, said, _ = run("tasks", "import", "mmlu_medical", source, "--out", out)
    assert (status, said) == (0, f"{out}: train 8, dev 1, test 1\n")
    rows = [
        json.loads(line)
        for split in ("train", "dev", "test")
        for line in (out / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert {row["provenance"] for row in rows} == {"mmlu_medical"}
    assert {row["gold"]["answer"] for row in rows} == set("ABCD")
    argv = ("tasks", "import", "mmlu_medical", mmlu(tmp_path, "A", "B"), "--out", tmp_path / "new")
    assert run(*argv, "--split", "dev")[1] == f"{tmp_path / 'new'}: dev 2\n"
    assert run(*argv, "--share", "dev=0.5", "test=0.5")[1].endswith(": dev 1, test 1\n")


def test_import_reports_duplicates_and_shared_values(run: Run, tmp_path: Path) -> None:
    path, out = tmp_path / "test.jsonl", tmp_path / "out"
    row = {"question": "Q?", "options": {"A": "a", "B": "b"}, "answer": "a", "answer_idx": "A"}
    swapped = row | {"options": {"A": "b", "B": "a"}, "answer_idx": "B"}
    path.write_text("".join(json.dumps(one) + "\n" for one in (row, row, swapped)))
    argv = ("tasks", "import", "medqa", path, "--out", out, "--share", "train=0.5", "test=0.5")
    assert run(*argv)[1].splitlines() == [
        f"{out}: train 1, test 1",
        "left out, because an equal task was before: 1",
        "question in more than one split: Q?",
    ]


def test_import_passes_options_and_groups_to_the_importer(run: Run, tmp_path: Path) -> None:
    path, groups = tmp_path / "train.jsonl", tmp_path / "groups.json"
    row = {"question": "Q?", "opa": "a", "opb": "b", "opc": "c", "opd": "d", "cop": 1}
    path.write_text(json.dumps(row) + "\n")
    groups.write_text('{"Panel A": "train"}')
    argv = ("tasks", "import", "medmcqa", path, "--out", tmp_path / "out")
    status, _, err = run(*argv)
    assert (status, "Give first_option=1 or first_option=0" in err) == (2, True)
    status, _, err = run(*argv, "--set", "first_option=1", "--groups", groups)
    assert (status, "this benchmark has no groups" in err) == (2, True)
    assert run(*argv, "--set", "first_option=1", "--split", "train")[0] == 0


def test_broken_imports_write_nothing(run: Run, tmp_path: Path) -> None:
    source, out = mmlu(tmp_path, "A", "E"), tmp_path / "out"
    argv = ("tasks", "import", "mmlu_medical", source, "--out", out)
    status, _, err = run(*argv)
    assert (status, f"{source} line 2, column 6: answer 'E'" in err) == (2, True)
    status, _, err = run(*argv, "--groups", tmp_path / "none.json")
    assert (status, "cannot read" in err) == (2, True)
    status, _, err = run(*argv, "--split", "dev", "--share", "train=1")
    assert (status, "exclude each other" in err) == (2, True)
    status, _, err = run("tasks", "import", "medqq", source, "--out", out)
    assert (status, "no importer of tasks 'medqq'; did you mean 'medqa'?" in err) == (2, True)
    assert not out.exists()


def test_generate_prints_a_split_or_writes_a_folder(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("tasks", "generate", "clinical_domain:SPEC", "--n", "2", "--split", "dev")
    assert status == 0
    assert len([json.loads(line)["id"] for line in out.splitlines()]) == 2
    arguments = ("--n", "2", "--split", "dev", "--out", str(tmp_path))
    status, printed, _ = run("tasks", "generate", "clinical_domain:SPEC", *arguments)
    assert (status, printed) == (0, f"{tmp_path}/dev.jsonl: 2 tasks\n")
    assert (tmp_path / "dev.jsonl").read_text(encoding="utf-8") == out
    status, _, error = run("tasks", "generate", "clinical_domain:SPEC", "--split", "tset")
    assert status == 2
    assert "did you mean 'test'?" in error.casefold()


def test_rewrite_makes_an_edition(run: Run, chat_server: ChatServer, tmp_path: Path) -> None:
    with (tasks_dir("clingen") / "dev.jsonl").open(encoding="utf-8") as lines:
        (tmp_path / "dev.jsonl").write_text(next(lines), encoding="utf-8")
    out = tmp_path / "edition.jsonl"

    def mostly_faithful(request: dict[str, Any]) -> str:
        sentences = json.loads(request["messages"][1]["content"].rpartition("\n\n")[2])
        wrong = "Figure" in sentences[0]
        return json.dumps({"sentences": ["In 1066 it was." if wrong else s for s in sentences]})

    chat_server.script = [chat_server.answer_with(mostly_faithful)]
    server = ("--url", chat_server.url, "--model", "editor", "--split", "dev", "--out", out)
    chosen = ("rewrite", "clingen", *server, "--folder", tmp_path)
    status, shown, _ = run("tasks", *chosen, "--option", "temperature=0.5")
    assert (status, "sentences accepted; paragraphs in the file before: 0" in shown) == (0, True)
    assert chat_server.requests[0]["temperature"] == 0.5
    asked = len(chat_server.requests)
    status, shown, _ = run("tasks", *chosen, "--limit", "1")
    assert (status, ": 0 paragraphs, 0 of 0 sentences accepted" in shown) == (0, True)
    assert len(chat_server.requests) == asked
    played = ("clinic/ClinGen-v0", "--set", f"folder={tmp_path}", "--set", f"edition={out}")
    out.rename(tmp_path / "kept")
    assert run("tasks", "validate", *played)[0] == 2
    (tmp_path / "kept").rename(out)
    assert run("tasks", "validate", *played)[0] == 0
    status, _, err = run("tasks", "rewrite", "triage", *chosen[2:])
    assert (status, "no articles of 'triage' to rewrite" in err) == (2, True)
