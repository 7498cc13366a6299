"""Tools that answer from the tables about a drug in a patient whom the agent describes."""

from __future__ import annotations

from typing import Any, Literal

from gym_clinic.case import Case
from gym_clinic.clinical.naming import disease_named
from gym_clinic.clinical.tools.medicines import drug_information
from gym_clinic.domains.drug_interaction.checks.conditions import condition_risks, ruled_out
from gym_clinic.domains.drug_interaction.checks.doses import renal_risks
from gym_clinic.domains.drug_interaction.checks.formulary import (
    hepatic_rules,
    indications,
    pregnancy_rule,
)
from gym_clinic.domains.drug_interaction.checks.people import OLD, older_risks, pregnancy_risk
from gym_clinic.domains.drug_interaction.checks.risks import allergy_risk, hepatic_risk
from gym_clinic.domains.drug_interaction.tools.product_checks import ids_of, name_of, note, told
from gym_clinic.errors import ToolError
from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import did_you_mean, resolve_allergen
from gym_clinic.names import nearest
from gym_clinic.toolbox import tool


@tool
def check_allergy(case: Case, drug: str, allergen: str, reaction: str = "") -> dict[str, Any]:
    """Check a drug against an allergy: the same drug or class, or cross-reactivity.

    Args:
        drug: The drug that is to be given.
        allergen: Drug, class or substance of the allergy, such as "penicillin".
        reaction: What happened, such as "rash"; empty if unknown.
    """
    references = resolve_allergen(allergen)
    if not references:
        hint = did_you_mean(allergen) or "name a drug or a class."
        raise ToolError(f"No allergen '{allergen[:80]}'; {hint}")
    found = ids_of(drug)
    note(case, "allergy", *found)
    lines = []
    for one in found:
        risks = [
            risk for ref in references if (risk := allergy_risk(one, ref, reaction.casefold()))
        ]
        told_of = told(risks[0]) if risks else {"finding": "no cross-reactivity is listed"}
        lines.append({"drug": name_of(one), **told_of})
    return {"allergen": allergen, "drugs": lines}


@tool
def check_renal_dose(
    case: Case, drug: str, egfr: float | None = None, creatinine_clearance: float | None = None
) -> dict[str, Any]:
    """Check what a kidney function asks of a drug.

    Args:
        drug: The drug.
        egfr: eGFR in mL/min/1.73 m2.
        creatinine_clearance: By Cockcroft and Gault, in mL/min; most rules ask for it.
    """
    given = [one for one in (egfr, creatinine_clearance) if one is not None]
    if not given or not all(0 < one <= 250 for one in given):
        raise ToolError("expected egfr or creatinine_clearance, above 0 and up to 250")
    found = ids_of(drug)
    note(case, "renal", *found)
    lines = []
    for one in found:
        measures = {rule.measure for rule in load().drugs[one].kidney_rules if rule.measure}
        missing = [
            name for name, value in (("eGFR", egfr), ("CrCl", creatinine_clearance))
            if value is None and name in measures
        ]  # fmt: skip
        risks = list(renal_risks(one, given[0] if egfr is None else egfr,
                                 given[0] if creatinine_clearance is None
                                 else creatinine_clearance))  # fmt: skip
        line: dict[str, Any] = {"drug": name_of(one)}
        line["rules"] = [told(risk) for risk in risks] or "none applies"
        if missing:
            line["note"] = (
                f"this drug has a rule on {missing[0]}, for which the other value stood in"
            )
        lines.append(line)
    return {"drugs": lines}


@tool
def check_hepatic_dose(case: Case, drug: str, child_pugh: Literal["A", "B", "C"]) -> dict[str, Any]:
    """Check what cirrhosis asks of a drug.

    Args:
        drug: The drug.
        child_pugh: Class of the cirrhosis.
    """
    found = ids_of(drug)
    note(case, "hepatic", *found)
    lines = []
    for one in found:
        risk = hepatic_risk(one, child_pugh)
        missing = "no rule" if one not in hepatic_rules() else f"no rule in class {child_pugh}"
        lines.append({"drug": name_of(one), **(told(risk) if risk else {"finding": missing})})
    return {"drugs": lines}


