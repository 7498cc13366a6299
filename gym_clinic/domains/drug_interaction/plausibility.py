"""Whether the chart of a review holds together and the tables can judge its request."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gym_clinic.domains.drug_interaction.checks.conditions import at_risk_of_stroke, condition_risks
from gym_clinic.domains.drug_interaction.checks.doses import near_halved_apixaban, renal_risks
from gym_clinic.domains.drug_interaction.checks.formulary import hurts_the_liver
from gym_clinic.domains.drug_interaction.checks.instead import acts_on, raises_high_potassium
from gym_clinic.domains.drug_interaction.checks.people import pregnancy_risk
from gym_clinic.domains.drug_interaction.checks.problems import (
    DrugProblem,
    ReviewProfile,
    Taken,
    excluded,
    find_problems,
)
from gym_clinic.domains.drug_interaction.checks.risks import (
    allergy_risk,
    duplicate_risk,
    pair_risk,
    triple_risks,
    washout_risk,
)
from gym_clinic.domains.drug_interaction.gold import proposal
from gym_clinic.domains.drug_interaction.home import goes_with, is_of_infancy
from gym_clinic.domains.drug_interaction.lists.needed import lacking
from gym_clinic.domains.drug_interaction.lists.review import (
    LIST,
    asked_drug,
    list_holds_together,
    list_problems,
)
from gym_clinic.domains.drug_interaction.world import CKD, profile_of, reported
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.physiology.body import reference

POTASSIUM = (3.2, 5.8)
"""Potassium in mmol/L outside of which something else comes before a review."""

USUAL_POTASSIUM = (3.5, 5.1)
"""Potassium in mmol/L outside of which "nothing stands in the way" would leave something out."""

HIGH_ALT = 3
"""Times its limit above which an alanine aminotransferase is explained before a review."""

LOSES_POTASSIUM = ("class:thiazide-diuretic", "class:loop-diuretic")

LEAST_HB = 8.0
"""Haemoglobin in g/dL below which blood comes before a review."""


def plausible(record: Mapping[str, Any], patient: ClinicPatient) -> bool:
    """Return whether a chart holds together, and the request is one that the tables can judge.

    No two illnesses rule each other out, and none is one of infants; failing kidneys and the
    disease are on record together; potassium, haemoglobin and liver enzymes are none that call for
    something at once, and potassium is usual where nothing is found; nothing is prescribed that
    these kidneys, this pregnancy or another medicine forbid; the drug suits sex, age and
    conditions, or a risk that the tables know forbids it; no risk is one that the tables leave
    open; where nothing is wrong with the drug, nothing is with the other medicines; nobody goes
    without what a condition on record needs, unless the proposed drug is it; a stroke is prevented
    in who may have one; and apixaban is not near the two of three limits (age, weight, creatinine)
    at which its dose in atrial fibrillation is halved.
    """
    who = profile_of(patient, record["edit"])
    lived = [one for one in patient.background if not one.mistaken]
    if not all(goes_with(one.condition, patient) for one in lived):
        return False
    age = patient.person.age
    if any(is_of_infancy(one.condition, age - one.years) for one in lived):
        return False
    if (CKD in who.conditions) != (who.egfr < 60):
        return False
    if not POTASSIUM[0] <= who.potassium <= POTASSIUM[1] or reported(patient, "hb") < LEAST_HB:
        return False
    limit = reference(patient.facts.measurements["alt"], *patient.person.measured_by)
    if limit and limit.high and reported(patient, "alt") > HIGH_ALT * limit.high:
        return False
    if asked_drug(record["question"]) == LIST:
        return list_holds_together(who) and _potassium_fits(who, list_problems(who))
    drug, indication = proposal(record["question"])
    prescribed = [one.regimen for one in who.medicines if not one.bought]
    kidneys = (who.egfr, who.crcl)
    if any(risk.actions == ("avoid",) for one in prescribed
           for risk in renal_risks(one.drug, *kidneys, indication=(), taken=True)):  # fmt: skip
        return False
    if not go_together(who) or lacking(replace(who, medicines=(*who.medicines, Taken(drug)))):
        return False
    if "af-long-term" in indication.older and not at_risk_of_stroke(who.age, who.conditions):
        return False
    problems = find_problems(drug, indication, who)
    if not any(one.matters for one in problems) and (
        any(one.matters for one in list_problems(who))
        or any(excluded(one.regimen.drug, who) for one in who.medicines)
    ):
        return False
    if any(one.undecided for one in problems) or not _potassium_fits(who, problems):
        return False
    waits = {other for one in problems for other in one.drugs}
    if any(acts_on(ended, days, drug.drug) and ended not in waits for ended, days in who.ended):
        return False
    if (
        hurts_the_liver(drug.drug)
        and not who.liver_well
        and all(one.kind != "hepatic" for one in problems)
    ):
        return False
    if excluded(drug.drug, who) and all(one.actions != ("avoid",) for one in problems):
        return False
    if raises_high_potassium(drug.drug, who) and all(one.kind != "interaction" for one in problems):
        return False
    halved = near_halved_apixaban(who.age, who.weight_kg, who.creatinine)
    return not (halved and drug.drug == "apixaban" and "af" in indication.older)


def _potassium_fits(who: ReviewProfile, problems: Sequence[DrugProblem]) -> bool:
    """Whether nothing is to be said of a potassium that is unusual, or low under a diuretic."""
    low, high = USUAL_POTASSIUM
    drugs = [one.regimen.drug for one in who.medicines]
    if who.potassium < low and any(is_a(one, ref) for one in drugs for ref in LOSES_POTASSIUM):
        return False
    return low <= who.potassium <= high or any(one.matters for one in problems)


def go_together(who: ReviewProfile) -> bool:
    """Return whether what is taken goes together, and with pregnancy, sex, age and conditions.

    It goes with what ended lately too: no washout was cut short.
    """
    taken = [one.regimen.drug for one in who.medicines]
    prescribed = [one.regimen for one in who.medicines if not one.bought]
    if any(
        excluded(one.drug, who) or condition_risks(one.drug, who.conditions, one.daily_mg, who.age)
        for one in prescribed
    ):
        return False
    if who.weeks is not None and any(
        pregnancy_risk(one.regimen.drug, who.weeks).actions[0] == "avoid" for one in who.medicines
    ):
        return False
    if any(risk.actions == ("avoid",) for _, risk in triple_risks(taken)):
        return False
    for one, (allergen, reaction) in itertools.product(taken, who.allergies):
        reacts = allergy_risk(one, allergen, reaction)
        if reacts is not None and reacts.actions == ("avoid",):
            return False
    for one, other in itertools.combinations(taken, 2):
        risks = (pair_risk(one, other), duplicate_risk(one, other))
        if any(risk is not None and risk.actions == ("avoid",) for risk in risks):
            return False
    return not any(
        washout_risk(one, ended, days) or acts_on(ended, days, one)
        for one, (ended, days) in itertools.product(taken, who.ended)
        if one != ended
    )
