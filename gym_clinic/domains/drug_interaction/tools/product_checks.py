"""Tools that answer from the tables about drugs: names, interactions, duplicates, doses."""

from __future__ import annotations

import itertools
from typing import Any, Literal

from gym_clinic.case import Case
from gym_clinic.chart import Chart
from gym_clinic.chart.catalogue import find_drug
from gym_clinic.domains.drug_interaction.checks.doses import dose_limit, dose_risk
from gym_clinic.domains.drug_interaction.checks.formulary import indications
from gym_clinic.domains.drug_interaction.checks.given_beside import beside_risk
from gym_clinic.domains.drug_interaction.checks.risks import (
    DrugRisk,
    duplicate_risk,
    pair_risk,
    triple_risks,
    ungraded,
    washout_risk,
)
from gym_clinic.domains.drug_interaction.checks.watching import in_words
from gym_clinic.errors import ToolError
from gym_clinic.facts import load
from gym_clinic.names import nearest
from gym_clinic.simulate.clinic.texts.sections.background import interval
from gym_clinic.toolbox import tool

MOST = 20
"""Drugs of one list at most."""

NOTHING = "nothing is listed"

_CYP = {"strong": "strong", "moderate": "moderate", "weak": "weak", "gut": "in the gut only"}


def ids_of(drug: str) -> list[str]:
    """Return the ids of the ingredients that the tables know.

    Raises:
        ToolError: If the name is not known, with the nearest one.
    """
    known = [ingredient for ingredient in find_drug(drug).ingredients if ingredient in load().drugs]
    if not known:
        raise ToolError(f"The tables have no record of '{drug[:80]}'.")
    return known


def name_of(drug: str) -> str:
    """Return the international name of a drug."""
    return load().drugs[drug].name


def told(risk: DrugRisk) -> dict[str, str]:
    """Return a risk as tools tell it."""
    watched = [in_words(one.watch) for one in risk.remedies if one.kind == "monitor"]
    lines = {"severity": risk.severity, "why": risk.reason, "do": risk.advice}
    if watched and "change" in risk.actions:
        lines["watch"] = watched[0]
    return {key: value for key, value in lines.items() if value}


def note(case: Case, kind: str, *drugs: str) -> None:
    """Note on the chart what was looked up, for the judge."""
    if isinstance(case, Chart):
        case.spend(1)
        for drug in drugs:
            case.log("look_up", key=f"{kind}:{drug}")


@tool
def resolve_drug_name(case: Case, name: str) -> dict[str, Any]:
    """Read what a name on a list means: the ingredients of a brand or a combination product.

    Args:
        name: Any name: brand, product, salt or international name.
    """
    found = ids_of(name)
    note(case, "name", *found)
    classes = load().drug_classes
    return {
        "name": name,
        "ingredients": [
            {
                "drug": name_of(one),
                "classes": [classes[key].name for key in load().drugs[one].classes],
            }
            for one in found
        ],
    }


@tool
def check_interaction(
    case: Case, first: str, second: str, route: Literal["po", "iv", "im", "sc"] = "po"
) -> dict[str, Any]:
    """Check how two drugs interact, whoever takes them.

    Args:
        first: A drug, by international name or brand.
        second: Another one.
        route: Route of the first.
    """
    return _pairs(case, [first, second], route, within=False)


@tool
def check_interactions(case: Case, drugs: list[str]) -> dict[str, Any]:
    """Check a whole list of drugs: every pair, and three that act together.

    Args:
        drugs: Two to 20 drugs, by international name or brand.
    """
    return _pairs(case, drugs, "po", within=True)


def _pairs(case: Case, names: list[str], route: str, *, within: bool) -> dict[str, Any]:
    if not 2 <= len(names) <= MOST:
        raise ToolError(f"expected 2 to {MOST} drugs, not {len(names)}")
    groups = [ids_of(one) for one in names]
    if isinstance(case, Chart):
        case.log("check_interaction", drugs=names)
    note(case, "interaction", *dict.fromkeys(one for group in groups for one in group))
    graded, minor, seen = [], [], set[frozenset[str]]()
    for mine, theirs in itertools.combinations(groups, 2):
        for one, other in itertools.product(mine, theirs):
            both = frozenset((one, other))
            if one == other or both in seen:
                continue
            seen.add(both)
            risk = pair_risk(one, other, route)
            drugs = [name_of(one), name_of(other)]
            if risk is not None:
                graded.append({"drugs": drugs, **told(risk)})
            elif effects := ungraded(one, other):
                minor.append({"drugs": drugs, "note": effects[0]})
    if within:
        every = [one for group in groups for one in group]
        for three, risk in dict(triple_risks(every)).items():
            graded.append({"drugs": sorted(name_of(one) for one in three), **told(risk)})
    order = ("contraindicated", "major", "moderate", "minor")
    graded.sort(key=lambda line: order.index(str(line["severity"])))
    return {"interactions": graded or NOTHING, "not graded": minor or "none"}


