"""Notes of the nurses in the first hours: what is measured, what changed, and what was done."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from gym_clinic.facts.phrases import ParsedPhrase
from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.patient import OVER, SPEAKS, ClinicPatient
from gym_clinic.simulate.clinic.people import ADULT
from gym_clinic.simulate.clinic.telling.life import draw_life
from gym_clinic.simulate.clinic.texts.alarms import alarms
from gym_clinic.simulate.clinic.texts.document import Fact, Piece
from gym_clinic.simulate.clinic.texts.knowledge import Told, told_to
from gym_clinic.simulate.clinic.texts.sections.assessment import WORST, alarm_words, orders_of
from gym_clinic.simulate.clinic.texts.sections.history import finding
from gym_clinic.simulate.clinic.texts.sections.measured import (
    reading_fact,
    scores_pain,
    vital_sign,
    vital_signs,
)
from gym_clinic.simulate.clinic.texts.units import local_unit, written_value
from gym_clinic.simulate.clinic.texts.visit import Visit
from gym_clinic.simulate.clinic.texts.voice import Voice, drug_name, source
from gym_clinic.simulate.clinic.texts.when import clock

EPISODES = (
    "Syncope", "Loss of consciousness", "Falls", "Hematemesis", "Seizure", "Presyncope",
    "Bilateral tonic-clonic seizure", "Focal-onset seizure", "Tongue biting", "Amaurosis fugax",
    "Overdose of tablets", "Tick bite", "Contact with an allergen", "Stay in the tropics",
    "Exposure to fumes or smoke", "Cold exposure", "Passage of tissue", "Hungry after vomiting",
    "Weight loss", "Increased body weight", "Amenorrhea", "Growth delay", "Premature birth",
)  # fmt: skip
"""What comes and is over, or shows over weeks: no nurse notes that it goes on."""

BY_SYSTEM = 0.6
"""Share of notes with the vital signs by system; the others have them in one line."""

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


FEVER, COLD, HURTS = 38.0, 35.8, 4
"""Temperatures in degrees Celsius and pain score from which a nurse does something for them."""

LOW, FRAIL = 90, 80
"""Systolic pressure below which, and age in years from which, nobody walks without help."""

FAST = 110
"""Pulse of an adult from which nobody is said to walk without help."""

OLD = 70
"""Age in years from which pressure areas are cared for."""

NIGHT = (22, 6)
"""Hours between which patients sleep."""

MOST = 4
"""Things besides what is measured that a note tells at most."""

UNSTEADY = ("nervous system", "bones, joints and muscles")
"""Groups of findings with which nobody is said to walk without help."""


@dataclass(frozen=True)
class Nursing:
    """What nurses do for whom.

    Attributes:
        comforts: What is done, as in the pools nurse.for.KEY -> the findings that it is for.
        helped: Findings with which help is needed to walk.
        unsteady: Illnesses with which it is needed.
    """

    comforts: dict[str, tuple[str, ...]]
    helped: tuple[str, ...]
    unsteady: tuple[str, ...]


@lru_cache(maxsize=1)
def nursing() -> Nursing:
    """Return what nurses do for which findings and illnesses."""
    read = json.loads(Path(__file__).with_name("nursing.json").read_text(encoding="utf-8"))
    read["comforts"] = read.pop("for")
    return TypeAdapter(Nursing).validate_python(read)


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
    sample, earlier = Sample(patient, now, actions), Sample(patient, before, actions)
    told = [one for one in told_to(patient, visit, now, "triage") if one.says]
    parts = _changes(voice, earlier, sample)
    parts.insert(voice.random.randint(0, len(parts)), vital_sign(voice, sample, "gcs"))
    if scores_pain(patient, now, actions):
        parts.insert(voice.random.randint(0, len(parts)), _pain(voice, earlier, sample))
    first = 0 if voice.random.random() < VITALS_FIRST else voice.random.randint(0, len(parts))
    parts[first:first] = _vitals(voice, sample, actions or {})
    more = _observed(voice, patient, visit, sample, told)
    more += _ongoing(voice, patient, told, now, actions, again=before > visit.times["triage"])
    voice.random.shuffle(more)
    for one in more[:MOST]:
        parts.insert(voice.random.randint(0, len(parts)), one)
    parts += _happened(voice, patient, visit, before, now)
    parts += _given(voice, patient, before, now, actions or {})
    worries = (alarm_words(voice, patient, key) for key in alarms(sample)[:WORST])
    why = [one for one in worries if one.text]
    if why:
        parts.append(voice.say("nurse.escalated", why=voice.listed(why)))
    else:
        parts.append(voice.say("nurse.last"))
    return voice.run_on(parts)


def _vitals(voice: Voice, sample: Sample, actions: Mapping[str, float]) -> list[Piece]:
    """The vital signs, in one line or by system; on oxygen always by system."""
    oxygen = actions.get("oxygen", float("inf")) <= sample.minute
    if not oxygen and voice.random.random() > BY_SYSTEM:
        return [vital_signs(voice, sample, ("hr", "bp", "rr", "spo2", "temp_c"))]
    values = {key: _value(voice, sample, key) for key in ("hr", "rr", "spo2", "temp_c")}
    upper, lower = sample.reading("sbp"), sample.reading("dbp")
    text = f"{upper.value:.0f}/{lower.value:.0f}"
    pressure = Piece(text, (reading_fact(upper, text), reading_fact(lower, text)))
    unit = local_unit(sample.patient.facts.measurements["temp_c"], voice.style.american).unit
    warm = values["temp_c"]
    air = voice.say("nurse.oxygen" if oxygen else "nurse.air").text
    found = [
        voice.say("nurse.breathing", rr=values["rr"], spo2=values["spo2"], air=air),
        voice.say("nurse.circulation", hr=values["hr"], bp=pressure),
        voice.say("nurse.temperature", t=Piece(f"{warm.text} {unit}", warm.facts)),
    ]
    if voice.random.random() < 0.5:
        voice.random.shuffle(found)
    return found


def _value(voice: Voice, sample: Sample, key: str) -> Piece:
    reading = sample.reading(key)
    one = sample.patient.facts.measurements[key]
    text = written_value(one, reading.value, voice.style.american)
    noticed = f" ({reading.comment.rstrip('.').lower()})" if reading.comment else ""
    return Piece(f"{text}{noticed}", (reading_fact(reading, text),))


def _pain(voice: Voice, before: Sample, now: Sample) -> Piece:
    """The pain score: beside that of the note before where there is pain."""
    first, second = before.reading("pain"), now.reading("pain")
    was, value = f"{first.value:.0f}", f"{second.value:.0f}"
    if "0" in (was, value) or voice.random.random() < 0.4:
        return vital_sign(voice, now, "pain")
    way = "same" if was == value else "up" if second.value > first.value else "down"
    slots = {"v": Piece(value, (reading_fact(second, value),))}
    if way != "same":
        slots["was"] = Piece(was, (reading_fact(first, was),))
    return voice.say(f"nurse.pain.{way}", **slots)


def _ongoing(
    voice: Voice, patient: ClinicPatient, told: Sequence[Told], now: float,
    actions: Mapping[str, float] | None, *, again: bool,
) -> list[Piece]:  # fmt: skip
    """What goes on of what was told; it is not written every hour."""
    over = {key for one in patient.problems if one.condition in OVER for key in one.findings}
    lasting = [one for one in told if one.name not in EPISODES and one.finding not in over]
    ill = any(patient.severity(one, now, actions) > 0.25 for one in patient.problems[:1])
    if not lasting or not ill or (again and voice.random.random() < SILENT):
        return []
    some = lasting[: voice.random.randint(1, 2)]
    return [voice.say("nurse.ongoing", list=voice.listed([finding(voice, one) for one in some]))]


def _observed(
    voice: Voice, patient: ClinicPatient, visit: Visit, sample: Sample, told: Sequence[Told]
) -> list[Piece]:
    """How the patient is between the measurements, and what is done for comfort and safety."""
    person, awake = patient.person, sample.reading("gcs").value >= AWAKE
    pools = [f"nurse.for.{key}" for key in _comforts(sample, told, awake)]
    if awake:
        hour = (patient.arrived + datetime.timedelta(minutes=sample.minute)).hour
        dark = hour >= NIGHT[0] or hour < NIGHT[1]
        dark = dark and person.age >= ADULT
        pools.append("nurse.night" if dark and voice.random.random() < 0.5 else "nurse.settled")
    if visit.speaker == "parent":
        pools.append("nurse.parent")
    if person.age >= ADULT and draw_life(patient).home != "parents":
        pools.append(f"nurse.family.{draw_life(patient).home.replace(' ', '_')}")
    if person.age >= ADULT and (walks := _walks(patient, sample)):
        pools.append(f"nurse.{walks}")
    if person.age >= OLD or not awake:
        pools.append("nurse.skin")
    if sample.minute > visit.times["laboratory"]:
        pools.append("nurse.line")
    if awake and person.age >= SPEAKS:
        pools += ["nurse.care"] * (voice.random.random() < CARE)
    chosen = voice.random.sample(pools, min(len(pools), voice.random.randint(2, MOST)))
    return [voice.say(pool, parent=visit.parent, arm=_arm(patient)) for pool in chosen]


def _comforts(sample: Sample, told: Sequence[Told], awake: bool) -> list[str]:
    """What is done for what was told and measured: keys of the pools nurse.for.KEY."""
    names = {one.name for one in told}
    talks = awake and sample.patient.person.age >= SPEAKS
    found = [key for key, of in nursing().comforts.items() if talks and names & {*of}]
    warm = sample.reading("temp_c").value
    if warm >= FEVER and "fever" not in found:
        found.append("fever")
    if warm < COLD:
        found.append("cold")
    if talks and sample.reading("pain").value >= HURTS:
        found.append("pain")
    return found


def _walks(patient: ClinicPatient, sample: Sample) -> Literal["mobile", "helped", ""]:
    """How the patient walks, where the record and the values say it."""
    values = {key: sample.reading(key).value for key in ("sbp", "spo2", "pain", "gcs", "hr")}
    found = {key for one in patient.problems for key in one.findings}
    lived = {one.condition for one in patient.background}
    ids, home = patient.facts.finding_ids, draw_life(patient).home
    if (
        not found.isdisjoint(ids[name] for name in nursing().helped)
        or not lived.isdisjoint(nursing().unsteady)
        or values["gcs"] < AWAKE
        or values["sbp"] < LOW
        or patient.person.age >= FRAIL
        or home == "care home"
    ):
        return "helped"
    well = values["sbp"] >= 100 and values["spo2"] >= 93 and values["pain"] < 7
    well = well and values["hr"] < FAST
    groups = {patient.facts.phenotypes[key].group for key in found}
    return "mobile" if well and groups.isdisjoint(UNSTEADY) else ""


def _arm(patient: ClinicPatient) -> str:
    """The arm with the line, the same in all notes."""
    return source(patient, "arm").choice(("left", "right"))


def _happened(
    voice: Voice, patient: ClinicPatient, visit: Visit, before: float, now: float
) -> list[Piece]:
    """What happened since the note before, at its time: two things at most besides the bloods."""
    times, orders = visit.times, orders_of(patient, visit)
    events = {
        "nurse.seen": ("note", True),
        "nurse.ecg": ("ecg", "ecg" in orders),
        "nurse.imaging": ("imaging", "chest-x-ray" in orders),
        "nurse.urine": ("laboratory", "urinalysis" in orders),
        "nurse.pharmacist": ("medicines", bool(visit.medicines)),
    }
    found = [
        voice.say(pool, time=_time(voice, patient, what, times[what]))
        for pool, (what, ordered) in events.items()
        if ordered and before < times[what] <= now
    ]
    if before <= times["triage"] and voice.random.random() < 0.5:
        meal = draw_life(patient).meal
        found.append(voice.say("nurse.meal", time=_time(voice, patient, "meal", meal)))
    voice.random.shuffle(found)
    found = found[:2]
    if before < times["laboratory"] <= now:
        time = _time(voice, patient, "laboratory", times["laboratory"])
        found.append(voice.say("nurse.bloods", time=time, arm=_arm(patient)))
    return found


def _time(voice: Voice, patient: ClinicPatient, of: str, minute: int) -> Piece:
    text = clock(voice, patient.arrived + datetime.timedelta(minutes=minute))
    return Piece(text, (Fact("date", of, text, minute=minute),))


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
