"""What a condition says of a drug, beside kidneys, liver, pregnancy and age."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gym_clinic.domains.drug_interaction.checks.risks import SEVERITIES, DrugRisk, Severity
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
    """

    severity: Severity
    why: str
    advice: str
    drugs: tuple[str, ...]
    conditions: frozenset[str]


@lru_cache(maxsize=1)
def condition_rules() -> tuple[ConditionRule, ...]:
    """Return the rules, the gravest first."""
    text = Path(__file__).with_name("conditions.json").read_text(encoding="utf-8")
    rows = json.loads(text)["rules"]
    found = [
        ConditionRule(severity, why, advice, tuple(drugs), frozenset(conditions))
        for severity, why, advice, drugs, conditions in rows
    ]
    return tuple(sorted(found, key=lambda one: -SEVERITIES.index(one.severity)))


def listed_conditions() -> frozenset[str]:
    """Return the ids of all conditions that some rule is about."""
    return frozenset().union(*(one.conditions for one in condition_rules()))


@lru_cache(maxsize=1 << 14)
def _risk(drug: str, condition: str) -> DrugRisk | None:
    for one in condition_rules():
        if condition in one.conditions and any(is_a(drug, ref) for ref in one.drugs):
            return DrugRisk(one.severity, ("avoid",), one.advice, one.why)
    return None


def condition_risks(drug: str, conditions: Iterable[str]) -> dict[str, DrugRisk]:
    """Return condition -> what it says of a drug, the gravest first.

    >>> [(name, one.severity) for name, one in condition_risks("atenolol", ["asthma"]).items()]
    [('asthma', 'major')]
    """
    found = [(name, risk) for name in sorted(conditions) if (risk := _risk(drug, name))]
    return dict(sorted(found, key=lambda one: -SEVERITIES.index(one[1].severity)))


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
