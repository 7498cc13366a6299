"""From reported cases to a folder that plays: divided, proved, free of leaks, or not written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from real_data import real

from gym_clinic.catalog import open_env
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import load
from gym_clinic.importers.cases import ImportedCases, ReportedCase, import_cases
from gym_clinic.importers.cases.coded import read_packets
from gym_clinic.importers.cases.convert import code_cases, divide
from gym_clinic.importers.cases.extraction import LinkedTexts
from gym_clinic.importers.cases.leaks import nearness, repeated
from gym_clinic.importers.cases.taxonomy import Taxonomy
from gym_clinic.policies import load as load_policy
from gym_clinic.policies import play
from gym_clinic.retrieval import HashedNgrams, PatientCase
from gym_clinic.testing import check_tasks

ID = "clinic/DxSearch-v0"
TAXONOMY = Taxonomy(load(), embedder=HashedNgrams())

MARFAN = ("Ectopia lentis", "Disproportionate tall stature", "Arachnodactyly")
AMBER = ("Fever", "Skin rash", "Arthralgia", "Hematuria", "Cough")


def case(name: str, diagnosis: str, *phenotypes: str, text: str = "", **more: Any) -> ReportedCase:
    return ReportedCase(PatientCase(name, diagnosis, phenotypes, "own case", **more), text)


CASES = [
    case("marfan", "Marfan syndrome", *MARFAN, "Aortic root aneurysm", age="P17Y", sex="female"),
    case("amber-1", "Amber fever", *AMBER),
    case("amber-2", "Amber fever", *AMBER[:4], "Vomiting"),
    case("alone", "Blue gait", *AMBER[:3]),
    case("few", "Gout", "Arthralgia", "Fever"),
    case("named", "Gout", *AMBER, text="He was known to have gout, and now has a fever."),
]


def convert(
    cases: Iterable[ReportedCase], out: Path, **more: Any
) -> tuple[ImportedCases, Counter[str]]:
    left: Counter[str] = Counter()

    def left_out(reason: str) -> None:
        left[reason] += 1

    options = {"raw": False, "left_out": left_out, **more}
    return import_cases(cases, out, TAXONOMY, LinkedTexts(TAXONOMY), **options), left


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("cases") / "mine"
    made, left = convert(CASES, out)
    assert made == ImportedCases({"test": 2}, 4, 1, 1, 2)
    assert left == {
        "cases whose disease no other patient has went to the database": 1,
        "cases of fewer than 3 findings went to the database": 1,
        "cases whose text names the disease went to the database": 1,
    }
    return out


@pytest.mark.parametrize("stage", [1, 2, 3, 4])
@pytest.mark.parametrize("dialect", [None, "hermes"])
def test_the_oracle_earns_the_maximum_of_every_stage(folder, stage, dialect):
    env = open_env(ID, "test", folder=str(folder), stage=stage, dialect=dialect)
    for task in env.tasks:
        outcome = play(env, task, load_policy("oracle", env, {})(0))
        assert outcome.reward == pytest.approx(env.reward_range[1]), task.id
        assert outcome.info["success"]


def test_imported_tasks_pass_the_checks_of_tasks(folder):
    env = open_env(ID, "test", folder=str(folder))
    assert list(env.domain.tasks) == ["test"]
    assert check_tasks(env) == []
    assert {task.gold["rare"] for task in env.tasks} == {True, False}
    assert all(task.provenance == "own case" for task in env.tasks)


def test_without_its_records_a_task_has_no_patient_to_find(folder):
    env = open_env(ID, "test", folder=str(folder), own_records=None)
    (amber,) = (task for task in env.tasks if task.gold["names"][0] == "Amber fever")
    assert play(env, amber, load_policy("oracle", env, {})(0)).reward < env.reward_range[1]
    rules = play(env, amber, load_policy("rules", env, {})(0))
    assert 0 <= rules.reward < env.reward_range[1]


def test_a_second_import_into_the_folder_is_refused(folder):
    before = sorted(path.name for path in folder.parent.rglob("*"))
    with pytest.raises(ConfigError, match="mine is not empty; an import fills a new folder"):
        convert(CASES, folder)
    assert sorted(path.name for path in folder.parent.rglob("*")) == before


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"records_share": 1.5}, "records_share is a number from 0 to 0.9, not 1.5"),
        ({"near": True}, "near is a number from 0 to 1, not True"),
        ({"options": {"folder": "x"}}, "folder is what the import makes"),
        ({"options": {"stage": 9}}, "stage is one of"),
        ({"splits": "exam"}, r"unknown splits \['exam'\]"),
    ],
)
def test_a_wrong_option_leaves_nothing_behind(tmp_path, options, expected):
    with pytest.raises(ConfigError, match=expected):
        convert(CASES, tmp_path / "mine", **options)
    assert list(tmp_path.iterdir()) == []


def test_where_no_case_becomes_a_task_nothing_is_written(tmp_path):
    with pytest.raises(TaskError, match="no case becomes a task; 1 cases whose disease no other"):
        convert(CASES[3:4], tmp_path / "mine")
    twice = [CASES[1], case("amber-3", "Amber fever", *AMBER, age="P3Y")]
    with pytest.raises(TaskError, match=r"all near-duplicates were left out \(unprovable\)"):
        convert(twice, tmp_path / "mine")
    assert list(tmp_path.iterdir()) == []


def test_cases_that_cannot_be_proved_are_named(tmp_path):
    odd = case("odd", "Marfan syndrome", "Fever", "Cough", "Vomiting", "Headache")
    convert([CASES[0], odd], tmp_path / "mine", records_share=0.0)
    told = json.loads((tmp_path / "mine" / "import.json").read_text())
    assert told["unprovable"] == {
        "odd": "cases whose disease no match shows were left out (unprovable)"
    }
    assert "no advice" in told["notice"]


def test_a_task_that_no_search_answers_is_left_out(tmp_path):
    with pytest.raises(TaskError, match=r"without the whole reward of search were left out \(unpr"):
        convert(CASES[:1], tmp_path / "mine", options={"literature": None})
    with pytest.raises(TaskError, match="no other patient has went to the database"):
        convert(CASES[:1], tmp_path / "mine", options={"patients": None})


def test_a_case_goes_once_and_a_share_of_each_disease_to_the_database():
    cases = [case(f"c{number}", "Marfan syndrome", *MARFAN, f"F{number}") for number in range(10)]
    left: list[str] = []
    good, records = code_cases(
        [*cases, *cases[:3]], TAXONOMY, LinkedTexts(TAXONOMY), raw=False, left_out=left.append
    )
    assert (len(good), records, len(left)) == (10, [], 3)
    for known, share, expected in ((True, 0.29, 3), (True, 0.0, 0), (False, 0.0, 1)):
        tasks, kept = divide(good, lambda disease, known=known: known, share, left.append)
        assert (len(tasks), len(kept)) == (10 - expected, expected)


def test_near_duplicates_are_not_shown_and_leaks_are_found(folder, tmp_path):
    rows = nearness(folder)
    assert [row.cases for row in rows] == sorted(row.cases for row in rows)
    assert rows[0].shown == 0
    assert all(0 <= row.kept <= 1 for row in rows)
    assert repeated(folder) == []
    lines = (folder / "test.jsonl").read_text()
    for name, text in (("train", lines.replace('"id":"dx-', '"id":"dy-')), ("test", lines)):
        (tmp_path / f"{name}.jsonl").write_text(text)
    assert len(repeated(tmp_path)) == 2


def test_splits_by_share(tmp_path):
    made, _ = convert([*CASES[:3], case("m2", "Marfan syndrome", *MARFAN, "Myopia", "Pes planus")],
                      tmp_path / "mine", splits={"train": 0.6, "test": 0.4},
                      records_share=0.0)  # fmt: skip
    assert made.tasks == {"train": 2, "test": 1}


def test_published_phenopackets_play(tmp_path):
    files = [
        file for gene in ("SC5D", "RTTN", "MAX") for file in real("phenopackets").glob(f"{gene}_*")
    ]
    for file in files:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    made, _ = convert(read_packets(tmp_path), tmp_path / "mine")
    assert (made.tasks, made.rare) == ({"test": 3}, 3)
    env = open_env(ID, "test", folder=str(tmp_path / "mine"))
    outcome = play(env, env.tasks[0], load_policy("oracle", env, {})(0))
    assert outcome.reward == pytest.approx(env.reward_range[1])
