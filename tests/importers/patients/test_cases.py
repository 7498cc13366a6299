"""Importers of patient cases: the documented JSON Lines, phenopackets, RareBench."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from places import DATA

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.patients.cases import read_cases, write_cases
from gym_clinic.importers.patients.phenopackets import read_phenopackets
from gym_clinic.importers.patients.rarebench import read_names, read_rarebench
from gym_clinic.retrieval import PatientCase

CASE = PatientCase(
    "clinic-1", "Amber fever", ("Cough", "Fever"), "test", ("Rash",), ("OMIM:1",), "P3Y6M", "female"
)


def real(name: str) -> Path:
    if not (DATA / name).exists():
        pytest.skip(f"no {DATA / name}")
    return DATA / name


# The documented layout ------------------------------------------------------------------------


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


# Phenopackets ---------------------------------------------------------------------------------


def packet(**changes: object) -> dict[str, object]:
    def feature(key: str, label: str, **more: object) -> dict[str, object]:
        return {"type": {"id": key, "label": label}, **more}

    return {
        "id": "packet-1",
        "subject": {
            "id": "p",
            "sex": "MALE",
            "timeAtLastEncounter": {"age": {"iso8601duration": "P2Y"}},
        },
        "phenotypicFeatures": [
            feature("HP:9000001", "Amber glow"),
            feature("HP:9000002", "Blue gait", excluded=True),
            feature("HP:9000003", "Cyan cough", excluded=False),
            feature("HP:9000001", "Amber glow", excluded=True),
        ],
        "interpretations": [{"diagnosis": {"disease": {"id": "OMIM:900001", "label": "Amber "}}}],
        "diseases": [{"term": {"id": "OMIM:900002", "label": "Blue"}}],
        **changes,
    }


def put(folder: Path, name: str, found: object) -> Path:
    file = folder / name
    file.write_text(found if isinstance(found, str) else json.dumps(found))
    return file


def test_an_excluded_feature_is_absent(tmp_path):
    (case,) = read_phenopackets(put(tmp_path, "a.json", packet()))
    assert case == PatientCase(
        "packet-1",
        "Amber",
        ("Amber glow", "Cyan cough"),
        "phenopacket",
        ("Blue gait",),
        ("OMIM:900001",),
        "P2Y",
        "male",
    )


def test_missing_parts_of_a_packet_stay_empty(tmp_path):
    subject = {"timeAtLastEncounter": {"ontologyClass": {"id": "HP:0003581", "label": "Adult"}}}
    excluded = [{"term": {"id": "OMIM:9", "label": "Cyan"}, "excluded": True}]
    file = put(tmp_path, "a.json", packet(subject=subject, interpretations=[], diseases=excluded))
    (case,) = read_phenopackets(file)
    assert (case.age, case.sex, case.diagnosis, case.codes) == (None, None, "", ())
    (case,) = read_phenopackets(put(tmp_path, "a.json", packet(interpretations=[])))
    assert case.diagnosis == "Blue"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (packet(phenotypicFeatures="x"), "field phenotypicFeatures: "),
        ({"id": "x"}, "field record: neither phenotypicFeatures nor metaData; expected a pheno"),
        (
            packet(phenotypicFeatures=[{"type": {"id": "HP:1", "label": "x"}, "negated": True}]),
            "field phenotypicFeatures[0]: 'negated' is of version 1; expected version 2",
        ),
        (packet(phenotypicFeatures=[{"type": {"id": "HP:1"}}]), "phenotypicFeatures[0].type.label"),
        (
            packet(phenotypicFeatures=[{"type": {"id": "HP:1", "label": " "}}]),
            "label: a term has a label, found blanks",
        ),
        (
            packet(phenotypicFeatures=[{"type": {"id": "HP:1", "label": "x"}, "excluded": "yes"}]),
            "field phenotypicFeatures[0].excluded: ",
        ),
        (packet(subject={"sex": "M"}), "field subject.sex: 'M' is unknown; choose from"),
        (json.dumps(packet())[:-40], "not valid JSON"),
        ("[]", "field record: "),
    ],
)
def test_a_broken_packet_among_others_is_named(tmp_path, found, expected):
    put(tmp_path, "a.json", packet())
    broken = put(tmp_path, "b.json", found)
    put(tmp_path, "c.json", packet(id="c"))
    with pytest.raises(TaskError) as caught:
        list(read_phenopackets(tmp_path))
    assert str(caught.value).startswith(str(broken))
    assert expected in str(caught.value)


def test_an_id_of_two_packets_and_an_empty_folder_are_errors(tmp_path):
    with pytest.raises(ConfigError, match=r"holds no \.json file"):
        list(read_phenopackets(tmp_path))
    with pytest.raises(ConfigError, match="cannot read"):
        list(read_phenopackets(tmp_path / "none.json"))
    put(tmp_path, "a.json", packet())
    put(tmp_path, "b.json", packet())
    with pytest.raises(TaskError, match=r"b\.json, field id: 'packet-1' is a duplicate of .*a"):
        list(read_phenopackets(tmp_path))
    (tmp_path / "b.json").write_bytes(
        json.dumps(packet(id="é"), ensure_ascii=False).encode("cp1252")
    )
    with pytest.raises(TaskError, match=r"b\.json: not UTF-8"):
        list(read_phenopackets(tmp_path))


def test_real_phenopackets_are_read():
    folder = real("phenopackets")
    cases = list(read_phenopackets(folder))
    assert len(cases) == 60
    assert all(case.phenotypes and case.diagnosis and case.codes for case in cases)
    for case, file in zip(cases, sorted(folder.glob("*.json")), strict=True):
        features = json.loads(file.read_text(encoding="utf-8"))["phenotypicFeatures"]
        present = {one["type"]["label"] for one in features if not one.get("excluded")}
        assert set(case.phenotypes) == present
        assert set(case.absent) == {one["type"]["label"] for one in features} - present
    assert sum(len(case.absent) for case in cases) > 500
    assert sum(case.age is not None for case in cases) == 50
    assert {case.sex for case in cases} == {"female", "male", None}


def test_real_phenopackets_are_read_from_a_zip_file(tmp_path):
    folder = real("phenopackets")
    packed = tmp_path / "all.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for path in folder.glob("*.json"):
            file.write(path, f"0.1/{path.name}")
        file.writestr("0.1/README.txt", "notes")
    assert list(read_phenopackets(packed)) == list(read_phenopackets(folder))
    whole = packed.read_bytes()
    packed.write_bytes(whole[:-40])
    with pytest.raises(TaskError, match=r"all\.zip: .*expected a zip file of phenopackets"):
        list(read_phenopackets(packed))
    place = len(whole) // 3
    packed.write_bytes(whole[:place] + bytes(20) + whole[place + 20 :])
    with pytest.raises(TaskError, match=r"all\.zip: "):
        list(read_phenopackets(packed))


def test_a_packet_without_features_is_a_case_without_phenotypes(tmp_path):
    found = packet(metaData={"phenopacketSchemaVersion": "2.0"})
    del found["phenotypicFeatures"]
    (case,) = read_phenopackets(put(tmp_path, "a.json", found))
    assert (case.phenotypes, case.absent) == ((), ())


def test_a_truncated_real_phenopacket_is_named(tmp_path):
    file = next(real("phenopackets").glob("*.json"))
    cut = tmp_path / file.name
    cut.write_bytes(file.read_bytes()[:2000])
    with pytest.raises(TaskError, match="not valid JSON"):
        list(read_phenopackets(cut))


# RareBench ------------------------------------------------------------------------------------


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


def test_a_missing_mapping_is_the_callers_mistake(mappings):
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
