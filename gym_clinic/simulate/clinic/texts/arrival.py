"""Texts of the arrival: the patient's own words, triage, handover of the crew, referral."""

from __future__ import annotations

from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.patient import GROWN_UP, ClinicPatient
from gym_clinic.simulate.clinic.texts.attacks import is_over
from gym_clinic.simulate.clinic.texts.document import Piece, joined
from gym_clinic.simulate.clinic.texts.knowledge import Told, told_to
from gym_clinic.simulate.clinic.texts.sections.background import (
    allergies,
    medicine,
    medicines_told,
    past_history,
    pregnancy,
)
from gym_clinic.simulate.clinic.texts.sections.examination import examined, general
from gym_clinic.simulate.clinic.texts.sections.history import finding, told_history, who
from gym_clinic.simulate.clinic.texts.sections.measured import TRIAGE, usual_keys, vital_signs
from gym_clinic.simulate.clinic.texts.visit import Visit
from gym_clinic.simulate.clinic.texts.voice import Voice
from gym_clinic.simulate.clinic.texts.when import amount, onset, vaguely


def triage(voice: Voice, patient: ClinicPatient, visit: Visit, now: float) -> Piece:
    """Return the line of the triage nurse: complaint, one or two more findings, vital signs."""
    told = told_to(patient, visit, now, "triage")
    first = told[0]
    began = first.began or 0.0
    when = (
        vaguely(voice, first.finding, began, now)
        if first.how == "vague"
        else onset(voice, first.finding, began, now, patient.arrived)
    )
    also = [one for one in told[1:] if _began_together(one, first, now)]
    also = also[: voice.random.randint(0, 2)]
    words = [finding(voice, first), *(finding(voice, one) for one in also)]
    pool = "triage.vague" if first.how == "vague" else "triage"
    pool = "triage.attack" if is_over(patient, first) else pool
    slots = {"who": who(voice, patient), "list": voice.listed(words), **when.slots()}
    child = patient.person.age < GROWN_UP and visit.mode == "walked in"
    mode = voice.say("mode.child" if child else f"mode.{visit.mode.replace(' ', '_')}")
    parts = [voice.say(pool, mode=mode, **slots)]
    vitals = [vital_signs(voice, Sample(patient, now), usual_keys(patient))]
    if voice.random.random() < 0.6:
        vitals.insert(voice.random.randint(0, 1), general(voice, patient))
    known = []
    if voice.random.random() < 0.4:
        known.append(allergies(voice, patient, by_patient=True))
    if voice.random.random() < 0.3:
        known.append(past_history(voice, patient, visit, by_patient=True))
    known.append(pregnancy(voice, patient))
    return voice.paragraph(parts, vitals, known)


def _began_together(one: Told, first: Told, now: float) -> bool:
    """Whether a finding may share the onset that is written for the complaint."""
    if not one.says or one.began is None or one.how == "vague":
        return False
    return amount(now - one.began) == amount(now - (first.began or 0.0))


def handover(voice: Voice, patient: ClinicPatient, visit: Visit, now: float) -> Piece:
    """Return what the ambulance crew hands over: the story, what they measured on the way."""
    scene = now - 15 - voice.random.randint(0, 12)
    told = told_to(patient, visit, scene, "crew")
    story = [voice.say("handover.first", who=who(voice, patient))]
    story += told_history(voice, patient, _without_absences(told, 2), now, introduced=True)
    first = vital_signs(voice, Sample(patient, scene), (*TRIAGE, "gcs", "glucometer"))
    second = vital_signs(voice, Sample(patient, scene + 10), ("hr", "bp", "spo2"), lead=False)
    known = []
    if voice.random.random() < 0.7:
        known.append(past_history(voice, patient, visit, by_patient=True))
        known.append(medicines_told(voice, patient))
    known.append(allergies(voice, patient, by_patient=True))
    told_in_sentences = voice.sentences(story)
    measured = voice.sentences([first, voice.say("handover.then", line=second)])
    return joined([told_in_sentences, measured, voice.run_on(known)])


def referral(voice: Voice, patient: ClinicPatient, visit: Visit, now: float) -> Piece:
    """Return the letter of the general practitioner, who has the patient's own record."""
    told = told_to(patient, visit, now, "gp")
    story = [voice.say("referral.first", who=who(voice, patient))]
    story += told_history(voice, patient, told, now, introduced=True)
    line = vital_signs(voice, Sample(patient, now), TRIAGE, lead=False)
    seen = [voice.say("referral.saw", line=line), *examined(voice, patient, now)[:3]]
    known = [pregnancy(voice, patient), past_history(voice, patient, visit, by_patient=False)]
    taken = [medicine(voice, patient, one) for one in patient.medicines]
    if taken:
        known.append(voice.say("medicines.listed", list=voice.listed(taken)))
    known.append(allergies(voice, patient, by_patient=False))
    last = voice.say("referral.last", c=finding(voice, told[0]))
    return joined([voice.sentences(story), voice.paragraph(seen, known, [last])])


def _without_absences(told: tuple[Told, ...], most: int) -> list[Told]:
    absent = [one for one in told if not one.says][:most]
    return [*(one for one in told if one.says), *absent]
