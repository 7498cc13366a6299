"""RareBench cases, named by its mappings, become patient cases."""

from __future__ import annotations

import json

import pytest
from real_data import put, real

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.patients.rarebench import read_names, read_rarebench
from gym_clinic.retrieval import PatientCase


@pytest.fixture
def mappings(tmp_path):
    put(tmp_path, "phenotype_mapping.json", {"HP:9000001": "Amber glow", "HP:9000002": "Blue gait"})
    put(tmp_path, "disease_mapping.json", {"OMIM:900001": "Amber", "ORPHA:90": "Amber"})
    return tmp_path


def rows(folder, *found):
    return put(folder, "MME.jsonl", "".join(json.dumps(one) + "\n" for one in found))


ROW = {
    "Phenotype": ["HP:9000002", "HP:9000001", "HP:9000002"],
    "RareDisease": ["OMIM:900001", "ORPHA:90"],
    "Department": None,
}


def test_codes_become_names(mappings):
    cases = list(read_rarebench(rows(mappings, ROW, ROW), mappings))
    assert cases[1] == PatientCase(
        "rarebench-MME-00002",
        "Amber",
        ("Blue gait", "Amber glow"),
        "RareBench",
        codes=("OMIM:900001", "ORPHA:90"),
    )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"Phenotype": ["HP:9000003"]}, "field Phenotype: 'HP:9000003' is not in the mapping; did"),
        ({"RareDisease": ["OMIM:1"]}, "field RareDisease: 'OMIM:1' is not in the mapping"),
        ({"Phenotype": []}, "field Phenotype: "),
        ({"Phenotype": None}, "field Phenotype: "),
        ({"RareDisease": "OMIM:900001"}, "field RareDisease: "),
    ],
)
def test_a_broken_row_in_the_middle_is_named(mappings, change, expected):
    file = rows(mappings, ROW, ROW | change, ROW)
    with pytest.raises(TaskError) as caught:
        list(read_rarebench(file, mappings))
    assert str(caught.value).startswith(f"{file} line 2, {expected}")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"HP:1": "x"', "not valid JSON"),
        (b"[]", "expected a JSON object"),
        (b'{"HP:1": 3}', "field HP:1: Input should be a valid string"),
        (b'{"HP:1": "\xff"}', "not UTF-8 at byte 10; expected a JSON object"),
        (b'{"HP:1": "x", "HP:1": "y"}', "duplicate key 'HP:1'"),
    ],
)
def test_a_broken_mapping_is_named(mappings, content, expected):
    (mappings / "phenotype_mapping.json").write_bytes(content)
    with pytest.raises(TaskError, match=r"phenotype_mapping\.json") as caught:
        list(read_rarebench(rows(mappings, ROW), mappings))
    assert expected in str(caught.value)


def test_broken_rows_are_skipped_if_the_caller_says_so(mappings):
    path = rows(mappings, ROW, ROW | {"Phenotype": []}, ROW | {"RareDisease": ["OMIM:1"]}, ROW)
    errors: list[TaskError] = []
    cases = list(read_rarebench(path, mappings, errors.append))
    assert [case.id for case in cases] == ["rarebench-MME-00001", "rarebench-MME-00004"]
    assert [str(error)[len(str(path)) :].split(":")[0] for error in errors] == [
        " line 2, field Phenotype",
        " line 3, field RareDisease",
    ]


def test_a_missing_mapping_is_a_config_error(mappings):
    (mappings / "disease_mapping.json").unlink()
    with pytest.raises(ConfigError, match=r"cannot read .*disease_mapping\.json"):
        list(read_rarebench(rows(mappings, ROW), mappings))


def test_real_rarebench_mappings_name_a_case(tmp_path):
    folder = real("rarebench")
    assert len(read_names(folder / "phenotype_mapping.json")) == 17_232
    row = {"Phenotype": ["HP:0000003"], "RareDisease": ["ORPHA:10"], "Department": None}
    (case,) = read_rarebench(rows(tmp_path, row), folder)
    assert case.phenotypes == ("Multicystic kidney dysplasia",)
    assert case.diagnosis == "48,XXYY syndrome"
