"""What the texts need beside the patient's record, drawn before a word is written.

The visit (where, how the patient came, who speaks, what was ordered when) and the earlier history
with dates (since when each medicine, at which dose before, when the last letter was written).
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Literal

from gym_clinic.facts import Facts
from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.medicines import (
    TakenMedicine,
    of_countries,
    regimens,
    strengths_of,
)
from gym_clinic.simulate.clinic.patient import GROWN_UP, ClinicPatient
from gym_clinic.simulate.clinic.telling.disclosure import Disclosure, disclosures, recollections
from gym_clinic.simulate.clinic.telling.lay_words import Speaker
from gym_clinic.simulate.clinic.texts.alarms import FOR_ALARMS, alarms, orders_for
from gym_clinic.simulate.clinic.texts.voice import source

Setting = Literal["emergency", "primary-care"]
Mode = Literal["ambulance", "walked in", "referred", "appointment"]

SURGERY_HOURS = range(8, 19)
"""Hours in which a general practitioner sees patients; a doctor on call does in the others."""

KNOWN = 10
"""Weeks from which a pregnancy is known and told."""

LETTERS_FROM = datetime.timedelta(days=730)
"""Age from which clinic letters are written of a child."""

CANNOT_WALK = ("Hemiparesis", "Paraplegia", "Paralysis", "Status epilepticus", "Coma")
"""Findings with which nobody comes on foot."""

REGIONS: Mapping[str, str] = {
    "heart and circulation": "chest", "lungs and breathing": "chest",
    "digestion, liver and pancreas": "abdomen", "kidney and urinary tract": "abdomen",
    "reproductive system and pregnancy": "pelvis", "nervous system": "head",
    "behaviour and mind": "mind", "eye": "face", "ear, nose and throat": "face",
    "mouth and teeth": "face", "head and face": "face", "bones, joints and muscles": "limbs",
    "skin, hair and nails": "skin",
}  # fmt: skip
"""Group of the complaint -> region, by which tests are ordered; "whole body" for all others."""

ORDERS: Mapping[str, tuple[str, ...]] = {
    "chest": ("blood-count", "basic-metabolic-panel", "crp", "troponin", "ecg", "chest-x-ray"),
    "abdomen": ("blood-count", "basic-metabolic-panel", "crp", "liver-panel", "lipase",
                "urinalysis"),
    "pelvis": ("blood-count", "basic-metabolic-panel", "crp", "urinalysis"),
    "head": ("blood-count", "basic-metabolic-panel", "crp", "glucose", "ecg"),
    "mind": ("blood-count", "basic-metabolic-panel", "tsh", "ecg"),
    "face": ("blood-count", "crp"),
    "limbs": ("blood-count", "basic-metabolic-panel", "crp"),
    "skin": ("blood-count", "basic-metabolic-panel", "crp"),
    "whole body": ("blood-count", "basic-metabolic-panel", "crp", "liver-panel", "urinalysis",
                   "ecg", "chest-x-ray"),
}  # fmt: skip
"""Region of the complaint -> what a first doctor orders, whatever the diagnosis is."""


@dataclass(frozen=True)
class MedicineHistory:
    """A medicine with its dates.

    Attributes:
        taken: The medicine, as it is taken now.
        since: When it was started.
        before: An earlier dose; None if it was always this one.
        changed: When the dose was changed.
    """

    taken: TakenMedicine
    since: datetime.date
    before: float | None = None
    changed: datetime.date | None = None

    def dose_on(self, day: datetime.date) -> float:
        """Return the dose on a day."""
        if self.before is not None and self.changed is not None and day < self.changed:
            return self.before
        return self.taken.dose


@dataclass(frozen=True)
class Visit:
    """The visit, as far as texts tell it.

    Attributes:
        setting: Where the patient is seen.
        mode: How the patient came.
        american: Whether the staff write American English.
        speaker: Who gives the history.
        parent: "mother" or "father", for a child.
        region: Region of the complaint.
        orders: Panels, measurements and studies that are ordered at first.
        times: Document -> when it is written, in minutes from arrival.
        previous: When blood was last taken before; None for never here.
        letter: When the earlier letter was written, and by which department; None for no letter.
        medicines: What the patient takes, with dates.
        began: Background condition -> the date since which it is known.
        plan: What is told, and how.
    """

    setting: Setting
    mode: Mode
    american: bool
    speaker: Speaker
    parent: str
    region: str
    orders: tuple[str, ...]
    times: Mapping[str, int]
    previous: datetime.date | None
    letter: tuple[datetime.date, str] | None
    medicines: tuple[MedicineHistory, ...]
    began: Mapping[str, datetime.date]
    plan: tuple[Disclosure, ...]


CAN_WAIT = 4
"""Triage level from which on few come by ambulance."""


def _weights(ill: bool, triage: int | None) -> tuple[int, int, int]:
    """How often people come by ambulance, on foot and by referral."""
    if ill:
        return (6, 2, 2)
    return (3, 5, 2) if triage is None or triage < CAN_WAIT else (1, 7, 2)


def draw_visit(patient: ClinicPatient) -> Visit:
    """Draw the visit of a patient; the same patient has the same visit."""
    random = source(patient, "visit")
    facts, first = patient.facts, patient.problems[0]
    seen = facts.conditions[first.condition].settings
    setting: Setting = "primary-care"
    if random.choice(seen) not in ("primary-care", "outpatient") or patient.speaker == "crew":
        setting = "emergency"
    state = patient.state(0)
    ill = state["gcs"] < 14 or state["spo2"] < 92 or state["pain"] > 7 or state["map"] < 65
    times = _times(setting, random)
    mode: Mode = "appointment"
    if setting == "emergency":
        ways: Sequence[Mode] = ("ambulance", "walked in", "referred")
        (mode,) = random.choices(
            ways, weights=_weights(ill, facts.conditions[first.condition].triage)
        )
        began = first.findings.get(first.complaint or "", first.began)
        wrote = patient.arrived + datetime.timedelta(minutes=times["referral"])
        closed = wrote.hour not in SURGERY_HOURS
        if mode == "referred" and (closed or began > times["referral"] - 30):
            mode = "walked in"
        shocked = patient.person.age >= GROWN_UP and state["sbp"] < 90 and state["hr"] > 100
        lies = any(facts.phenotypes[one].name in CANNOT_WALK for one in first.findings)
        if patient.speaker == "crew" or state["gcs"] < 13 or state["spo2"] < 88 or shocked or lies:
            mode = "ambulance"
    region = "whole body"
    if first.complaint is not None:
        region = REGIONS.get(facts.phenotypes[first.complaint].group, region)
    plan = disclosures(patient)
    orders = [*ORDERS[region], *_orders_by_symptoms(patient, plan, times["note"])]
    if _could_be_pregnant(patient):
        orders.append("hcg")
    since = {
        one.condition: patient.arrived.date() - datetime.timedelta(days=round(365.25 * one.years))
        for one in patient.background
    }
    today = patient.arrived.date()
    letter = _letter(facts, since, today, random)
    if letter is not None and letter[0] < patient.born + LETTERS_FROM:
        letter = None
    return Visit(
        setting=setting,
        mode=mode,
        american=_american(patient),
        speaker=patient.speaker,
        parent=random.choice(("mother", "mother", "father")),
        region=region,
        orders=tuple(dict.fromkeys(orders)),
        times=times,
        previous=_some_days_before(today, (25, 420), random) if random.random() < 0.6 else None,
        letter=letter,
        medicines=tuple(_history(facts, one, since, today, random) for one in patient.medicines),
        began=since,
        plan=plan,
    )


def _american(patient: ClinicPatient) -> bool:
    """Whether the hospital is American: as the strengths of the medicines say, else by the country.

    It is not where a medicine that is taken, or named instead, is not prescribed in America.
    """
    named = {one.says for one in recollections(patient)}
    if not not_american().isdisjoint(named | {one.drug for one in patient.medicines}):
        return False
    told = (
        country
        for one in patient.medicines
        for country, strengths in of_countries().items()
        if strengths.get(one.drug) == one.dose
    )
    return next((country == "american" for country in told), patient.american)


def _orders_by_symptoms(
    patient: ClinicPatient, plan: Sequence[Disclosure], minute: float
) -> list[str]:
    """What is tested for what is always told and for the values that alarm."""
    told = {
        one.finding for one in plan
        if one.has and one.manner in ("told", "vague") and one.distortion != "forgets"
    }  # fmt: skip
    first = patient.problems[0].complaint
    weeks = patient.person.pregnant_weeks
    pregnant = weeks is not None and weeks >= KNOWN
    orders = list(orders_for(patient.facts, told | ({first} if first else set()), pregnant))
    for key in alarms(Sample(patient, minute)):
        orders += FOR_ALARMS.get(key, ())
    return orders


def _could_be_pregnant(patient: ClinicPatient) -> bool:
    known = patient.person.pregnant_weeks is not None and patient.person.pregnant_weeks >= KNOWN
    return not known and patient.person.sex == "female" and 13 <= patient.person.age < 50


def _times(setting: Setting, random: Random) -> dict[str, int]:
    """When each document is written: quick in an emergency department, one sitting elsewhere."""
    if setting == "primary-care":
        return {"opening words": 0, "note": random.randint(6, 14)}
    triage = random.randint(3, 9)
    note = triage + random.randint(9, 38)
    bloods = note + random.randint(2, 12)
    nurse = bloods + random.randint(8, 20)
    return {
        "referral": -60 - random.randint(0, 90),
        "opening words": 0,
        "handover": 1,
        "triage": triage,
        "note": note,
        "ecg": triage + random.randint(2, 9),
        "laboratory": bloods,
        "imaging": note + random.randint(15, 45),
        "medicines": note + random.randint(12, 60),
        "nursing note 1": nurse,
        "nursing note 2": nurse + random.randint(35, 75),
        "nursing note 3": nurse + random.randint(90, 150),
    }


def _some_days_before(day: datetime.date, days: tuple[int, int], random: Random) -> datetime.date:
    return day - datetime.timedelta(days=random.randint(*days))


def _letter(
    facts: Facts, began: Mapping[str, datetime.date], today: datetime.date, random: Random
) -> tuple[datetime.date, str] | None:
    """A letter of the department of a condition, written since it is known."""
    longest = today - datetime.timedelta(days=6 * 365)
    known = sorted(key for key, since in began.items() if (today - since).days > 90)
    if not known:
        return None
    about = random.choice(known)
    first = max(began[about] + datetime.timedelta(days=20), longest)
    last = today - datetime.timedelta(days=45)
    day = first + datetime.timedelta(days=random.randint(0, max((last - first).days, 0)))
    while day.weekday() > 4:  # letters are dictated on weekdays
        day -= datetime.timedelta(days=1)
    return day, facts.diseases[about].discipline


def _history(
    facts: Facts,
    taken: TakenMedicine,
    began: Mapping[str, datetime.date],
    today: datetime.date,
    random: Random,
) -> MedicineHistory:
    """Since when a medicine is taken, and whether the dose was another one before."""
    if taken.begun is not None:
        return MedicineHistory(taken, today + datetime.timedelta(days=round(taken.begun / 1440)))
    known = began.get(taken.condition, today - datetime.timedelta(days=700))
    days = max((today - known).days, 1)
    since = known + datetime.timedelta(days=round(days * random.random() ** 2 * 0.9))
    launched = launch_years().get(taken.drug, 0) + 1
    if since.year < launched:
        since = min(since.replace(year=launched, day=1), today - datetime.timedelta(days=1))
    of_it = facts.conditions.get(taken.condition)
    usual = regimens(facts)[taken.drug] if of_it is None else of_it.medicines
    doses = next((one.doses for one in usual if one.drug == taken.drug), ())
    others = [one for one in doses if one < taken.dose and one not in strengths_of(taken.drug)]
    left = (today - since).days
    if not others or left < 60 or random.random() < 0.5:
        return MedicineHistory(taken, since)
    changed = since + datetime.timedelta(days=random.randint(30, left - 20))
    return MedicineHistory(taken, since, max(others), changed)


@lru_cache(maxsize=1)
def launch_years() -> dict[str, int]:
    """Return drug -> the year from which it could be prescribed, for the newer ones."""
    pairs = (line.split(" = ") for line in _lines("launched"))
    return {drug: int(year) for drug, year in pairs}


@lru_cache(maxsize=1)
def not_american() -> frozenset[str]:
    """Return the drugs that are not prescribed in America."""
    sold = of_countries()["american"]
    return frozenset(drug for drug, strength in sold.items() if strength is None)


def _lines(name: str) -> list[str]:
    text = Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def minute_of(patient: ClinicPatient, day: datetime.date) -> int:
    """Return noon of an earlier day in minutes from arrival."""
    noon = datetime.datetime.combine(day, datetime.time(12))
    return round((noon - patient.arrived).total_seconds() / 60)
