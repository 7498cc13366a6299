from __future__ import annotations

import json

import pytest
from fact_tables import disease, tables, write
from places import DATA

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import load
from gym_clinic.facts.check import Disagreement, report, stale, write_proof
from gym_clinic.facts.profiles import Profile, profiles, read_profiles

RAREBENCH = DATA / "rarebench"


@pytest.fixture
def mappings(tmp_path):
    folder = tmp_path / "mappings"
    folder.mkdir()
    names = {
        "HP:0000002": "Abnormality of body height",
        "HP:0000003": "Cystic Kidney",
        "HP:0000008": "Something else",
    }
    (folder / "phenotype_mapping.json").write_text(json.dumps(names), encoding="utf-8")
    names = {"OMIM:100100": "琥珀热/Ambre fever/AMBER FEVER", "ORPHA:18": "Amber fever"}
    (folder / "disease_mapping.json").write_text(json.dumps(names), encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "facts", tables())


def test_what_the_tables_hold_is_counted(folder):
    found = report(load(folder))
    assert found.records == {
        "diseases": 2, "phenotypes": 4, "disciplines": 1, "drugs": 2, "instruments": 1,
        "guidelines": 1,
    }  # fmt: skip
    assert found.frequencies == {"sourced": 1, "authored": 3, "unknown": 1}
    assert (found.absent, found.proof) == (1, None)
    assert found.shared == {"diseases": {}, "phenotypes": {}}


def test_a_synonym_of_two_records_is_told(tmp_path):
    rows = tables()
    rows["diseases"][1]["synonyms"] = ["af"]
    rows["phenotypes"][3]["synonyms"] = ["cystic kidney"]
    assert report(load(write(tmp_path, rows))).shared == {
        "diseases": {"af": ("amber-fever", "blue-palsy")},
        "phenotypes": {"cystic kidney": ("HP:0000003", "sym-amber-glow")},
    }


def test_every_code_is_held_against_its_name(folder, mappings):
    proof = report(load(folder), mappings).proof
    assert proof.proven == {"hpo": 2, "omim": 1, "orpha": 0}
    assert proof.unproven == {"own": 1, "mondo": 0, "icd10cm": 1}
    name = "Abnormal morphology of female internal genitalia"
    assert proof.disagreements == (
        Disagreement("phenotypes", "HP:0000008", "HP:0000008", (name,), "Something else"),
        Disagreement(
            "diseases", "amber-fever", "ORPHA:17", ("Amber fever", "Fever, amber", "AF"), None
        ),
    )


def test_a_kept_proof_holds_until_a_name_or_code_changes(tmp_path, mappings):
    rows = tables()
    rows["diseases"][0]["codes"] = {"omim": ["OMIM:100100"]}
    rows["phenotypes"][2]["synonyms"] = ["Something else"]
    folder = write(tmp_path / "a", rows)
    assert "codes.json is missing" in stale(load(folder), folder)
    proof = report(load(folder), mappings).proof
    written = write_proof(folder, proof).read_bytes()
    assert stale(load(folder), folder) is None
    assert write_proof(folder, proof).read_bytes() == written

    rows["diseases"][0]["summary"] = "Another one."
    assert stale(load(write(tmp_path / "b", rows)), folder) is None
    rows["diseases"][0]["synonyms"] = ["Amber ague"]
    assert "has changed since" in stale(load(write(tmp_path / "c", rows)), folder)


def test_a_kept_proof_with_disagreements_does_not_hold(folder, mappings):
    write_proof(folder, report(load(folder), mappings).proof)
    assert stale(load(folder), folder).endswith("codes.json lists 2 disagreements")


def test_missing_and_broken_mappings_are_named(folder, mappings):
    (mappings / "disease_mapping.json").write_text("[]", encoding="utf-8")
    with pytest.raises(TaskError, match=r"disease_mapping\.json: expected a JSON object"):
        report(load(folder), mappings)
    (mappings / "disease_mapping.json").write_text('{"a', encoding="utf-8")
    with pytest.raises(TaskError, match=r"disease_mapping\.json line 1: not valid JSON"):
        report(load(folder), mappings)
    (mappings / "disease_mapping.json").unlink()
    with pytest.raises(ConfigError, match=r"cannot read .*disease_mapping\.json"):
        report(load(folder), mappings)


@pytest.mark.skipif(not RAREBENCH.is_dir(), reason=f"no mappings beside this checkout: {RAREBENCH}")
def test_the_published_mappings_are_read(tmp_path):
    rows = tables()
    real = disease("vici", "Vici syndrome", codes={"omim": ["OMIM:242840"], "orpha": ["ORPHA:10"]})
    rows["diseases"] = [real]
    rows["guidelines"] = []
    proof = report(load(write(tmp_path, rows)), RAREBENCH).proof
    assert proof.proven == {"hpo": 3, "omim": 1, "orpha": 0}
    (wrong,) = proof.disagreements
    assert (wrong.code, wrong.theirs) == ("ORPHA:10", "48,XXYY syndrome")


def test_profiles_name_their_features(folder, tmp_path):
    amber, blue = found = profiles(load(folder))
    assert (amber.id, amber.codes.omim, blue.name) == (
        "amber-fever",
        ("OMIM:100100",),
        "Blue palsy",
    )
    assert [(has.name, has.frequency.absent) for has in amber.features] == [
        ("Abnormality of body height", False),
        ("Multicystic kidney dysplasia", False),
        ("Abnormal morphology of female internal genitalia", True),
        ("Amber glow", False),
    ]
    file = tmp_path / "profiles.jsonl"
    file.write_text("".join(one.model_dump_json() + "\n" for one in found), encoding="utf-8")
    assert list(read_profiles(file)) == found
    assert isinstance(found[0], Profile)
