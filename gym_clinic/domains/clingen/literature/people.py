"""Draws persons, their variants and families once it is settled who earns points and why.

How many persons an article describes is drawn without the class. What decides is in the person: a
variant that is too common, a second hit that is not proven, or a cause in another gene earns
nothing. Age at onset and sex follow from the disease; ``onsets.json`` holds the ranges.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Literal, NamedTuple

from gym_clinic.domains.clingen.dossiers import MechanismClass, PairDossier, read_dossiers
from gym_clinic.domains.clingen.genetic_table import NO_NULL
from gym_clinic.domains.clingen.literature.designs import family_of, needs_function
from gym_clinic.domains.clingen.literature.records import (
    Family,
    PersonOrigin,
    Proband,
    SequenceVariant,
    VariantKind,
)
from gym_clinic.domains.clingen.literature.scoring import lod_of
from gym_clinic.domains.clingen.literature.signs import course_tables, draw_signs

NULLS: tuple[VariantKind, ...] = (
    "nonsense", "nonsense", "frameshift", "frameshift", "frameshift", "splice", "exon deletion",
)  # fmt: skip
OTHERS: tuple[VariantKind, ...] = ("missense", "missense", "missense", "in-frame deletion")
SPOILS: Mapping[str, int] = {"common": 24, "unproven": 24, "other cause": 1}
"""Reason for which a person earns nothing -> weight; a second diagnosis is rare."""

TWO_NULL, TWO = "two in trans, one null or de novo", "two in trans"

LATE_ONSET = 200
"""Months at onset from which a disease seldom keeps its carriers from having children."""

PHENOCOPIES = 0.04
"""Share of families with an affected person who lacks the variant."""

RARE_ALLELES = 2
"""Most alleles of a rare variant in the reference population."""

HOMOZYGOUS = 0.35
"""Share of persons with a recessive disease whose parents are related."""

MITOCHONDRIAL_GENOMES = 56_434
"""Mitochondrial genomes of the reference population."""


class DiseaseCourse(NamedTuple):
    """When and in whom a disease begins.

    Attributes:
        low: Earliest age at onset in months; negative before birth.
        high: Latest.
        sex: The only sex affected, if it is one.
        de_novo: How readily de novo variants are found, 0 to 1; low where the disease begins late.
    """

    low: int
    high: int
    sex: Literal["female", "male"] | None
    de_novo: float


@dataclass(frozen=True)
class PersonSlot:
    """A person to be drawn: the id, the article that reports it first, and its variants' ids.

    Attributes:
        pinned: Whether an experiment examines the first variant, which is then a missense.
        familial: Whether the article reports the segregation in the person's family.
        phenocopy: Whether an affected relative lacks the variant by chance.
    """

    id: str
    article: str
    variants: tuple[str, ...]
    pinned: bool
    familial: bool = False
    phenocopy: bool = False

    @property
    def family(self) -> str:
        """Number of the person's family."""
        return self.id.split("-")[0]


class PersonPlan(NamedTuple):
    """What is settled of a person: a row of the case-level table, or why there are no points."""

    row: str
    spoil: str = ""


def course_of(pair: PairDossier) -> DiseaseCourse:
    """Return when and in whom the disease begins, by its name, else by its tissue."""
    name = pair.disease.lower()
    tables = course_tables()
    for words, *course in tables["diseases"]:
        if any(word in name for word in words):
            return DiseaseCourse(*course)
    return DiseaseCourse(*tables["tissues"][family_of(pair.tissues[0])])


@lru_cache(maxsize=4096)
def other_causes(pair: PairDossier) -> tuple[str, ...]:
    """Second diagnoses of a person: variants of known genes with the same defining finding."""
    found = []
    for other in read_dossiers().pairs.values():
        one = course_tables()["causes"].get(other.inheritance)
        if (
            one
            and other.gene != pair.gene
            and other.mechanism.sources
            and other.phenotypes[:1] == pair.phenotypes[:1]
        ):
            found.append(one.format(gene=other.gene))
    return tuple(dict.fromkeys(found))


def rows_for(
    pair: PairDossier, mechanism: MechanismClass, slot: PersonSlot, taken: Collection[str] = ()
) -> list[str]:
    """The rows of the case-level table that a person of this disease can belong to.

    Args:
        pair: The disease.
        mechanism: How variants of the gene cause it.
        slot: The person; one with a family that segregates has an inherited variant.
        taken: Rows of the persons before; one de novo is all where the disease begins late.
    """
    no_null = mechanism in NO_NULL or (pair.inheritance == "XL" and needs_function(pair.gene))
    course = course_of(pair)
    if pair.inheritance == "AR":
        return [TWO] if no_null or mechanism == "repeat expansion" else [TWO_NULL, TWO]
    found = ["other"]
    if not (pair.inheritance == "MT" or no_null or slot.pinned) and mechanism not in (
        "repeat expansion",
        "RNA gene",
    ):
        found.insert(0, "null")
    if course.low >= LATE_ONSET and "de novo" in taken:
        return found
    if not slot.familial and mechanism != "repeat expansion" and course.de_novo:
        found.insert(0, "de novo")
    return found


def draw_spoil(rng: Random, pair: PairDossier, slot: PersonSlot) -> str:
    """Draw the reason for which a person earns nothing; a genotyped family tells the phase."""
    found = {
        name: weight
        for name, weight in SPOILS.items()
        if (name != "unproven" or (pair.inheritance == "AR" and not slot.familial))
        and (name != "other cause" or other_causes(pair))
    }
    return rng.choices([*found], weights=[*found.values()])[0]


