"""Notes of the visit: the doctor's first note, and those of the nurses over time."""

from __future__ import annotations

from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.texts.document import Piece
from gym_clinic.simulate.clinic.texts.knowledge import told_to
from gym_clinic.simulate.clinic.texts.sections.assessment import assessment
from gym_clinic.simulate.clinic.texts.sections.background import (
    allergies,
    medicines_told,
    obstetric_history,
    past_history,
    pregnancy,
    social,
)
from gym_clinic.simulate.clinic.texts.sections.examination import examined
from gym_clinic.simulate.clinic.texts.sections.history import told_history
from gym_clinic.simulate.clinic.texts.sections.measured import TRIAGE, vital_signs
from gym_clinic.simulate.clinic.texts.visit import Visit
from gym_clinic.simulate.clinic.texts.voice import Voice, sentence


def note(voice: Voice, patient: ClinicPatient, visit: Visit, now: float) -> Piece:
    """Return the first note of the doctor: history, background, examination, impression, plan."""
    told = told_to(patient, visit, now, *_read_by_doctor(visit))
    sections = [
        voice.sentences(told_history(voice, patient, told, now)),
        voice.run_on(
            [
                past_history(voice, patient, visit, by_patient=True),
                medicines_told(voice, patient),
                allergies(voice, patient, by_patient=True),
                pregnancy(voice, patient),
                *obstetric_history(voice, patient),
                social(voice, patient),
            ]
        ),
        _examination(voice, patient, now),
        voice.sentences(assessment(voice, patient, visit, told, now)),
    ]
    if visit.speaker != "patient":
        source = voice.say(f"source.{visit.speaker}", parent=visit.parent)
        sections[0] = Piece(
            f"{sentence(source.text)} {sections[0].text}", (*source.facts, *sections[0].facts)
        )
    breaks = "\n" if voice.random.random() < 0.6 else " "
    facts = tuple(fact for one in sections for fact in one.facts)
    return Piece(breaks.join(one.text for one in sections if one.text), facts)


def _examination(voice: Voice, patient: ClinicPatient, now: float) -> Piece:
    parts = examined(voice, patient, now)
    vitals = vital_signs(voice, Sample(patient, now), TRIAGE)
    parts.insert(voice.random.choice((0, min(1, len(parts)))), vitals)
    facts = tuple(fact for one in parts for fact in one.facts)
    if voice.style.stop == ". ":
        return voice.run_on(parts)
    return Piece(sentence("; ".join(one.text for one in parts)), facts)


def _read_by_doctor(visit: Visit) -> tuple[str, ...]:
    """The doctor, and those whose notes the doctor has read."""
    others = {"ambulance": ("crew",), "referred": ("gp",)}
    return ("doctor", *others.get(visit.mode, ()))
