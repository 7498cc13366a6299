from __future__ import annotations

import csv
import json

import pytest
from linking_gold import SYMPTOMS

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.patients.pmc_patients import read_pmc_patients
from gym_clinic.retrieval import PatientCase
from gym_clinic.retrieval.graph.linking import SymptomLinker

LINKER = SymptomLinker(SYMPTOMS)


def row(**changes):
    return {
        "patient_id": 0,
        "patient_uid": "9000001-1",
        "PMID": "9000001",
        "file_path": "comm/PMC000xxxxxx/PMC9000001.xml",
        "title": "An example of amber fever: a made-up report",
        "patient": "A man presented with fever and a dry cough. He denied chest pain.",
        "age": [[60.0, "year"]],
        "gender": "M",
        "relevant_articles": {"9000002": 1},
        "similar_patients": {"9000001-2": 2, "9000003-1": 1},
        **changes,
    }


def as_json(folder, *rows):
    file = folder / "PMC-Patients.json"
    file.write_text(json.dumps(rows))
    return file


def as_csv(folder, *rows):
    """As published: lists and objects as Python writes them."""
    file = folder / "PMC-Patients.csv"
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.DictWriter(opened, list(row()))
        writer.writeheader()
        writer.writerows(rows)
    return file


@pytest.mark.parametrize("write", [as_json, as_csv])
def test_the_linker_finds_the_phenotypes(tmp_path, write):
    file = write(tmp_path, row(), row(patient_uid="9000001-2", patient="Nothing.\nAt all, really."))
    first, second = read_pmc_patients(file, LINKER)
    assert first.case == PatientCase(
        "9000001-1", "", ("Fever", "Cough"), "PMC-Patients", ("Chest pain",), (), "P60Y", "male"
    )
    assert first.title == "An example of amber fever: a made-up report"
    assert first.similar == {"9000001-2": 2, "9000003-1": 1}
    assert second.case.phenotypes == ()
    assert second.text == "Nothing.\nAt all, really."


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        ([[1.0, "year"], [2.0, "month"]], "P1Y2M"),
        ([[3.0, "week"]], "P3W"),
        ([[0.0, "day"]], "P0D"),
        ([[5.0, "hour"]], None),
        ([[2.5, "year"]], None),
        ([[float("1e999"), "year"]], None),
        ([[-1.0, "year"]], None),
        ([[1.0, "year"], [2.0, "year"]], None),
        ([], None),
    ],
)
def test_ages(tmp_path, age, expected):
    lost: list[str] = []
    (found,) = read_pmc_patients(
        as_csv(tmp_path, row(age=str(age).replace("inf", "1e999"))), LINKER, left_out=lost.append
    )
    assert found.case.age == expected
    assert len(lost) == (bool(age) and expected is None)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"patient_uid": ""}, "field patient_uid: "),
        ({"patient": None}, "field patient: "),
        ({"gender": "X"}, "field gender: Input should be 'M' or 'F', found 'X'"),
        ({"age": "60"}, "field age: "),
        ({"age": [["60", "year"]]}, "field age[0][0]: "),
        ({"similar_patients": {"a": "b"}}, "field similar_patients.a: "),
    ],
)
def test_a_broken_patient_in_the_middle_is_named(tmp_path, change, expected):
    file = as_json(tmp_path, row(), row(**change), row())
    with pytest.raises(TaskError) as caught:
        list(read_pmc_patients(file, LINKER))
    assert str(caught.value).startswith(f"{file} patient 2, {expected}")


def test_a_missing_field_and_other_json_are_named(tmp_path):
    short = row()
    del short["similar_patients"]
    with pytest.raises(TaskError, match="patient 1, field similar_patients: Field required"):
        list(read_pmc_patients(as_json(tmp_path, short), LINKER))
    file = tmp_path / "x.json"
    for content, expected in (
        (b"{}", "expected a JSON array of patients"),
        (json.dumps([row()]).encode()[:-9], "not valid JSON"),
        (b'["\xe9"]', "not UTF-8"),
    ):
        file.write_bytes(content)
        with pytest.raises(TaskError, match=expected):
            list(read_pmc_patients(file, LINKER))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"gender", b"sex", "line 1: no column 'gender'; expected"),
        (b"[[60.0, 'year']]", b"[[60.0, 'year'", "line 2, column age: \"[[60.0, 'year'\" is no"),
        (b"[[60.0, 'year']]", b"{[]: 1}", "line 2, column age: '{[]: 1}' is not a Python literal"),
        (b"[[60.0, 'year']]", b"exit()", "line 2, column age: 'exit()' is not a Python literal"),
        (b",M,", b",M,M,", "line 2: 11 columns; expected 10"),
        (b"made-up", b"m\xe2de-up", "line 2: byte "),
    ],
)
def test_a_broken_csv_is_named(tmp_path, old, new, expected):
    file = as_csv(tmp_path, row(), row())
    data = file.read_bytes()
    assert old in data
    file.write_bytes(data.replace(old, new, 1))
    with pytest.raises(TaskError) as caught:
        list(read_pmc_patients(file, LINKER))
    assert str(caught.value).startswith(f"{file} ")
    assert expected in str(caught.value)


def test_a_truncated_csv_is_named(tmp_path):
    file = as_csv(tmp_path, row(), row())
    file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(TaskError, match=r"PMC-Patients\.csv line 3"):
        list(read_pmc_patients(file, LINKER))


@pytest.mark.parametrize("write", [as_json, as_csv])
def test_broken_rows_are_skipped_if_the_caller_says_so(tmp_path, write):
    uids = [row(patient_uid=f"9-{number}") for number in range(4)]
    file = write(tmp_path, uids[0], row(gender="x"), uids[1], uids[1], row(age="?"), uids[2])
    errors: list[TaskError] = []
    found = [one.case.id for one in read_pmc_patients(file, LINKER, errors.append)]
    assert found == ["9-0", "9-1", "9-2"]
    assert len(errors) == 3
    assert "field gender" in str(errors[0])
    assert "'9-1' is a duplicate" in str(errors[1])
    assert "age" in str(errors[2])


def test_a_row_with_too_few_cells_is_skipped_if_the_caller_says_so(tmp_path):
    file = as_csv(tmp_path, row(), row(patient_uid="9-2"))
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([lines[0], lines[1], "1,2", lines[2]]) + "\n", encoding="utf-8")
    errors: list[TaskError] = []
    assert len(list(read_pmc_patients(file, LINKER, errors.append))) == 2
    assert "line 3: 2 columns; expected 10" in str(errors[0])


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"neither \.csv nor \.json"):
        list(read_pmc_patients(tmp_path / "x.parquet", LINKER))
    for name in ("x.csv", "x.json"):
        with pytest.raises(ConfigError, match="cannot read"):
            list(read_pmc_patients(tmp_path / name, LINKER))


def test_a_duplicate_patient_is_named(tmp_path):
    for write, place in ((as_json, "patient 2"), (as_csv, "line 3")):
        file = write(tmp_path, row(), row())
        with pytest.raises(TaskError) as caught:
            list(read_pmc_patients(file, LINKER))
        assert str(caught.value).startswith(f"{file} {place}, field patient_uid: '9000001-1' is a")
