"""Generated tasks: the same in every process, balanced, in pairs, and never shared by splits."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter
from pathlib import Path

import clinical_domain
import pytest

from gym_clinic.clinical import endless, generate
from gym_clinic.clinical.canary import CANARY
from gym_clinic.clinical.tasks import _class_at, seed_of, spec_of, task_lines, write_folder
from gym_clinic.errors import ConfigError
from gym_clinic.fingerprint import fingerprint
from gym_clinic.simulate.split import Split
from gym_clinic.taskset import read_tasks

SPEC = clinical_domain.SPEC
SPLITS: tuple[Split, ...] = ("train", "dev", "test")


def test_the_same_arguments_give_the_same_tasks() -> None:
    one, same = list(generate(SPEC, 3)), list(generate(SPEC, 3))
    other = list(generate(SPEC, 3, seed=1))
    assert one == same
    assert not {task.id for task in one} & {task.id for task in other}


def test_classes_come_equally_often() -> None:
    count = Counter(task.record["condition"] for task in generate(SPEC, 4))
    assert set(count.values()) == {2}


def test_seeds_of_splits_never_meet() -> None:
    seeds = [{seed_of(split, number, 3) for number in range(2000)} for split in SPLITS]
    assert all(len(one) == 2000 for one in seeds)
    assert not seeds[0] & seeds[1]
    assert not seeds[0] & seeds[2]
    assert not seeds[1] & seeds[2]


def test_held_out_splits_have_pairs_of_twins() -> None:
    tasks = {task.id: task for task in generate(SPEC, 10, split="test")}
    twins = [task for task in tasks.values() if "twin" in task.gold]
    assert twins
    for task in twins:
        assert task.gold["twin"]["kind"] == "neutral"
        assert tasks[task.gold["twin"]["of"]].gold["answer"] == task.gold["answer"]
    assert not any("twin" in task.gold for task in generate(SPEC, 4))


def test_a_folder_holds_its_manifest_and_the_canary(tmp_path: Path) -> None:
    assert write_folder(SPEC, tmp_path, ["dev"], 3) == {"dev": 3}
    text = (tmp_path / "dev.jsonl").read_bytes()
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["sha256"] == {"dev": hashlib.sha256(text).hexdigest()}
    assert manifest["fingerprint"] == fingerprint((SPEC,), module="clinical_domain")
    assert text.count(CANARY.encode()) == 3
    assert list(read_tasks(tmp_path / "dev.jsonl")) == list(generate(SPEC, 3, split="dev"))


def test_endless_tasks_are_found_again() -> None:
    tasks = endless(SPEC)
    assert tasks.by_id(tasks[7].id) == tasks[7]
    assert tasks[6].record["condition"] != tasks[7].record["condition"]


def test_specs_are_found_by_name() -> None:
    assert spec_of("clinical_domain:SPEC") is SPEC
    with pytest.raises(ConfigError, match="no domain 'clinic_gen'"):
        spec_of("clinic_gen")
    with pytest.raises(ConfigError, match="expected a DomainSpec"):
        spec_of("clinical_domain:STEMI")
    with pytest.raises(ConfigError, match="1 or more"):
        list(task_lines(SPEC, "train", 0))


def test_the_id_of_an_endless_task_tells_nothing_of_its_class() -> None:
    spec = dataclasses.replace(SPEC, classes=tuple("abcdef"))
    drawn = [_class_at(spec, position) for position in range(600)]
    assert all(sorted(drawn[at : at + 6]) == sorted("abcdef") for at in range(0, 600, 6))
    by_place = Counter((position % 6, label) for position, label in enumerate(drawn))
    assert max(by_place.values()) < 40  # of 100 rounds; a fixed order gives 100
