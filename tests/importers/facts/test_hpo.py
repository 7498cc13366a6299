"""The Human Phenotype Ontology is taken by its prefix; another ontology is refused."""

from __future__ import annotations

import pytest
from importer_samples import FACT_FILES, OBO, graph
from real_data import real

from gym_clinic.errors import TaskError
from gym_clinic.importers.facts.hpo import read_hpo, read_hpo_obo, read_names

OTHERS = {
    "GO": ("GO_0000118", "GO_0000001"),
    "MONDO": ("MONDO_0000118", "MONDO_0000001"),
    "CL": ("CL_1", "CL_2", "HP_0000118"),
}


@pytest.mark.parametrize("prefix", OTHERS)
def test_another_ontology_is_refused_by_its_prefix(prefix, tmp_path):
    file = tmp_path / "other.json"
    file.write_bytes(graph(*OTHERS[prefix]))
    with pytest.raises(TaskError, match=rf"HP: terms?, but {prefix}: \(2\).*expected an ontology"):
        list(read_hpo(file))
    file.write_text(OBO.replace("HP:", f"{prefix}:"), encoding="utf-8")
    with pytest.raises(TaskError, match=rf"no HP: term, but {prefix}: \(2\)"):
        list(read_hpo_obo(file))
    with pytest.raises(TaskError, match="no HP: term"):
        read_names(file)


def test_imported_terms_of_other_ontologies_stay(tmp_path):
    file = tmp_path / "hp.json"
    file.write_bytes(graph("HP_0000118", "HP_0000001", "UBERON_0000001"))
    assert [term.id for term in read_hpo(file)] == [
        "HP:0000118", "HP:0000001", "UBERON:0000001",
    ]  # fmt: skip


def test_names_are_read_in_either_format_whatever_the_file_is_called(tmp_path):
    file = tmp_path / "ontology"
    for format, code in (("hpo", "HP:0000118"), ("hpo-obo", "HP:9000001")):
        file.write_bytes(FACT_FILES[format])
        assert read_names(file)[code]


def test_the_published_ontology_is_taken():
    assert len(list(read_hpo(real("hpo/hp.toy.json")))) > 500
    assert len(list(read_hpo_obo(real("hpo/hp_head.obo")))) == 26
