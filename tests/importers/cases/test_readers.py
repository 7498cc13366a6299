"""The readers of diagnostic cases. All cases here are made up, in the published layouts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from importer_samples import CASE_FILES, DIALOGUE, diagnostic
from real_data import put, real

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers import CASES
from gym_clinic.importers.cases import ReportedCase
from gym_clinic.names import import_named
from gym_clinic.retrieval import PatientCase


def read(format: str, path: Any, **options: Any) -> list[ReportedCase]:
    return list(import_named(CASES[format].reader, "importer")(path, **options))


def sample(name: str, folder: Any, number: int = 0) -> list[ReportedCase]:
    for file, data in CASE_FILES[name][number].items():
        (folder / file).write_bytes(data)
    return list(diagnostic(name, number).read(folder))


def test_own_cases_of_both_forms(tmp_path):
    (_, second) = sample("own", tmp_path)
    assert second.case == PatientCase(
        "b", "Gout", ("Arthralgia",), "own case", ("Fever",), ("ICD10CM:M10.9",), "P52Y", "male"
    )
    assert second.text == "A red, hot joint."
    first, second = sample("own", tmp_path, 1)
    assert first.case.phenotypes == ("Fever", "Cough")
    assert (second.text, second.case.phenotypes) == ("Red, hot", ())


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("a,,x,,,,,", "line 2, field diagnosis: Field required"),
        ("a,Gout,,,,,,", "text and phenotypes are both empty; expected at least one of them"),
        ("a,Gout,x,,,M10.9,,", r"field codes\[0\]: String should match pattern .*, found 'M10.9'"),
        ("a,Gout,x,,,,old,", "field age: expected an ISO 8601 duration such as P34Y"),
        ("a,Gout,x,,,,,man", "field sex: Input should be 'female', 'male' or 'other'"),
        ("a,Gout,x", "line 2: 3 columns; expected 8"),
        ("a,Gout,x,,,,,\na,Gout,y,,,,,", "line 3, field id: 'a' is a duplicate of .*line 2"),
    ],
)
def test_a_broken_row_of_ones_own_is_named(tmp_path, row, expected):
    head = "id,diagnosis,text,phenotypes,absent,codes,age,sex"
    with pytest.raises(TaskError, match=expected) as caught:
        read("own", put(tmp_path, "own.csv", f"{head}\n{row}\n"))
    assert "own.csv" in str(caught.value)


def test_unknown_fields_and_files_of_ones_own_are_refused(tmp_path):
    row = {"id": "a", "diagnosis": "Gout", "text": "x", "symptoms": ["Fever"]}
    with pytest.raises(TaskError, match="field symptoms: Extra inputs are not permitted"):
        read("own", put(tmp_path, "own.jsonl", json.dumps(row)))
    with pytest.raises(ConfigError, match=r"neither \.jsonl nor \.csv"):
        read("own", put(tmp_path, "own.txt", "x"))
    with pytest.raises(TaskError, match="no case that can be used; expected cases of your own"):
        read("own", put(tmp_path, "empty.csv", "id,diagnosis,text\n"))


def test_names_of_rarebench_are_synonyms(tmp_path):
    (tmp_path / "phenotype_mapping.json").write_text('{"HP:1": "Cough"}')
    (tmp_path / "disease_mapping.json").write_text('{"OMIM:1": "Amber fever", "ORPHA:2": "Amber"}')
    row = {"Phenotype": ["HP:1"], "RareDisease": ["OMIM:1", "ORPHA:2"], "Department": None}
    (found,) = read("rarebench", put(tmp_path, "HMS.jsonl", json.dumps(row)))
    assert (found.case.diagnosis, found.synonyms, found.rare) == ("Amber fever", ("Amber",), True)


def test_answers_of_ddxplus_become_findings(tmp_path):
    """The patient is made up; conditions and questions are the published ones."""
    tables = real("ddxplus")
    evidences = ["E_159", "E_55_@_V_89", "E_53", "E_151", "E_54_@_V_11", "E_226", "E_217"]
    file = put(
        tmp_path,
        "release_test_patients.csv",
        "AGE,DIFFERENTIAL_DIAGNOSIS,SEX,PATHOLOGY,EVIDENCES,INITIAL_EVIDENCE\n"
        f'31,[],F,Anaphylaxis,"{evidences}",E_53\n',
    )
    left: list[str] = []
    ((found,)) = read("ddxplus", file, tables=str(tables), left_out=left.append)
    assert found.case.codes == ("ICD10:T78.0",)
    assert (found.case.age, found.case.sex) == ("P31Y", "female")
    assert {"Loss of consciousness", "Edema"} <= set(found.case.phenotypes)
    assert len(left) == 3


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("31,F,Amberr,['E_1']", "column PATHOLOGY: 'Amberr'; did you mean 'Amber'"),
        ("31,F,Amber,['E_2']", "column EVIDENCES: 'E_2'; "),
        ("31,F,Amber,E_1", r"expected a list such as \['E_91', 'E_55_@_V_89'\]"),
        ("31,X,Amber,['E_1']", "SEX 'X' and AGE '31'; expected F or M, and whole years"),
    ],
)
def test_a_broken_patient_of_ddxplus_is_named(tmp_path, row, expected):
    for name, data in CASE_FILES["ddxplus"][0].items():
        (tmp_path / name).write_bytes(data)
    file = put(tmp_path, "p.csv", f"AGE,SEX,PATHOLOGY,EVIDENCES\n{row}\n")
    with pytest.raises(TaskError, match=expected) as caught:
        read("ddxplus", file)
    assert "p.csv line 2" in str(caught.value)


def test_results_of_rarearena_follow_the_report(tmp_path):
    first, second = sample("rarearena", tmp_path)
    assert (first.rare, first.case.diagnosis) == (True, "Amber fever")
    assert second.text == "A boy of 3 with a fever.\n\nCRP 90."
    row = {"_id": "1", "case_report": "x", "diagnosis": "A", "Orpha_id": "558", "Orpha_name": "B"}
    (found,) = read("rarearena", put(tmp_path, "RDC.json", json.dumps(row)))
    assert (found.case.codes, found.synonyms) == (("ORPHA:558",), ("B",))
    row.pop("case_report")
    with pytest.raises(TaskError, match=r"RDC\.json line 1, field case_report: Field required"):
        read("rarearena", put(tmp_path, "RDC.json", json.dumps(row)))


def test_a_consultation_ends_where_the_next_begins(tmp_path):
    first, second = sample("meddialog", tmp_path)
    assert first.text == "I have a cough\nIt hurts."
    assert (first.verdict, second.case.id) == ("This is asthma.", "d-2")
    silent = DIALOGUE.format(1).replace("This is asthma.", "")
    with pytest.raises(TaskError, match=r"d\.txt line 1: the doctor says nothing"):
        read("meddialog", put(tmp_path, "d.txt", silent))


def test_a_table_of_ones_and_zeros_in_another_language(tmp_path):
    names = put(tmp_path, "names.csv", "name,english\nজ্বর,Fever\nকাশি,Cough\nরোগ,Amber_fever\n")
    file = put(tmp_path, "m.csv", "disease,জ্বর,কাশি\nরোগ,1,0\nরোগ,0,0\n")
    left: list[str] = []
    (found,) = read("mendeley", file, names=str(names), left_out=left.append)
    assert (found.case.diagnosis, found.case.phenotypes) == ("Amber fever", ("Fever",))
    assert left == ["rows without a symptom were left out"]
    with pytest.raises(TaskError, match=r"m\.csv line 2, column 'Cough': '2'; expected 0 or 1"):
        read("mendeley", put(tmp_path, "m.csv", "disease,Fever,Cough\nAmber,1,2\n"))
    with pytest.raises(TaskError, match="no English name of 'Fever'"):
        read("mendeley", put(tmp_path, "m.csv", "disease,Fever\nA,1\n"), names=str(names))


SUMMARY = """
Name:  ___   Unit No:  ___
Sex:   F
Service: MEDICINE

