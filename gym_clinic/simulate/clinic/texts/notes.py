"""Notes of the visit: the doctor's first note, and those of the nurses over time."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from gym_clinic.facts.phrases import ParsedPhrase
from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.patient import SPEAKS, ClinicPatient
from gym_clinic.simulate.clinic.texts.alarms import alarms
from gym_clinic.simulate.clinic.texts.assessment import WORST, alarm_words, assessment
from gym_clinic.simulate.clinic.texts.background import (
    allergies,
    medicines_told,
    obstetric_history,
    past_history,
    pregnancy,
    social,
)
from gym_clinic.simulate.clinic.texts.document import Fact, Piece
from gym_clinic.simulate.clinic.texts.examination import examined
from gym_clinic.simulate.clinic.texts.history import finding, told_history
from gym_clinic.simulate.clinic.texts.knowledge import told_to
from gym_clinic.simulate.clinic.texts.measured import PAIN_FROM, TRIAGE, vital_sign, vital_signs
from gym_clinic.simulate.clinic.texts.visit import Visit
from gym_clinic.simulate.clinic.texts.voice import Voice, drug_name, sentence
from gym_clinic.simulate.clinic.texts.when import clock

EPISODES = (
    "Syncope", "Loss of consciousness", "Falls", "Hematemesis", "Seizure", "Presyncope",
    "Bilateral tonic-clonic seizure", "Focal-onset seizure", "Tongue biting", "Amaurosis fugax",
    "Overdose of tablets", "Tick bite", "Contact with an allergen", "Stay in the tropics",
    "Exposure to fumes or smoke", "Cold exposure", "Passage of tissue", "Hungry after vomiting",
    "Weight loss", "Increased body weight", "Amenorrhea", "Growth delay", "Premature birth",
)  # fmt: skip
"""What comes and is over, or shows over weeks: no nurse notes that it goes on."""

VITALS_FIRST = 0.4
"""Share of notes that surely begin with the vital signs."""

CARE = 0.75
"""Share of notes on patients who talk that say what was done for them besides."""

SILENT = 0.6
"""Share of later notes that say nothing of what goes on unchanged."""

AWAKE = 15
"""Coma score from which a nurse calls a patient awake and alert."""

CHANGE = {"sbp": 12, "hr": 12, "spo2": 3, "rr": 5}
"""Difference between two readings that a nurse writes as a change."""


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


def nursing_note(
    voice: Voice,
    patient: ClinicPatient,
    visit: Visit,
    now: float,
    before: float,
    actions: Mapping[str, float] | None,
    said: list[ParsedPhrase],
) -> Piece:
    """Return a nurse's note: values measured now, what changed since, what was done.

    Args:
        voice: The nurse.
        patient: The patient.
        visit: The visit.
        now: When it is written, in minutes from arrival.
        before: When the note before was written.
        actions: What was done -> when.
        said: Phrases of the earlier notes, which are not repeated; those of this one are added.
    """
    voice.said = said
    sample = Sample(patient, now, actions)
    keys = ("hr", "bp", "rr", "spo2", "temp_c")
    pain = ("pain",) if patient.person.age >= PAIN_FROM else ()
    parts = _changes(voice, Sample(patient, before, actions), sample)
    for key in ("gcs", *pain):
        parts.insert(voice.random.randint(0, len(parts)), vital_sign(voice, sample, key))
    first = 0 if voice.random.random() < VITALS_FIRST else voice.random.randint(0, len(parts))
    parts.insert(first, vital_signs(voice, sample, keys))
    if sample.reading("gcs").value >= AWAKE and voice.random.random() < 0.5:
        parts.append(voice.say("nurse.settled"))
    if visit.speaker == "parent" and voice.random.random() < 0.5:
        parts.append(voice.say("nurse.parent", parent=visit.parent))
    told = [
        one
        for one in told_to(patient, visit, now, "triage")
        if one.says and one.name not in EPISODES
    ]
    ongoing = any(patient.severity(one, now, actions) > 0.25 for one in patient.problems[:1])
    again = before > visit.times["triage"]  # what goes on is not written every hour
    if told and ongoing and not (again and voice.random.random() < SILENT):
        listed = voice.listed([finding(voice, one) for one in told[: voice.random.randint(1, 2)]])
        parts.insert(voice.random.randint(0, len(parts)), voice.say("nurse.ongoing", list=listed))
    clear = sample.reading("gcs").value >= AWAKE and patient.person.age >= SPEAKS
    if clear and voice.random.random() < CARE:
        parts.insert(voice.random.randint(0, len(parts)), voice.say("nurse.care"))
    taken = visit.times["laboratory"]
    if before < taken <= now:
        text = clock(voice, patient.arrived + datetime.timedelta(minutes=taken))
        time = Piece(text, (Fact("date", "laboratory", text, minute=taken),))
        parts.append(voice.say("nurse.bloods", time=time))
    parts += _given(voice, patient, before, now, actions or {})
    worries = (alarm_words(voice, patient, key) for key in alarms(sample)[:WORST])
    why = [one for one in worries if one.text]
    if why:
        parts.append(voice.say("nurse.escalated", why=voice.listed(why)))
    else:
        parts.append(voice.say("nurse.last"))
    return voice.run_on(parts)


def _given(
    voice: Voice, patient: ClinicPatient, before: float, now: float, actions: Mapping[str, float]
) -> list[Piece]:
    """The drugs that were given since the last note."""
    found = []
    for action, minute in sorted(actions.items(), key=lambda one: one[1]):
        kind, _, drug = action.partition(":")
        if kind == "drug" and drug in patient.facts.drugs and before < minute <= now:
            name = drug_name(patient.facts.drugs[drug])
            text = clock(voice, patient.arrived + datetime.timedelta(minutes=minute))
            fact = Fact("date", action, text, minute=minute)
            found.append(voice.say("nurse.given", drug=name, time=Piece(text, (fact,))))
    return found


def _changes(voice: Voice, before: Sample, now: Sample) -> list[Piece]:
    found = []
    for key, least in CHANGE.items():
        first, second = before.reading(key), now.reading(key)
        if abs(second.value - first.value) >= least:
            was, value = (
                Piece(f"{one.value:.0f}", (Fact("reading", key, f"{one.value:.0f}",
                                                minute=one.minute, value=one.value),))
                for one in (first, second)
            )  # fmt: skip
            way = "up" if second.value > first.value else "down"
            found.append(voice.say(f"nurse.{way}", name=_NAMES[key], was=was, v=value))
    return found[:2]


_NAMES = {"sbp": "systolic", "hr": "pulse", "spo2": "sats", "rr": "resp rate"}
