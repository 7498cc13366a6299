"""What nobody with a condition goes without, and so is on every list of medicines."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from gym_clinic.domains.drug_interaction.checks.conditions import at_risk_of_stroke
from gym_clinic.domains.drug_interaction.checks.formulary import home_regimens
from gym_clinic.domains.drug_interaction.checks.problems import ReviewProfile
from gym_clinic.facts.named_drugs import is_a

POINTS = 2
"""Points of CHA2DS2-VASc from which atrial fibrillation is never left without an anticoagulant."""


@lru_cache(maxsize=1)
def needed() -> Mapping[str, list[list[str]]]:
    """Return condition -> sets of drugs or classes, of which one is taken whole."""
    text = Path(__file__).with_name("needed.json").read_text(encoding="utf-8")
    table: Mapping[str, list[list[str]]] = json.loads(text)["conditions"]
    return table


def lacking(who: ReviewProfile) -> list[str]:
    """Return the ids of the conditions on record whose treatment is missing from a list."""
    taken = {one.regimen.drug for one in who.medicines}
    return [
        one
        for one in sorted(who.known & needed().keys())
        if (one != "atrial-fibrillation" or at_risk_of_stroke(who.age, who.known, POINTS))
        and not any(_taken(each, taken) for each in needed()[one])
    ]


def _taken(wanted: Collection[str], taken: Collection[str]) -> bool:
    return all(any(is_a(drug, ref) for drug in taken) for ref in wanted)


def completing(who: ReviewProfile, random: Random) -> list[dict[str, Any]]:
    """Return the edits that add what is missing, of what is usually taken for each condition."""
    found: list[dict[str, Any]] = []
    taken = {one.regimen.drug for one in who.medicines}
    for condition in lacking(who):
        begun = [each for each in needed()[condition] if any(_taken([ref], taken) for ref in each)]
        for ref in random.choice(begun or needed()[condition]):
            usual = [row for drug, rows in home_regimens().items() if is_a(drug, ref)
                     for row in rows if row.reason == condition]  # fmt: skip
            if usual and not _taken([ref], taken):
                one = random.choices(usual, weights=[each.share for each in usual])[0].regimen
                taken.add(one.drug)
                found.append({"kind": "take", "drug": one.drug, "dose": one.dose, "unit": one.unit,
                              "per_day": one.per_day, "for": condition})  # fmt: skip
    return found
