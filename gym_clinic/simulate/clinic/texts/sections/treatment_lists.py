"""Medicines as a clinic letter and a pharmacist list them."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Sequence

from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.texts.document import Fact, Piece, joined
from gym_clinic.simulate.clinic.texts.sections.background import (
    allergies,
    amount_of,
    frequency,
    medicine,
)
from gym_clinic.simulate.clinic.texts.visit import MedicineHistory, Visit
from gym_clinic.simulate.clinic.texts.voice import Voice, drug_name, sentence

DOSED = 0.7
"""Share of letters that give the doses of medicines."""

GROUPED = 0.5
"""Share of letters that list medicines by what they are for."""


def treatment(
    voice: Voice, patient: ClinicPatient, then: Sequence[MedicineHistory], known: Collection[str],
    day: datetime.date,
) -> Piece:  # fmt: skip
    """Return the medicines of a day, as a letter has them.

    Args:
        voice: The writer.
        patient: The patient.
        then: What is taken on the day.
        known: The illnesses that are known then.
        day: The day.
    """
    if not then:
        return voice.say("letter.no_medicines")
    dosed = voice.random.random() < DOSED
    groups: dict[str, list[MedicineHistory]] = {}
    for one in then:
        groups.setdefault(one.taken.condition, []).append(one)
    if voice.random.random() < GROUPED and groups.keys() <= set(known):
        parts = []
        for condition, members in groups.items():
            pieces = [_taken(voice, patient, one, dosed, day, None) for one in members]
            slots = {"list": voice.listed(pieces), "c": _named(voice, condition)}
            parts.append(voice.say("letter.group", **slots))
        return voice.say("letter.medicines", list=joined(parts, "; "))
    mixed = [*then]
    voice.random.shuffle(mixed)
    pieces = [
        _taken(voice, patient, one, dosed, day,
               _named(voice, one.taken.condition) if one.taken.condition in known else None)
        for one in mixed
    ]  # fmt: skip
    return voice.say("letter.medicines", list=voice.listed(pieces))


def _named(voice: Voice, condition: str) -> Piece:
    word = voice.word(condition)
    return Piece(word, (Fact("condition", condition, word),))


def _taken(
    voice: Voice, patient: ClinicPatient, one: MedicineHistory, dosed: bool, day: datetime.date,
    why: Piece | None,
) -> Piece:  # fmt: skip
    """A medicine with its dose, what it is for, since when, or the dose before."""
    drug, year = one.taken.drug, str(one.since.year)
    name = drug_name(patient.facts.drugs[drug])
    slots = {"year": Piece(year, (Fact("date", drug, year),))}
    if not dosed:
        slots["m"] = Piece(name, (Fact("medicine", drug, name),))
    else:
        dose = one.dose_on(day)
        text = voice.say(
            "letter.dose", m=name, dose=amount_of(dose, one.taken.unit),
            often=frequency(voice, one.taken.per_day),
        ).text  # fmt: skip
        slots["m"] = Piece(text, (Fact("medicine", drug, text, value=dose),))
    if dosed and one.before is not None and one.changed is not None and one.changed <= day:
        was, year = amount_of(one.before, one.taken.unit), str(one.changed.year)
        slots["was"] = Piece(was, (Fact("medicine", drug, was, value=one.before),))
        slots["year"] = Piece(year, (Fact("date", drug, year),))
        return voice.say("letter.medicine.changed", **slots)
    if why is None:
        return voice.say_without("c", "letter.medicine", slots)
    return voice.say("letter.medicine", c=why, **slots)


def reconciliation(voice: Voice, patient: ClinicPatient, visit: Visit) -> Piece:
    """Return the pharmacist's list: what is taken, since when, and doses that were changed."""
    lines = []
    for one in visit.medicines:
        name = medicine(voice, patient, one.taken)
        slots = {"m": name, "since": _month(one.taken.drug, one.since)}
        if one.before is None or one.changed is None:
            lines.append(voice.say("reconciled.same", **slots))
            continue
        was = amount_of(one.before, one.taken.unit)
        fact = Fact("medicine", one.taken.drug, was, value=one.before)
        lines.append(
            voice.say("reconciled.changed", was=Piece(was, (fact,)),
                      changed=_month(one.taken.drug, one.changed), **slots)
        )  # fmt: skip
    for event in patient.past:
        if event.kind == "medicine":
            ended = patient.arrived + datetime.timedelta(minutes=event.minute)
            day = f"{ended:%d/%m/%Y}" if not visit.american else f"{ended:%m/%d/%Y}"
            drug = drug_name(patient.facts.drugs[event.what])
            date = Piece(day, (Fact("date", event.what, day, minute=event.minute),))
            lines.append(voice.say("reconciled.ended", m=drug, since=date))
    first = voice.say("reconciled.first")
    last = allergies(voice, patient, by_patient=False)
    if not lines:
        lines = [voice.say("reconciled.none")]
    parts = [first, *lines, last]
    between = voice.random.choice(("; ", ". ", ", "))
    return Piece(
        " ".join(sentence(one) for one in (first.text, between.join(one.text for one in lines),
                                           last.text)),
        tuple(fact for one in parts for fact in one.facts),
    )  # fmt: skip


def _month(drug: str, day: datetime.date) -> Piece:
    text = f"{day:%m/%Y}"
    return Piece(text, (Fact("date", drug, text),))
