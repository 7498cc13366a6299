"""The dossiers: what is known of each gene and of each gene-disease pair of the tasks.

``tasks/clingen/dossiers/`` holds three files of one JSON object a line. ``genes.jsonl`` tells of
a gene what is the same for all its diseases, ``pairs.jsonl`` tells of a pair what belongs to this
disease, and ``other_genes.jsonl`` lists the genes that are mentioned as partners or paralogues
only. ``null`` means unknown, an empty list means that there is none.

A fact has sources: ``authored`` (general knowledge of the authors), ``g2p`` (Gene2Phenotype) or
``hpo`` (the annotations of the Human Phenotype Ontology); SOURCE.md beside the files names their
versions and licences. `gym_clinic.domains.clingen.dossier_rules` holds what must be true of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from gym_clinic.facts.typed_json import Strict, read_lines
from gym_clinic.paths import tasks_dir

FOLDER = "dossiers"
GENES, PAIRS, OTHERS = "genes.jsonl", "pairs.jsonl", "other_genes.jsonl"

MechanismClass = Literal[
    "loss of function",
    "haploinsufficiency",
    "dominant negative",
    "gain of function",
    "repeat expansion",
    "mitochondrial DNA",
    "RNA gene",
    "unknown",
]
Alleles = Literal["biallelic", "monoallelic", "either", "X-linked", "mitochondrial", "unknown"]
Origin = Literal["authored", "g2p", "hpo"]
Organism = Literal["mouse", "zebrafish", "fruit fly", "nematode", "budding yeast"]
AlleleModel = Literal[
    "null",
    "heterozygous null",
    "the variant itself",
    "expanded repeat",
    "mitochondrial variant at a measured load",
    "unknown",
]

ALLELES: Mapping[str, Alleles] = {
    "AR": "biallelic",
    "AD": "monoallelic",
    "SD": "either",
    "XL": "X-linked",
    "MT": "mitochondrial",
    "UD": "unknown",
}
"""ClinGen's mode of inheritance -> how many altered copies of the gene give the disease."""

_ALLELE_MODELS: Mapping[MechanismClass, AlleleModel] = {
    "loss of function": "null",
    "haploinsufficiency": "heterozygous null",
    "dominant negative": "the variant itself",
    "gain of function": "the variant itself",
    "RNA gene": "the variant itself",
    "repeat expansion": "expanded repeat",
    "mitochondrial DNA": "mitochondrial variant at a measured load",
    "unknown": "unknown",
}


def allele_model_of(mechanism: MechanismClass, alleles: Alleles) -> AlleleModel:
    """Return the allele that an animal or a cell must carry to model the disease.

    >>> allele_model_of("loss of function", "biallelic")
    'null'
    >>> allele_model_of("gain of function", "biallelic")
    'the variant itself'
    """
    if mechanism == "loss of function" and alleles == "monoallelic":
        return "heterozygous null"
    return _ALLELE_MODELS[mechanism]


Text = Annotated[str, Field(min_length=1, max_length=160, pattern=r"^\S(.*\S)?$")]
Symbol = Annotated[str, Field(pattern=r"^[A-Z][A-Za-z0-9-]*$")]
HgncId = Annotated[str, Field(pattern=r"^HGNC:[1-9][0-9]*$")]
Names = tuple[Text, ...]
Symbols = tuple[Symbol, ...]


class OtherGene(Strict):
    """A gene that dossiers mention as partner or paralogue only."""

    gene: Symbol
    hgnc_id: HgncId


