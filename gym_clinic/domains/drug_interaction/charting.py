"""Edits that put problems, conditions, medicines and names on the chart of a review."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any

from gym_clinic.domains.drug_interaction.candidates import ReviewCandidate
from gym_clinic.domains.drug_interaction.checks.formulary import (
    HomeRegimen,
    bought,
    brands,
    combined_for,
    home_regimens,
    products,
)
from gym_clinic.domains.drug_interaction.checks.given_beside import beside_rule, has_a_purpose
from gym_clinic.domains.drug_interaction.checks.people import pregnancy_risk
from gym_clinic.domains.drug_interaction.ended import washout_regimen
from gym_clinic.domains.drug_interaction.home import (
    FROM_BIRTH,
    begins_at,
    fits_weight,
    regimens_of,
)
from gym_clinic.domains.drug_interaction.world import edited, hidden
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient

CREATININE = (1.5, 1.7, 2.0, 2.3, 2.7, 3.2, 3.8, 4.5)
"""Values of failing kidneys in mg/dL."""

EXTRAS = {"bought": 0.5, "ended": 0.35, "allergy": 0.3, "kidneys": 0.3, "pharmacist": 0.4,
          "egfr": 0.55, "brand": 0.5, "begun": 0.5}  # fmt: skip
"""What a chart has beside the question -> share of charts."""

REACTIONS = ("rash", "hives", "anaphylaxis")

Edit = dict[str, Any]


def setting_of(chosen: ReviewCandidate, patient: ClinicPatient, random: Random) -> list[Edit]:
    """Return the edits that set the problem of a candidate."""
    if chosen.kind == "none":
        return []
    if chosen.kind == "allergy":
        return [{"kind": "allergy", "allergen": chosen.allergen,
                 "reaction": random.choice(REACTIONS), "told": told_how(random)}]  # fmt: skip
    if chosen.kind == "renal":
        return failing_kidneys(random)
    if chosen.kind == "hepatic":
        return [lived_with("cirrhosis", patient, random)]
    if chosen.condition is not None:
        return with_medicine(chosen.condition, patient, random)
    if chosen.kind == "pregnancy":
        return [pregnancy_edit(random.choice(chosen.weeks), random)]
    if chosen.partner is None:
        return []
    if chosen.days is not None:
        usual = washout_regimen(chosen.partner, patient, random)
        if usual is None:
            return []
        return [*known_for(usual, patient, random),
                {"kind": "ended", "drug": chosen.partner, "days": chosen.days, "for": usual.reason,
                 "told": told_how(random) if chosen.partner in home_regimens() else "hidden"},
                ]  # fmt: skip
    return taken_edits(chosen.partner, chosen.bought, patient, random)


def told_how(random: Random) -> str:
    """Draw whether the list has what the patient tells."""
    return "hidden" if random.random() < 0.5 else "list"


SHOWS = 16
"""Completed weeks up to which a pregnancy may be missing from the record."""


def pregnancy_edit(weeks: int, random: Random) -> Edit:
    """Draw how a pregnancy is known: one that shows is on record."""
    told = told_how(random)
    return {"kind": "pregnancy", "weeks": weeks, "told": told if weeks <= SHOWS else "list"}


def failing_kidneys(random: Random) -> list[Edit]:
    """Draw a chronic kidney disease with its creatinine."""
    lived = {"kind": "lives with", "condition": "chronic-kidney-disease",
             "years": random.randint(2, 9)}  # fmt: skip
    return [lived, {"kind": "kidneys", "creatinine": random.choice(CREATININE)}]


def lived_with(condition: str, patient: ClinicPatient, random: Random) -> Edit:
    """Draw for how long a condition is known: not from before the age at which it begins."""
    age = round(patient.person.age)
    longest = max(min(math.floor(age - begins_at(condition)), 15), 1)
    years = age if condition in FROM_BIRTH else random.randint(1, longest)
    return {"kind": "lives with", "condition": condition, "years": years}


def usual_for(condition: str, patient: ClinicPatient) -> list[HomeRegimen]:
    """Return what is usually taken for a condition, of what a pregnancy allows."""
    weeks = patient.person.pregnant_weeks
    return [row for drug, rows in home_regimens().items() for row in rows
            if row.reason == condition and has_a_purpose(drug, condition, ())
            and fits_weight(drug, patient)
            and (weeks is None or pregnancy_risk(drug, weeks).actions == ("none",))]  # fmt: skip


def with_medicine(condition: str, patient: ClinicPatient, random: Random) -> list[Edit]:
    """Return the edits of a condition, with what is taken for it: what is usual most often."""
    usual = usual_for(condition, patient)
    lived = lived_with(condition, patient, random)
    if not usual:
        return [lived]
    one = random.choices(usual, weights=[each.share for each in usual])[0].regimen
    return [lived, {"kind": "take", "drug": one.drug, "dose": one.dose, "unit": one.unit,
                    "per_day": one.per_day, "for": condition}]  # fmt: skip


TREATED = 0.7
"""Share of those with a lasting condition who take something for it before more is proposed."""


def lived_with_treated(condition: str, patient: ClinicPatient, random: Random) -> list[Edit]:
    """Return the edits of a condition for which more is proposed; most are treated already."""
    treated = any(one.condition == condition for one in patient.medicines)
    if treated or random.random() >= TREATED:
        return [lived_with(condition, patient, random)]
    return with_medicine(condition, patient, random)


def taken_edits(drug: str, without: bool, patient: ClinicPatient, random: Random) -> list[Edit]:
    """Return the edits of a medicine that is bought, or taken at home for a condition."""
    usual = bought()[drug] if without else random.choice(regimens_of(drug, patient))
    one = usual.regimen
    take: Edit = {"kind": "take", "drug": drug, "dose": one.dose, "unit": one.unit,
                  "per_day": one.per_day, "for": usual.reason}  # fmt: skip
    if without:
        return [{**take, "bought": True, "told": "hidden"}]
    found = known_for(usual, patient, random)
    combined = combined_for(drug, usual.reason)
    if combined and random.random() < 0.5:
        name = random.choice(combined)
        return [*found, *({**take, "drug": key, "dose": mg, "unit": "mg", "per_day": 1.0,
                           "product": name} for key, mg in products()[name])]  # fmt: skip
    return [*found, take]


def known_for(usual: HomeRegimen, patient: ClinicPatient, random: Random) -> list[Edit]:
    """Return the edit of the condition that a medicine is taken for; none for words."""
    if usual.reason not in load().conditions or usual.reason == patient.problems[0].condition:
        return []
    return [lived_with(usual.reason, patient, random)]


def protected(drug: str, days: float | None = None) -> list[Edit]:
    """Return the edits of what is given beside a drug to protect from it.

    Args:
        drug: The drug.
        days: Days since it was begun with the drug; None for long.
    """
    rule = beside_rule(drug)
    if rule is None:
        return []
    dose, unit, per_day, reason = rule.taken
    since = {} if days is None else {"days": days}
    return [{"kind": "take", "drug": rule.given, "dose": dose, "unit": unit, "per_day": per_day,
             "for": reason, **since}]  # fmt: skip


def brand_names(patient: ClinicPatient, edits: Sequence[Edit], random: Random) -> list[Edit]:
    """Draw brand names for some medicines of the list."""
    combined = {one["drug"] for one in edits if one.get("product")}
    off = hidden(edits, "take", "drug") | combined
    taken = [one.drug for one in edited(patient, edits).medicines]
    return [
        {"kind": "product", "drug": drug, "name": brands()[drug]}
        for drug in taken
        if drug in brands() and drug not in off and random.random() < EXTRAS["brand"]
    ]
