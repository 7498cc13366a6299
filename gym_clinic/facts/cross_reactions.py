"""How likely a patient with one allergy reacts to a drug."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from gym_clinic.facts.named_drugs import classes_of, is_a
from gym_clinic.facts.records.drugs import CLASS, CrossReaction
from gym_clinic.facts.tables import load

Level = Literal["none", "very_low", "low", "moderate", "high", "contraindicated"]
LEVELS: tuple[Level, ...] = ("none", "very_low", "low", "moderate", "high", "contraindicated")
"""How likely a reaction is, from the least likely on."""


@lru_cache(maxsize=1)
def _reactions() -> dict[str, list[CrossReaction]]:
    found: dict[str, list[CrossReaction]] = {}
    for one in load().cross_reactions.values():
        found.setdefault(one.allergen, []).append(one)
    return found


@lru_cache(maxsize=4096)
def reaction_level(allergen: str, drug: str) -> Level | None:
    """Return how likely an allergy to a drug, class or other substance means one to a drug.

    The same drug, and a member of a class that the patient is allergic to, are contraindicated. A
    row of the table for the drug itself overrides one for its class.

    >>> reaction_level("class:penicillin", "amoxicillin")
    'contraindicated'
    >>> reaction_level("class:penicillin", "aztreonam")
    'none'
    """
    for exact in (True, False):
        rows = [
            one.level
            for one in _reactions().get(allergen, ())
            for risk in one.risk
            if is_a(drug, risk) and (risk == drug) is exact
        ]
        if rows:
            return max(rows, key=LEVELS.index)
    if allergen == drug or (allergen.startswith(CLASS) and is_a(drug, allergen)):
        return "contraindicated"
    for key in classes_of(allergen) & classes_of(drug):
        rows = [one.level for one in _reactions().get(CLASS + key, ()) if CLASS + key in one.risk]
        if "contraindicated" in rows:
            return "contraindicated"  # of one class whose members all react
    return None
