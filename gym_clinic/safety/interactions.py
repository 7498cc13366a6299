"""Interactions of two medicines for one patient, and what a stopped medicine leaves behind.

A graded pair of drugs overrides the rules of classes; of several rules of classes the most severe
applies. The washout of a rule of classes holds for its pairs too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from gym_clinic.facts import Interaction, load
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.facts.records.drugs import Severity
from gym_clinic.safety.state import Patient
from gym_clinic.safety.terms import term, terms

_GRADES: tuple[Severity, ...] = ("moderate", "major", "contraindicated")


@dataclass(frozen=True)
class Medicine:
    """One ingredient that the patient takes or is to take.

    Attributes:
        drug: Id of the drug.
        route: How it is given; None where nobody said.
        form: The form or salt that the facts know.
    """

    drug: str
    route: str | None = None
    form: str | None = None


@dataclass(frozen=True)
class Graded:
    """The severity of an interaction for one patient, with the fact that gives it."""

    severity: Severity
    fact: Interaction


@lru_cache(maxsize=1)
def _graded_facts() -> tuple[dict[frozenset[str], Interaction], tuple[Interaction, ...]]:
    """The graded pairs of drugs by their two ids, and the graded rules of two classes."""
    graded = [one for one in load().interactions.values() if one.severity is not None]
    pairs = {frozenset(one.between): one for one in graded if one.of_drugs}
    rules = (one for one in graded if not one.of_drugs and len(one.between) == 2)
    return pairs, tuple(rules)


@lru_cache(maxsize=1 << 11)
def _rules_of(drug: str) -> tuple[tuple[Interaction, str], ...]:
    """The rules of classes that a drug falls under, each with its other side."""
    _, rules = _graded_facts()
    return tuple(
        (rule, other)
        for rule in rules
        for one, other in (rule.between, rule.between[::-1])
        if is_a(drug, one)
    )


@lru_cache(maxsize=1 << 16)
def facts_of(drug: str, other: str) -> tuple[Interaction | None, tuple[Interaction, ...]]:
    """Return the graded pair of two drugs, None if there is none, and their rules of classes."""
    pairs, _ = _graded_facts()
    matching = {rule.id: rule for rule, side in _rules_of(drug) if is_a(other, side)}
    return pairs.get(frozenset((drug, other))), tuple(matching.values())


def interaction(one: Medicine, other: Medicine, patient: Patient) -> Graded | None:
    """Return how two medicines interact in a patient; None if they do not, or are one drug."""
    if one.drug == other.drug:
        return None
    pair, rules = facts_of(one.drug, other.drug)
    if pair is not None:
        return _grade(pair, one, other, patient)
    found = [grade for rule in rules if (grade := _grade(rule, one, other, patient))]
    return max(found, key=lambda grade: _GRADES.index(grade.severity), default=None)


def _grade(fact: Interaction, one: Medicine, other: Medicine, patient: Patient) -> Graded | None:
    severity = fact.severity
    if fact.applies_if is not None and not _applies(fact, one, other, patient):
        severity = fact.otherwise
    return None if severity is None else Graded(severity, fact)


def _applies(fact: Interaction, one: Medicine, other: Medicine, patient: Patient) -> bool:
    condition = fact.applies_if
    assert condition is not None
    if condition.condition is not None:
        return term(condition.condition) in terms(patient.conditions or ())
    if condition.age_days_max is not None:
        return patient.days <= condition.age_days_max
    return any(
        medicine.drug == condition.drug and medicine.route == condition.route
        for medicine in (one, other)
    )


def washout_days(
    ordered: Medicine,
    stopped: Medicine,
    patient: Patient,
    grades: tuple[Severity, ...] = ("contraindicated",),
) -> float:
    """Return for how many days a stopped drug still forbids another; 0 if it does not.

    Args:
        ordered: The drug that is to be started.
        stopped: The drug that was stopped.
        patient: The patient.
        grades: Severities that count.
    """
    found = interaction(ordered, stopped, patient)
    if found is None or found.severity not in grades:
        return 0.0
    pair, rules = facts_of(ordered.drug, stopped.drug)
    days = [0.0]
    for fact in (*rules, *([pair] if pair else [])):
        washout = fact.washout
        if washout and (washout.stopped is None or is_a(stopped.drug, washout.stopped)):
            days.append(washout.days_from.get(stopped.drug, washout.days))
    return max(days)
