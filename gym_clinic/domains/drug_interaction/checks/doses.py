"""What the fact tables ask of the dose of a drug: failing kidneys, and the greatest dose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gym_clinic.domains.drug_interaction.checks.risks import DrugRisk, Remedy
from gym_clinic.facts import load
from gym_clinic.facts.records.drugs import DoseLimit, RenalRule

_STARTS = re.compile(r"(do not )?start\b")
"""Begins a rule about what is started; what is done with what is taken follows a semicolon."""

_IN_MG = {"mg": 1.0, "g": 1000.0, "mcg": 0.001}


def renal_risks(
    drug: str,
    egfr: float,
    crcl: float,
    *,
    indication: Sequence[str] | None = None,
    daily_mg: float | None = None,
    route: str = "po",
    taken: bool = False,
) -> Iterator[DrugRisk]:
    """Yield what kidney function asks of a drug.

    Args:
        drug: Id of the drug.
        egfr: In mL/min/1.73 m2.
        crcl: Creatinine clearance in mL/min.
        indication: Names of the indication in the rules; None where nobody said, and then the
            rules of every indication are told.
        daily_mg: Amount a day; a rule whose greatest dose it keeps asks for nothing.
        route: How it is given.
        taken: Whether it is taken already. A rule about the start then asks for nothing, or for
            what it says of who takes it.
    """
    for each in load().drugs[drug].kidney_rules:
        rule = _of_who_takes(each) if taken else each
        if rule is None:
            continue
        if rule.measure is not None:
            value = egfr if rule.measure == "eGFR" else crcl
            if not _within(rule, value):
                continue
        elif re.search(r"CKD|renal", rule.when or ""):
            if egfr >= 60:
                continue
        elif indication is not None:
            continue  # it goes by more than kidneys: see `near_halved_apixaban`
        only = rule.only_indications
        if only and indication is not None and not {*only} & {*indication}:
            continue
        if rule.route is not None and rule.route != route:
            continue
        if rule.most is not None and daily_mg is not None and daily_mg <= rule.most * 1.01:
            continue
        yield _renal_risk(drug, rule, told=indication is None)


def near_halved_apixaban(age: float, weight_kg: float, creatinine: float) -> bool:
    """Return whether two of the three limits are near at which apixaban is halved for the heart.

    >>> near_halved_apixaban(84, 58, 0.9), near_halved_apixaban(84, 75, 0.9)
    (True, False)
    """
    return sum((age >= 78, weight_kg <= 62, creatinine >= 1.4)) > 1


def _of_who_takes(rule: RenalRule) -> RenalRule | None:
    """What a rule asks of who takes a drug already; None for nothing."""
    if not _STARTS.match(rule.action):
        return rule
    _, _, then = rule.action.partition("; ")
    most = re.search(r"([0-9.]+) mg", then)
    left = {"action": then, "most": float(most[1]) if most else None}
    return rule.model_copy(update=left) if then else None


def _within(rule: RenalRule, value: float) -> bool:
    return (
        (rule.below is None or value < rule.below)
        and (rule.at_most is None or value <= rule.at_most)
        and (rule.at_least is None or value >= rule.at_least)
        and (rule.above is None or value > rule.above)
    )


def _renal_risk(drug: str, rule: RenalRule, *, told: bool) -> DrugRisk:
    risk = _of_rule(drug, rule)
    only = ", ".join(one.replace("-", " ") for one in rule.only_indications)
    return replace(risk, advice=f"{risk.advice} (only for {only})") if told and only else risk


def _of_rule(drug: str, rule: RenalRule) -> DrugRisk:
    text = rule.action.casefold()
    dose = (Remedy("dose", frozenset({drug}), rule.most),)
    if rule.when is not None:
        return DrugRisk(
            "major", ("avoid", "change"), rule.action, f"kidney function: {rule.when}", dose
        )
    reason = f"{rule.measure} in the range of this rule"
    if text.startswith("contraindicated"):
        return DrugRisk("contraindicated", ("avoid",), rule.action, reason)
    if " or avoid" in text:
        return DrugRisk("major", ("avoid", "change"), rule.action, reason, dose)
    if text.startswith(("avoid", "do not start")):
        return DrugRisk("major", ("avoid",), rule.action, reason)
    return DrugRisk("moderate", ("change",), rule.action, reason, dose)


def dose_limit(drug: str) -> DoseLimit | None:
    """Return the greatest daily dose of an adult, of the usual form; None if none is known."""
    limits = load().drugs[drug].max_daily_doses
    return next((one for one in limits if one.form is None), limits[0] if limits else None)


def dose_risk(
    drug: str, daily: float, unit: str, route: str = "po", indication: Sequence[str] = ()
) -> DrugRisk | None:
    """Return whether a daily amount is above the greatest dose of an adult for an indication."""
    limit = dose_limit(drug)
    if limit is None:
        return None
    per_week = limit.unit == "mg/week"
    base = "mg" if per_week else limit.unit
    if unit not in _IN_MG or base not in _IN_MG:
        return None
    by_route: dict[str, float] = {str(key): most for key, most in limit.by_route.items()}
    most = by_route.get(route, limit.maximum)
    lower = load().drugs[drug].doses_by_indication
    most = min([most, *(lower[one] for one in indication if one in lower)])
    allowed = most * _IN_MG[base] / _IN_MG[unit] / (7 if per_week else 1)
    if daily <= allowed * 1.01:
        return None
    advice = (
        f"at most {most:g} {limit.unit} in 24 hours"
        if not per_week
        else f"at most {limit.maximum:g} mg a week"
    )
    return DrugRisk(
        "major",
        ("change",),
        advice,
        limit.note or "",
        (Remedy("dose", frozenset({drug}), allowed),),
    )
