"""The ids of the tables, proven against their published names."""

from __future__ import annotations

import json

import pytest
from fact_tables import disease, tables, write
from places import KB
from real_data import real

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import load
from kb.build.proof import check_proof, prove


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
def facts(tmp_path):
    return load(write(tmp_path / "facts", tables()))


def test_the_proof_of_the_embedded_tables_holds():
    check_proof(load(KB / "facts"))


def test_every_id_is_compared_with_its_name(facts, mappings):
    with pytest.raises(TaskError) as error:
        prove(facts, mappings)
    assert str(error.value) == (
        "2 ids are not proven:\n"
        "  HP:0000008 of 'HP:0000008' is 'Something else' there, here "
        "['Abnormal morphology of female internal genitalia']\n"
        "  ORPHA:17 of 'amber-fever' has no name there, here "
        "['Amber fever', 'Fever, amber', 'AF']"
    )


def test_a_kept_proof_holds_until_a_name_or_an_id_changes(tmp_path, mappings):
    rows = tables()
    rows["diseases"][0]["codes"] = {"omim": ["OMIM:100100"], "icd10cm": ["A01.0"]}
    rows["phenotypes"][2]["synonyms"] = ["Something else"]
    facts = load(write(tmp_path / "a", rows))
    proof = tmp_path / "proof.json"
    proof.write_bytes(prove(facts, mappings))
    check_proof(facts, proof)
    assert prove(facts, mappings) == proof.read_bytes()
    kept = json.loads(proof.read_bytes())
    assert kept["proven"] == {"hpo": 3, "omim": 1}
    assert kept["unproven"] == {"own": 1, "icd10cm": 1}

    rows["diseases"][0]["summary"] = "Another one."
    check_proof(load(write(tmp_path / "b", rows)), proof)
    rows["diseases"][0]["synonyms"] = ["Amber ague"]
    with pytest.raises(TaskError, match="has changed since"):
        check_proof(load(write(tmp_path / "c", rows)), proof)


def test_missing_and_broken_files_are_named(facts, mappings, tmp_path):
    (mappings / "disease_mapping.json").write_text("[]", encoding="utf-8")
    with pytest.raises(TaskError, match=r"disease_mapping\.json: expected a JSON object"):
        prove(facts, mappings)
    (mappings / "disease_mapping.json").write_text('{"a', encoding="utf-8")
    with pytest.raises(TaskError, match=r"disease_mapping\.json line 1: not valid JSON"):
        prove(facts, mappings)
    (mappings / "disease_mapping.json").unlink()
    with pytest.raises(ConfigError, match=r"cannot read .*disease_mapping\.json"):
        prove(facts, mappings)
    with pytest.raises(ConfigError, match=r"cannot read .*proof\.json"):
        check_proof(facts, tmp_path / "proof.json")


def test_the_published_mappings_are_read(tmp_path):
    rows = tables()
    vici = disease("vici", "Vici syndrome", codes={"omim": ["OMIM:242840"], "orpha": ["ORPHA:10"]})
    rows["diseases"], rows["guidelines"] = [vici], []
    facts = load(write(tmp_path, rows))
    with pytest.raises(TaskError, match=r"^1 ids .*\n  ORPHA:10 of 'vici' is '48,XXYY syndrome'"):
        prove(facts, real("rarebench"))
