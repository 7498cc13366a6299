"""Draws persons, their variants and families, so that genetics reaches a wanted class.

How many persons an article describes is drawn without the class. What decides is in the person: a
variant that is too common, a second hit that is not proven, or a cause in another gene earns
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from gym_clinic.domains.clingen.dossiers import PairDossier
from gym_clinic.domains.clingen.literature.records import (
    Family,
    PersonOrigin,
    Proband,
    SequenceVariant,
    VariantKind,
)
from gym_clinic.domains.clingen.literature.scoring import NO_NULL, lod_of

NULLS: tuple[VariantKind, ...] = ("nonsense", "frameshift", "splice", "exon deletion")
OTHERS: tuple[VariantKind, ...] = ("missense", "missense", "missense", "in-frame deletion")
SPOILS = ("common", "other cause", "unproven")


@dataclass(frozen=True)
class PersonSlot:
    """A person to be drawn: the id, the article that reports it first, and its variants' ids.

    Attributes:
        pinned: Whether an experiment examines the first variant, which is then a missense.
    """

    id: str
    article: str
    variants: tuple[str, ...]
    pinned: bool


def rows_for(pair: PairDossier, slot: PersonSlot) -> list[str]:
    """The rows of the case-level table that a person of this disease can belong to."""
    if pair.inheritance == "AR":
        return ["two in trans, one null or de novo", "two in trans"]
    if pair.inheritance == "MT" or pair.mechanism.name in NO_NULL or slot.pinned:
        return ["de novo", "other"]
    return ["de novo", "null", "other"]


def draw_person(
    rng: Random, pair: PairDossier, slot: PersonSlot, row: str, *, scored: bool
) -> tuple[Proband, tuple[SequenceVariant, ...]]:
    """Draw a person of a row of the table, spoiled in one way if the person shall earn nothing."""
    recessive = pair.inheritance == "AR"
    spoils = [one for one in SPOILS if recessive or one != "unproven"]
    if slot.pinned:
        spoils.remove("common")
    spoil = "" if scored else rng.choice(spoils)
    null = row in ("null", "two in trans, one null or de novo") or (
        row == "de novo" and "null" in rows_for(pair, slot) and rng.random() < 0.3
    )
    if pair.mechanism.name in NO_NULL:
        null = False
    de_novo = row == "de novo" or (row.startswith("two in trans, one") and not null)
    variants = tuple(
        _variant(
            rng,
            pair,
            key,
            null=null and place == len(slot.variants) - 1,
            pinned=slot.pinned and place == 0,
            common=spoil == "common" and place == 0,
        )
        for place, key in enumerate(slot.variants)
    )
    sex: Literal["female", "male"] = rng.choice(("female", "male"))
    if pair.sexes in ("males", "females"):
        sex = "male" if pair.sexes == "males" else "female"
    signs = [one.name for one in pair.phenotypes]
    shown = rng.sample(signs, min(len(signs), rng.randint(2, 5)))
    rest = [one for one in signs if one not in shown]
    origin: PersonOrigin
    if de_novo:
        origin = "de novo"
    elif recessive:
        origin = "untested" if spoil == "unproven" else "both parents"
    elif pair.inheritance == "MT" or (pair.inheritance == "XL" and sex == "male"):
        origin = rng.choice(("mother", "untested"))
    else:
        origin = rng.choice(("mother", "father", "untested"))
    person = Proband(
        slot.id,
        sex,
        max(1, round(12 * rng.lognormvariate(1.2, 1.0))),
        slot.variants,
        origin,
        origin in ("de novo", "both parents"),
        recessive and spoil != "unproven",
        tuple(shown),
        tuple(rng.sample(rest, min(len(rest), rng.randint(0, 2)))),
        slot.article,
        rng.choice(_CAUSES) if spoil == "other cause" else None,
    )
    return person, variants


def draw_families(rng: Random, pair: PairDossier, ids: Sequence[str]) -> tuple[Family, ...]:
    """Draw families; half of them hold an affected person without the variant."""
    found = []
    for key in ids:
        phenocopies = rng.choice((0, 0, 1, 2))
        family = Family(key, rng.randint(2, 5), phenocopies, rng.choice((0, 0, 1)), 0.0)
        lod = lod_of(family, pair.inheritance)
        found.append(
            Family(key, family.affected_carriers, phenocopies, family.unaffected_carriers, lod)
        )
    return tuple(found)


_CAUSES = (
    "a pathogenic variant of another gene, found later",
    "a chromosomal deletion that covers other genes",
    "biallelic variants of another gene, found later",
)


def _variant(
    rng: Random, pair: PairDossier, key: str, *, null: bool, pinned: bool, common: bool
) -> SequenceVariant:
    load = None
    kind: VariantKind
    if pair.inheritance == "MT":
        kind, null, load = "mtDNA", False, rng.randint(45, 95)
    elif pair.mechanism.name == "RNA gene":
        kind, null = "RNA", False
    elif pair.mechanism.name == "repeat expansion":
        kind, null, load = "repeat expansion", False, rng.randint(60, 400)
    else:
        kind = rng.choice(NULLS) if null else "missense" if pinned else rng.choice(OTHERS)
    share = 0.02 if pair.inheritance == "AR" else 0.003
    total = rng.choice((120_400, 151_000, 250_800))
    alleles = round(total * share * rng.uniform(0.8, 2.0)) if common else rng.choice((0, 0, 1, 2))
    exon = None if kind in ("mtDNA", "RNA", "repeat expansion") else rng.randint(2, 18)
    return SequenceVariant(key, kind, exon, null, load, alleles, total)
