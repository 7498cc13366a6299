"""Which drugs are of one kind, never go together, or are not given to failing kidneys."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from gym_clinic.facts import Facts, load
from gym_clinic.facts.records.drugs import CLASS, Interaction, RenalRule

MEANT = {"class:nsaid": "class:non-aspirin-nsaid"}
"""Class in a treatment, or in what an illness that is lived with forbids -> the class of the drugs
that are meant by it: a small dose of aspirin is taken for the heart."""


def _of_one_kind(facts: Facts, drug: str, other: str) -> bool:
    """Whether two drugs are of one kind; where one of them has none, of the same classes.

    A long-acting and a rapid-acting insulin are of one class and of two kinds.
    """
    names, theirs = references(facts, drug), references(facts, other)
    of, others = ([kind for kind in kinds_of_medicines() if kind & one] for one in (names, theirs))
    if of and others:
        return any(kind in others for kind in of)
    own = facts.drugs[drug].classes
    return bool(own) and set(own) == set(facts.drugs[other].classes)


def never_together(facts: Facts, drug: str, other: str) -> bool:
    """Return whether two drugs must never be combined."""
    return _is_pair(facts, drug, other, _forbidden(facts.folder))


def better_apart(facts: Facts, drug: str, other: str) -> bool:
    """Return whether a combination of two drugs is a major risk that is to be avoided."""
    return _is_pair(facts, drug, other, _avoided(facts.folder))


def _is_pair(facts: Facts, drug: str, other: str, pairs: frozenset[tuple[str, str]]) -> bool:
    theirs = references(facts, other)
    return any((first, second) in pairs for first in references(facts, drug) for second in theirs)


@lru_cache(maxsize=2)
def _forbidden(folder: Path) -> frozenset[tuple[str, str]]:
    """The pairs of drugs and classes that must not be combined, in both orders."""
    return _pairs(one for one in load(folder).interactions.values()
                  if one.severity == "contraindicated")  # fmt: skip


@lru_cache(maxsize=2)
def _avoided(folder: Path) -> frozenset[tuple[str, str]]:
    """The pairs with a major interaction of which the tables say to avoid it, in both orders."""
    return _pairs(
        one for one in load(folder).interactions.values()
        if one.severity == "major" and one.applies_if is None
        and (one.management or "").startswith("avoid")
    )  # fmt: skip


def _pairs(listed: Iterable[Interaction]) -> frozenset[tuple[str, str]]:
    pairs = [(one.between[0], one.between[1]) for one in listed if len(one.between) == 2]
    return frozenset([*pairs, *((second, first) for first, second in pairs)])


DUPLICATED = (
    "antidepressant", "SGLT2 inhibitor", "statin", "renin-angiotensin blocker", "beta-blocker",
    "slowing the heart", "NSAID", "proton pump inhibitor", "sulfonylurea", "incretin", "triptan",
    "xanthine oxidase inhibitor", "antithyroid drug", "thiazide", "gabapentinoid",
)  # fmt: skip
"""Kinds of which a second one is never started beside the first, whatever the illness is."""


def duplicates(facts: Facts, drug: str, other: str) -> bool:
    """Return whether a drug is of a kind of which another is taken, and is not that drug itself."""
    return drug != other and not _one_kinds(facts.folder, drug).isdisjoint(
        _one_kinds(facts.folder, other)
    )


@lru_cache(maxsize=1024)
def _one_kinds(folder: Path, drug: str) -> frozenset[str]:
    """The kinds of medicine that a drug is of, and of which nobody is given two."""
    names = references(load(folder), drug)
    return frozenset(one for one in DUPLICATED if names & _kinds()[one])


def kinds_of_medicines() -> tuple[frozenset[str], ...]:
    """Return each kind of medicine: drugs and classes of which nobody takes two."""
    return tuple(_kinds().values())


@lru_cache(maxsize=1)
def _kinds() -> Mapping[str, frozenset[str]]:
    file = Path(__file__).with_name("one_of_a_kind.json")
    kinds: Mapping[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return {name: frozenset(one) for name, one in kinds.items()}


def references(facts: Facts, drug: str) -> set[str]:
    """Return the drug and its classes, as interactions and allergies name them."""
    return {drug, *(CLASS + name for name in facts.drugs[drug].classes)}


STOPPED = ("avoid", "contraindicated")
"""How rules for failing kidneys begin that forbid the drug; others change the dose."""


def stopped_by_kidneys(facts: Facts, drug: str, egfr: float) -> list[RenalRule]:
    """Return the rules by which a drug is not given at a kidney function."""
    rules = facts.drugs[drug].renal
    return [one for one in rules if one.action.startswith(STOPPED) and one.holds_at(egfr)]
