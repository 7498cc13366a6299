"""What must hold of the medicines and allergies of every simulated patient."""

from __future__ import annotations

from gym_clinic.facts.doses import ADULT, usual_doses
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.medicines import reasons_in_words
from gym_clinic.simulate.clinic.telling.life import lay_names


def doses(patient: ClinicPatient) -> str | None:
    for one in patient.medicines:
        for limit in patient.facts.drugs[one.drug].max_daily_doses:
            if limit.unit == one.unit and one.dose * one.per_day > limit.maximum:
                return f"{one.drug} {one.dose * one.per_day} {one.unit} a day"
    return None


def names_of(patient: ClinicPatient, drug: str) -> set[str]:
    return {drug, *(CLASS + name for name in patient.facts.drugs[drug].classes)}


def combinations(patient: ClinicPatient) -> str | None:
    taken = [names_of(patient, one.drug) for one in patient.medicines]
    for one in patient.facts.interactions.values():
        if one.severity == "contraindicated" and len(one.between) == 2:
            first, second = one.between
            for n, mine in enumerate(taken):
                for m, theirs in enumerate(taken):
                    if n != m and first in mine and second in theirs:
                        return f"{first} with {second}"
    return None


def allergies(patient: ClinicPatient) -> str | None:
    for one in patient.medicines:
        for allergy in patient.allergies:
            if allergy.allergen in names_of(patient, one.drug):
                return f"{one.drug} in an allergy to {allergy.allergen}"
    return None


def indicated(patient: ClinicPatient) -> str | None:
    lived = {one.condition for one in patient.background}
    lived |= {words for key in lived for words in reasons_in_words().get(key, {}).values()}
    named = {key: {*names, patient.facts.diseases[key].name} for key, names in lay_names().items()}
    wrong = [
        one.drug
        for one in patient.medicines
        if one.condition not in lived
        and (
            one.begun is None
            or one.condition in patient.facts.conditions
            or any(one.condition in names for names in named.values())
        )
    ]
    return f"{wrong} for nothing" if wrong else None


def since_known(patient: ClinicPatient) -> str | None:
    """No medicine was begun before what it is for was known."""
    known = {one.condition: one.years for one in patient.background}
    wrong = [
        one.drug for one in patient.medicines
        if one.begun is not None
        and -one.begun > known.get(one.condition, 200.0) * 365.25 * 1440
    ]  # fmt: skip
    return f"{wrong} before the diagnosis" if wrong else None


def no_double(patient: ClinicPatient) -> str | None:
    drugs = [one.drug for one in patient.medicines]
    return None if len(set(drugs)) == len(drugs) else f"twice in {drugs}"


def doses_of_children(patient: ClinicPatient) -> str | None:
    """No child takes more than the greatest usual dose for its weight."""
    person, known = patient.person, usual_doses(patient.facts)
    if person.age >= ADULT:
        return None
    for one in patient.medicines:
        usual = known[one.drug].by_route("po") if one.drug in known else None
        if usual is None or one.unit != usual.unit:
            continue
        _, greatest = usual.of_patient(person.age, person.weight_kg)
        if one.dose > 1.5 * greatest:
            return f"{one.drug} {one.dose} {one.unit} at {person.weight_kg} kg"
    return None
