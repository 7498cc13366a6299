"""What the drug tables say of a drug, and of two of them together."""

from __future__ import annotations

from typing import Any

from gym_clinic.case import Case
from gym_clinic.chart import Chart
from gym_clinic.chart.catalogue import find_drug
from gym_clinic.facts import load
from gym_clinic.safety.interactions import Medicine, interaction
from gym_clinic.safety.state import Patient
from gym_clinic.toolbox import tool

NOT_LISTED = "no interaction is listed"


@tool
def get_drug_information(case: Case, drug: str) -> dict[str, Any]:
    """Read what a drug is for, its cautions, limits, and use in pregnancy and kidney failure.

    Args:
        drug: International name or brand.
    """
    facts = load()
    told: list[dict[str, Any]] = []
    for key in find_drug(drug).ingredients:
        record = facts.drugs.get(key)
        if isinstance(case, Chart):
            case.log("get_drug_information", drug=key)
        if record is None:
            told.append({"drug": key, "note": "known by name only"})
            continue
        uses = [facts.diseases[one].name if one in facts.diseases else one for one in record.uses]
        limits = [f"{one.maximum:g} {one.unit}" for one in record.max_daily_doses]
        renal = [_renal(one.model_dump(exclude_none=True)) for one in record.renal]
        pregnancy = record.pregnancy
        told.append(
            {
                "drug": record.name,
                "summary": record.summary or "none",
                "classes": [facts.drug_classes[one].name for one in record.classes] or "none",
                "uses": uses or "none",
                "cautions": list(record.cautions) or "none",
                "greatest daily dose": limits or "none stated",
                "kidneys": renal or "none stated",
                "pregnancy": f"{pregnancy.level}: {pregnancy.reason}" if pregnancy else "unknown",
            }
        )
    return {"drugs": told}


@tool
def check_interaction(case: Case, first: str, second: str) -> dict[str, Any]:
    """Read how two drugs interact, in a patient of whom nothing else is known.

    Args:
        first: International name or brand.
        second: Another one.
    """
    found = []
    if isinstance(case, Chart):
        case.log("check_interaction", first=first, second=second)
    for one in find_drug(first).ingredients:
        for other in find_drug(second).ingredients:
            graded = interaction(Medicine(one), Medicine(other), Patient())
            if graded is not None:
                fact = graded.fact
                told = {"mechanism": fact.mechanism, "effect": fact.effect, "do": fact.management}
                stated = {name: value for name, value in told.items() if value}
                found.append({"drugs": [one, other], "severity": graded.severity, **stated})
    return {"interactions": found or NOT_LISTED}


def _renal(rule: dict[str, Any]) -> str:
    limits = {"below": "below", "at_most": "up to", "at_least": "from", "above": "above"}
    when = [f"{word} {rule[key]:g}" for key, word in limits.items() if key in rule]
    head = f"{rule['measure']} {' and '.join(when)} mL/min" if when else rule["when"]
    return f"{head}: {rule['action']}"
