"""The ticket of a task: who comes and when, the triage line, the first words."""

from __future__ import annotations

from gym_clinic.clinical.world import ClinicWorld
from gym_clinic.facts import words

QUOTED = ("triage", "opening words")
"""Kinds of documents that the ticket quotes."""


def ticket_of(world: ClinicWorld) -> str:
    """Return the ticket: who comes and when, the triage line, the first words."""
    person, patient = world.record["person"], world.patient
    head = (
        f"{person['name']}, {person['sex']}, {_age(person['age'])}, hospital number "
        f"{person['patient_id']}, arrived on {patient.arrived:%d %B %Y at %H:%M}."
    )
    lines = [head]
    for kind, title in (("triage", "Triage"), ("opening words", "In their own words")):
        text = world.text_of(kind)
        if text:
            lines.append(f"{title}: {text}")
    lines.append("Find out what is wrong, start or advise treatment, and submit your answer.")
    return "\n\n".join(lines)


def _age(years: float) -> str:
    """The age in words: in years, in months below two, in days in the first month."""
    months = int(12 * years + 1e-6)
    if years >= 2:
        return f"{int(years)} years old"
    if months == 1:
        return "1 month old"
    return f"{months} months old" if months else f"0 months old ({round(365.25 * years)} days)"


def names_diagnosis(world: ClinicWorld, text: str) -> bool:
    """Return whether a text names what brings the patient; what is lived with may be named."""
    patient = world.patient
    lived_with = {one.condition for one in patient.background}
    plain = f" {' '.join(words(text))} "
    for problem in patient.problems:
        disease = patient.facts.diseases[problem.condition]
        names = (disease.name, *disease.synonyms) if disease.id not in lived_with else ()
        if any(f" {' '.join(words(name))} " in plain for name in names):
            return True
    return False
