"""What the examination says agrees with the findings of the record and with what is denied.

The words are read by the linker of the knowledge base, not by the table of the simulator.
"""

from __future__ import annotations

from functools import lru_cache

from patient_mutations import first_problem

from gym_clinic.embedded import linker
from gym_clinic.facts import with_ancestors
from gym_clinic.simulate.clinic import ClinicPatient, disclosures
from gym_clinic.simulate.clinic.examination.named_signs import sign_words
from gym_clinic.simulate.clinic.examination.shown import ShownSign

LOOSE = {"Edema", "Erythema", "Muscle weakness"}
"""Findings of one part or another: "no limb weakness" denies no weakness of the face."""


@lru_cache(maxsize=1 << 14)
def linked(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((one.record.id, one.status) for one in linker().link(text))


def denies_what_is_there(patient: ClinicPatient) -> str | None:
    """No sign of a problem denies a finding of that problem."""
    facts = patient.facts
    known = {facts.finding_ids[name] for name in sign_words() if name not in LOOSE}
    for problem in patient.problems:
        has = with_ancestors(problem.findings, facts.above) & known
        for sign in problem.signs:
            for key, status in linked(sign.text):
                if status == "absent" and key in has:
                    return f"{sign.text!r}, with {facts.phenotypes[key].name}"
    return None


def denied_and_shown(patient: ClinicPatient) -> str | None:
    """Nobody denies what the examination shows."""
    facts = patient.facts
    known = {facts.finding_ids[name] for name in sign_words()}
    denied = {one.finding for one in disclosures(patient) if not one.has} & known
    for sign in patient.examination:
        for key, status in linked(sign.text):
            if status == "present" and key in denied:
                return f"{sign.text!r}, and {facts.phenotypes[key].name} is denied"
    return None


def denying_sign(patient: ClinicPatient) -> ClinicPatient | None:
    """A patient whose examination denies a large spleen, a tremor or sweat that is there."""
    first, facts = patient.problems[0], patient.facts
    has = {facts.phenotypes[key].name for key in first.findings}
    denials = {
        "Splenomegaly": "no splenomegaly", "Tremor": "no tremor", "Wheezing": "no wheeze",
        "Nuchal rigidity": "no neck stiffness", "Petechiae": "no petechiae", "Pallor": "no pallor",
    }  # fmt: skip
    said = next((text for name, text in denials.items() if name in has), None)
    if said is None:
        return None
    return first_problem(patient, signs=(*first.signs, ShownSign("general", said, False)))
