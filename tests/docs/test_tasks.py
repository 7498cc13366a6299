"""docs/tasks.md names every importer, and its example of a further one works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from gym_clinic.cli import main
from gym_clinic.errors import TaskError
from gym_clinic.importers import TASKS

PAGE = (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_table_lists_every_importer_with_its_format() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", PAGE, flags=re.MULTILINE))
    assert rows == {name: importer.format for name, importer in TASKS.items()}


def test_the_example_of_an_importer_works(tmp_path: Path) -> None:
    (code,) = blocks("python")
    names: dict[str, Any] = {}
    exec(code, names)
    path = tmp_path / "data.csv"
    path.write_text("question,yes_or_no\nDoes it glow?,yes\nIs it blue?,perhaps\n")
    tasks = names["read"](str(path))
    task = next(tasks)
    assert task.id.startswith("my_benchmark-")
    assert (task.record["question"], task.gold["answer"]) == ("Does it glow?", "A")
    with pytest.raises(TaskError, match=r"data\.csv line 3, .*the answer is 'perhaps'"):
        next(tasks)


def test_the_commands_name_sources_and_options_that_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []

    def record(source: str, path: Path, out: Path, splits: Any, options: Any) -> Any:
        asked.append((source, splits, options))
        raise TaskError("stop")

    monkeypatch.setattr("gym_clinic.importers.tasks.import_tasks", record)
    (block,) = blocks("bash")
    for line in block.splitlines():
        assert main(shlex.split(line)[1:]) == 2
    assert asked == [
        ("medqa", "test", {}),
        ("medmcqa", {"train": 0.8, "dev": 0.1, "test": 0.1}, {"first_option": 1}),
        ("clingen", {"train": 0.9, "test": 0.1}, {"articles": "pmc-xml"}),
    ]
