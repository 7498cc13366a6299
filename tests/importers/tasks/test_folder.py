"""Imported tasks go to the splits that the caller asks for, and nothing is in two of them."""

from __future__ import annotations

import json
import re

import pytest

from gym_clinic import importers
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers import TASKS, TaskImporter
from gym_clinic.importers.tasks import SHARES, import_tasks
from gym_clinic.names import import_named
from gym_clinic.taskset import read_tasks


def read(path, mark="x"):
    """Read lines of JSON: group, number and answer; the source of the tests below."""
    for line in path.read_text().splitlines():
        group, number, answer = json.loads(line)
        record = {"group": group, "number": number, "items": [{"key": f"{number % 7}"}]}
        yield Task(f"toy-{number:04}", record, {"answer": answer}, provenance=mark)


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Write rows; the sources are "toy", with groups, and "plain", without."""
    monkeypatch.setattr(f"{__name__}.read", read, raising=False)
    module = importers.__name__ + ".tasks.toy"
    fake = type(pytest)(module)
    fake.read = read
    monkeypatch.setitem(__import__("sys").modules, module, fake)
    watched = ("number", "items.key", "absent")
    monkeypatch.setitem(TASKS, "toy", TaskImporter(f"{module}:read", "", "", "group", watched))
    monkeypatch.setitem(TASKS, "plain", TaskImporter(f"{module}:read", "", ""))

    def write(*rows):
        path = tmp_path / "toy.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


def groups(sizes):
    names = "".join(name * size for name, size in sizes.items())
    return [(name, number, "a") for number, name in enumerate(names)]


def split_of(folder):
    return {
        task.record["group"]: file.stem
        for file in folder.glob("*.jsonl")
        for task in read_tasks(file)
    }


def test_whole_groups_go_to_one_split_by_share(toy, tmp_path):
    rows = groups({"A": 40, "B": 25, "C": 15, "D": 10, "E": 5, "F": 5})
    done = import_tasks(
        "toy", toy(*rows), tmp_path / "out", {"train": 0.7, "dev": 0.15, "test": 0.15}
    )
    assert done.tasks == {"train": 70, "dev": 15, "test": 15}
    assert done.groups == split_of(tmp_path / "out")
    assert done.duplicates == 0


def test_no_split_stays_empty(toy, tmp_path):
    done = import_tasks("toy", toy(*groups({"A": 5, "B": 3, "C": 2})), tmp_path / "out")
    assert set(done.tasks) == set(SHARES)


def test_a_source_without_groups_is_split_by_task(toy, tmp_path):
    done = import_tasks("plain", toy(*groups({"A": 100})), tmp_path / "out")
    assert done == ({"train": 80, "dev": 10, "test": 10}, {}, 0, {})


def test_importing_twice_gives_the_same_bytes_in_the_order_of_the_ids(toy, tmp_path):
    rows = groups({"A": 9, "B": 3, "C": 3})
    for name, given in (("a", rows), ("b", rows[::-1])):
        import_tasks("toy", toy(*given), tmp_path / name)
    for split in SHARES:
        first, second = (tmp_path / name / f"{split}.jsonl" for name in "ab")
        assert first.read_bytes() == second.read_bytes()
        ids = [task.id for task in read_tasks(first)]
        assert ids == sorted(ids)


def test_all_tasks_may_go_to_one_split_with_options_of_the_importer(toy, tmp_path):
    done = import_tasks("plain", toy(*groups({"A": 3})), tmp_path, "test", {"mark": "y"})
    assert done.tasks == {"test": 3}
    (first, *_) = read_tasks(tmp_path / "test.jsonl")
    assert first == Task(
        "toy-0000",
        {"group": "A", "number": 0, "items": [{"key": "0"}]},
        {"answer": "a"},
        provenance="y",
    )


def test_values_in_two_splits_are_reported(toy, tmp_path):
    rows = groups({"A": 5, "B": 5})
    done = import_tasks("toy", toy(*rows), tmp_path, {"A": "train", "B": "test"})
    assert done.shared == {"items.key": ("0", "1", "2")}


def test_equal_tasks_are_written_once_and_counted(toy, tmp_path):
    done = import_tasks("plain", toy(("A", 1, "a"), ("A", 1, "a"), ("A", 2, "a")), tmp_path, "dev")
    assert (done.tasks, done.duplicates) == ({"dev": 2}, 1)


def test_one_question_with_two_answers_is_an_error(toy, tmp_path):
    with pytest.raises(TaskError, match=r"two tasks have the id toy-0001.*'a'.*'b'"):
        import_tasks("plain", toy(("A", 1, "a"), ("A", 1, "b")), tmp_path / "out", "dev")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("splits", "expected"),
    [
        ({}, "expected a split, the share of each split"),
        (["train"], "expected a split, the share of each split"),
        ("validation", "unknown splits ['validation']; choose from"),
        ({"A": "validation"}, "unknown splits ['validation']; choose from"),
        ({"B": "train"}, "no split for the group ['A']"),
        ({"validation": 1.0}, "unknown splits ['validation']; choose from"),
        ({"train": 0.5, "test": 0.4}, "do not add up to 1"),
        ({"train": 1.5, "test": -0.5}, "the share of test is -0.5"),
        ({"train": True}, "the share of train is True"),
        ({"train": 0.5, "test": "x"}, "the share of test is 'x'"),
        ({"train": float("nan")}, "the share of train is nan"),
        ({"train": 0.5, "test": 0.5}, "1 groups cannot fill 2 splits"),
    ],
)
def test_a_wrong_split_is_named(toy, tmp_path, splits, expected):
    with pytest.raises(ConfigError, match=re.escape(expected)):
        import_tasks("toy", toy(*groups({"A": 3})), tmp_path / "out", splits)
    assert not (tmp_path / "out").exists()


def test_a_split_for_each_group_needs_groups(toy, tmp_path):
    with pytest.raises(ConfigError, match="has no groups; give one split or the share of each"):
        import_tasks("plain", toy(*groups({"A": 3})), tmp_path / "out", {"A": "train"})


def test_splits_of_other_imports_stay_if_they_share_nothing(toy, tmp_path):
    out = tmp_path / "out"
    rows = groups({"A": 3, "B": 3})
    import_tasks("toy", toy(*rows[:3]), out, "dev")
    import_tasks("toy", toy(*rows[:2]), out, "dev")
    import_tasks("toy", toy(*rows[3:]), out, "test")
    assert [len(read_tasks(out / f"{split}.jsonl")) for split in ("dev", "test")] == [2, 3]
    with pytest.raises(ConfigError, match=r"dev\.jsonl of an earlier import has group 'A' too"):
        import_tasks("toy", toy(rows[2]), out, "test")
    with pytest.raises(ConfigError, match=r"dev\.jsonl of an earlier import has toy-0001 too"):
        import_tasks("plain", toy(*rows[1:]), out, "test")
    assert len(read_tasks(out / "test.jsonl")) == 3


def test_other_mistakes_are_named(toy, tmp_path):
    with pytest.raises(ConfigError, match="no importer of tasks 'medqq'; did you mean 'medqa'"):
        import_tasks("medqq", toy(), tmp_path)
    with pytest.raises(ConfigError, match="importer 'toy' takes no option 'marc'"):
        import_tasks("toy", toy(), tmp_path, options={"marc": 1})
    with pytest.raises(TaskError, match=r"toy\.jsonl: no tasks; expected some of toy"):
        import_tasks("toy", toy(), tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"cannot write to .*file"):
        import_tasks("toy", toy(*groups({"A": 1})), tmp_path / "file", "test")


@pytest.mark.parametrize("source", sorted(TASKS))
def test_every_importer_in_the_table_is_there_and_described(source):
    importer = TASKS[source]
    assert callable(import_named(importer.reader, "importer"))
    assert importer.makes
    assert importer.format
