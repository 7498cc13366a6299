"""What must hold of the treatment that is right in a simulated patient, and what breaks it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from patient_mutations import made_of

from gym_clinic.facts.expressions import parse
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.simulate.clinic import ClinicPatient, Problem, SuitedTreatment
from gym_clinic.simulate.clinic.drug_rules import stopped_by_kidneys
from gym_clinic.simulate.clinic.medicines import ReportedAllergy
from gym_clinic.simulate.clinic.problems import treated_at
from gym_clinic.simulate.clinic.treatment import values_at


def actions_of(suited: SuitedTreatment) -> Iterator[str]:
    """Yield what is done in the first line and in any alternative."""
    yield from suited.first_line
    yield from (one for together in suited.alternatives for one in together)


def drugs_given(suited: SuitedTreatment) -> Iterator[str]:
    """Yield each drug that the treatment says is right."""
    for one in actions_of(suited):
        yield from suited.drugs.get(one, ())
        if one.startswith("drug:"):
            yield one.removeprefix("drug:")


def treatable(patient: ClinicPatient) -> str | None:
    """Every problem has a treatment that is right in the patient, and it treats the problem."""
    for problem in patient.problems:
        alternatives = patient.treatment(problem).alternatives
        if not alternatives:
            return f"nothing treats {problem.condition}"
        for together in alternatives:
            done = dict.fromkeys(together, 0.0)
            if treated_at(patient.course(problem), done) is None:
                return f"{together} does not treat {problem.condition}"
    return None


def right_in_patient(patient: ClinicPatient) -> str | None:
    """Nothing is given against an allergy, an asthma, a pregnancy or kidneys that fail."""
    asthma = any(one.condition == "asthma" for one in patient.background)
    for problem in patient.problems:
        for drug in drugs_given(patient.treatment(problem)):
            for one in patient.allergies:
                if is_a(drug, one.allergen):
                    return f"{drug} in an allergy to {one.allergen}"
            if asthma and is_a(drug, f"{CLASS}beta-blocker"):
                return f"{drug} in asthma"
            if patient.person.pregnant_weeks is not None and is_a(drug, f"{CLASS}tetracycline"):
                return f"{drug} in pregnancy"
            if is_a(drug, f"{CLASS}non-aspirin-nsaid") and patient.state(0)["egfr"] < 30:
                return f"{drug} in kidney failure"
    return None


def only_needed(patient: ClinicPatient) -> str | None:
    """What is needed under a condition is done where that holds: oxygen for who lacks it."""
    for problem, condition in patient.conditions():
        values = values_at(patient, problem)
        for one in actions_of(patient.treatment(problem)):
            needed = condition.needed_when.get(one, "True")
            if not parse(needed).compute(values):
                return f"{one} for {problem.condition}, which needs {needed}"
    return None


class TreatedAsAnyone(ClinicPatient):
    """A patient who gets what any patient with the condition gets."""

    def treatment(self, problem: Problem | None = None, minute: float = 0) -> SuitedTreatment:
        treated = problem or self.problems[0]
        condition = self.facts.conditions[treated.condition].form(treated.variant)
        course = condition.course
        lists = () if course is None else course.treated_by
        return SuitedTreatment(treated.condition, lists, condition.first_line, {}, {})


class Untreatable(ClinicPatient):
    """A patient for whom nothing is right."""

    def treatment(self, problem: Problem | None = None, minute: float = 0) -> SuitedTreatment:
        return dataclasses.replace(super().treatment(problem, minute), alternatives=())


def untreatable(patient: ClinicPatient) -> ClinicPatient:
    return made_of(Untreatable, patient)


def allergic_to_treatment(patient: ClinicPatient) -> ClinicPatient | None:
    """A patient who is allergic to what any patient gets, and gets it."""
    given = list(drugs_given(made_of(TreatedAsAnyone, patient).treatment()))
    if not given:
        return None
    return made_of(TreatedAsAnyone, patient, allergies=(ReportedAllergy(given[0], "anaphylaxis"),))


def treated_without_need(patient: ClinicPatient) -> ClinicPatient | None:
    problem, condition = next(patient.conditions())
    values = values_at(patient, problem)
    unneeded = [
        one for one, when in condition.needed_when.items() if not parse(when).compute(values)
    ]
    named = {*actions_of(made_of(TreatedAsAnyone, patient).treatment())}
    return made_of(TreatedAsAnyone, patient) if named & {*unneeded} else None


def within_kidneys(patient: ClinicPatient) -> str | None:
    """No long-term medicine that is stopped at the kidney function before the illness."""
    egfr = patient.usual["egfr"]
    wrong = [
        one.drug
        for one in patient.medicines
        if one.begun is None and stopped_by_kidneys(patient.facts, one.drug, egfr)
    ]
    return f"{wrong} at an eGFR of {egfr:.0f}" if wrong else None