Chief Complaint:
Painful toe

History of Present Illness:
A 52 year old woman with a red toe.
Vitals: T 38.1

Physical Exam:
General: in pain

Brief Hospital Course:
# Gout: colchicine.

Discharge Diagnosis:
Gout
"""


def discharge(folder: Any, **changed: str) -> Any:
    rows = {"note": f'n-1,7,"{SUMMARY}"', "code": "7,1,M109,10", "title": "M109,10,Gout"} | changed
    put(folder, "discharge.csv", f"note_id,hadm_id,text\n{rows['note']}\n")
    put(folder, "diagnoses_icd.csv", f"hadm_id,seq_num,icd_code,icd_version\n{rows['code']}\n")
    put(folder, "d_icd_diagnoses.csv", f"icd_code,icd_version,long_title\n{rows['title']}\n")
    return folder


def test_a_summary_is_read_up_to_the_hospital_course(tmp_path):
    (found,) = read("discharge", discharge(tmp_path))
    assert found.case == PatientCase(
        "n-1", "Gout", (), "discharge summary", codes=("ICD10CM:M10.9",), age="P52Y", sex="female"
    )
    assert "General: in pain" in found.text
    assert "Vitals: T 38.1" in found.text
    assert "colchicine" not in found.text
    assert "Gout" not in found.text


def test_summaries_that_cannot_be_used_are_named(tmp_path):
    with pytest.raises(TaskError, match=r"line 2: d_icd.* has no title of 'M109', ICD-10"):
        read("discharge", discharge(tmp_path, title="M10,10,Gout"))
    left: list[str] = []
    with pytest.raises(TaskError, match="no case that can be used"):
        read("discharge", discharge(tmp_path, code="8,1,M109,10"), left_out=left.append)
    assert left == ["summaries without a coded diagnosis were left out"]
    (found,) = read("discharge", discharge(tmp_path, code="7,1,M109,9", title="M109,9,Gout"))
    assert found.case.codes == ()


def test_the_title_of_a_report_is_its_verdict(tmp_path):
    (found,) = sample("pmc-patients", tmp_path)
    assert (found.verdict, found.text, found.case.diagnosis) == ("T", "He has a fever.", "")


def test_packets_of_several_diseases_are_left_out(tmp_path):
    left: list[str] = []
    packets = read("phenopackets", real("phenopackets"), left_out=left.append)
    assert len(packets) == 60
    assert all(found.rare for found in packets)