@tool
def check_washout(case: Case, drug: str, stopped: str, days: float) -> dict[str, Any]:
    """Check whether a drug that was stopped some days ago still forbids another.

    Args:
        drug: The drug that is to be started.
        stopped: The drug that was stopped.
        days: Days since its last dose.
    """
    if days < 0:
        raise ToolError(f"days is {days:g}; expected 0 or more")
    pairs = [(one, other) for one in ids_of(drug) for other in ids_of(stopped)]
    note(case, "washout", *dict.fromkeys(one for pair in pairs for one in pair))
    found = [risk for one, other in pairs if (risk := washout_risk(one, other, days))]
    return {"washout": [told(one) for one in found] or "over, or none is needed"}


@tool
def check_cyp450_metabolism(case: Case, drug: str) -> dict[str, Any]:
    """Check which CYP450 enzymes and transporters handle a drug, and which it inhibits or induces.

    Args:
        drug: A drug, by international name or brand.
    """
    found = ids_of(drug)
    note(case, "cyp450", *found)
    lines: list[dict[str, Any]] = []
    for one in found:
        known = load().drugs[one].metabolism
        if known is None:
            lines.append({"drug": name_of(one), "metabolism": "not in the table"})
            continue
        changes = {
            "inhibits": [_effect(each.enzyme, each.strength) for each in known.inhibits],
            "induces": [_effect(each.enzyme, each.strength) for each in known.induces],
        }
        lines.append({
            "drug": name_of(one),
            "substrate of": list(known.substrate_of) or "none listed",
            **({"prodrug": True} if known.prodrug else {}),
            **{key: value or "none listed" for key, value in changes.items()},
        })  # fmt: skip
    return {"drugs": lines}


def _effect(enzyme: str, strength: str | None) -> str:
    return enzyme if strength is None else f"{enzyme} ({_CYP[strength]})"


@tool
def check_duplicates(case: Case, drugs: list[str]) -> dict[str, Any]:
    """Check a list of products for the same ingredient twice, or two drugs of one class.

    Args:
        drugs: Two to 20 products, by international name or brand.
    """
    if not 2 <= len(drugs) <= MOST:
        raise ToolError(f"expected 2 to {MOST} drugs, not {len(drugs)}")
    groups = [ids_of(one) for one in drugs]
    note(case, "duplicate", *dict.fromkeys(one for group in groups for one in group))
    found = []
    for (name, mine), (other, theirs) in itertools.combinations(zip(drugs, groups, strict=True), 2):
        for one, two in itertools.product(mine, theirs):
            if risk := duplicate_risk(one, two):
                found.append({"products": [name, other], **told(risk)})
    return {"duplicates": found or "none"}


@tool
def check_given_beside(case: Case, drug: str) -> dict[str, Any]:
    """Check which medicine is given beside a drug to protect from it.

    Args:
        drug: A drug, by international name or brand.
    """
    found = ids_of(drug)
    note(case, "beside", *found)
    lines = []
    for one in found:
        risk = beside_risk(one)
        lines.append({"drug": name_of(one), **(told(risk) if risk else {"finding": "nothing"})})
    return {"drugs": lines}


@tool
def check_maximum_dose(
    case: Case,
    drug: str,
    daily_dose: float,
    unit: Literal["mg", "g", "mcg"] = "mg",
    route: Literal["po", "iv", "im", "sc", "nasal"] = "po",
) -> dict[str, Any]:
    """Check a daily amount against the greatest dose of an adult.

    Args:
        drug: A drug, by international name or brand.
        daily_dose: Amount of all doses of a day together.
        unit: Its unit.
        route: How it is given.
    """
    found = ids_of(drug)
    note(case, "dose", *found)
    lines = []
    for one in found:
        limit, risk = dose_limit(one), dose_risk(one, daily_dose, unit, route)
        line: dict[str, Any] = {"drug": name_of(one)}
        line["greatest dose"] = f"{limit.maximum:g} {limit.unit}" if limit else "none in the table"
        if limit is not None and limit.note:
            line["note"] = limit.note
        finding = "not exceeded" if limit else "not known"
        lines.append({**line, **(told(risk) if risk else {"finding": finding})})
    return {"doses": lines}


def how_often(per_day: float) -> str:
    """Return how often a drug is given.

    >>> how_often(3), how_often(0.143), how_often(0.0027)
    ('3 a day', 'weekly', 'once a year')
    """
    return f"{per_day:g} a day" if per_day >= 1 else interval(per_day) or "when needed"


@tool
def find_alternatives(case: Case, indication: str) -> dict[str, Any]:
    """Find what else is usually given for an indication; nothing is checked against a patient.

    Args:
        indication: What is treated, as the request or the list names it.
    """
    known = indications()
    names = {load().diseases[one.disease].name: name for name, one in known.items() if one.disease}
    names |= {name: name for name in known} | {one.why: name for name, one in known.items()}
    near = names.get(indication) or names.get(nearest(indication, tuple(names)) or "")
    if near is None:
        raise ToolError(f"No indication '{indication[:80]}'; choose from {sorted(known)}.")
    note(case, "alternatives", near)
    options = [
        f"{name_of(one.drug)} {one.dose:g} {one.unit}, {how_often(one.per_day)}, {one.route}"
        for one in known[near].options
    ]
    return {"indication": near, "usual choices": options}
