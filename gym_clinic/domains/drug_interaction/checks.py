"""What the fact tables say of a drug beside another, in an allergy, an organ failure or pregnancy.

Each check answers what it is asked and knows no patient. Tools and gold use the same functions.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from gym_clinic.domains.drug_interaction.formulary import ChildPugh, hepatic_rules
from gym_clinic.facts import Interaction, load
from gym_clinic.facts.cross_reactions import reaction_level
from gym_clinic.facts.drugs import CLASS, AvoidedFrom, OlderAdultRule
from gym_clinic.facts.named_drugs import classes_of, is_a
from gym_clinic.safety.interactions import Graded, Medicine, facts_of, interaction, washout_days
from gym_clinic.safety.monitoring import watching
from gym_clinic.safety.state import Patient
from gym_clinic.safety.terms import terms

Severity = Literal["minor", "moderate", "major", "contraindicated"]
Action = Literal["avoid", "change", "none"]

SEVERITIES: tuple[Severity, ...] = ("minor", "moderate", "major", "contraindicated")
KINDS = (
    "interaction", "allergy", "renal", "hepatic", "pregnancy", "older adult", "duplicate",
    "maximum dose",
)  # fmt: skip
INTOLERANCES = ("itching", "vomiting", "nausea", "diarrhoea")
"""Reactions that are no allergy."""

OLD = 65
"""Age in years from which the rules for older adults hold."""

DUPLICATES = (
    "non-aspirin-nsaid", "ssri", "statin", "proton-pump-inhibitor", "benzodiazepine", "triptan",
    "beta-blocker", "ace-inhibitor", "angiotensin-receptor-blocker", "thiazide-diuretic",
    "tricyclic-antidepressant", "xanthine-oxidase-inhibitor", "sulfonylurea", "snri",
)  # fmt: skip
"""Classes of which nobody takes two."""

ACTIVE = {"carbimazole": "thiamazole"}
"""Prodrug -> the drug that the body makes of it."""

_NOBODY = Patient(conditions=[])

_CLEAR = ("avoid", "do not", "never", "use ", "other ", "choose", "contraindicated")
_MIXED = re.compile(
    r"avoid or|or avoid|or cut|reduce|with high dose|if |unless|only with|indication only"
    r"|in elderly|in ckd|prefer alternative|one tenth|cap |or hold|prophylaxis|other method"
    r"|hold|stop|switch|, avoid|protocol|increase|or azithro"
)
_LARGEST = re.compile(r"(?:max|limit)[a-z ]*?([0-9.]+) ?mg")
_HOURS = re.compile(r"([0-9.]+) h")
_WATCHED = {
    "inr": ("inr",), "k": ("potassium", "electrolytes"), "mg": ("magnesium", "electrolytes"),
    "hr": ("heart rate", "hr", "pulse", "ecg"), "glucose": ("glucose", "blood glucose"),
    "bleeding": ("bleeding", "signs of bleeding", "inr", "cbc"), "ecg": ("ecg", "qt"),
    "creatinine": ("creatinine", "egfr", "kidney function", "renal function"),
    "counts": ("cbc", "blood counts"), "sedation": ("sedation", "vital signs"),
}  # fmt: skip
"""Word of an advice -> names of what it means to watch."""


@dataclass(frozen=True)
class Remedy:
    """What answers a problem, besides not giving the drug.

    Attributes:
        kind: A lower dose, watching, taking apart, stopping a bought product, or waiting.
        drugs: Whose dose is lowered (one of them is enough), or what is to be stopped.
        most: Greatest daily dose that answers it; None where any lower one does.
        watch: Names of what can be watched.
        amount: Hours apart, or days to wait.
    """

    kind: Literal["dose", "monitor", "apart", "stop", "wait"]
    drugs: frozenset[str] = frozenset()
    most: float | None = None
    watch: frozenset[str] = frozenset()
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
    if found.fact is not pair or pair.differs:
        return found.fact
    alike = [one for one in rules if "drug-table" not in one.sources]
    return next((one for one in alike if one.severity == found.severity), pair)


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
    advice = (fact.management or "watch") + avoided_in_words(fact.avoid_if)
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
    if not found or re.search(r"monitor|inr|level|ecg|watch|counts", text):
        watch = watching(fact, drug, other)
        words = re.findall(r"[a-z]+", text)
        named = {name for word in words for name in _WATCHED.get(word, ())}
        if "level" in words or "levels" in words:
            named |= {"level", *(f"{one} level" for one in (drug, other))}
        if watch or named:
            found.append(Remedy("monitor", watch=watch | terms(named)))
    return tuple(found)


def _meant(advice: str, drug: str, other: str) -> frozenset[str]:
    """The drug whose dose an advice means: the one it names, a statin, or either."""
    for named in (
        [one for one in (drug, other) if one in advice],
        [one for one in (drug, other) if is_a(one, "class:statin")],
    ):
        if named:
            return frozenset(named)
    return frozenset((drug, other))


def ungraded(drug: str, other: str) -> tuple[str, ...]:
    """Return what the tables tell of two drugs without grading it."""
    return tuple(
        one.effect
        for one in load().interactions.values()
        if one.severity is None and one.effect and _between(one, drug, other)
    )


def _between(fact: Interaction, drug: str, other: str) -> bool:
    first, second = fact.between[0], fact.between[-1]
    return (is_a(drug, first) and is_a(other, second)) or (
        is_a(other, first) and is_a(drug, second)
    )


def triple_risks(drugs: Sequence[str]) -> Iterator[tuple[frozenset[str], DrugRisk]]:
    """Yield the risks of three drugs that act together."""
    for fact in load().interactions.values():
        if len(fact.between) != 3 or fact.severity is None:
            continue
        for three in itertools.permutations(sorted(set(drugs)), 3):
            if all(is_a(drug, ref) for drug, ref in zip(three, fact.between, strict=True)):
                yield frozenset(three), _interaction_risk(fact, fact.severity, three[2], three[0])


def washout_risk(drug: str, stopped: str, days: float) -> DrugRisk | None:
    """Return what a drug that was stopped some days ago still forbids."""
    limit = _washout_days(drug, stopped)
    if days >= limit:
        return None
    pair, rules = facts_of(drug, stopped)
    fact = next(
        (one for one in (*rules, pair) if one is not None and one.washout), pair or rules[0]
    )
    wait = Remedy("wait", amount=limit - days)
    advice = f"{limit:g} days between the last dose of {stopped} and the first of {drug}"
    return DrugRisk("contraindicated", ("avoid",), advice, fact.mechanism or "", (wait,))


@lru_cache(maxsize=1 << 16)
def _washout_days(drug: str, stopped: str) -> float:
    return washout_days(Medicine(drug, "po"), Medicine(stopped), _NOBODY)


def allergy_risk(drug: str, allergen: str, reaction: str = "") -> DrugRisk | None:
    """Return what an allergy says of a drug; None if it says nothing.

    Args:
        drug: Id of the drug.
        allergen: Drug, class or other substance, as a reference.
        reaction: What happened then.
    """
    level = reaction_level(allergen, drug)
    if level is None:
        return None
    reason = f"cross-reactivity: {level.replace('_', ' ')}"
    if level in ("none", "very_low", "low"):
        return DrugRisk("minor", ("none",), "may be given", reason)
    if any(word in reaction for word in INTOLERANCES):
        return DrugRisk("minor", ("none", "change", "avoid"), "an intolerance; weigh it", reason)
    severity: Severity = "contraindicated" if level == "contraindicated" else "major"
    return DrugRisk(severity, ("avoid",), "do not give; choose another drug", reason)


def hepatic_risk(drug: str, child_pugh: ChildPugh, daily: float | None = None) -> DrugRisk | None:
    """Return what cirrhosis asks of a drug at a daily dose; None if nothing."""
    rule = hepatic_rules().get(drug)
    if rule is None or child_pugh < rule.since:
        return None
    if rule.action == "avoid":
        return DrugRisk("major", ("avoid",), f"avoid: {rule.advice}", f"Child-Pugh {child_pugh}")
    if rule.most is not None and daily is not None and daily <= rule.most:
        return None
    remedies = (Remedy("dose", frozenset({drug}), rule.most),)
    return DrugRisk(
        "moderate", ("change",), f"reduce: {rule.advice}", f"Child-Pugh {child_pugh}", remedies
    )


def pregnancy_risk(drug: str, weeks: float) -> DrugRisk | None:
    """Return what a pregnancy of some completed weeks says of a drug; None if nothing."""
    rule = load().drugs[ACTIVE.get(drug, drug)].pregnancy
    if rule is None:
        alike = any(_flagged_alike(group) for group in classes_of(drug))
        return (
            DrugRisk("minor", ("none", "avoid"), "others of its class are avoided")
            if alike
            else None
        )
    if rule.level in ("acceptable", "caution"):
        action: Action = "none"
        return DrugRisk("minor", (action,), rule.level, rule.reason)
    severity: Severity = "contraindicated" if rule.level == "contraindicated" else "major"
    late, early = ">=20 weeks" in rule.reason, "1st trimester" in rule.reason
    outside = (late and weeks < 20) or (early and weeks >= 13 and "after 1st" not in rule.reason)
    actions: tuple[Action, ...] = ("avoid", "none") if outside else ("avoid",)
    return DrugRisk(severity, actions, f"{rule.level} in pregnancy", rule.reason)


@lru_cache(maxsize=256)
def _flagged_alike(group: str) -> bool:
    """Whether all members of a narrow class with an entry are to be avoided in pregnancy."""
    if group in ("cns-active-drug", "first-dose-antimicrobial", "qt-prolonging-drug", "antibiotic"):
        return False
    levels = [
        one.pregnancy.level
        for one in load().drugs.values()
        if group in one.classes and one.pregnancy
    ]
    return bool(levels) and all(level in ("avoid", "contraindicated") for level in levels)


def older_risks(drug: str, age: float, indication: Sequence[str] = ()) -> Iterator[DrugRisk]:
    """Yield what the rules for older adults say of a drug for an indication."""
    if age < OLD:
        return
    record = load().drugs[drug]
    groups = [load().drug_classes[key] for key in sorted(record.classes)]
    rules = [*record.older_adults, *(rule for group in groups for rule in group.older_adults)]
    for rule in rules:
        if not rule.only_indications or set(rule.only_indications) & set(indication):
            yield _older_risk(rule)


def _older_risk(rule: OlderAdultRule) -> DrugRisk:
    if rule.caution:
        return DrugRisk("minor", ("none",), rule.rule, "from 65 years")
    if rule.form is not None:
        return DrugRisk("minor", ("none", "avoid"), f"{rule.form}: {rule.rule}", "from 65 years")
    return DrugRisk("moderate", ("avoid",), rule.rule, "from 65 years")


@lru_cache(maxsize=1 << 16)
def duplicate_risk(drug: str, other: str) -> DrugRisk | None:
    """Return whether two products duplicate each other: one drug twice, or two of a kind."""
    if drug == other:
        return DrugRisk("major", ("avoid",), "the same drug twice", drug)
    for group in DUPLICATES:
        if is_a(drug, CLASS + group) and is_a(other, CLASS + group):
            name = load().drug_classes[group].name
            return DrugRisk("moderate", ("avoid",), "two drugs of one class", name)
    return None
