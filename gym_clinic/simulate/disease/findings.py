"""The findings of a disease in one patient.

Each finding that a person can have is drawn by itself: with the rate of the disease's condition, in
the form that the patient has, if that names it; else with the share of patients that a source
states; else with the middle of its frequency band; else with :data:`UNKNOWN`. A finding of one sex
or age is as frequent among those who can have it as the table says. That independence, and these
shares, are choices of the simulation and no clinical claim.

A finding that names the disease is never drawn (:mod:`gym_clinic.facts.restating`), nor one that
the disease excludes, nor one with its opposite (:mod:`gym_clinic.facts.opposites`). Of a finding
and a more special one a patient has the special one, which implies the other
(:mod:`gym_clinic.facts.hierarchy`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from random import Random

from gym_clinic.facts import (
    BANDS,
    Disease,
    Facts,
    Frequency,
    Person,
    most_specific,
    restates_diagnosis,
    with_ancestors,
)
from gym_clinic.facts.records.conditions import Condition

UNKNOWN = 0.5
"""Probability of a finding whose frequency is unknown."""


def probability(frequency: Frequency) -> float:
    """Return the probability with which a finding is drawn, 0 to 1."""
    if frequency.absent:
        return 0.0
    if frequency.value is not None:
        return frequency.value
    if frequency.band is not None:
        _, low, high = BANDS[frequency.band]
        return (low + high) / 2
    return UNKNOWN


def draw_variant(condition: Condition, random: Random) -> str | None:
    """Draw the form of a condition that a patient has; None where it has none."""
    if not condition.variants:
        return None
    weights = [one.share for one in condition.variants.values()]
    return random.choices(list(condition.variants), weights=weights)[0]


def shares(facts: Facts, disease: str, variant: str | None = None) -> dict[str, float]:
    """Return finding -> share of the patients who have it, 0 for what the disease excludes.

    Findings that name the disease are left out.

    Args:
        facts: The fact tables.
        disease: Id of the disease.
        variant: The form of its condition; None where that has none, or for all of them together.
    """
    known, condition = facts.diseases[disease], facts.conditions.get(disease)
    rates = {} if condition is None else _rates(condition, variant)
    found = {}
    for one in known.phenotypes:
        finding = facts.phenotypes[one.phenotype]
        if one.frequency.absent:
            found[finding.id] = 0.0
        elif not restates_diagnosis(known, finding):
            found[finding.id] = rates.get(finding.name, probability(one.frequency))
    for name, share in rates.items():  # of a form, beyond the profile of the disease
        finding = facts.phenotypes[facts.finding_ids[name]]
        if finding.id not in found and not restates_diagnosis(known, finding):
            found[finding.id] = share
    return found


def _rates(condition: Condition, variant: str | None) -> Mapping[str, float]:
    """The rates of a form of a condition, or of all its patients together."""
    forms = condition.variants
    if variant is not None or not any(one.rates for one in forms.values()):
        return condition.form(variant).rates
    names = {*condition.rates, *(name for one in forms.values() for name in one.rates)}
    every = {key: condition.form(key).rates for key in forms}
    # A form that does not name a finding has it as often as the others.
    return {
        name: sum(forms[key].share * every[key][name] for key in forms if name in every[key])
        / sum(forms[key].share for key in forms if name in every[key])
        for name in sorted(names)
    }


def draw_findings(
    facts: Facts,
    chances: Mapping[str, float],
    person: Person,
    random: Random,
    *,
    beside: Collection[str] = (),
    fewest: int = 0,
) -> list[str]:
    """Draw the findings of one patient, in the order of the table.

    Args:
        facts: The fact tables.
        chances: Finding -> share of patients, as :func:`shares` returns it.
        person: Who the patient is.
        random: The source of randomness.
        beside: What the patient has already; no finding drawn is related to one of them.
        fewest: If fewer come out, the most frequent of the others are added, as far as the person
            can have them.
    """
    able = {one: chances[one] for one in possible(facts, chances, person) if chances[one]}
    special = most_specific((one for one in able if random.random() < able[one]), facts.above)
    # Of a finding and its opposite the more frequent one is kept.
    drawn = unrelated(facts, sorted(special, key=lambda one: (-able[one], one)), beside)
    if len(drawn) < fewest:
        # Those of one frequency in another order for each patient, or all would get the same.
        others = [one for one in able if one not in drawn]
        random.shuffle(others)
        others.sort(key=lambda one: -able[one])
        drawn += unrelated(facts, others, {*beside, *drawn}, fewest - len(drawn))
    return [one for one in able if one in drawn]


def possible(facts: Facts, findings: Iterable[str], person: Person) -> list[str]:
    """Return the findings that a person can have."""
    found = facts.phenotypes
    return [key for key in findings if (only := found[key].only) is None or only.admits(person)]


def unrelated(
    facts: Facts, wanted: Iterable[str], beside: Collection[str], amount: int | None = None
) -> list[str]:
    """Return the first findings of those wanted that go together with others and each other.

    None of them is equal to, more general or more special than another or one of `beside`, nor its
    opposite.

    Args:
        facts: The fact tables.
        wanted: Findings, those to be preferred first.
        beside: What the patient has already.
        amount: How many at most; None for all.
    """
    above, opposites = facts.above, facts.opposites
    taken, implied = set(beside), with_ancestors(beside, above)
    added: list[str] = []
    for one in wanted:
        if amount is not None and len(added) >= amount:
            break
        fits = one not in implied and above[one].isdisjoint(taken)
        if fits and opposites[one].isdisjoint(implied):
            added.append(one)
            taken.add(one)
            implied |= above[one] | {one}
    return added


def foreign(facts: Facts, disease: Disease, findings: Iterable[str]) -> list[str]:
    """Return the findings that may have another cause in a patient with a disease.

    They neither belong to the disease nor name it, and imply nothing that it excludes.
    """
    own = {one.phenotype: one.frequency.absent for one in disease.phenotypes}
    lacking = {key for key, absent in own.items() if absent}
    return [
        one
        for one in findings
        if one not in own
        and facts.above[one].isdisjoint(lacking)
        and not restates_diagnosis(disease, facts.phenotypes[one])
    ]
