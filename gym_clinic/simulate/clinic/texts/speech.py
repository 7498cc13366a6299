"""The patient's own words on arrival: at the desk, or as a message."""

from __future__ import annotations

import re

from gym_clinic.simulate.clinic.patient import GROWN_UP, ClinicPatient
from gym_clinic.simulate.clinic.telling.lay_words import in_person, words_of
from gym_clinic.simulate.clinic.texts.attacks import is_over
from gym_clinic.simulate.clinic.texts.document import Fact, Piece
from gym_clinic.simulate.clinic.texts.knowledge import Told, names_a_problem, told_to
from gym_clinic.simulate.clinic.texts.sections.history import events, finding
from gym_clinic.simulate.clinic.texts.visit import Visit
from gym_clinic.simulate.clinic.texts.voice import Voice, lowered
from gym_clinic.simulate.clinic.texts.when import onset, vaguely
from gym_clinic.simulate.split import of_split

DOING = re.compile(
    r"(?:being|throwing|bringing|getting|seeing|feeling|filling|rushing|wanting|wandering|losing"
    r"|bumping|drifting|dozing|waking|kicking|thrashing|staggering|shuffling|falling|breathing in"
    r"|daydreaming|freezing|hallucinating|barely|soiling|talking)\b"
    r"|(?:coughing|vomiting|itching|wheezing|fainting|trembling)$"
)
"""Nouns of lay words that say what somebody does: nobody has "got being sick"."""

STATES = re.compile(r"\bstate\b|^a (spell|habit|feeling) of being|^legs that|look$")
"""Nouns of lay words for which people use a whole clause: nobody has "a barely conscious state"."""

RECENT = 14 * 24 * 60
"""Minutes before arrival since when something began that a crew passes on."""

MESSAGES = 0.4
"""Share of those who write as in a chat: small letters, few stops."""


def opening_words(voice: Voice, patient: ClinicPatient, visit: Visit) -> Piece:
    """Return what the patient, the parent or the crew says first: the complaint and a little."""
    told = [one for one in told_to(patient, visit, 0, "triage") if one.says]
    first, *others = told
    if visit.speaker == "crew":  # nobody tells a crew of old complaints beside a coma
        others = [one for one in others if (one.began or 0) >= -RECENT]
    began = first.began or 0.0
    if first.how == "vague":
        when = vaguely(voice, first.finding, began, 0)
    else:
        when = onset(voice, first.finding, began, 0, patient.arrived)
    speaker = visit.speaker
    child = {
        "him": "him" if patient.person.sex == "male" else "her",
        "child": "son" if patient.person.sex == "male" else "daughter",
        "name": patient.person.name.split()[0],
    }
    words = lay(voice, patient, visit, first)
    slots: dict[str, Piece | str] = {**words, **child, **when.slots()}
    pool = f"open.{speaker}.vague" if first.how == "vague" else f"open.{speaker}"
    if speaker != "crew" and is_over(patient, first):
        pool = f"open.{speaker}.attack"
    elif first.name in events() and "says" in words:
        pool = f"open.{speaker}.event"
    without = "says" if "says" not in words else "c" if STATES.search(words["c"].text) else None
    parts = [voice.say_without(without, pool, slots)]
    some = others[: voice.random.randint(0, 2)]
    if some:
        listed = voice.listed([lay(voice, patient, visit, one)["c"] for one in some])
        parts.append(voice.say(f"open.{speaker}.more", list=listed, **child))
    adult = speaker != "patient" or patient.person.age >= GROWN_UP
    if voice.random.random() < 0.4 and adult:  # the last words are of partners, work and children
        parts.append(voice.say(f"open.{speaker}.last", **child))
    facts = tuple(fact for one in parts for fact in one.facts)
    if speaker == "patient" and voice.random.random() < MESSAGES:
        text = voice.random.choice((", ", " - ", ". ")).join(lowered(one.text) for one in parts)
        return Piece(text[:1].lower() + text[1:], facts)
    return voice.run_on(parts)


def lay(voice: Voice, patient: ClinicPatient, visit: Visit, one: Told) -> dict[str, Piece]:
    """Return a finding in lay words: the slots `c`, a noun, and `says`, a clause where one is."""
    words, sex = words_of(one.name, patient.person.age), patient.person.sex
    if words is None:  # a sign that others noticed
        return {"c": finding(voice, one)}
    found = {}
    for slot, forms in (("c", words.nouns), ("says", words.says)):
        usable = of_split(one.name, forms, voice.split)
        usable = [form for form in usable if not names_a_problem(patient, form)] or usable[:1]
        usable = [form for form in usable if not DOING.match(form)] or usable
        if usable:
            text = in_person(voice.random.choice(usable), visit.speaker, sex)
            found[slot] = Piece(text, (Fact("finding", one.finding, text, minute=one.began),))
    return found
