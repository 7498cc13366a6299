"""What people of an age and sex live with, and how they take a medicine at home."""

from __future__ import annotations

import math
from dataclasses import replace

from gym_clinic.domains.drug_interaction.checks.formulary import (
    HomeRegimen,
    ages_of,
    bought,
    home_regimens,
)
from gym_clinic.domains.drug_interaction.checks.given_beside import has_a_purpose
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.people import excluded_by, prevalence
from gym_clinic.simulate.disease.persons import epidemiology_of

RARE = 0.3
"""Share of the mean prevalence that a condition has at least at an age at which it is given."""

LOSE_WEIGHT, OVERWEIGHT = ("semaglutide",), 25.0
"""Medicines that nobody is given below a body mass index in kg/m2."""

WEIGHED = {"enoxaparin": (72.0, 88.0)}
"""Medicine whose one dose in the formulary is set by weight -> the weights in kg that it fits."""

FROM_BIRTH = ("sickle-cell-disease", "glucose-6-phosphate-dehydrogenase-deficiency")
"""Conditions that people are born with, and know from then on."""

TELLS_OF = {"a stent last year": "stable-angina-pectoris"}
"""What a medicine is taken for, in words -> the condition whose rules hold there."""

INFANCY = 3.0
"""Age in years up to which some conditions come and pass, as the reflux of infants does."""

NEARLY = 1.0
"""Years by which a beginning that is told in whole years is off at most."""

OF_YOUNG_WOMEN, CHILDBEARING = ("combined-oral-contraceptive", "isotretinoin"), 45
OF_MEN, OF_WOMEN = ("sildenafil", "tadalafil"), ("tamoxifen",)
"""Medicines of one sex, and of an age in years."""


def taken_by(drug: str, patient: ClinicPatient) -> bool:
    """Return whether people of this age and sex live with what a medicine is for."""
    return bool(regimens_of(drug, patient))


def may_live_with(condition: str, patient: ClinicPatient) -> bool:
    """Return whether a condition is common enough in people of this age and sex, and goes with what
    they live with.
    """
    if not goes_with(condition, patient):
        return False
    known = patient.facts.conditions[condition]
    usual = known.prevalence or 1.0  # of what is over, such as an ulcer, age and sex decide
    known = known.model_copy(update={"prevalence": usual})
    return prevalence(patient.facts, known, patient.person.person) >= RARE * usual / 1000


def lives_with(patient: ClinicPatient) -> frozenset[str]:
    """Return the ids of what a patient has, and of what the reasons of medicines tell of."""
    told = {TELLS_OF[one.condition] for one in patient.medicines if one.condition in TELLS_OF}
    known = {one.condition for one in patient.background}
    return frozenset(told | known | {one.condition for one in patient.problems})


def goes_with(condition: str, patient: ClinicPatient) -> bool:
    """Return whether somebody may have a condition beside what they truly have."""
    lived = {one.condition for one in patient.background if not one.mistaken}
    lived |= {one.condition for one in patient.problems}
    return excluded_by(condition).isdisjoint(lived)


def begins_at(condition: str) -> float:
    """Return from which age in years adults may have known a condition.

    That is not infancy, unless they were born with it.

    >>> begins_at("gastroesophageal-reflux-disease"), begins_at("sickle-cell-disease")
    (18.0, 0.0)
    """
    ages = epidemiology_of(load().diseases[condition]).ages
    usual = (one.low for one in ages if one.high > INFANCY)
    return 0.0 if condition in FROM_BIRTH else next(usual, ages[0].low)


def is_of_infancy(condition: str, began: float) -> bool:
    """Return whether a condition that began at an age in years is one that infants outgrow."""
    first = epidemiology_of(load().diseases[condition]).ages[0]
    return first.high <= INFANCY and began < begins_at(condition) - NEARLY


def regimens_of(drug: str, patient: ClinicPatient) -> list[HomeRegimen]:
    """Return how people of this age and sex take a medicine at home."""
    person = patient.person
    found = []
    for one in home_regimens().get(drug) or (bought()[drug],):
        if one.reason not in patient.facts.conditions:
            youngest, oldest = ages_of(one.reason)
            fits = youngest <= person.age <= oldest
        else:
            taken = [each.drug for each in patient.medicines]
            fits = has_a_purpose(drug, one.reason, taken) and may_live_with(one.reason, patient)
        if fits and fits_weight(drug, patient):
            found.append(one)
    return found


def suits(drug: str, patient: ClinicPatient) -> bool:
    """Return whether a medicine is one of people of this age and sex."""
    person = patient.person
    female = person.sex == "female"
    if drug in OF_YOUNG_WOMEN:
        return female and person.age < CHILDBEARING
    return female != (drug in OF_MEN) if drug in (*OF_MEN, *OF_WOMEN) else True


def with_a_purpose(patient: ClinicPatient) -> ClinicPatient:
    """Return a patient without medicines that have no use.

    That is what protects from a drug that is not taken, and what lowers the weight of the lean.
    """
    drugs = [one.drug for one in patient.medicines]
    kept = (
        one
        for one in patient.medicines
        if has_a_purpose(one.drug, one.condition, drugs) and fits_weight(one.drug, patient)
    )
    return replace(patient, medicines=tuple(kept))


def fits_weight(drug: str, patient: ClinicPatient) -> bool:
    """Return whether the weight of somebody is one for a medicine and its dose."""
    person = patient.person
    bmi = person.weight_kg / (person.height_cm / 100) ** 2
    least, most = WEIGHED.get(drug, (0.0, math.inf))
    return least <= person.weight_kg <= most and (drug not in LOSE_WEIGHT or bmi >= OVERWEIGHT)