class GeneDossier(Strict):
    """What is the same for all diseases of a gene.

    Attributes:
        genome: Where the gene lies; a mitochondrial gene has no nuclear alleles.
        kind: Whether its product is a protein or an RNA.
        product: Name of the product, as the HGNC has it.
        does: What the product does, one clause of our own.
        pathway: Process or complex that it works in.
        family: Its gene family; empty text is not used, none is ``null``.
        paralogues: Genes of the same family in the same genome.
        partners: Genes whose products it binds, modifies, or follows in the same pathway.
        models: Organisms with an orthologue that laboratories use.
    """

    gene: Symbol
    hgnc_id: HgncId
    genome: Literal["nuclear", "mitochondrial"]
    kind: Literal["protein", "RNA"]
    product: Text
    does: Text
    pathway: Text | None
    family: Text | None
    paralogues: Symbols | None
    partners: Symbols | None
    models: tuple[Organism, ...] | None


class Mechanism(Strict):
    """How variants of the gene give the disease."""

    name: MechanismClass
    sources: tuple[Origin, ...]


class CardinalPhenotype(Strict):
    """A sign or symptom by which the disease is known, a term of the HPO."""

    id: Annotated[str, Field(pattern=r"^HP:[0-9]{7}$")]
    name: Text
    sources: Annotated[tuple[Origin, ...], Field(min_length=1)]


class G2pEntry(Strict):
    """The entry of Gene2Phenotype for the same disease, told in our fields.

    Attributes:
        mim: OMIM number of the disease; none if the entry has none.
        consequence: Its mutation consequence.
        organs: Its organs.
    """

    mim: Annotated[str, Field(pattern=r"^[1-9][0-9]{5}$")] | None
    consequence: Text
    organs: Names


class PairDossier(Strict):
    """What belongs to one disease of a gene.

    Attributes:
        alleles: How many altered copies give the disease.
        sexes: Who is affected by an X-linked disease; ``null`` for others.
        allele_model: The allele that models the disease; it follows from the mechanism.
        tissues: Tissues where the disease acts, the most important first.
        phenotypes: Cardinal phenotypes, four to ten where they are known.
        earliest_year: No article on this pair is plausible before; ``null`` if unknown.
    """

    gene: Symbol
    hgnc_id: HgncId
    disease: Text
    mondo_id: Annotated[str, Field(pattern=r"^MONDO:[0-9]{7}$")]
    inheritance: Literal["AR", "AD", "SD", "XL", "MT", "UD"]
    alleles: Alleles
    sexes: Literal["males", "females", "both", "unknown"] | None
    mechanism: Mechanism
    allele_model: AlleleModel
    tissues: Annotated[Names, Field(min_length=1)]
    phenotypes: Annotated[tuple[CardinalPhenotype, ...], Field(max_length=10)]
    earliest_year: Annotated[int, Field(ge=1949, le=2030)] | None
    g2p: G2pEntry | None

    @property
    def key(self) -> tuple[str, str, str]:
        """Gene, disease id and inheritance, which name a pair of the tasks."""
        return self.gene, self.mondo_id, self.inheritance


class Dossiers(NamedTuple):
    """All dossiers.

    Attributes:
        genes: Of each gene, by its symbol.
        pairs: Of each pair, by gene, disease id and inheritance.
        others: Genes that are only mentioned: symbol -> HGNC id.
    """

    genes: Mapping[str, GeneDossier]
    pairs: Mapping[tuple[str, str, str], PairDossier]
    others: Mapping[str, str]


def load_dossiers(folder: Path) -> Dossiers:
    """Read the dossiers of a folder.

    Args:
        folder: Holds the three files.

    Raises:
        ConfigError: If a file is missing.
        TaskError: For a line that is no record, named by file, line and field.
    """
    return Dossiers(
        {gene.gene: gene for _, gene in read_lines(folder / GENES, GeneDossier)},
        {pair.key: pair for _, pair in read_lines(folder / PAIRS, PairDossier)},
        {other.gene: other.hgnc_id for _, other in read_lines(folder / OTHERS, OtherGene)},
    )


@lru_cache(maxsize=1)
def read_dossiers() -> Dossiers:
    """Return the dossiers that come with the tasks; they are read once a process."""
    return load_dossiers(tasks_dir("clingen") / FOLDER)
