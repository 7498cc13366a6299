"""What may be given instead of a drug, and what a medicine that ended still does to it."""

from __future__ import annotations

import re

from gym_clinic.domains.drug_interaction.checks.formulary import Indication, Regimen
from gym_clinic.domains.drug_interaction.checks.given_beside import MISSING
from gym_clinic.domains.drug_interaction.checks.problems import (
    ReviewProfile,
    excluded,
    find_problems,
)
from gym_clinic.domains.drug_interaction.checks.risks import ACTIVE, pair_risk, ungraded
from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import is_a

GRAVE = re.compile(
    r"contraindicated|avoided|withdrawal|serotonin|torsades|breathing|rejection|fails|kidney"
    r"|arrhythmia|sedation|cancel|toxicity|muscle|bleeding|potassium|crisis|unpredictable|seizure"
)
"""Words of an interaction without a grade that keep a drug from being an alternative."""

RAISE_POTASSIUM = (
    "class:renin-angiotensin-blocker", "class:potassium-sparing-diuretic",
    "class:trimethoprim-antibiotic", "potassium-chloride",
)  # fmt: skip
HIGH_POTASSIUM = 5.0
"""Potassium in mmol/L from which nothing is started that raises it."""


def raises_high_potassium(drug: str, who: ReviewProfile) -> bool:
    """Return whether a drug raises a potassium that is high already."""
    high = who.potassium >= HIGH_POTASSIUM
    return high and any(is_a(drug, one) for one in RAISE_POTASSIUM)


LASTS = {"st-johns-wort": 14, "class:enzyme-inducing-antiepileptic": 14,
         "class:strong-rifamycin": 14, "fluoxetine": 35, "amiodarone": 90}  # fmt: skip
"""Drug or class -> days for which its interactions outlast it, where no washout is written."""

LINGERS = {"class:ssri": 14, "class:snri": 14, "class:tricyclic-antidepressant": 14,
           "class:p2y12-inhibitor": 7, "aspirin": 7, "warfarin": 5, "digoxin": 8, "lithium": 5,
           "itraconazole": 14, "methadone": 7, "leflunomide": 90,
           "hydroxychloroquine": 90}  # fmt: skip
"""The same of drugs from which another may be switched to at once, by a plan that knows it."""


def acts_on(ended: str, days: float, drug: str) -> bool:
    """Return whether a drug that ended some days ago still interacts with another.

    It does if the tables tell of the two, graded or not, or if it induces an enzyme that breaks the
    other down. What ends today, by the plan of a review, may be switched.

    >>> acts_on("st-johns-wort", 1, "warfarin"), acts_on("st-johns-wort", 20, "warfarin")
    (True, False)
    >>> acts_on("rifampicin", 5, "zolpidem"), acts_on("rifampicin", 5, "metformin")
    (True, False)
    >>> acts_on("escitalopram", 3, "linezolid"), acts_on("escitalopram", 20, "linezolid")
    (True, False)
    """
    table = LASTS if days == 0 else {**LASTS, **LINGERS}
    lasts = max((most for ref, most in table.items() if is_a(ended, ref)), default=0)
    if days >= lasts:
        return False
    told = pair_risk(drug, ended) is not None or bool(ungraded(drug, ended))
    return told or not _induced(ended).isdisjoint(_broken_down_by(drug))


def _induced(drug: str) -> frozenset[str]:
    """The enzymes that a drug induces more than weakly."""
    known = load().drugs[drug].metabolism
    return frozenset(one.enzyme for one in known.induces if one.strength != "weak") if (
        known) else frozenset()  # fmt: skip


def _broken_down_by(drug: str) -> frozenset[str]:
    known = load().drugs[drug].metabolism
    return frozenset(known.substrate_of) if known else frozenset()


NO_SUBSTITUTE = ("phenelzine", "linezolid", "ergotamine", "calcium-carbonate", "colecalciferol")
"""Drugs that only a specialist chooses instead of another, or that are given beside one."""


VALPROATE_FROM = 55
"""Age in years below which two specialists start valproate, in men too (United Kingdom, 2024)."""


OTHER_CHOICE = 2
"""How severe it is to give instead what brings no grave problem and is no right choice."""

HEART_FAILURE = "heart-failure-with-reduced-ejection-fraction"
PROVEN = ("bisoprolol", "carvedilol", "nebivolol")
"""Beta-blockers for a weak heart, beside metoprolol succinate, which no option is."""


def _unproven(drug: str, who: ReviewProfile) -> bool:
    """Whether a drug is a beta-blocker that is no choice in a weak heart."""
    weak = HEART_FAILURE in who.conditions and is_a(drug, "class:beta-blocker")
    return weak and drug not in PROVEN


def harm_of(indication: Indication, drug: str, who: ReviewProfile) -> int:
    """Return how severe it is to give a drug instead, by what it brings; 0 where that is no harm.

    One of the usual choices of which nothing but a lower dose is asked does no harm.
    """
    if drug not in load().drugs:
        return OTHER_CHOICE
    usual = next((one for one in indication.options if one.drug == drug), None)
    own = find_problems(usual or Regimen(drug, 0.0, "mg", 1), indication, who)
    matter = [one for one in own if one.matters]
    lowered = [one for one in matter
               if one.actions == ("change",) and one.remedies[0].kind == "dose"]  # fmt: skip
    if usual is not None and matter and lowered == matter and not excluded(drug, who):
        return 0
    grades = {one.severity for one in matter if one.actions[0] == "avoid"}
    return 4 if "contraindicated" in grades else 3 if "major" in grades else OTHER_CHOICE


def alternatives(indication: Indication, drug: str, who: ReviewProfile) -> list[str]:
    """Return the drugs that may be given instead: they treat the same and bring no problem.

    An alternative brings no problem beside all that the patient goes on taking, and none that the
    tables leave open; it is no drug that is taken or that ended, suits sex, age, conditions and
    potassium, and has no grave interaction without a grade. What is given beside it may be missing.
    """
    found: list[tuple[int, str]] = []
    taken = [one.regimen.drug for one in who.medicines]
    known = {drug, *taken, *(key for key, _ in who.ended)}
    for one in indication.options:
        if one.drug == "valproate" and who.age < VALPROATE_FROM:
            continue
        same = ACTIVE.get(one.drug, one.drug) == ACTIVE.get(drug, drug)
        if same or one.drug in {*known, *NO_SUBSTITUTE} or excluded(one.drug, who):
            continue
        if raises_high_potassium(one.drug, who) or _unproven(one.drug, who):
            continue
        if any(acts_on(ended, days, one.drug) for ended, days in who.ended):
            continue
        told = [text for other in taken for text in ungraded(one.drug, other)
                if pair_risk(one.drug, other) is None]  # fmt: skip
        own = find_problems(one, indication, who)
        fits = all(each.actions == ("none",) or each.kind == MISSING for each in own)
        if fits and not any(GRAVE.search(text) for text in told):
            found.append((len(told), one.drug))
    return [name for _, name in sorted(found, key=lambda each: each[0])]
