"""The records of a simulated literature: what is true of a gene and a disease in its articles.

A `Literature` is complete before a word is written. Every text about it renders these records; the
same fact told twice comes from the same record. `packing` writes them as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VariantKind = Literal[
    "missense", "nonsense", "frameshift", "splice", "in-frame deletion", "exon deletion",
    "repeat expansion", "promoter", "mtDNA", "RNA",
]  # fmt: skip
PersonOrigin = Literal["de novo", "mother", "father", "both parents", "untested"]
Reading = Literal[
    "positive",
    "negative",
    "confounded",
    "unspecific",
    "contradicted",
    "other gene",
    "other disease",
]
ArticleKind = Literal[
    "cohort", "family", "functional", "model", "review", "case report", "paralogue",
    "sibling disease", "failure to replicate",
]  # fmt: skip


@dataclass(frozen=True)
class SequenceVariant:
    """A variant of the gene.

    Attributes:
        id: Synthetic number, "SIMVAR-0001234".
        kind: Its type.
        exon: Number of the exon; none for a variant outside exons.
        null: Whether it removes the product.
        load: Heteroplasmy in percent or number of repeats.
        population_alleles: How often it was seen in a reference population.
        population_total: Alleles examined there.
    """

    id: str
    kind: VariantKind
    exon: int | None = None
    null: bool = False
    load: int | None = None
    population_alleles: int = 0
    population_total: int = 251_000


@dataclass(frozen=True)
class Proband:
    """An affected person.

    Attributes:
        id: Number, "F1-II-2".
        onset_months: Age at onset in months; negative before birth.
        variants: Ids of one or two variants; the same id twice is a homozygous variant.
        in_trans: Whether two variants are proven to lie on different copies.
        present: Names of findings that the person has.
        absent: Names of findings that were sought and not found.
        first_article: Number of the article that describes the person first.
        other_cause: A variant of another gene that explains the disease, if there is one.
        consanguineous: Whether the parents are related by blood.
    """

    id: str
    sex: Literal["female", "male"]
    onset_months: int
    variants: tuple[str, ...]
    origin: PersonOrigin
    parents_tested: bool
    in_trans: bool
    present: tuple[str, ...]
    absent: tuple[str, ...]
    first_article: str
    other_cause: str | None = None
    consanguineous: bool = False


@dataclass(frozen=True)
class Family:
    """A family with its segregation."""

    id: str
    affected_carriers: int
    phenocopies: int
    unaffected_carriers: int
    lod: float


@dataclass(frozen=True)
class CaseControl:
    """Carriers among cases and controls, with the odds ratio, its interval and p (Fisher)."""

    case_carriers: int
    cases: int
    control_carriers: int
    controls: int
    odds_ratio: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Arm:
    """A group of an experiment: mean and SD, or a count of n.

    Attributes:
        role: "test", "reference", "partner" (without a partner of the gene) or "control" (without
            what the test group has, so that it should read as the reference).
    """

    role: str
    label: str
    n: int
    mean: float | None = None
    sd: float | None = None
    count: int | None = None


@dataclass(frozen=True)
class GroupComparison:
    """The comparison of the first two arms, computed from them.

    Attributes:
        test: Name of the test.
        difference: First arm less second; for counts the difference of shares in percent.
        low: Lower end of its 95% confidence interval.
        high: Upper end.
        p: Two-sided p value.
    """

    test: str
    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Experiment:
    """What an experiment of an article showed.

    Attributes:
        design: Key of the experiment's design.
        gene: Gene examined, which may be another one than the world's.
        system: Organism, tissue or cell, as a noun phrase.
        reading: What it means for the gene and the disease.
        subtype: The evidence that it is; none for no evidence.
    """

    id: str
    design: str
    gene: str
    system: str
    measure: str
    unit: str
    units_of_n: str
    arms: tuple[Arm, ...]
    comparison: GroupComparison
    reading: Reading
    subtype: str | None = None
    person: str | None = None
    variant: str | None = None
    organism: str | None = None
    partner: str | None = None
    confounder: str | None = None


@dataclass(frozen=True)
class AbstractPlan:
    """How the abstract departs from the text: ids left out, hedged or overstated."""

    omits: tuple[str, ...] = ()
    hedges: tuple[str, ...] = ()
    overstates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Publication:
    """An article: the records that it tells, by id, and the earlier articles that it cites."""

    pmid: str
    pmcid: str
    year: int
    kind: ArticleKind
    gene: str
    disease: str
    persons: tuple[str, ...]
    families: tuple[str, ...]
    case_control: CaseControl | None
    results: tuple[str, ...]
    cites: tuple[str, ...]
    short: bool
    abstract: AbstractPlan = AbstractPlan()


@dataclass(frozen=True)
class Literature:
    """All articles on a gene and a disease, with the facts of the dossier that texts need."""

    gene: str
    hgnc_id: str
    disease: str
    mondo_id: str
    inheritance: str
    mechanism: str
    product: str
    does: str
    pathway: str | None
    family: str | None
    gene_partners: tuple[str, ...]
    tissues: tuple[str, ...]
    phenotypes: tuple[str, ...]
    variants: tuple[SequenceVariant, ...]
    persons: tuple[Proband, ...]
    families: tuple[Family, ...]
    results: tuple[Experiment, ...]
    articles: tuple[Publication, ...]
