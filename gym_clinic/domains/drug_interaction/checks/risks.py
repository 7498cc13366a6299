"""What the fact tables say of a drug beside another, in an allergy, an organ failure or pregnancy.

Each check answers what it is asked and knows no patient. Tools and gold use the same functions.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, get_args

from gym_clinic.domains.drug_interaction.checks.duplicates import (
    name_of_class,
    severity_of_class,
    severity_twice,
    shared_class,
    shared_purpose,
)
from gym_clinic.domains.drug_interaction.checks.formulary import (
    ChildPugh,
    hepatic_rule,
)
from gym_clinic.domains.drug_interaction.checks.watching import quantity_of, with_a_level
from gym_clinic.facts import Interaction, load
from gym_clinic.facts.cross_reactions import reaction_level
from gym_clinic.facts.named_drugs import classes_of, is_a
from gym_clinic.facts.records.drugs import AvoidedFrom
from gym_clinic.safety.interactions import Graded, Medicine, facts_of, interaction, washout_days
from gym_clinic.safety.state import Patient

Severity = Literal["minor", "moderate", "major", "contraindicated"]
Action = Literal["avoid", "change", "none"]

SEVERITIES: tuple[Severity, ...] = ("minor", "moderate", "major", "contraindicated")
ProblemKind = Literal[
    "interaction", "allergy", "renal", "hepatic", "pregnancy", "older adult", "condition",
    "duplicate", "maximum dose", "missing medicine",
]  # fmt: skip
KINDS: tuple[ProblemKind, ...] = get_args(ProblemKind)
MAY_REACT = ("cephalosporin", "macrolide", "fluoroquinolone", "opioid", "tetracycline")
"""Classes of which an allergy to one member leaves the others open, where no row is listed."""

INTOLERANCES = ("itching", "vomiting", "nausea", "diarrhoea")
"""Reactions that are no allergy."""

ACTIVE = {"carbimazole": "thiamazole"}
"""Prodrug -> the drug that the body makes of it."""

PROTECTS = "class:proton-pump-inhibitor"
"""What is added where the tables ask for a PPI."""

_NOBODY = Patient(conditions=[])

_CLEAR = ("avoid", "do not", "never", "use ", "other ", "choose", "contraindicated")
_MIXED = re.compile(
    r"avoid or|or avoid|or cut|reduce|with high dose|if |unless|only with|indication only"
    r"|in elderly|in ckd|prefer alternative|one tenth|cap |or hold|prophylaxis|other method"
    r"|hold|stop|switch|, avoid|protocol|increase|or azithro"
)
_LARGEST = re.compile(r"(?:max|limit)[a-z ]*?([0-9.]+) ?mg")
_HOURS = re.compile(r"([0-9.]+) h")


@dataclass(frozen=True)
class Remedy:
    """What answers a problem, besides not giving the drug.

    Attributes:
        kind: A lower dose, watching, taking apart, stopping a bought product, waiting, or adding a
            medicine that protects.
        drugs: Whose dose is lowered (one of them is enough), what is stopped, or what may be added.
        most: Greatest daily dose that answers it; None where any lower one does.
        watch: The quantity that is watched.
        amount: Hours apart, or days to wait.
    """

    kind: Literal["dose", "monitor", "apart", "stop", "wait", "add"]
    drugs: frozenset[str] = frozenset()
    most: float | None = None
    watch: str = ""
    amount: float = 0.0


@dataclass(frozen=True)
class DrugRisk:
    """A risk of a drug.

    Attributes:
        severity: How severe it is.
        actions: What may be done about it, the usual first; "avoid" is not to give the drug.
        advice: What to do, in words.
        reason: Why.
        remedies: What answers it where it is not avoided.
    """

    severity: Severity
    actions: tuple[Action, ...]
    advice: str
    reason: str = ""
    remedies: tuple[Remedy, ...] = field(default=(), repr=False)


def pair_risk(
    drug: str, other: str, route: str = "po", patient: Patient | None = None
) -> DrugRisk | None:
    """Return how two drugs interact; None if the tables have nothing graded."""
    if patient is None:
        return _pair_risk(drug, other, route)
    found = interaction(Medicine(drug, route), Medicine(other), patient)
    if found is None:
        return None
    fact = _told_by(found, drug, other)
    return _for_patient(
        _interaction_risk(fact, found.severity, drug, other), fact.avoid_if, patient
    )


def _told_by(found: Graded, drug: str, other: str) -> Interaction:
    """The fact whose advice holds: that of the class, where a pair is graded alike.

    What the tables say of one member holds for its class, unless they say how it differs.
    """
    pair, rules = facts_of(drug, other)
    if found.fact is pair and pair.differs:
        return pair
    alike = [one for one in rules if "drug-table" not in one.sources]
    return next((one for one in alike if one.severity == found.severity), found.fact)


@lru_cache(maxsize=1 << 16)
def _pair_risk(drug: str, other: str, route: str) -> DrugRisk | None:
    found = interaction(Medicine(drug, route), Medicine(other), _NOBODY)
    if found is None:
        return None
    return _interaction_risk(_told_by(found, drug, other), found.severity, drug, other)


NEAR = 0.08
"""Share of a limit within which a value counts as too near to decide on."""


def _for_patient(risk: DrugRisk, limits: AvoidedFrom | None, patient: Patient) -> DrugRisk:
    """A risk that is avoided in some patients: what it asks for in this one."""
    if limits is None:
        return risk
    over = [
        value / limit - 1 if from_it else 1 - value / limit
        for value, limit, from_it in (
            (patient.labs.get("potassium"), limits.potassium_from, True),
            (patient.labs.get("egfr"), limits.egfr_below, False),
            (patient.age, limits.age_from, True),
        )
        if limit is not None and isinstance(value, int | float)
    ]
    most = max(over, default=-1.0)
    if most >= 0:
        return replace(risk, actions=("avoid",))
    return replace(risk, actions=("change", "avoid") if most > -NEAR / 2 else ("change",))


def avoided_in_words(limits: AvoidedFrom | None) -> str:
    """Return in whom an interaction is avoided, as tools tell it; empty where nothing is said."""
    if limits is None:
        return ""
    parts = []
    if limits.potassium_from is not None:
        parts.append(f"with a potassium of {limits.potassium_from:g} mmol/L or more")
    if limits.egfr_below is not None:
        parts.append(f"with an eGFR below {limits.egfr_below:g}")
    if limits.age_from is not None:
        parts.append(f"from {limits.age_from:g} years")
    return f"; avoid {', or '.join(parts)}"


def _interaction_risk(fact: Interaction, severity: Severity, drug: str, other: str) -> DrugRisk:
    told = re.sub(r"^PPI", "add a PPI", fact.management or "watch")
    advice = told + avoided_in_words(fact.avoid_if)
    remedies = _remedies(fact.management or "watch", fact, drug, other)
    if fact.avoid_if is not None:
        reason = fact.effect or fact.mechanism or ""
        return DrugRisk(severity, ("change", "avoid"), advice, reason, remedies)
    if severity == "contraindicated":
        actions: tuple[Action, ...] = ("avoid",)
    elif _MIXED.search(advice.casefold()):
        actions = ("avoid", "change")
    elif advice.casefold().startswith(_CLEAR):
        actions = ("avoid",)
    else:
        actions = ("change",) if remedies else ("change", "avoid", "none")
    return DrugRisk(severity, actions, advice, fact.effect or fact.mechanism or "", remedies)


def _remedies(advice: str, fact: Interaction, drug: str, other: str) -> tuple[Remedy, ...]:
    text = advice.casefold()
    found: list[Remedy] = []
    largest = _LARGEST.search(text)
    if largest or re.search(r"reduce|halve|cut|limit|lowest", text):
        found.append(
            Remedy("dose", _meant(text, drug, other), float(largest[1]) if largest else None)
        )
    if re.search(r"separate|before or|apart", text):
        hours = _HOURS.search(text)
        found.append(Remedy("apart", amount=float(hours[1]) if hours else 2.0))
    if re.search(r"(?<!hold )\bppi\b", text):
        found.append(Remedy("add", frozenset({PROTECTS})))
    if not found or re.search(r"monitor|inr|level|ecg|watch|counts", text):
        quantity = quantity_of(text, fact, drug, other)
        if quantity is not None:
            found.append(Remedy("monitor", watch=quantity))
    return tuple(found)


def _meant(advice: str, drug: str, other: str) -> frozenset[str]:
    """The drug whose dose an advice means: named in it, with a level, a statin, or either."""
    both = (drug, other)
    lower = "limit" not in advice
    for named in (
        [one for one in both if one in advice],
        [one for one in both if "pde5" in advice and is_a(one, "class:pde5-inhibitor")],
        [one for one in both if (one in with_a_level()) == lower],
        [one for one in both if is_a(one, "class:statin")],
        [one for one in both if not is_a(one, "class:strong-cyp3a4-inhibitor")],
    ):
        if len(named) == 1:
            return frozenset(named)
    return frozenset(both)


@lru_cache(maxsize=1 << 16)
def ungraded(drug: str, other: str) -> tuple[str, ...]:
    """Return what the tables tell of two drugs without grading it."""
    return tuple(dict.fromkeys(effect for effect, side in _told_of(drug) if is_a(other, side)))


@lru_cache(maxsize=1 << 11)
def _told_of(drug: str) -> tuple[tuple[str, str], ...]:
    """The effects of a drug that are not graded, each with its other side."""
    return tuple(
        (fact.effect, other)
        for fact in load().interactions.values()
        if fact.severity is None and fact.effect
        for one, other in itertools.permutations((fact.between[0], fact.between[-1]))
        if is_a(drug, one)
    )


def triple_risks(drugs: Sequence[str]) -> Iterator[tuple[frozenset[str], DrugRisk]]:
    """Yield the risks of three drugs that act together."""
    names = sorted(set(drugs))
    for fact, severity in _of_three():
        fitting = ([one for one in names if is_a(one, reference)] for reference in fact.between)
        for three in itertools.product(*fitting):
            if len(set(three)) == len(three):
                yield frozenset(three), _interaction_risk(fact, severity, three[2], three[0])


@lru_cache(maxsize=1)
def _of_three() -> tuple[tuple[Interaction, Severity], ...]:
    """The interactions of three drugs with their severities."""
    facts = (one for one in load().interactions.values() if len(one.between) == 3)
    return tuple((one, one.severity) for one in facts if one.severity is not None)


def washout_risk(drug: str, stopped: str, days: float) -> DrugRisk | None:
    """Return what a drug that was stopped some days ago still forbids."""
    limit = _washout_days(drug, stopped)
    if days >= limit:
        return None
    found = interaction(Medicine(drug, "po"), Medicine(stopped), _NOBODY)
    assert found is not None
    wait = Remedy("wait", amount=limit - days)
    advice = f"{limit:g} days between the last dose of {stopped} and the first of {drug}"
    return DrugRisk(found.severity, ("avoid",), advice, found.fact.mechanism or "", (wait,))


@lru_cache(maxsize=1 << 16)
def _washout_days(drug: str, stopped: str) -> float:
    both = Medicine(drug, "po"), Medicine(stopped)
    return washout_days(*both, _NOBODY, ("contraindicated", "major"))


def allergy_risk(drug: str, allergen: str, reaction: str = "") -> DrugRisk | None:
    """Return what an allergy says of a drug; None if it says nothing.

    Args:
        drug: Id of the drug.
        allergen: Drug, class or other substance, as a reference.
        reaction: What happened then.
    """
    level = reaction_level(allergen, drug)
    if level is None or (level == "low" and _spared(drug) and "nsaid" in _kinds(allergen)):
        return _of_its_kind(drug, allergen)
    reason = f"cross-reactivity: {level.replace('_', ' ')}"
    if level in ("none", "very_low", "low"):
        return DrugRisk("minor", ("none",), "may be given", reason)
    if any(word in reaction for word in INTOLERANCES):
        return DrugRisk("minor", ("none", "change", "avoid"), "an intolerance; weigh it", reason)
    severity: Severity = "contraindicated" if level == "contraindicated" else "major"
    return DrugRisk(severity, ("avoid",), "do not give; choose another drug", reason)


def _spared(drug: str) -> bool:
    """Whether a drug is one that most people with an allergy to another NSAID tolerate."""
    return is_a(drug, "class:cox-2-inhibitor") or drug == "meloxicam"


def _kinds(allergen: str) -> frozenset[str]:
    """The classes of an allergen; an NSAID other than aspirin is an NSAID."""
    found = classes_of(allergen)
    return found | {"nsaid"} if "non-aspirin-nsaid" in found else found


def _of_its_kind(drug: str, allergen: str) -> DrugRisk | None:
    """What an allergy to another drug of a kind says where the table has no row for the two."""
    both = _kinds(allergen) & classes_of(drug)
    if "nsaid" in both and not _spared(drug):
        return DrugRisk("major", ("avoid",), "do not give; choose another drug", "of one kind")
    aromatic = drug == "lamotrigine" and allergen in ("carbamazepine", "phenytoin")
    if aromatic or both & {"nsaid", *MAY_REACT}:
        return DrugRisk("minor", ("none", "avoid"), "of one kind: ask a specialist first")
    return None


def hepatic_risk(
    drug: str, child_pugh: ChildPugh, daily: float | None = None, *, taken: bool = False
) -> DrugRisk | None:
    """Return what cirrhosis asks of a drug at a daily dose; None if nothing.

    Args:
        drug: Id of the drug.
        child_pugh: Class of the cirrhosis.
        daily: Amount a day.
        taken: Whether it is taken for long, so that a low start is over.
    """
    rule, reason = hepatic_rule(drug, child_pugh), f"Child-Pugh {child_pugh}"
    if rule is None or (taken and rule.advice.startswith("start ")):
        return None
    if rule.most is not None and daily is not None and daily <= rule.most:
        return None
    if rule.action == "caution":
        return DrugRisk("minor", ("none", "avoid"), f"caution: {rule.advice}", reason)
    if rule.action == "avoid":
        contraindicated = rule.advice.startswith("contraindicated")
        severity: Severity = "contraindicated" if contraindicated else "major"
        return DrugRisk(severity, ("avoid",), f"avoid: {rule.advice}", reason)
    remedies = (Remedy("dose", frozenset({drug}), rule.most),)
    return DrugRisk("moderate", ("change",), f"reduce: {rule.advice}", reason, remedies)


@lru_cache(maxsize=1 << 16)
def duplicate_risk(drug: str, other: str) -> DrugRisk | None:
    """Return whether two products duplicate each other.

    One drug twice, or two of a class, is avoided; two drugs of one purpose are left to specialists.
    """
    if drug == other:
        return DrugRisk(severity_twice(drug), ("avoid",), "the same drug twice", drug)
    group = shared_class(drug, other)
    if group is not None:
        name = name_of_class(group)
        return DrugRisk(severity_of_class(group), ("avoid",), "two drugs of one class", name)
    purpose = shared_purpose(drug, other)
    if purpose is None:
        return None
    advice = "two drugs of one purpose: on specialist advice alone"
    return DrugRisk("moderate", ("change", "avoid"), advice, purpose)
