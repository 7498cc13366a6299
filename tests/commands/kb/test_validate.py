from __future__ import annotations

import json

import pytest
from fact_tables import tables, write


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "facts", tables())


@pytest.fixture
def mappings(tmp_path):
    folder = tmp_path / "mappings"
    folder.mkdir()
    rows = tables()
    names = {row["id"]: row["name"] for row in rows["phenotypes"]}
    (folder / "phenotype_mapping.json").write_text(json.dumps(names), encoding="utf-8")
    names = {"OMIM:100100": "AMBER FEVER", "ORPHA:17": "Amber fever"}
    (folder / "disease_mapping.json").write_text(json.dumps(names), encoding="utf-8")
    return folder


def test_the_proof_is_kept_for_later_runs(folder, mappings, run):
    status, out, _ = run("kb", "validate", folder, "--mappings", mappings)
    assert status == 0
    assert "diseases 2, phenotypes 4" in out
    assert "1 sourced, 3 authored, 1 unknown; 1 of these features are absent ones" in out
    assert "proven hpo 3, omim 1, orpha 1; without a mapping own 1" in out
    assert json.loads((folder / "codes.json").read_bytes())["disagreements"] == []
    status, out, _ = run("kb", "validate", folder)
    assert status == 0
    assert "not proven again, for no mappings were given" in out
    assert "the kept proof is one of these tables" in out


def test_a_code_with_another_name_is_printed(folder, mappings, run):
    names = {"OMIM:100100": "Cyan cough"}
    (mappings / "disease_mapping.json").write_text(json.dumps(names), encoding="utf-8")
    status, out, _ = run("kb", "validate", folder, "--mappings", mappings)
    assert status == 1
    assert "diseases amber-fever: OMIM:100100 is 'Cyan cough' there, here Amber fever" in out
    assert "ORPHA:17 is unknown there" in out
    assert "2 disagreements" in out


def test_a_missing_proof_is_printed(folder, run):
    status, out, _ = run("kb", "validate", folder)
    assert status == 1
    assert "codes.json is missing" in out


def test_a_synonym_of_two_diseases_is_printed(tmp_path, run):
    rows = tables()
    rows["diseases"][1]["synonyms"] = ["AF"]
    out = run("kb", "validate", write(tmp_path, rows)).out
    assert "'af' is a synonym of amber-fever, blue-palsy" in out


def test_a_broken_table_is_an_error(folder, run):
    (folder / "drugs.jsonl").write_text("{}\n", encoding="utf-8")
    status, _, err = run("kb", "validate", folder)
    assert status == 2
    assert "drugs.jsonl line 1, field" in err
