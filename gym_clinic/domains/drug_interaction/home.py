"""What people of an age and sex live with, and how they take a medicine at home."""

from __future__ import annotations

from gym_clinic.domains.drug_interaction.checks.formulary import HomeRegimen, bought, home_regimens
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.people import prevalence

RARE = 0.3
"""Share of the mean prevalence that a condition has at least at an age at which it is given."""

GROWN_OLD, OF_THE_OLD = 45, ("ticagrelor", "bosentan", "riociguat", "tamoxifen")
"""Age in years from which some medicines are given, which no condition of the tables lists."""

OF_YOUNG_WOMEN, CHILDBEARING = ("combined-oral-contraceptive", "isotretinoin"), 45
OF_MEN, OF_WOMEN = ("sildenafil", "tadalafil"), ("tamoxifen",)
"""Medicines of one sex, and of an age in years."""


def taken_by(drug: str, patient: ClinicPatient) -> bool:
    """Return whether people of this age and sex live with what a medicine is for."""
    return bool(regimens_of(drug, patient))


def may_live_with(condition: str, patient: ClinicPatient) -> bool:
    """Return whether a condition is common enough in people of this age and sex."""
    known = patient.facts.conditions[condition]
    usual = known.prevalence or 1.0  # of what is over, such as an ulcer, age and sex decide
    known = known.model_copy(update={"prevalence": usual})
    return prevalence(patient.facts, known, patient.person.person) >= RARE * usual / 1000


def regimens_of(drug: str, patient: ClinicPatient) -> list[HomeRegimen]:
    """Return how people of this age and sex take a medicine at home."""
    person = patient.person
    found = []
    for one in home_regimens().get(drug) or (bought()[drug],):
        if one.reason not in patient.facts.conditions:
            fits = person.age >= GROWN_OLD or drug not in OF_THE_OLD
        else:
            fits = may_live_with(one.reason, patient)
        if fits:
            found.append(one)
    return found


def suits(drug: str, patient: ClinicPatient) -> bool:
    """Return whether a medicine is one of people of this age and sex."""
    person = patient.person
    female = person.sex == "female"
    if drug in OF_YOUNG_WOMEN:
        return female and person.age < CHILDBEARING
    return female != (drug in OF_MEN) if drug in (*OF_MEN, *OF_WOMEN) else True
