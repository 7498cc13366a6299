"""What a condition says of a drug, beside kidneys, liver, pregnancy and age."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gym_clinic.domains.drug_interaction.checks.risks import (
    SEVERITIES,
    Action,
    DrugRisk,
    Severity,
)
from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.instruments import score


@dataclass(frozen=True)
class ConditionRule:
    """Drugs that are avoided in some conditions.

    Attributes:
        severity: How severe it is.
        why: What happens.
        advice: What to do.
        drugs: Drugs or classes, as references.
        conditions: Ids of the conditions.
        above_mg: Amount a day in mg above which it holds; None for any.
        from_age: Age in years from which it holds.
        open: Whether what decides is on no record.
    """

    severity: Severity
    why: str
    advice: str
    drugs: tuple[str, ...]
    conditions: frozenset[str]
    above_mg: float | None = None
    from_age: float = 0.0
    open: bool = False


@lru_cache(maxsize=1)
def condition_rules() -> tuple[ConditionRule, ...]:
    """Return the rules, the gravest first."""
    text = Path(__file__).with_name("conditions.json").read_text(encoding="utf-8")
    rows = json.loads(text)["rules"]
    found = [
        ConditionRule(severity, why, advice, tuple(drugs), frozenset(conditions), **dict(*limits))
        for severity, why, advice, drugs, conditions, *limits in rows
    ]
    return tuple(sorted(found, key=lambda one: -SEVERITIES.index(one.severity)))


def listed_conditions() -> frozenset[str]:
    """Return the ids of all conditions that some rule is about."""
    return frozenset().union(*(one.conditions for one in condition_rules()))


@lru_cache(maxsize=1 << 14)
def _rules_of(drug: str, condition: str) -> tuple[ConditionRule, ...]:
    asked = (one for one in condition_rules() if condition in one.conditions)
    return tuple(one for one in asked if any(is_a(drug, ref) for ref in one.drugs))


def condition_risks(
    drug: str,
    conditions: Iterable[str],
    daily_mg: float = math.inf,
    age: float = math.inf,
) -> dict[str, DrugRisk]:
    """Return condition -> what it says of a drug, the gravest first.

    Args:
        drug: Id of the drug.
        conditions: Ids of the conditions.
        daily_mg: Amount a day in mg; where nobody said, rules of high doses are told too.
        age: Years; where nobody said, rules of old age are told too.

    >>> [(name, one.severity) for name, one in condition_risks("atenolol", ["asthma"]).items()]
    [('asthma', 'major')]
    >>> ulcer = ["peptic-ulcer-disease"]
    >>> [len(condition_risks("aspirin", ulcer, daily)) for daily in (75, 900)]
    [0, 1]
    """
    found = [
        (name, DrugRisk(one.severity, _asked(one), one.advice, one.why))
        for name in sorted(conditions)
        for one in [
            rule for rule in _rules_of(drug, name)
            if (rule.above_mg is None or daily_mg > rule.above_mg) and age >= rule.from_age
        ][:1]
    ]  # fmt: skip
    return dict(sorted(found, key=lambda one: -SEVERITIES.index(one[1].severity)))


def _asked(rule: ConditionRule) -> tuple[Action, ...]:
    return ("none", "avoid") if rule.open else ("avoid",)


STROKES = {
    "heart-failure-with-reduced-ejection-fraction": "chf",
    "heart-failure-with-preserved-ejection-fraction": "chf",
    "hypertension": "hypertension",
    "type-1-diabetes-mellitus": "diabetes",
    "type-2-diabetes-mellitus": "diabetes",
    "stable-angina-pectoris": "vascular_disease",
}
"""Condition -> the item of CHA2DS2-VASc that it is."""


def at_risk_of_stroke(age: float, conditions: Iterable[str], least: int = 1) -> bool:
    """Return whether atrial fibrillation calls for an anticoagulant: CHA2DS2-VASc without the sex.

    Args:
        age: Years.
        conditions: Ids of what the patient lives with.
        least: Points from which on it does.

    >>> at_risk_of_stroke(33, ["asthma"]), at_risk_of_stroke(33, ["hypertension"])
    (False, True)
    """
    items = dict.fromkeys((*STROKES.values(), "stroke_tia_te"), False)
    items |= {STROKES[one]: True for one in conditions if one in STROKES}
    return float(score("cha2ds2vasc", {**items, "age": age, "sex": "male"}).score) >= least


def ruled_out(drug: str, conditions: Iterable[str | None]) -> list[str]:
    """Return the conditions in which the fact tables rule a drug out as a choice."""
    known = load().conditions
    return sorted(
        one
        for one in {*conditions}
        if one is not None
        and one in known
        and any(is_a(drug, ref) for ref in known[one].contraindicated)
    )
