from __future__ import annotations

import pytest
from fact_tables import tables, write


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "facts", tables())


def test_the_records_of_the_tables_are_counted(folder, run):
    status, out, _ = run("kb", "validate", folder)
    assert status == 0
    assert "diseases 2, phenotypes 4, disciplines 1, drugs 2, drug_classes 1" in out
    assert "1 sourced, 3 authored, 1 unknown; 1 of these features are absent ones" in out


def test_the_embedded_tables_are_the_default(run):
    status, out, _ = run("kb", "validate")
    assert status == 0
    assert "diseases 592" in out


def test_a_synonym_of_several_records_is_printed(tmp_path, run):
    rows = tables()
    rows["diseases"][1]["synonyms"] = ["af"]
    rows["phenotypes"][3]["synonyms"] = ["cystic kidney"]
    status, out, _ = run("kb", "validate", write(tmp_path, rows))
    assert status == 0
    assert "diseases: 'af' is a synonym of amber-fever, blue-palsy" in out
    assert "phenotypes: 'cystic kidney' is a synonym of HP:0000003, sym-amber-glow" in out


def test_a_broken_table_is_an_error(folder, run):
    (folder / "drugs.json").write_text('{"records": [{}]}', encoding="utf-8")
    status, _, err = run("kb", "validate", folder)
    assert status == 2
    assert "drugs.json record 1, field" in err
