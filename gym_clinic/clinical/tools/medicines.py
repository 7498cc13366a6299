"""What the drug tables say of a drug, and of two of them together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gym_clinic.case import Case
from gym_clinic.chart import Chart
from gym_clinic.chart.catalogue import find_drug
from gym_clinic.facts import load
from gym_clinic.facts.records.drugs import DoseLimit, RenalRule
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
    return drug_information(case, drug)


def drug_information(
    case: Case, drug: str, pregnancy_of: Callable[[str], str | None] = lambda drug: None
) -> dict[str, Any]:
    """Return what the tables say of a drug.

    Args:
        case: The case, which notes that it was asked.
        drug: International name or brand.
        pregnancy_of: Returns what holds in pregnancy for a drug that the facts do not rate.
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
        limits = [_limit(one) for one in record.max_daily_doses]
        renal = [_renal(one) for one in record.kidney_rules]
        rated = record.pregnancy
        pregnancy = f"{rated.level}: {rated.reason}" if rated else pregnancy_of(key)
        told.append(
            {
                "drug": record.name,
                "summary": record.summary or "none",
                "classes": [facts.drug_classes[one].name for one in record.classes] or "none",
                "uses": uses or "not in the table",
                "cautions": list(record.cautions) or "not in the table",
                "greatest daily dose": limits or "none stated",
                "kidneys": renal or "none stated",
                "pregnancy": pregnancy or "unknown",
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


def _limit(one: DoseLimit) -> str:
    """A greatest dose with the salt or form that it is about, and its conditions."""
    about = "; ".join(filter(None, (one.form, one.note)))
    return f"{one.maximum:g} {one.unit}" + (f" ({about})" if about else "")


def _renal(rule: RenalRule) -> str:
    limits = (("below", rule.below), ("up to", rule.at_most), ("from", rule.at_least),
              ("above", rule.above))  # fmt: skip
    when = [f"{word} {value:g}" for word, value in limits if value is not None]
    head = f"{rule.measure} {' and '.join(when)} mL/min" if when else rule.when
    only = [*(one.replace("-", " ") for one in rule.only_indications), rule.route or ""]
    named = ", ".join(filter(None, only))
    return f"{head}: {rule.action}" + (f" (only for {named})" if named else "")
