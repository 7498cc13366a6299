from __future__ import annotations

import json

import pytest
from real_data import damaged, real

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.facts.ddxplus import EvidenceQuestion, read_conditions, read_evidences

CONDITIONS = "ddxplus/release_conditions.json"
EVIDENCES = "ddxplus/release_evidences.json"

AMBER = {
    "condition_name": "Amber fever",
    "cond-name-fr": "Fi\u00e8vre d'ambre",
    "cond-name-eng": "Amber  fever ",
    "icd10-id": "a01.0",
    "symptoms": {"E_1": {}, "E_2": {"probability": 0.25}, "E_3": 0},
    "antecedents": {"E_4": 1.0},
    "severity": 2,
}
GLOW = {
    "name": "E_1",
    "code_question": "E_0",
    "question_fr": "?",
    "question_en": "Do you glow?",
    "is_antecedent": False,
    "default_value": "V_1",
    "value_meaning": {"V_1": {"fr": "non", "en": "no"}},
    "possible-values": ["V_1", 7],
    "data_type": "C",
}


@pytest.fixture
def write(tmp_path):
    def file(found):
        path = tmp_path / "release.json"
        path.write_text(json.dumps(found), encoding="utf-8")
        return path

    return file


def test_a_condition_is_read_with_its_features(write):
    (found,) = read_conditions(write({"Amber fever": AMBER}))
    assert (found.id, found.name) == ("DDXPLUS:Amber fever", "Amber fever")
    assert (found.icd10, found.severity) == ("A01.0", 2)
    assert [has.id for has in found.features if has.history] == ["E_4"]
    assert [has.name for has in found.features] == ["E_1", "E_2", "E_3", "E_4"]
    frequencies = {has.id: has.frequency for has in found.features}
    assert frequencies["E_1"].basis == "unknown"
    assert (frequencies["E_2"].value, frequencies["E_2"].band) == (0.25, "occasional")
    assert frequencies["E_3"].absent
    assert frequencies["E_4"].band == "obligate"


def test_evidences_name_the_features(write):
    (glow,) = read_evidences(write({"E_1": GLOW}))
    assert glow == EvidenceQuestion(
        "E_1", "Do you glow?", "E_0", False, "categorical", "V_1", {"V_1": "no", "7": "7"}
    )
    one = {**AMBER, "symptoms": {"E_1": {}}, "antecedents": {}}
    (found,) = read_conditions(write({"Amber fever": one}), {"E_1": glow})
    assert found.features[0].name == "Do you glow?"
    with pytest.raises(TaskError, match=r"key 'Amber': unknown evidence 'E_2'; did you mean 'E_1'"):
        list(read_conditions(write({"Amber": AMBER}), {"E_1": glow}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"severity": 9}, "key 'Amber', field severity: .* found 9"),
        ({"severity": "2"}, "key 'Amber', field severity: .* found '2'"),
        ({"cond-name-eng": 5}, "key 'Amber', field cond-name-eng: .* found 5"),
        ({"cond-name-eng": " "}, "key 'Amber', field cond-name-eng: expected one line of text"),
        ({"symptoms": {"E_1": 1.5}}, "field symptoms.E_1: .* less than or equal to 1, found 1.5"),
        (
            {"symptoms": {"E_1": {"probability": -1}}},
            "key 'Amber', field symptoms.E_1: .* greater than or equal to 0, found -1",
        ),
        ({"symptoms": {"E_1": {"p": 1}}}, "key 'Amber', field symptoms.E_1: .* valid number"),
        ({"symptoms": {"E_1": "often"}}, "field symptoms.E_1: .* valid number, found 'often'"),
        ({"symptoms": ["E_1"]}, "key 'Amber', field symptoms: Input should be an object"),
    ],
)
def test_a_broken_condition_is_named(write, change, message):
    with pytest.raises(TaskError, match=message):
        list(read_conditions(write({"Good": AMBER, "Amber": {**AMBER, **change}})))


@pytest.mark.parametrize("field", ["cond-name-eng", "icd10-id", "symptoms", "severity"])
def test_a_missing_field_is_named(write, field):
    broken = {key: value for key, value in AMBER.items() if key != field}
    with pytest.raises(TaskError, match=f"key 'Amber', field {field}: Field required"):
        list(read_conditions(write({"Amber": broken})))


def test_a_broken_evidence_is_named(write):
    with pytest.raises(TaskError, match="key 'E_1', field data_type: Input should be 'B', 'C' or"):
        list(read_evidences(write({"E_1": {**GLOW, "data_type": "X"}})))


def test_another_kind_of_file_is_named(write, tmp_path):
    with pytest.raises(TaskError, match="expected a JSON object, not list"):
        list(read_conditions(write([])))
    with pytest.raises(TaskError, match="no conditions; expected some"):
        list(read_conditions(write({})))
    with pytest.raises(TaskError, match="no evidences; expected some"):
        list(read_evidences(write({})))
    with pytest.raises(ConfigError, match="cannot read"):
        list(read_evidences(tmp_path / "missing.json"))


def test_the_published_files_are_read():
    evidences = {one.id: one for one in read_evidences(real(EVIDENCES))}
    assert len(evidences) == 80
    assert evidences["E_55"].parent == "E_53"
    assert evidences["E_55"].values["V_123"] == "nowhere"
    assert [one.kind for one in evidences.values()].count("binary") == 65
    found = {one.name: one for one in read_conditions(real(CONDITIONS), evidences)}
    assert len(found) == 7
    chronic = found["Acute COPD exacerbation / infection"]
    assert (chronic.icd10, chronic.severity) == ("J44.1", 3)
    assert sum(has.history for has in chronic.features) == 9
    assert [has.name for has in chronic.features][:1] == ["Do you have a cough?"]
    assert {has.frequency.basis for has in chronic.features} == {"unknown"}


@pytest.mark.parametrize(
    ("name", "read"), [(CONDITIONS, read_conditions), (EVIDENCES, read_evidences)]
)
def test_damaged_copies_of_the_published_files_are_named(tmp_path, name, read):
    path = real(name)
    data = path.read_bytes()
    field = b"severity" if read is read_conditions else b"data_type"
    middle = data.index(field, len(data) // 2)
    for broken, message in (
        (data[: len(data) // 2], "not valid JSON"),
        (data.replace(b"COPD", b"\xe9", 1) if b"COPD" in data else data + b"\xe9", "not UTF-8"),
        (data[:middle] + data[middle + 1 :], f"key '.*', field {field.decode()}: Field required"),
        (data.replace(b'"symptoms"', b'"signs"').replace(b"_en", b"_fr"), "key '.*'"),
    ):
        with pytest.raises(TaskError, match=message):
            list(read(damaged(path, tmp_path, broken)))
