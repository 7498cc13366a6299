"""Twins of triage tasks: one fact changed that turns the answer, or only name or wording."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from gym_clinic.clinical import MadeTask, open_world
from gym_clinic.domains.triage_emergency.acuity import DAY
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient

OUT_OF_WINDOW = (36 * 60, 48 * 60)
"""Minutes from onset of a twin that is too late for a protocol."""

BEYOND = 12
"""How far a vital sign is moved beyond the limit of the danger zone."""


BREATHING = frozenset({
    "acute-bronchitis", "asthma", "bronchiolitis", "chronic-obstructive-pulmonary-disease",
    "covid-19", "croup", "heart-failure-with-preserved-ejection-fraction",
    "heart-failure-with-reduced-ejection-fraction", "influenza", "pneumonia", "pneumothorax",
    "pulmonary-embolism", "pulmonary-tuberculosis", "sepsis",
})  # fmt: skip
"""Conditions that may lower the oxygen saturation."""

PULSE_LIMITS = ((8.01, 100.0), (3.0, 140.0), (0.25, 160.0), (0.0, 180.0))
"""Least age in years -> pulse at which the danger zone of the level's table begins."""

SOME_PAIN = 3.0
"""Pain from which on a twin may have severe pain."""


def make_twin(made: MadeTask, kind: str, random: Random) -> tuple[Mapping[str, Any], ...] | None:
    """Return the edit of a twin: one vital sign or the onset, or only name or wording."""
    record, answer = made.record, made.gold["answer"]
    patient = open_world(record).patient
    if kind == "neutral":
        if random.random() < 0.5:
            return ({"kind": "wording", "seed": record["seed"] + 4 * random.randint(1, 10**6)},)
        others = (draw_patient(random.randrange(10**9), record["condition"]) for _ in range(8))
        names = (one.person.name for one in others if one.person.sex == patient.person.sex)
        name = next((one for one in names if one != patient.person.name), None)
        return None if name is None else ({"kind": "name", "name": name},)
    if answer["pathway"] in ("stroke", "chest pain"):
        return ({"kind": "onset", "minutes": random.randint(*OUT_OF_WINDOW)},)
    sign, target = _turning(patient, made.gold, random)
    if sign is None:
        return None
    add = round(target - patient.state(0)[sign], 1)
    return ({"kind": "measurement", "measurement": sign, "add": add},)


def _turning(
    patient: ClinicPatient, gold: Mapping[str, Any], random: Random
) -> tuple[str | None, float]:
    """The vital sign whose change may turn the level in a believable way, and its new value."""
    level, why, age = gold["answer"]["level"], gold["reasons"], patient.person.age
    breath = patient.problems[0].condition in BREATHING
    limit = next(pulse for least, pulse in PULSE_LIMITS if age >= least)
    if level == 1:
        lungs = list(why["life-saving"]) == ["airway or breathing support"] and not why["confused"]
        return ("spo2", 95.0 + random.random()) if lungs else (None, 0.0)
    if breath and level == 2:
        return "spo2", 86.0 + 2 * random.random()
    if breath:
        return "spo2", 90.7 + 0.6 * random.random()
    if level == 2:
        by_pulse = list(why["danger zone"]) == ["hr"] and not why["high risk"]
        return ("hr", limit - 10.0 - random.random()) if by_pulse else (None, 0.0)
    if level == 3:
        return "hr", limit + BEYOND + 6 * random.random()
    hurts = -patient.problems[0].began <= DAY * 60 and patient.state(0)["pain"] >= SOME_PAIN
    return ("pain", 8.0 + random.random()) if hurts else (None, 0.0)
