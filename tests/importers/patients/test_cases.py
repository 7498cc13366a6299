"""Patient cases in this project's own layout."""

from __future__ import annotations

import json

import pytest

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.patients.cases import read_cases, write_cases
from gym_clinic.retrieval import PatientCase

CASE = PatientCase(
    "clinic-1", "Amber fever", ("Cough", "Fever"), "test", ("Rash",), ("OMIM:1",), "P3Y6M", "female"
)


def test_cases_come_back_as_they_were_written(tmp_path):
    cases = [CASE, PatientCase("clinic-2", "", ("Cough",), "test")]
    assert write_cases(cases, tmp_path / "cases.jsonl") == 2
    assert list(read_cases(tmp_path / "cases.jsonl")) == cases
    assert json.loads((tmp_path / "cases.jsonl").read_text().splitlines()[1]) == {
        "id": "clinic-2",
        "diagnosis": "",
        "phenotypes": ["Cough"],
        "provenance": "test",
    }


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"id": " "}, "field id: expected a name, found blanks"),
        ({"phenotypes": []}, "field phenotypes: "),
        ({"phenotypes": ["Cough", ""]}, "field phenotypes[1]: expected a name"),
        ({"phenotypes": "Cough"}, "field phenotypes: "),
        ({"diagnosis": None}, "field diagnosis: "),
        ({"age": "34"}, "field age: expected an ISO 8601 duration"),
        ({"age": "P"}, "field age: expected an ISO 8601 duration"),
        ({"sex": "F"}, "field sex: Input should be 'female', 'male' or 'other'"),
        ({"note": "x"}, "field note: Extra inputs are not permitted"),
        ({"id": "first"}, "field id: 'first' is a duplicate of line 1"),
    ],
)
def test_a_broken_case_in_the_middle_is_named(tmp_path, change, expected):
    row = {"id": "x", "diagnosis": "d", "phenotypes": ["Cough"], "provenance": "test"}
    rows = [row | {"id": "first"}, row | change, row | {"id": "last"}]
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in rows))
    with pytest.raises(TaskError) as caught:
        list(read_cases(file))
    assert str(caught.value).startswith(f"{file} line 2, {expected}")


def test_a_truncated_or_wrongly_encoded_file_of_cases_is_named(tmp_path):
    file = tmp_path / "cases.jsonl"
    write_cases([CASE, CASE], file)
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    with pytest.raises(TaskError, match=r"cases\.jsonl line 2: not valid JSON"):
        list(read_cases(file))
    file.write_bytes(whole.decode().replace("Rash", "Räsh").encode("latin-1"))
    with pytest.raises(TaskError, match=r"line 1: not UTF-8"):
        list(read_cases(file))
    with pytest.raises(ConfigError, match="cannot read"):
        list(read_cases(tmp_path / "none.jsonl"))
