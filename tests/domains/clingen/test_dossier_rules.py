"""Each rule holds for all dossiers, and the change that breaks it is found by this rule."""

from __future__ import annotations

from typing import Any

import pytest

from gym_clinic.domains.clingen import dossier_rules
from gym_clinic.domains.clingen.dossier_rules import RULES, Rule, find_faults
from gym_clinic.domains.clingen.dossiers import Dossiers, Mechanism, read_dossiers

Key = tuple[str, str, str]

RECESSIVE: Key = ("GAA", "MONDO:0009290", "AR")
DOMINANT: Key = ("HTT", "MONDO:0007739", "AD")
GAIN: Key = ("CASR", "MONDO:0011013", "AD")
NUCLEAR: Key = ("SURF1", "MONDO:0044970", "AR")


def test_all_dossiers_keep_all_rules() -> None:
    assert find_faults(read_dossiers()) == []


def changed(
    pair: dict[str, Any] | None = None,
    gene: dict[str, Any] | None = None,
    *,
    key: Key = RECESSIVE,
    others: dict[str, str] | None = None,
) -> Dossiers:
    """Return the dossiers with other fields of one pair and of its gene."""
    all_of = read_dossiers()
    genes, pairs = dict(all_of.genes), dict(all_of.pairs)
    pairs[key] = pairs[key].model_copy(update=pair or {})
    genes[key[0]] = genes[key[0]].model_copy(update=gene or {})
    return Dossiers(genes, pairs, {**all_of.others, **(others or {})})


def mechanism(name: str, *sources: str) -> dict[str, Any]:
    return {"mechanism": Mechanism.model_validate({"name": name, "sources": sources})}


def phenotype(**fields: str) -> dict[str, Any]:
    first, *rest = read_dossiers().pairs[RECESSIVE].phenotypes
    return {"phenotypes": (first.model_copy(update=fields), *rest)}


TERM = read_dossiers().pairs[RECESSIVE].phenotypes[0]

BREAKS: list[tuple[Rule, Dossiers]] = [
    (dossier_rules.genes_of_pairs, changed({"hgnc_id": "HGNC:1"})),
    (dossier_rules.mitochondrial_genes, changed(gene={"genome": "mitochondrial"}, key=NUCLEAR)),
    (
        dossier_rules.mitochondrial_genes,
        changed(mechanism("mitochondrial DNA", "authored"), key=NUCLEAR),
    ),
    (dossier_rules.alleles_of_inheritance, changed({"alleles": "monoallelic"})),
    (dossier_rules.mechanism_of_inheritance, changed(mechanism("haploinsufficiency", "authored"))),
    (dossier_rules.allele_models, changed({"allele_model": "null"}, key=GAIN)),
    (dossier_rules.rna_genes, changed(gene={"kind": "RNA"})),
    (dossier_rules.sexes_of_x_linked, changed({"sexes": "males"}, key=DOMINANT)),
    (dossier_rules.known_and_sourced, changed(mechanism("unknown", "authored"))),
    (dossier_rules.known_and_sourced, changed(mechanism("repeat expansion", "g2p"), key=DOMINANT)),
    (dossier_rules.one_name_an_id, changed(phenotype(name="Muscle hypertrophy of the calves"))),
    (dossier_rules.one_name_an_id, changed(phenotype(id="HP:9999999"))),
    (dossier_rules.one_name_an_id, changed({"phenotypes": (TERM, TERM)})),
    (dossier_rules.relatives_exist, changed(gene={"paralogues": ("GAA",)})),
    (dossier_rules.relatives_exist, changed(gene={"partners": ("NOGENE9",)})),
    (dossier_rules.relatives_exist, changed(others={"NOGENE9": "HGNC:999999"})),
    (dossier_rules.relatives_exist, changed(gene={"hgnc_id": "HGNC:4851"})),
    (dossier_rules.relatives_share_the_genome, changed(gene={"paralogues": ("MT-ND4",)})),
]


@pytest.mark.parametrize(("rule", "broken"), BREAKS, ids=[rule.__name__ for rule, _ in BREAKS])
def test_a_broken_rule_is_found(rule: Rule, broken: Dossiers) -> None:
    assert [*rule(read_dossiers())] == []
    assert [*rule(broken)] != []
    assert find_faults(broken) != []


def test_each_rule_is_tried() -> None:
    assert {rule for rule, _ in BREAKS} == {*RULES}


def test_a_gene_without_a_pair_is_found() -> None:
    all_of = read_dossiers()
    lonely = all_of.genes["GAA"].model_copy(update={"gene": "GAA2", "hgnc_id": "HGNC:999998"})
    broken = all_of._replace(genes={**all_of.genes, "GAA2": lonely})
    assert find_faults(broken) == ["GAA2: a gene without a pair"]
