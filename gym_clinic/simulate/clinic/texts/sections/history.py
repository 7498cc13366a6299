"""The history of the present complaint, as it was told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from gym_clinic.simulate.clinic.patient import OVER, ClinicPatient
from gym_clinic.simulate.clinic.texts.document import Fact, Piece
from gym_clinic.simulate.clinic.texts.knowledge import Told
from gym_clinic.simulate.clinic.texts.voice import Voice
from gym_clinic.simulate.clinic.texts.when import Onset, amount, onset, vaguely


def who(voice: Voice, patient: ClinicPatient) -> Piece:
    """Return age and sex: "74F", "a 74-year-old woman", "3-month-old boy"."""
    person = patient.person
    text, unit, value = age_words(patient)
    male = person.sex == "male"
    if person.age < 16:
        noun = "boy" if male else "girl"
        adult = "M" if male else "F"
    else:
        noun, adult = ("man", "M") if male else ("woman", "F")
    fact = Fact("age", unit, text, value=value)
    number = Piece(text, (fact,))
    if unit == "year":
        return voice.say("who.years", n=number, noun=noun, letter=adult)
    return voice.say("who.small", n=number, unit=unit, noun=noun, letter=adult)


def age_words(patient: ClinicPatient) -> tuple[str, str, int]:
    """Return the age on arrival as a number and its unit: days, weeks, months or years."""
    days = (patient.arrived.date() - patient.born).days
    if patient.person.age >= 2:
        return str(int(patient.person.age)), "year", int(patient.person.age)
    for unit, length, below in (("day", 1.0, 15.0), ("week", 7.0, 60.0), ("month", 30.44, 1e9)):
        if days < below:
            return str(int(days / length)), unit, int(days / length)
    raise AssertionError("unreachable")


@lru_cache(maxsize=1)
def events() -> frozenset[str]:
    """Return the names of findings that happen: nobody has fainted "for 10 hours now"."""
    file = Path(__file__).parents[1] / "events.json"
    names: list[str] = json.loads(file.read_text(encoding="utf-8"))
    return frozenset(names)


def told_history(
    voice: Voice,
    patient: ClinicPatient,
    told: Sequence[Told],
    now: float,
    *,
    introduced: bool = False,
) -> list[Piece]:
    """Return the history in sentences: the complaint, what goes with it, what is absent.

    Args:
        voice: The writer.
        patient: The patient.
        told: What the writer was told.
        now: When it is written.
        introduced: Whether age and sex were written before.
    """
    sentences = []
    first = next((one for one in told if one.complaint and one.says), None)
    if first is not None and first.began is not None:
        sentences.append(_first(voice, patient, first, now, introduced))
        if any(p.condition in OVER and first.finding in p.findings for p in patient.problems):
            sentences.append(voice.say("first.over"))
    rest = [one for one in told if one.says and one is not first and one.began is not None]
    sentences += _rest(voice, patient, rest, now)
    sentences += absences(voice, [one for one in told if not one.says])
    return sentences


def _first(voice: Voice, patient: ClinicPatient, one: Told, now: float, introduced: bool) -> Piece:
    when = _when(voice, patient, one, now)
    slots = {"c": finding(voice, one), "who": who(voice, patient), **when.slots()}
    pool = "first.slight" if one.how == "slight" else "first"
    pool = "first.vague" if one.how == "vague" else pool
    pool = "first.event" if one.how == "plain" and one.name in events() else pool
    return voice.say_without("who" if introduced else None, pool, slots)


def _when(voice: Voice, patient: ClinicPatient, one: Told, now: float) -> Onset:
    began = one.began or 0.0
    if one.how == "vague":
        return vaguely(voice, one.finding, began, now)
    return onset(voice, one.finding, began, now, patient.arrived)


def _rest(voice: Voice, patient: ClinicPatient, told: list[Told], now: float) -> list[Piece]:
    """Up to three findings a sentence; with a time only where they began together."""
    found: list[Piece] = []
    vague = [one for one in told if one.how == "vague"]
    slight = [one for one in told if one.how == "slight"]
    plain = [one for one in told if one.how == "plain"]
    voice.random.shuffle(plain)
    while plain:
        size = voice.random.randint(1, 3)
        group, plain = plain[:size], plain[size:]
        together = len({amount(now - (one.began or 0.0)) for one in group}) == 1
        pool = "more.later" if together and voice.random.random() < 0.6 else "more.with"
        when = _when(voice, patient, group[0], now)
        listed = voice.listed([finding(voice, one) for one in group])
        found.append(voice.say(pool, list=listed, **when.slots()))
    for one in vague:
        when = _when(voice, patient, one, now)
        found.append(voice.say("more.vague", list=finding(voice, one), **when.slots()))
    for one in slight:
        when = _when(voice, patient, one, now)
        found.append(voice.say("more.slight", list=finding(voice, one), **when.slots()))
    return found


def finding(voice: Voice, one: Told) -> Piece:
    """Return a finding in the words of the writer."""
    word = voice.word(one.name, one.says and one.how != "slight")
    fact = Fact("finding", one.finding, word, has=one.says, minute=one.began,
                denied=one.how == "denied")  # fmt: skip
    return Piece(word, (fact,))


def absences(voice: Voice, told: list[Told]) -> list[Piece]:
    """Return what is said to be absent, several findings a sentence.

    What the patient has forgotten is only ever told as what the patient says.
    """
    by_others = voice.words["tells"] == "the crew"  # who cannot say what the patient forgot
    found, left = [], [one for one in told if not (by_others and one.how == "denied")]
    while left:
        group, left = left[: (size := voice.random.randint(2, 4))], left[size:]
        denied = any(one.how == "denied" for one in group)
        denied = denied or (not by_others and voice.random.random() < 0.35)
        listed = voice.listed([finding(voice, one) for one in group], "or")
        found.append(voice.say("absent.denied" if denied else "absent.plain", list=listed))
    return found
