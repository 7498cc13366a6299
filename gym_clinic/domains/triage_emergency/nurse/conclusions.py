"""What the nurse of the rules baseline concludes: level, protocol, place and citations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gym_clinic.domains.triage_emergency.acuity import (
    CALM,
    danger_zone,
    level,
)
from gym_clinic.domains.triage_emergency.acuity_table import resources_for
from gym_clinic.domains.triage_emergency.nurse.notes import HIGH_GLUCOSE, LOW_GLUCOSE, NurseNotes
from gym_clinic.domains.triage_emergency.placement import NO_PATHWAY
from gym_clinic.facts import load

ALARMS = frozenset({
    "Angioedema", "Antepartum hemorrhage", "Aphasia", "Confusion", "Hematemesis", "Hemiparesis",
    "Loss of consciousness", "Melena", "Nuchal rigidity", "Overdose of tablets", "Paraplegia",
    "Reduced consciousness/confusion", "Saddle anaesthesia", "Seizure", "Slurred speech",
    "Stridor", "Suicidal ideation", "Testicular pain", "Thunderclap headache",
    "Aggressive behavior", "Post-partum hemorrhage", "Coffee ground vomitus",
})  # fmt: skip
"""Findings that a nurse takes for a high-risk situation."""

WITH_FEVER = frozenset({"Petechiae", "Photophobia", "Purpura"})
"""Findings that are one with a fever."""

YOUNG = 5
"""Age in years below which poor perfusion by itself is one."""

BLEEDS = frozenset({"Hematemesis", "Melena", "Hematochezia", "Coffee ground vomitus",
                    "Abnormal vaginal bleeding"})  # fmt: skip
BIRTH = frozenset({"Antepartum hemorrhage", "Post-partum hemorrhage"})
AIRBORNE = frozenset({"Vesicular eruption", "Hemoptysis", "Anosmia", "Night sweats"})
POISON = frozenset({"Overdose of tablets", "Exposure to fumes or smoke"})
DELIVERED = frozenset({"Recent childbirth"})
POSITIVE = frozenset({"one side droops", "one arm drifts", "slurred or wrong words"})
"""What a positive stroke screen says."""

SEVERE, ADULT_HEART, ADULT = 7, 35, 16
"""Pain that is severe; ages in years from which on chest pain is taken for the heart, and from
which on NEWS2 counts."""

NORMAL: Mapping[str, tuple[float, float]] = {
    "gcs": (15, 15), "spo2": (95, 100), "hr": (60, 100), "rr": (12, 20), "sbp": (100, 140),
    "temp_c": (36, 37.8), "pain": (0, 3),
}  # fmt: skip
"""Vital sign -> what is normal for adults."""

FOR_ALL_AGES = ("gcs", "spo2", "temp_c", "pain")
"""Vital signs whose normal range is that of adults in children as well."""

MOST_VITALS, MOST_CITED = 3, 8
"""Vital signs and findings that the answer cites, at most."""


def pathway_of_notes(notes: NurseNotes) -> str:
    """Return the protocol whose criteria are met by what was read."""
    has = notes.has
    raised = re.search(r"(?<![Nn]o )(ST elevation|\bSTE\b)", notes.ecg) is not None
    bleeding = bool(has & BLEEDS) and notes.vital("hr", 0) >= notes.vital("sbp", 999)
    criteria = {
        "anaphylaxis": notes.allergic,
        "stemi": raised,
        "stroke": _stroke(notes),
        "poisoning": bool(has & POISON) or notes.small_pupils,
        "obstetric emergency": bool(has & BIRTH) or bool(has & DELIVERED and has & BLEEDS),
        "major haemorrhage": bleeding,
        "sepsis": notes.warning >= 7 or _ill_child(notes) or _feared(notes),
        "diabetic emergency": (notes.glucose or 0) >= HIGH_GLUCOSE,
        "chest pain": "Chest pain" in has and notes.age >= ADULT_HEART and not notes.old,
        "isolation": bool(has & AIRBORNE),
    }
    return next((name for name, met in criteria.items() if met), NO_PATHWAY)


def _stroke(notes: NurseNotes) -> bool:
    """A positive screen; but not a whole half of the face alone, with the brow."""
    found = POSITIVE & {str(one) for one in notes.screen.values()}
    brow = any(one in notes.seen.get("neurology", "") for one in ("brow", "forehead"))
    return bool(found) and not (found == {"one side droops"} and brow) and not notes.old


def _ill_child(notes: NurseNotes) -> bool:
    low = 90 if notes.age >= 10 else 70 + 2 * int(notes.age)
    poor = notes.vital("sbp", 120) < low or notes.vital("crt_s", 1) >= 3
    return notes.age < ADULT and _infected(notes) and (poor or notes.vital("gcs", 15) < 15)


def _feared(notes: NurseNotes) -> bool:
    """A stiff neck, or a chemotherapy, with fever."""
    return ("Nuchal rigidity" in notes.has or notes.treated) and _infected(notes)


def _infected(notes: NurseNotes) -> bool:
    return "Fever" in notes.has or notes.vital("temp_c", 37) >= 38


def level_of_notes(notes: NurseNotes, pathway: str) -> int:
    """Return the level that follows from what was read."""
    gcs, age = notes.vital("gcs", 15), notes.age
    low = 90 if age >= 10 else 70 + 2 * int(age)
    shock = notes.vital("sbp", 120) < low and (notes.vital("crt_s", 1) >= 3 or gcs < 15)
    starved = notes.vital("spo2", 99) < (85 if notes.retains else 90)
    saving = (
        gcs <= 8
        or starved
        or (notes.vital("rr", 15) < 8 and age >= 12)
        or shock
        or pathway == "anaphylaxis"
        or "decompression" in notes.given
        or "naloxone" in notes.given
        or (gcs <= 13 and notes.glucose is not None and notes.glucose < LOW_GLUCOSE)
        or pathway == "major haemorrhage"
    )
    fresh = not notes.old or bool(danger_zone(age, _row(notes)))
    return level(
        {"age": age, **_row(notes)},
        life_saving=saving,
        high_risk=alarmed(notes) or pathway not in (NO_PATHWAY, "isolation"),
        confused=gcs < 15,
        severe_pain=notes.vital("pain", 0) >= SEVERE and fresh,
        resources=len(resources_for(notes.has, _values(notes))),
    )


def alarmed(notes: NurseNotes) -> bool:
    """Return whether something is a high-risk situation."""
    has = notes.has
    alarms = has & (ALARMS | WITH_FEVER if _infected(notes) else ALARMS)
    heart = "Chest pain" in has and notes.age >= ADULT_HEART and not notes.old
    grave = notes.warning >= (3 if notes.weak else 5)
    infection = _infected(notes) and (grave or _ill_child(notes))
    sugar = notes.glucose is not None and notes.glucose < LOW_GLUCOSE
    infant = notes.age < 0.25 and notes.vital("temp_c", 37) >= 38
    infant |= notes.age < YOUNG and notes.vital("crt_s", 1) >= 3
    breathless = notes.vital("spo2", 99) < (88 if notes.retains else 92)
    return bool(alarms) or heart or infection or sugar or infant or breathless


def _row(notes: NurseNotes) -> dict[str, float]:
    return {name: notes.vital(name, usual) for name, usual in CALM.items()}


def _values(notes: NurseNotes) -> dict[str, float]:
    """What the condition of a resource may name, as far as it was measured."""
    usual = {**CALM, "pain": 0.0, "temp_c": 37.0, "crt_s": 1.0}
    row = {name: notes.vital(name, value) for name, value in usual.items()}
    row["hours"] = notes.since
    row["weak_immunity"] = float(notes.weak)
    return {**row, "age": notes.age, "in_danger": float(len(danger_zone(notes.age, row)))}


def place_of_notes(notes: NurseNotes, found: int, pathway: str) -> str:
    """Return the place that follows from level, protocol and the state of the department."""
    if found == 1:
        return "resuscitation"
    if found == 2:
        calm = not danger_zone(notes.age, _row(notes)) and not alarmed(notes)
        calm &= notes.vital("gcs", 15) >= 15
        return "standard bed" if calm and pathway == NO_PATHWAY else "monitored bed"
    if pathway == "isolation":
        return "standard bed"
    if found == 3:
        free = notes.department.get("standard beds free", 0)
        frail = notes.age >= 65 and notes.vital("temp_c", 37) >= 38
        return "standard bed" if free or frail else "waiting room"
    return "fast track" if notes.department.get("fast track") == "open" else "waiting room"


def citations_of_notes(notes: NurseNotes, found: int) -> list[dict[str, Any]]:
    """Vital signs outside the normal range or one that is normal, and what was told."""
    cited: list[dict[str, Any]] = []
    for name, (low, high) in NORMAL.items():
        value = notes.row.get(name)
        counts = notes.age >= ADULT or name in FOR_ALL_AGES
        outside = value is not None and not low <= value <= high
        if counts and outside and len(cited) < MOST_VITALS and (found <= 2 or name == "temp_c"):
            cited.append({"finding": f"vital:{name}", "present": True})
    if not cited and notes.row:
        cited.append({"finding": "vital:spo2", "present": False})
    names, flags = load().phenotypes, {*notes.flags}
    told = [(names[key].name, there) for key, there in notes.told.items() if key in names]
    first = [one for one in told if one[1]]
    denied = [one for one in told if not one[1] and one[0] in flags]
    most = MOST_CITED - len(cited)
    kept = first[:most] if found <= 3 else [*first[: most - 3], *denied[:3]]
    return cited + [{"finding": name, "present": there} for name, there in kept]