def draw_person(
    rng: Random, pair: PairDossier, mechanism: MechanismClass, slot: PersonSlot, plan: PersonPlan,
    signs: tuple[str, ...],
) -> tuple[Proband, tuple[SequenceVariant, ...]]:  # fmt: skip
    """Draw a person and the variants.

    Args:
        rng: Source of randomness.
        pair: The disease.
        mechanism: How variants of the gene cause it.
        slot: Ids of person, article and variants.
        plan: What is settled of the person.
        signs: Findings of the disease.
    """
    recessive = pair.inheritance == "AR"
    course = course_of(pair)
    de_novo = plan.row == "de novo"
    null = plan.row in ("null", TWO_NULL) or (
        de_novo and "null" in rows_for(pair, mechanism, slot) and rng.random() < 0.3
    )
    related = recessive and plan.spoil != "unproven" and rng.random() < HOMOZYGOUS
    whole = needs_function(pair.gene)
    related = related and not (null and (slot.pinned or whole))
    keys = (slot.variants[0],) * 2 if related else slot.variants
    nulls = {keys[-1]} if null else set[str]()
    if len(set(keys)) > 1 and null and not (slot.pinned or whole) and rng.random() < 0.4:
        nulls.add(keys[0])
    variants = tuple(
        _variant(
            rng, pair, mechanism, key, null=key in nulls, pinned=slot.pinned and not place,
            common=plan.spoil == "common" and not place,
        )
        for place, key in enumerate(dict.fromkeys(keys))
    )  # fmt: skip
    both: tuple[Literal["female", "male"], ...] = ("female", "male")
    sex = rng.choice(both) if course.sex is None else course.sex
    if pair.sexes in ("males", "females"):
        sex = "male" if pair.sexes == "males" else "female"
    origin: PersonOrigin
    if de_novo:
        origin = "de novo"
    elif recessive:
        origin = "untested" if plan.spoil == "unproven" else "both parents"
    elif pair.inheritance in ("MT", "XL"):
        origin = "mother" if slot.familial else rng.choice(("mother", "untested"))
    else:
        parents: tuple[PersonOrigin, ...] = ("mother", "father")
        origin = rng.choice(parents if slot.familial else (*parents, "untested"))
    shown, absent, ages = draw_signs(rng, pair.disease, signs, sex, course.low, course.high)
    person = Proband(
        slot.id,
        sex,
        _onset(rng, *ages),
        keys,
        origin,
        origin in ("de novo", "both parents"),
        recessive and plan.spoil != "unproven",
        tuple(shown),
        tuple(absent),
        slot.article,
        rng.choice(other_causes(pair)) if plan.spoil == "other cause" else None,
        related,
    )
    return person, variants


def draw_family(
    rng: Random, pair: PairDossier, key: str, *, scored: bool, against: bool = False
) -> Family:
    """Draw a family; one whose person earns nothing is too small for its LOD score to count.

    Unaffected carriers of a recessive disease have one variant, as parents do. In a family that
    speaks against the relationship an affected person lacks the variant.
    """
    recessive = pair.inheritance == "AR"
    sizes: tuple[int, ...] = (2, 2, 2, 3, 3, 4) if recessive else (2, 2, 3, 3, 4, 5, 6)
    if not scored:
        sizes = (2,) if recessive else (2, 2, 3, 3, 4)
    healthy = {"AR": (2, 2, 3, 4), "XL": (1, 2, 3), "MT": (0, 1, 2)}
    well = rng.choice(healthy.get(pair.inheritance, (0, 0, 0, 1)))
    family = Family(key, rng.choice(sizes), int(against), well, 0.0)
    return replace(family, lod=lod_of(family, pair.inheritance))


def _onset(rng: Random, low: int, high: int) -> int:
    """Draw an age at onset in months, early more often than late."""
    months = round(low + (high - low) * rng.betavariate(1.6, 2.2))
    if months >= 24:
        months = 6 * round(months / 6) if months < 120 else 12 * round(months / 12)
    return min(max(months, low), high)


def _variant(
    rng: Random, pair: PairDossier, mechanism: MechanismClass, key: str, *, null: bool,
    pinned: bool, common: bool,
) -> SequenceVariant:  # fmt: skip
    load = None
    total = rng.choice((120_400, 151_000, 250_800))
    kind: VariantKind
    if pair.inheritance == "MT":
        kind, null, load, total = "mtDNA", False, rng.randint(55, 98), MITOCHONDRIAL_GENOMES
    elif mechanism == "RNA gene":
        kind, null = "RNA", False
    elif mechanism == "repeat expansion":
        kind, null, load = "repeat expansion", False, _repeats(rng, pair)
    else:
        kind = rng.choice(NULLS) if null else "missense" if pinned else rng.choice(OTHERS)
    share = 0.02 if pair.inheritance == "AR" else 0.003
    alleles = round(total * share * rng.uniform(0.8, 2.0)) if common else rng.choice((0, 0, 1, 2))
    if not common and pair.inheritance != "AR":
        alleles = rng.choice((0, 0, 0, 1))
    exon = None if kind in ("mtDNA", "RNA", "repeat expansion") else rng.randint(2, 18)
    return SequenceVariant(key, kind, exon, null, load, alleles, total)


def _repeats(rng: Random, pair: PairDossier) -> int:
    """Repeats of an affected person: few in coding CAG tracts, hundreds elsewhere."""
    coding = ("huntington", "kennedy", "spinocerebellar")
    if any(word in pair.disease.lower() for word in coding):
        return rng.randint(40, 54)
    return rng.randint(220, 900)
