"""Findings that nobody has at the same time: a fast and a slow heart, too much and too little."""

from __future__ import annotations

from collections.abc import Mapping

from gym_clinic.facts.records.models import Phenotype

BEGINNINGS = (
    ("hyper", "hypo"),
    ("hyper", "a"),
    ("brady", "tachy"),
    ("increased", "decreased"),
    ("elevated", "decreased"),
    ("elevated", "reduced"),
    ("delayed", "precocious"),
    ("delayed", "accelerated"),
    ("tall", "short"),
)
"""Beginnings of names that are opposite where the rest is the same: "Tall stature"."""

TOGETHER = ("hypermelanotic macule", "hyperpigmentation of the skin")
"""Names that begin like an opposite and are none: both are found in different places."""

NAMES = (
    ("macrocephaly", "microcephaly"),
    ("macrocytic anemia", "microcytic anemia"),
    ("mydriasis", "miosis"),
    ("polyuria", "oliguria"),
    ("polyuria", "anuria"),
    ("drooling", "xerostomia"),
    ("fever", "hypothermia"),
    ("thrombocytosis", "thrombocytopenia"),
    ("leukocytosis", "leukopenia"),
    ("lymphocytosis", "lymphopenia"),
    ("polycythemia", "anemia"),
    ("weight loss", "increased body weight"),
    ("insomnia", "excessive daytime somnolence"),
    ("metabolic acidosis", "metabolic alkalosis"),
    ("poor appetite", "polyphagia"),
    ("tachypnea", "slow breathing"),
)
"""Names, in small letters, that are opposite."""


def opposites(phenotypes: Mapping[str, Phenotype]) -> dict[str, frozenset[str]]:
    """Return the opposites of each finding, by id; most findings have none.

    Args:
        phenotypes: Findings by id.
    """
    ids = {one.name.casefold(): key for key, one in phenotypes.items()}
    found: dict[str, set[str]] = {key: set() for key in phenotypes}
    pairs = [(this, that) for this, that in NAMES if this in ids and that in ids]
    for name in ids.keys() - set(TOGETHER):
        for this, that in BEGINNINGS:
            if name.startswith(this) and (other := that + name.removeprefix(this)) in ids:
                pairs.append((name, other))
    for this, that in pairs:
        found[ids[this]].add(ids[that])
        found[ids[that]].add(ids[this])
    return {key: frozenset(several) for key, several in found.items()}