@tool
def check_pregnancy(case: Case, drug: str, weeks: int) -> dict[str, Any]:
    """Check a drug in pregnancy.

    Args:
        drug: The drug.
        weeks: Completed weeks of the pregnancy.
    """
    if not 0 <= weeks <= 43:
        raise ToolError(f"weeks is {weeks}; expected 0 to 43")
    found = ids_of(drug)
    note(case, "pregnancy", *found)
    lines = []
    for one in found:
        lines.append({"drug": name_of(one), **told(pregnancy_risk(one, weeks))})
    return {"drugs": lines}


@tool
def get_drug_information(case: Case, drug: str) -> dict[str, Any]:
    """Read what a drug is for, its cautions, limits, and use in pregnancy and kidney failure.

    Args:
        drug: International name or brand.
    """
    return drug_information(case, drug, _in_pregnancy)


def _in_pregnancy(drug: str) -> str | None:
    rule = pregnancy_rule(drug)
    if rule is None:
        return None
    since = f" (from week {rule.from_week:g})" if rule.from_week else ""
    return f"{rule.level}: {rule.reason}{since}"


BY_USE = "for some uses alone: give the indication"
"""What stands beside a rule where the use is not given."""


@tool
def check_older_adult(case: Case, drug: str, age: float, indication: str = "") -> dict[str, Any]:
    """Check a drug against the list of those that are to be avoided from 65 years on.

    Args:
        drug: The drug.
        age: Years.
        indication: What it is for, as the request names it; some rules hold for one use alone.
    """
    if not 0 < age <= 120:
        raise ToolError(f"age is {age:g}; expected 1 to 120")
    known = indications()
    names = {name: name for name in known} | {one.why: name for name, one in known.items()}
    near = names.get(indication) or names.get(nearest(indication, tuple(names)) or "")
    uses = known[near].older if near else ()
    found = ids_of(drug)
    note(case, "older adult", *found)
    lines = []
    for one in found:
        risks = [told(risk) for risk in older_risks(one, age, uses)]
        if near is None:
            every = {each for use in known.values() for each in use.older}
            rest = (told(risk) for risk in older_risks(one, age, sorted(every)))
            risks += [{**risk, "holds": BY_USE} for risk in rest if risk not in risks]
        none = "none" if age >= OLD else f"the list holds from {OLD} years"
        lines.append({"drug": name_of(one), "rules": risks or none})
    return {"drugs": lines}


MOST_CONDITIONS = 20
"""Conditions of one question at most."""


@tool
def check_conditions(case: Case, drug: str, conditions: list[str]) -> dict[str, Any]:
    """Check a drug against what the patient lives with, beside kidneys, liver and pregnancy.

    Args:
        drug: The drug.
        conditions: Conditions as the history names them, such as "asthma".
    """
    if not 1 <= len(conditions) <= MOST_CONDITIONS:
        raise ToolError(f"expected 1 to {MOST_CONDITIONS} conditions, not {len(conditions)}")
    named = {one: disease_named(one) for one in conditions}
    unknown = [one[:80] for one, key in named.items() if key is None]
    if unknown:
        raise ToolError(f"No condition {unknown[0]!r}; name it as the history does.")
    found = ids_of(drug)
    note(case, "condition", *found)
    lines = []
    for one in found:
        risks = condition_risks(one, {key for key in named.values() if key is not None})
        rules = [{"condition": load().diseases[key].name, **told(risk)}
                 for key, risk in risks.items()]  # fmt: skip
        rules += [{"condition": load().diseases[key].name, "rule": "no choice in this condition"}
                  for key in ruled_out(one, named.values()) if key not in risks]  # fmt: skip
        lines.append({"drug": name_of(one), "rules": rules or "none applies"})
    return {"drugs": lines}
