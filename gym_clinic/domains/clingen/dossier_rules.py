"""What must be true of all dossiers: inheritance, mechanism, dates, genes and phenotypes.

A rule takes the dossiers and yields what is wrong, one line for each finding. `RULES` lists them;
tests/domains/clingen/test_dossier_rules.py holds for each the change that breaks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from gym_clinic.domains.clingen.dossiers import (
    ALLELES,
    Dossiers,
    PairDossier,
    allele_model_of,
)

Rule = Callable[[Dossiers], Iterator[str]]

CONSEQUENCES: Mapping[str, frozenset[str]] = {
    "loss of function": frozenset({"loss of function", "haploinsufficiency"}),
    "activating": frozenset({"gain of function"}),
    "gain of function": frozenset({"gain of function"}),
    "increased gene dosage": frozenset({"gain of function"}),
    "dominant negative": frozenset({"dominant negative"}),
}
"""A mutation consequence of Gene2Phenotype -> the mechanisms that agree with it."""


def genes_of_pairs(dossiers: Dossiers) -> Iterator[str]:
    """Each pair has the dossier of its gene, with the same id, and each gene has a pair."""
    for pair in dossiers.pairs.values():
        gene = dossiers.genes.get(pair.gene)
        if gene is None or gene.hgnc_id != pair.hgnc_id:
            yield f"{_name(pair)}: no gene {pair.gene} with id {pair.hgnc_id}"
    for symbol in dossiers.genes.keys() - {pair.gene for pair in dossiers.pairs.values()}:
        yield f"{symbol}: a gene without a pair"


def mitochondrial_genes(dossiers: Dossiers) -> Iterator[str]:
    """A gene of mitochondrial DNA has no nuclear alleles, and no other gene has its mechanism."""
    for pair in dossiers.pairs.values():
        told = {
            pair.gene.startswith("MT-"),
            dossiers.genes[pair.gene].genome == "mitochondrial",
            pair.inheritance == "MT",
            pair.mechanism.name == "mitochondrial DNA",
        }
        if len(told) > 1:
            yield f"{_name(pair)}: symbol, genome, inheritance and mechanism disagree on mtDNA"


def alleles_of_inheritance(dossiers: Dossiers) -> Iterator[str]:
    """The number of altered copies follows from the inheritance: a recessive disease needs two."""
    for pair in dossiers.pairs.values():
        if pair.alleles != ALLELES[pair.inheritance]:
            yield f"{_name(pair)}: {pair.inheritance} is {ALLELES[pair.inheritance]}"


def mechanism_of_inheritance(dossiers: Dossiers) -> Iterator[str]:
    """One copy suffices for haploinsufficiency and dominant negative variants; one is altered."""
    for pair in dossiers.pairs.values():
        if pair.inheritance in {"AR", "XL"} and pair.mechanism.name in {
            "haploinsufficiency",
            "dominant negative",
        }:
            yield f"{_name(pair)}: {pair.mechanism.name} in {pair.inheritance} disease"


def allele_models(dossiers: Dossiers) -> Iterator[str]:
    """The modelling allele follows from the mechanism: no null models a gain of function."""
    for pair in dossiers.pairs.values():
        expected = allele_model_of(pair.mechanism.name, pair.alleles)
        if pair.allele_model != expected:
            yield f"{_name(pair)}: {pair.mechanism.name} is modelled by {expected}"


def rna_genes(dossiers: Dossiers) -> Iterator[str]:
    """The mechanism "RNA gene" belongs to nuclear genes whose product is an RNA."""
    for pair in dossiers.pairs.values():
        gene = dossiers.genes[pair.gene]
        if (pair.mechanism.name == "RNA gene") != (gene.kind == "RNA" and gene.genome == "nuclear"):
            yield f"{_name(pair)}: mechanism {pair.mechanism.name} of a {gene.genome} {gene.kind}"


def sexes_of_x_linked(dossiers: Dossiers) -> Iterator[str]:
    """An X-linked disease tells the affected sexes, any other does not."""
    for pair in dossiers.pairs.values():
        if (pair.sexes is not None) != (pair.inheritance == "XL"):
            yield f"{_name(pair)}: sexes {pair.sexes} of {pair.inheritance} disease"


def known_and_sourced(dossiers: Dossiers) -> Iterator[str]:
    """A known mechanism has a source, an unknown one has none; G2P agrees where it is cited."""
    for pair in dossiers.pairs.values():
        name, sources = pair.mechanism.name, pair.mechanism.sources
        if (name == "unknown") != (not sources):
            yield f"{_name(pair)}: mechanism {name} from {[*sources]}"
        if "g2p" in sources and (
            pair.g2p is None or name not in CONSEQUENCES.get(pair.g2p.consequence, ())
        ):
            yield f"{_name(pair)}: G2P does not say {name}"


def one_name_an_id(dossiers: Dossiers) -> Iterator[str]:
    """A phenotype id has one name and a name one id, and a pair lists each once."""
    names: dict[str, str] = {}
    ids: dict[str, str] = {}
    for pair in dossiers.pairs.values():
        for term in pair.phenotypes:
            if names.setdefault(term.id, term.name) != term.name:
                yield f"{_name(pair)}: {term.id} is {names[term.id]!r} and {term.name!r}"
            if ids.setdefault(term.name, term.id) != term.id:
                yield f"{_name(pair)}: {term.name!r} is {ids[term.name]} and {term.id}"
        if len({term.id for term in pair.phenotypes}) < len(pair.phenotypes):
            yield f"{_name(pair)}: a phenotype twice"


def relatives_exist(dossiers: Dossiers) -> Iterator[str]:
    """Partners and paralogues are genes with an id; none is the gene itself or listed twice."""
    known = dossiers.genes.keys() | dossiers.others.keys()
    used = set[str]()
    for gene in dossiers.genes.values():
        for relatives in (gene.paralogues or (), gene.partners or ()):
            if gene.gene in relatives or len(set(relatives)) < len(relatives):
                yield f"{gene.gene}: itself or a gene twice in {[*relatives]}"
            used.update(relatives)
            for symbol in set(relatives) - known:
                yield f"{gene.gene}: {symbol} is no gene with an id"
    for symbol in dossiers.others.keys() - used | (dossiers.others.keys() & dossiers.genes.keys()):
        yield f"{symbol}: listed among other genes, but not mentioned or a gene of the tasks"
    ids = [*(gene.hgnc_id for gene in dossiers.genes.values()), *dossiers.others.values()]
    if len(set(ids)) < len(ids):
        yield "an HGNC id belongs to two genes"


def relatives_share_the_genome(dossiers: Dossiers) -> Iterator[str]:
    """A paralogue lies in the same genome."""
    for gene in dossiers.genes.values():
        for symbol in gene.paralogues or ():
            if symbol.startswith("MT-") != gene.gene.startswith("MT-"):
                yield f"{gene.gene}: paralogue {symbol} of the other genome"


RULES: tuple[Rule, ...] = (
    genes_of_pairs,
    mitochondrial_genes,
    alleles_of_inheritance,
    mechanism_of_inheritance,
    allele_models,
    rna_genes,
    sexes_of_x_linked,
    known_and_sourced,
    one_name_an_id,
    relatives_exist,
    relatives_share_the_genome,
)


def find_faults(dossiers: Dossiers) -> list[str]:
    """Return what is wrong with the dossiers; the missing gene of a pair hides other faults."""
    return [*genes_of_pairs(dossiers)] or [*chain(*(rule(dossiers) for rule in RULES))]


def find_late_years(
    dossiers: Dossiers, curated: Mapping[tuple[str, str, str], int]
) -> Iterator[str]:
    """Yield the pairs whose earliest year is after their curation.

    Args:
        dossiers: The dossiers.
        curated: Year of the curation, by gene, disease id and inheritance.
    """
    for key, pair in dossiers.pairs.items():
        if pair.earliest_year is not None and pair.earliest_year > curated[key]:
            yield f"{_name(pair)}: first reported in {pair.earliest_year}, curated {curated[key]}"


def _name(pair: PairDossier) -> str:
    return " ".join(pair.key)
