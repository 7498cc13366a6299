"""What alarms every doctor, whatever the cause is, and which tests follow from what was told."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path

from gym_clinic.facts import Facts
from gym_clinic.simulate.clinic.measurement import Sample

FASTEST: Mapping[float, tuple[float, float]] = {
    1: (185, 65), 5: (170, 50), 12: (140, 35), 200: (130, 28),
}  # fmt: skip
"""Age below which -> heart rate and breaths a minute from which a rate is called severe."""

SLOWEST: Mapping[float, float] = {1: 80, 5: 65, 12: 55, 200: 42}
"""Age below which -> heart rate below which it is called slow."""

LOW_OXYGEN, LOW_OXYGEN_LUNG = 91.0, 88.0
"""Saturation below which it is called low; with a chronic lung disease."""

PREGNANT = 20
"""Weeks from which a raised pressure is one of pregnancy."""

BLEEDING = ("Hematemesis", "Coffee ground vomitus", "Melena", "Hematochezia",
            "Antepartum hemorrhage")  # fmt: skip
SUICIDE = ("Suicidal ideation", "Overdose of tablets")
CLOUDED = ("Reduced consciousness/confusion", "Loss of consciousness", "Confusion", "Coma",
           "Delirium", "Seizure", "Bilateral tonic-clonic seizure")  # fmt: skip

TESTS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    BLEEDING: ("group-and-save", "coagulation"),
    ("Overdose of tablets",): ("paracetamol_level", "salicylate_level", "liver-panel",
                               "coagulation", "ecg"),
    ("Chest pain", "Chest pain at rest", "Chest pain on exertion", "Chest tightness",
     "Angina pectoris"): ("ecg", "troponin"),
    ("Palpitations", "Syncope", "Presyncope"): ("ecg",),
    ("Dyspnea", "Exertional dyspnea", "Hemoptysis", "Pleuritic chest pain"):
        ("ecg", "chest-x-ray"),
    CLOUDED: ("glucose", "ecg"),
    ("Hemiparesis", "Facial palsy", "Aphasia", "Dysarthria", "Slurred speech", "Hemianopia",
     "Thunderclap headache"): ("glucose", "ct-head"),
    ("Polyuria", "Polydipsia"): ("glucose", "urinalysis"),
    ("Jaundice", "Dark urine", "Acholic stools"): ("liver-panel",),
}  # fmt: skip
"""Findings that were told -> what every doctor tests for them."""


FOR_ALARMS: Mapping[str, tuple[str, ...]] = {
    "gcs": ("glucose", "ecg"), "sats": ("chest-x-ray", "ecg"), "low_pressure": ("lactate", "ecg"),
    "pregnancy_severe": ("liver-panel", "coagulation"), "pregnancy_raised": ("liver-panel",),
    "high_pressure": ("urinalysis", "ecg"), "fast_pulse": ("ecg",), "slow_pulse": ("ecg",),
    "young_fever": ("urinalysis", "glucose"),
}  # fmt: skip
"""Alarm -> what every doctor tests for it."""


_PART = re.compile(r"[,;:]| with ")
_DENIED = re.compile(
    r"\b(no|not|non-tender|without|nil|negative|normal|never)\b(?! (fade|air|breath|pulse))",
    re.IGNORECASE,
)
"""A part of a finding that says what is not there."""


def alarms(sample: Sample) -> tuple[str, ...]:
    """Return the values that alarm at a time, by what was measured: keys of the pools alarm.KEY."""
    patient = sample.patient
    age, weeks = patient.person.age, patient.person.pregnant_weeks
    value = {key: sample.reading(key).value for key in ("sbp", "dbp", "hr", "rr", "spo2", "gcs")}
    fast_pulse, fast_breath = next(rates for below, rates in FASTEST.items() if age < below)
    slow = next(rate for below, rate in SLOWEST.items() if age < below)
    lived_with = {one.condition for one in patient.background}
    lung = any("pulmonary" in one for one in lived_with)
    found = []
    if value["gcs"] < 14:
        found.append("gcs")
    doubtful = sample.reading("spo2").comment is not None
    if value["spo2"] < (LOW_OXYGEN_LUNG if lung else LOW_OXYGEN) and not doubtful:
        found.append("sats")
    if value["sbp"] < lowest_pressure(age):
        found.append("low_pressure")
    if weeks is not None and weeks >= PREGNANT:
        if value["sbp"] >= 160 or value["dbp"] >= 110:
            found.append("pregnancy_severe")
        elif value["sbp"] >= 140 or value["dbp"] >= 90:
            found.append("pregnancy_raised")
    elif value["sbp"] >= 200 or value["dbp"] >= 120:
        found.append("high_pressure")
    if value["hr"] >= fast_pulse:
        found.append("fast_pulse")
    elif value["hr"] < slow:
        found.append("slow_pulse")
    if value["rr"] >= fast_breath:
        found.append("fast_breath")
    if age < 0.25 and sample.reading("temp_c").value >= 38:
        found.append("young_fever")
    return tuple(found)


def alarming_signs(signs: Mapping[str, str]) -> tuple[str, ...]:
    """Return what alarms on examination: keys of the pools alarm.KEY.

    Args:
        signs: Site -> what is found there.
    """
    parts = [
        (site, part) for site, text in signs.items() for part in _PART.split(text)
        if not _DENIED.search(part)
    ]  # fmt: skip
    return tuple(
        key for key, (where, pattern) in _signs().items()
        if any(where in (site, "") and pattern.search(part) for site, part in parts)
    )  # fmt: skip


@lru_cache(maxsize=1)
def _signs() -> Mapping[str, tuple[str, re.Pattern[str]]]:
    path = Path(__file__).with_name("alarming_signs.json")
    read = json.loads(path.read_text(encoding="utf-8"))
    return {key: (site, re.compile(one, re.IGNORECASE)) for key, (site, one) in read.items()}


def lowest_pressure(age: float) -> float:
    """Return the systolic pressure in mmHg below which a patient of an age is hypotensive."""
    if age < 0.08:
        return 60
    return 70 if age < 1 else min(70 + 2 * age, 90)


def orders_for(facts: Facts, told: Collection[str], pregnant: bool) -> tuple[str, ...]:
    """Return the tests that follow from what was told.

    Args:
        facts: The facts.
        told: Ids of the findings that were told.
        pregnant: Whether a pregnancy is known.
    """
    names = {facts.phenotypes[one].name for one in told}
    found = [test for causes, tests in TESTS.items() if names & set(causes) for test in tests]
    if any(facts.phenotypes[one].group == "kidney and urinary tract" for one in told):
        found.append("urinalysis")
    if pregnant:
        found += ["urinalysis", "group-and-save"]
    return tuple(dict.fromkeys(found))
