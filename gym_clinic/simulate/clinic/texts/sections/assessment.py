"""Impression and plan of the first note: they follow what was told, seen and measured."""

from __future__ import annotations

from collections.abc import Sequence

from gym_clinic.simulate.clinic.examination.shown import CLEAR
from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.telling.incidental import red_flags
from gym_clinic.simulate.clinic.telling.lay_words import BY_ACCIDENT
from gym_clinic.simulate.clinic.texts.alarms import BLEEDING, SUICIDE, alarming_signs, alarms
from gym_clinic.simulate.clinic.texts.document import Fact, Piece
from gym_clinic.simulate.clinic.texts.knowledge import Told, names_a_problem
from gym_clinic.simulate.clinic.texts.sections.examination import first_signs
from gym_clinic.simulate.clinic.texts.sections.history import finding, who
from gym_clinic.simulate.clinic.texts.visit import SURGERY_HOURS, Visit
from gym_clinic.simulate.clinic.texts.voice import Voice

NOT_ELSEWHERE = ("troponin", "lipase", "chest-x-ray", "group-and-save", "coagulation",
                 "paracetamol_level", "salicylate_level", "lactate")  # fmt: skip
"""What is not ordered outside a hospital."""

AT_HAND = ("urinalysis", "hcg")
"""What a doctor on call can do outside surgery hours."""

GROWN = 16
"""Age in years from which a patient is examined as an adult."""

NOT_FOR_CHILDREN = ("troponin", "lipase", "ecg")
"""What is not ordered for children at first."""

FOR_CHILDREN = ("urinalysis",)
"""What is ordered for children outside a hospital."""

LOW_SATURATION, FAST_BREATH, FAST_PULSE, LOW_PRESSURE = 94, 22, 110, 100
"""Values in %, breaths and beats a minute and mmHg with which no adult is sent home untested."""

FRAIL = 85
"""Age in years from which nobody is."""

WORST = 3
"""Alarms that a text names at most."""

TRIES = 6
"""Draws before words that name the diagnosis are left out."""


def orders_of(patient: ClinicPatient, visit: Visit) -> tuple[str, ...]:
    """Return what the first doctor orders, by what was told and measured, the age and the place."""
    orders, child = visit.orders, patient.person.age < GROWN
    if visit.setting == "primary-care":
        orders = tuple(one for one in orders if one not in NOT_ELSEWHERE)
        if patient.arrived.hour not in SURGERY_HOURS:
            orders = tuple(one for one in orders if one in AT_HAND)
        if child:
            return tuple(one for one in orders if one in FOR_CHILDREN)
    return tuple(one for one in orders if not (child and one in NOT_FOR_CHILDREN))


def assessment(
    voice: Voice, patient: ClinicPatient, visit: Visit, told: Sequence[Told], now: float
) -> list[Piece]:
    """Return the impression, what is done at once, and the tests.

    Args:
        voice: The doctor.
        patient: The patient.
        visit: The visit.
        told: What the doctor was told.
        now: When the note is written, in minutes from arrival.
    """
    found = _alarms_of_note(patient, told, now)
    words = [one for one in (alarm_words(voice, patient, key) for key in found) if one.text]
    parts = [_impression(voice, patient, told, words)]
    steps = [voice.say(f"step.{key}") for key in found]
    if steps and visit.setting == "primary-care":
        steps = [voice.say("step.crisis" if found == ["suicide"] else "step.hospital")]
    if steps:
        parts.append(voice.say("steps", steps=Piece("; ".join(one.text for one in steps))))
    orders = _orders(voice, patient, visit)
    if orders.text:
        parts.append(voice.say("plan", list=orders))
    elif not steps:
        unwell = _is_unwell(patient, now)
        parts.append(voice.say("plan.none.unwell" if unwell else "plan.none"))
    return parts


def _is_unwell(patient: ClinicPatient, now: float) -> bool:
    """Whether nobody is sent home untested: by the values of the note, and the age."""
    sample = Sample(patient, now)
    value = {key: sample.reading(key).value for key in ("spo2", "rr", "hr", "sbp", "gcs")}
    if value["spo2"] < LOW_SATURATION or value["gcs"] < CLEAR:
        return True
    age = patient.person.age
    if age < GROWN:
        return False
    limits = (value["rr"] >= FAST_BREATH, value["hr"] >= FAST_PULSE, value["sbp"] < LOW_PRESSURE)
    return any(limits) or age >= FRAIL


def alarm_words(voice: Voice, patient: ClinicPatient, key: str) -> Piece:
    """Return what alarms in words that do not name the diagnosis; nothing if all words do."""
    for _ in range(TRIES):
        words = voice.say(f"alarm.{key}")
        if not names_a_problem(patient, words.text):
            return words
    return Piece("")


def _alarms_of_note(patient: ClinicPatient, told: Sequence[Told], now: float) -> list[str]:
    """What alarms in what was told, measured and seen, the worst first."""
    names = {one.name for one in told if one.says}
    found = [*alarms(Sample(patient, now)), *alarming_signs(first_signs(patient))]
    if names & set(BLEEDING):
        found.append("bleeding")
    if names & set(SUICIDE) and patient.person.age >= BY_ACCIDENT:
        found.insert(0, "suicide")
    return found[:WORST]


def _impression(
    voice: Voice, patient: ClinicPatient, told: Sequence[Told], alarming: Sequence[Piece]
) -> Piece:
    """The complaint, then what is a red flag, then what else was told."""
    there = [one for one in told if one.says]
    rest = sorted(there[1:], key=lambda one: one.name not in red_flags())
    flags = sum(one.name in red_flags() for one in rest)
    more = max(min(flags, 2), voice.random.randint(0, 1))
    words = [finding(voice, one) for one in (*there[:1], *rest[:more])]
    slots = {"list": voice.listed(words), "who": who(voice, patient)}
    if alarming:
        return voice.say("impression.alarm", alarms=voice.listed(alarming), **slots)
    return voice.say("impression", **slots)


def _orders(voice: Voice, patient: ClinicPatient, visit: Visit) -> Piece:
    place = "american" if visit.american else "british"
    orders = []
    for one in orders_of(patient, visit):
        word = voice.say(f"order.{one.replace('-', '_')}.{place}").text
        orders.append(Piece(word, (Fact("order", one, word),)))
    voice.random.shuffle(orders)
    return Piece(
        ", ".join(one.text for one in orders),
        tuple(fact for one in orders for fact in one.facts),
    )
