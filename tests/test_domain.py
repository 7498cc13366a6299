from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import small_domains
import tiny_domain

from gym_clinic import ConfigError, Domain, Rubric, Task, TaskError, TaskFolder
from gym_clinic.domain import builtin_names, load
from gym_clinic.frozen import Frozen
from gym_clinic.taskset import data_hash, read_tasks

RUBRIC = Rubric({"one": lambda _: 1.0}, {"one": 1.0})
ROW: dict[str, Any] = {"id": "a", "ticket": "t", "record": {"x": [1]}, "gold": {"answer": "b"}}


def write(path: Path, *lines: str | dict[str, Any]) -> Path:
    path.write_text(
        "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines)
    )
    return path


def test_read_tasks(tmp_path: Path) -> None:
    path = write(tmp_path / "train.jsonl", ROW, {**ROW, "id": "b", "provenance": "synthetic"})
    first, second = read_tasks(path)
    assert (first.id, second.id, second.provenance) == ("a", "b", "synthetic")
    assert isinstance(first.record, Frozen)
    assert isinstance(first.gold, Frozen)
    assert "answer" not in repr(first)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "train.jsonl, line 2: not valid JSON"),
        ("[]", "line 2: expected a JSON object"),
        ('{"id": "b", "id": "c"}', "line 2: duplicate key 'id'"),
        ({"id": "b"}, r"line 2: a task needs \['gold', 'record'\]"),
        (
            {**ROW, "id": "b", "golden": 1},
            r"line 2: unknown field 'golden'; a task has \['id'",
        ),
        ({**ROW, "id": ["b"]}, "line 2: 'id' must be a text"),
        ({**ROW, "id": "b", "gold": 3}, "line 2: 'gold' must be an object"),
        (ROW, "line 2: duplicate id 'a'"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, line: Any, says: str) -> None:
    path = write(tmp_path / "train.jsonl", ROW, line)
    with pytest.raises(TaskError, match=says):
        read_tasks(path)


def test_task_folder(tmp_path: Path) -> None:
    write(tmp_path / "train.jsonl", ROW)
    write(tmp_path / "test.jsonl", "{broken")
    folder = TaskFolder(tmp_path)
    assert list(folder) == ["train", "test"]
    assert len(folder) == 2
    assert "dev" not in folder
    assert folder["train"][0].id == "a"
    with pytest.raises(KeyError):
        folder["dev"]
    with pytest.raises(TaskError):
        folder["test"]
    assert list(TaskFolder(tmp_path, splits=("train",))) == ["train"]


def test_the_size_of_a_split_is_its_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "train.jsonl", ROW, {**ROW, "id": "b"})
    folder = TaskFolder(tmp_path)
    assert folder.size("train") == len(folder["train"]) == 2
    for text, size in ((path.read_bytes().removesuffix(b"\n"), 2), (b"", 0), (b"{broken", 1)):
        path.write_bytes(text)
        assert folder.size("train") == size


def test_a_task_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "train.jsonl", ROW)
    folder = TaskFolder(tmp_path)
    assert folder["train"] is folder["train"]
    stamp = path.stat().st_mtime_ns
    write(path, {**ROW, "id": "changed"})
    os.utime(path, ns=(stamp + 10**9, stamp + 10**9))
    assert folder["train"][0].id == "changed"


def test_data_hash_tells_what_matters() -> None:
    tasks = tiny_domain.INTERACTIONS.tasks["train"]
    same = [Task(t.id, dict(t.record), dict(t.gold), t.ticket, t.provenance) for t in tasks]
    assert data_hash(tasks) == data_hash(same)
    for change in ({"ticket": "?"}, {"gold": {}}, {"record": {}}, {"id": "x"}):
        assert data_hash([replace(tasks[0], **change), *tasks[1:]]) != data_hash(tasks)
    assert data_hash(tasks[::-1]) != data_hash(tasks)


def test_load() -> None:
    assert load("tiny_domain:TRIAGE") is tiny_domain.TRIAGE
    assert load("small_domains:make_small").name == "small-2"
    assert load("small_domains:make_small", {"size": 3, "name": "x"}).name == "x-3"
    assert "clingen" in builtin_names()
    assert load("clingen").name == "clingen"


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("clingem", {}, "no domain 'clingem'; did you mean 'clingen'"),
        ("no.such.module:X", {}, "no module 'no.such.module' for a domain"),
        ("tiny_domain:NOTHING", {}, "tiny_domain has no domain 'NOTHING'"),
        ("tiny_domain", {}, "no domain 'tiny_domain'; .*name your own: 'package.module:NAME'"),
        ("", {}, "named by text"),
        ("clingen", {"folder": "no/such/folder"}, "no task file in 'no/such/folder'"),
        ("small_domains:NOT_A_DOMAIN", {}, "is a int; expected a Domain"),
        ("small_domains:returns_no_domain", {}, "expected a Domain"),
        ("small_domains:make_small", {"sise": 1}, "takes no option 'sise'; did you mean 'size'?"),
        (
            "small_domains:make_small",
            {"zzz": 1},
            r"takes no option 'zzz'; choose from \['size', 'name'\]",
        ),
        ("tiny_domain:TRIAGE", {"size": 1}, "takes no options"),
    ],
)
def test_what_cannot_be_loaded_is_named(name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        load(name, options)


def test_a_missing_dependency_of_a_domain_is_not_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needy_domain.py").write_text("import surely_not_installed\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="surely_not_installed"):
        load("needy_domain:X")


def test_a_domain_must_be_able_to_take_an_answer() -> None:
    with pytest.raises(ConfigError, match="'d' needs tools or read_answer; it has neither"):
        Domain(name="d", policy="", tasks={}, rubric=RUBRIC)
    with pytest.raises(ConfigError, match="'d' cannot take an answer"):
        Domain(name="d", policy="", tasks={}, rubric=RUBRIC, tools=(tiny_domain.read_allergies,))


def test_splits() -> None:
    domain = small_domains.make_small()
    assert len(domain.split("train")) == 2
    with pytest.raises(ConfigError, match=r"no split 'tset'; choose from \['train'\]"):
        domain.split("tset")
    with pytest.raises(ConfigError, match=r"split 'train' .* holds no task"):
        replace(domain, tasks={"train": []}).split("train")


def test_default_solutions() -> None:
    task = tiny_domain.INTERACTIONS.tasks["train"][0]
    look, submit = tiny_domain.INTERACTIONS.solve(task)
    drugs = task.record["drugs"]
    assert look == (("check_interaction", {"drug_a": drugs[0], "drug_b": drugs[1]}),)
    assert submit == (("submit_grade", {"grade": task.gold["answer"]["grade"]}),)
    task = tiny_domain.TRIAGE.tasks["train"][0]
    assert tiny_domain.TRIAGE.solve(task) == [
        (("read_vital_sign", {"sign": "pulse"}),), task.gold["answer"],
    ]  # fmt: skip
    bare = replace(task, gold={**task.gold, "calls": []})
    assert tiny_domain.TRIAGE.solve(bare) == [task.gold["answer"]]


def test_default_aggregate_is_the_mean() -> None:
    task = tiny_domain.TRIAGE.tasks["train"][0]
    aggregate = tiny_domain.TRIAGE.aggregate
    assert aggregate([(task, {"a": 1.0, "b": 0.0}), (task, {"a": 0.0, "b": 0.0})]) == {
        "a": 0.5, "b": 0.0,
    }  # fmt: skip
    assert aggregate([]) == {}
