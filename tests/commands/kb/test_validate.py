from __future__ import annotations

import json

import pytest
from fact_tables import tables, write

from gym_clinic.cli import main


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


def test_proven_tables_are_valid_and_stay_so_without_the_mappings(folder, mappings, capsys):
    assert main(["kb", "validate", str(folder), "--mappings", str(mappings)]) == 0
    printed = capsys.readouterr().out
    assert "diseases 2, phenotypes 4" in printed
    assert "1 sourced, 3 authored, 1 unknown; 1 of these features are absent ones" in printed
    assert "proven hpo 3, omim 1, orpha 1; without a mapping own 1" in printed
    assert json.loads((folder / "codes.json").read_bytes())["disagreements"] == []
    assert main(["kb", "validate", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "not proven again, for no mappings were given" in printed
    assert "the kept proof is one of these tables" in printed


def test_a_code_with_another_name_is_told(folder, mappings, capsys):
    names = {"OMIM:100100": "Cyan cough"}
    (mappings / "disease_mapping.json").write_text(json.dumps(names), encoding="utf-8")
    assert main(["kb", "validate", str(folder), "--mappings", str(mappings)]) == 1
    printed = capsys.readouterr().out
    assert "diseases amber-fever: OMIM:100100 is 'Cyan cough' there, here Amber fever" in printed
    assert "ORPHA:17 is unknown there" in printed
    assert "2 disagreements" in printed


def test_tables_without_a_proof_are_told(folder, capsys):
    assert main(["kb", "validate", str(folder)]) == 1
    assert "codes.json is missing" in capsys.readouterr().out


def test_a_synonym_of_two_diseases_is_told(tmp_path, capsys):
    rows = tables()
    rows["diseases"][1]["synonyms"] = ["AF"]
    main(["kb", "validate", str(write(tmp_path, rows))])
    assert "'af' is a synonym of amber-fever, blue-palsy" in capsys.readouterr().out


def test_a_broken_table_is_an_error(folder, capsys):
    (folder / "drugs.jsonl").write_text("{}\n", encoding="utf-8")
    assert main(["kb", "validate", str(folder)]) == 2
    assert "drugs.jsonl line 1, field" in capsys.readouterr().err
