from __future__ import annotations

import orjson
import pytest

from gym_clinic.errors import TaskError
from gym_clinic.facts import load
from gym_clinic.facts.records.terms import TERMS, read_terms
from gym_clinic.facts.tables import default_folder
from gym_clinic.facts.typed_json import read_object
from kb.build.layout import lay_out


def test_terms_belong_to_findings_of_the_table():
    phenotypes = load().phenotypes
    found = read_terms()
    assert len(found) >= 900
    assert {key: one.name for key, one in found.items()} == {
        key: phenotypes[key].name for key in found
    }


def test_files_of_terms_have_their_layout():
    files = sorted((default_folder() / TERMS).glob("*.json"))
    assert files
    for file in files:
        assert file.read_bytes() == lay_out(file, read_object(file)), file.name


def test_a_finding_with_two_records_is_an_error(tmp_path):
    record = {"id": "HP:0001945", "name": "Fever", "terms": ["burning up"]}
    shared = {"sources": ["authored"], "provenance": "authored", "reviewed": "2026-11-22"}
    (tmp_path / TERMS).mkdir()
    table = {"defaults": shared, "records": [record, record]}
    (tmp_path / TERMS / "a.json").write_bytes(orjson.dumps(table))
    with pytest.raises(TaskError, match=r"record 2 \(HP:0001945\), field id: duplicate"):
        read_terms(tmp_path)
