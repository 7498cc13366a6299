"""Phenopackets become patient cases."""

from __future__ import annotations

import json
import zipfile
from collections import Counter

import pytest
from real_data import put, real

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.patients.phenopackets import read_phenopackets
from gym_clinic.retrieval import PatientCase


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
    file = put(tmp_path, "a.json", packet(subject=subject, interpretations=[], diseases=[]))
    (case,) = read_phenopackets(file)
    assert (case.age, case.sex, case.diagnosis, case.codes) == (None, None, "", ())
    (case,) = read_phenopackets(put(tmp_path, "a.json", packet(interpretations=[])))
    assert case.diagnosis == "Blue"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (packet(phenotypicFeatures="x"), "field phenotypicFeatures: "),
        ({"id": "x"}, "field record: neither phenotypicFeatures nor metaData; expected a pheno"),
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


def test_a_broken_packet_is_skipped_if_the_caller_says_so(tmp_path):
    put(tmp_path, "a.json", packet())
    broken = put(tmp_path, "b.json", packet(phenotypicFeatures="x"))
    twice = put(tmp_path, "c.json", packet())
    put(tmp_path, "d.json", packet(id="d"))
    errors: list[TaskError] = []
    assert [case.id for case in read_phenopackets(tmp_path, errors.append)] == ["packet-1", "d"]
    assert str(errors[0]).startswith(f"{broken}, field phenotypicFeatures: ")
    assert str(errors[1]).startswith(f"{twice}, field id: 'packet-1' is a duplicate of")


def test_a_damaged_one_of_the_real_packets_is_skipped(tmp_path):
    files = sorted(real("phenopackets").glob("*.json"))
    for file in files:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / files[7].name).write_bytes(files[7].read_bytes()[:2000])
    errors: list[TaskError] = []
    assert len(list(read_phenopackets(tmp_path, errors.append))) == len(files) - 1
    assert [str(error).partition(":")[0] for error in errors] == [str(tmp_path / files[7].name)]


def test_a_duplicate_id_and_an_empty_folder_are_errors(tmp_path):
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


def test_what_real_phenopackets_lose_is_counted():
    left: Counter[str] = Counter()
    list(read_phenopackets(real("phenopackets"), left_out=lambda reason: left.update([reason])))
    assert left == {
        "onsets of features were not kept": 165,
        "onsets of diseases were not kept": 42,
        "ages given as classes were not kept": 1,
    }


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
    with pytest.raises(TaskError, match=r"all\.zip: .*expected a whole zip file"):
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
