"""What is wrong with what was ordered, given or advised, whatever else happened.

It follows from the patient, the gold and the set of actions, and is kept by them with the patient:
the rollouts of a group often end with the same set.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from gym_clinic.clinical.judging.groundless import (
    accepted_orders,
    groundless_support,
    groundless_treatments,
)
from gym_clinic.clinical.naming import fulfils
from gym_clinic.clinical.world import ClinicCase
from gym_clinic.facts import Facts
from gym_clinic.simulate.clinic.drug_rules import duplicates


def forbidden_made(
    case: ClinicCase, made: frozenset[str], gold: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the forbidden actions that were made."""
    listed = gold.get("forbidden", ())
    return case.computed(("forbidden", made, listed), lambda: _fulfilled(made, listed))


def duplicates_made(case: ClinicCase, made: frozenset[str]) -> tuple[str, ...]:
    """Return the drugs that were made beside one of their kind that the patient goes on taking."""
    facts, stopped = case.patient.facts, case["discontinued"]
    taken = tuple(one.drug for one in case.patient.medicines if one.drug not in stopped)
    return case.computed(("duplicated", made, taken), lambda: _duplicated(facts, made, taken))


def groundless_made(
    case: ClinicCase, made: frozenset[str], gold: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the actions that were made without a ground, as `groundless` finds them."""
    patient, right = case.patient, accepted_orders(gold)
    treatments = case.computed(
        ("groundless", made, right), lambda: groundless_treatments(patient, made, right)
    )
    return (*treatments, *groundless_support(patient, made, right, case.shown))


def _fulfilled(made: Collection[str], listed: Iterable[str]) -> tuple[str, ...]:
    """The listed actions that one of those that were made fulfils."""
    return tuple(one for one in listed if any(fulfils(has, one) for has in made))


def _duplicated(facts: Facts, made: Iterable[str], taken: Collection[str]) -> tuple[str, ...]:
    """The drugs among actions of whose kind another is taken."""
    given = sorted(one for one in made if one.startswith("drug:"))
    parts = [one.removeprefix("drug:").partition("@")[0].split("+") for one in given]
    drugs = dict.fromkeys(one for each in parts for one in each if one in facts.drugs)
    return tuple(one for one in drugs if any(duplicates(facts, one, other) for other in taken))
