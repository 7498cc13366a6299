"""The right level of a patient at the door, by the decision points of the Emergency Severity Index.

The questions are answered from the true state on arrival, never from a table of nominal levels:

A. Does the patient need an immediate life-saving intervention? Ventilation or oxygenation that
   fails, shock with signs of poor perfusion, or a drug or procedure that cannot wait, such as
   adrenaline in anaphylaxis.
B. Is it a high-risk situation, is the patient newly confused or drowsy, or in severe pain?
C. How many kinds of resources will the emergency department need? Tests at the bedside, medicines
   by mouth and a history are none.
D. With two or more: is a vital sign in the danger zone of the age?

The answers go to the declared instrument ``esi``, so that the levels and the danger zones are those
that every agent can compute. What the handbook leaves to the judgement of a nurse is fixed in
``acuity.json``: the situations that count as high risk, pain from 7 on a scale of 10 that began
within a day or that raises pulse or breathing, and the resources that findings call for, whatever
the condition, so that levels 3 to 5 follow from what can be told, seen and measured. It is authored
for this simulation, not for patient care.

Source:
    Gilboy N, Tanabe P, Travers D, Rosenau AM. Emergency Severity Index (ESI): A Triage Tool for
    Emergency Department Care, Version 4. Implementation Handbook 2012 Edition. AHRQ Publication
    No. 12-0014, 2011.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from gym_clinic.domains.triage_emergency.acuity_table import (
    Criterion,
    acuity_table,
    resources_for,
)
from gym_clinic.domains.triage_emergency.immunity import weakened_by
from gym_clinic.facts import Facts, with_ancestors
from gym_clinic.facts.expressions import parse
from gym_clinic.instruments import score
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.patient import RETAIN_CARBON_DIOXIDE
from gym_clinic.simulate.clinic.problems import PAINFUL

SEVERE_PAIN = 7.0
"""Pain on a scale of 10 from which on it is severe."""

DAY = 24.0
"""Hours within which severe pain is a new one."""

LOW_FOR_YEARS = 90.0
"""Oxygen saturation that people with chronic obstructive lung disease may live with."""

CALM = {"hr": 80.0, "rr": 15.0, "spo2": 99.0}
"""Vital signs that are in the danger zone of no age."""

DANGER_SIGNS = tuple(CALM)
"""The vital signs that have a danger zone."""

ADULT = 16
"""Age in years from which on NEWS2 is defined."""

INFANT, OLD = 0.25, 65.0
"""Ages in years below which, and from which on, patients are frail sooner."""

KIDNEYS = frozenset({"chronic-kidney-disease", "diabetic-nephropathy"})
SPARE_POTASSIUM = frozenset({"spironolactone", "eplerenone", "amiloride", "triamterene"})
"""Conditions and drugs on the record with which weakness may be one of the potassium."""

FEVER, UNWELL = 38.0, 3.0
"""Temperature in degrees Celsius of a fever, and the NEWS2 of a patient who should not wait."""


@dataclass(frozen=True)
class Acuity:
    """The answers to the decision points, and the level that follows.

    Attributes:
        level: 1, the most urgent, to 5.
        life_saving: Interventions that cannot wait.
        high_risk: High-risk situations.
        confused: Whether the patient is newly confused, drowsy or disoriented.
        severe_pain: Whether pain is severe.
        resources: Kinds of resources that are expected.
        danger_zone: Vital signs in the danger zone of the age.
        monitor: Whether a monitor is needed, whatever the level.
        frail: Whether the patient should not wait among others: an infant below three months, a
            NEWS2 of 3 or more, or fever or severe pain from 65 years on.
    """

    level: int
    life_saving: tuple[str, ...]
    high_risk: tuple[str, ...]
    confused: bool
    severe_pain: bool
    resources: tuple[str, ...]
    danger_zone: tuple[str, ...]
    monitor: bool
    frail: bool = False


def acuity(
    patient: ClinicPatient,
    measured: Mapping[str, float] | None = None,
    told: float = 1.0,
    read: AbstractSet[str] | None = None,
) -> Acuity:
    """Return the level of a patient on arrival, and why.

    Args:
        patient: The patient.
        measured: Values that take the place of the true ones, such as vital signs that were
            measured: what an observer would decide by them.
        told: Factor on the times since things began: how an account of them may differ.
        read: Names of the findings that call for resources; those of the true problems if None.
    """
    table, values = acuity_table(), values_on_arrival(patient, told, measured)
    began = hours_of_findings(patient, told)
    keys = {one.condition for one in patient.problems}

    def so(one: Criterion) -> bool:
        return holds(one, keys, began, values_for(patient, one, values, told))

    saving, risks = [*filter(so, table.life_saving)], [*filter(so, table.high_risk)]
    needed = resources_for(began.keys() if read is None else read, values)
    pain = main_pain(patient)
    hours = values["hours"] if pain is None else -patient.problems[0].findings[pain] / 60 * told
    severe = values["pain"] >= SEVERE_PAIN and (
        hours <= DAY or bool(danger_zone(values["age"], values))
    )
    confused = round(values["gcs"]) < round(values["usual_gcs"])
    return Acuity(
        level=level(
            values,
            life_saving=bool(saving),
            high_risk=bool(risks),
            confused=confused,
            severe_pain=severe,
            resources=len(needed),
        ),
        life_saving=tuple(dict.fromkeys(one.what for one in saving)),
        high_risk=tuple(dict.fromkeys(one.what for one in risks)),
        confused=confused,
        severe_pain=severe,
        resources=needed,
        danger_zone=danger_zone(values["age"], values),
        monitor=bool(saving) or confused or any(one.monitor for one in risks),
        frail=_frail(values),
    )


def _frail(values: Mapping[str, float]) -> bool:
    ill = values["temp_c"] >= FEVER or values["pain"] >= SEVERE_PAIN
    return values["age"] < INFANT or values["news2"] >= UNWELL or (values["age"] >= OLD and ill)


def level(
    values: Mapping[str, float],
    *,
    life_saving: bool,
    high_risk: bool,
    confused: bool,
    severe_pain: bool,
    resources: int,
) -> int:
    """Return the level that the declared instrument gives, 1 to 5.

    >>> well = {"age": 40.0, "hr": 76.0, "rr": 14.0, "spo2": 98.0}
    >>> asked = {"life_saving": False, "high_risk": False, "confused": False, "severe_pain": False}
    >>> [level(well, resources=count, **asked) for count in (0, 1, 2)]
    [5, 4, 3]
    >>> level({**well, "hr": 104.0}, resources=2, **asked)
    2

    Args:
        values: ``age`` in years, ``hr`` and ``rr`` a minute, ``spo2`` in percent.
        life_saving: Whether a life-saving intervention cannot wait.
        high_risk: Whether it is a high-risk situation.
        confused: Whether there is new confusion or drowsiness.
        severe_pain: Whether there is severe pain or distress.
        resources: How many resources are expected.
    """
    inputs = {
        "lifesaving_intervention": life_saving,
        "high_risk_situation": high_risk,
        "confused_lethargic_disoriented": confused,
        "severe_pain_or_distress": severe_pain,
        "expected_resources": resources,
        "age_years": values["age"],
        **{name: float(round(values[name])) for name in ("hr", "rr", "spo2")},
    }
    return int(score("esi", inputs).score)


def danger_zone(age: float, values: Mapping[str, float]) -> tuple[str, ...]:
    """Return the vital signs in the danger zone of an age, of :data:`DANGER_SIGNS`.

    Args:
        age: In years.
        values: Values of these vital signs.
    """
    return tuple(one for one in DANGER_SIGNS if _is_dangerous(age, one, round(values[one])))


@lru_cache(maxsize=1 << 12)
def _is_dangerous(age: float, sign: str, value: float) -> bool:
    found = level(
        {**CALM, "age": age, sign: value},
        life_saving=False,
        high_risk=False,
        confused=False,
        severe_pain=False,
        resources=2,
    )
    return found == 2


def may_retain(patient: ClinicPatient) -> bool:
    """Return whether the record has a condition in which much oxygen is dangerous."""
    return any(one.condition in RETAIN_CARBON_DIOXIDE for one in patient.background)


def _keeps_potassium(patient: ClinicPatient) -> bool:
    known = {one.condition for one in patient.background} & KIDNEYS
    return bool(known or {one.drug for one in patient.medicines} & SPARE_POTASSIUM)


def values_on_arrival(
    patient: ClinicPatient, told: float = 1.0, measured: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return what the conditions of the table may name.

    Every measurement of the true state, `age` in years, `weight_kg`, `hours` since the problem
    began, `severity` of the problem, `low_sbp` (least systolic pressure of the age: 90 mmHg from
    10 years on, below it 70 and twice the age), `usual_spo2`, `usual_gcs`, `retains`: 1 where
    much oxygen may make the patient retain carbon dioxide, else 0; `keeps_potassium`: 1 where the
    record has a kidney disease or a drug that spares potassium, else 0; `weak_immunity`: 1 where
    the record has what weakens the immune system, else 0; `news2` (0 below 16 years), and
    `in_danger`: how many of pulse, breaths and oxygen saturation are in the danger zone of the age.

    Args:
        patient: The patient.
        told: Factor on the hours.
        measured: Values that take the place of the true ones.
    """
    problem, age = patient.problems[0], patient.person.age
    acute = any(one.condition in RETAIN_CARBON_DIOXIDE for one in patient.problems)
    retains = may_retain(patient)
    values = {
        **patient.state(0),
        **(measured or {}),
        "age": age,
        "weight_kg": patient.person.weight_kg,
        "retains": float(retains),
        "keeps_potassium": float(_keeps_potassium(patient)),
        "weak_immunity": float(bool(weakened_by(patient))),
        "hours": -problem.began / 60 * told,
        "severity": problem.severity,
        "low_sbp": 90.0 if age >= 10 else 70.0 + 2 * math.floor(age),
        "usual_spo2": min(patient.usual["spo2"], LOW_FOR_YEARS)
        if retains or acute
        else patient.usual["spo2"],
        "usual_gcs": patient.usual["gcs"],
    }
    values["news2"] = early_warning(values) if age >= ADULT else 0.0
    values["in_danger"] = float(len(danger_zone(age, values)))
    return values


def values_for(
    patient: ClinicPatient, one: Criterion, values: dict[str, float], told: float = 1.0
) -> dict[str, float]:
    """Return the values by which a criterion is decided.

    What is of a second problem alone is decided by the vital signs that this problem would lead to
    by itself: a cold beside a tamponade does not make a possible sepsis of it.

    Args:
        patient: The patient.
        one: The criterion.
        values: The values on arrival.
        told: As in `values_on_arrival`.
    """
    first, *others = patient.problems
    if not one.conditions or first.condition in one.conditions:
        return values
    its = next((other for other in others if other.condition in one.conditions), None)
    if its is None:
        return values
    return values_on_arrival(dataclasses.replace(patient, problems=(its,)), told)


def early_warning(values: Mapping[str, float]) -> float:
    """Return the NEWS2 of an adult who breathes air, from the true state.

    The second scale of oxygen saturation is used where carbon dioxide may be retained.
    """
    confused = round(values["gcs"]) < round(values["usual_gcs"])
    inputs = {
        **{name: round(values[name]) for name in ("rr", "spo2", "sbp")},
        "pulse": round(values["hr"]),
        "spo2_scale": "2" if values["retains"] else "1",
        "on_oxygen": False,
        "consciousness": "C" if confused else "A",
        "temp_c": round(values["temp_c"], 1),
    }
    return float(score("news2", inputs).score)


def hours_of_findings(patient: ClinicPatient, told: float = 1.0) -> dict[str, float]:
    """Return the name of each finding, and of those above it -> hours since it began.

    Args:
        patient: The patient.
        told: Factor on the hours.
    """
    facts = patient.facts
    found: dict[str, float] = {}
    for problem in patient.problems:
        for key, began in problem.findings.items():
            if began > 0:
                continue
            for one in with_ancestors([key], facts.above):
                name = facts.phenotypes[one].name if one in facts.phenotypes else one
                found[name] = min(found.get(name, math.inf), -began / 60 * told)
    return found


def main_pain(patient: ClinicPatient) -> str | None:
    """Return the pain that the condition which brings a patient has most often, of those there are.

    Its hours are those of a severe pain: it may come days after the complaint.

    Args:
        patient: The patient.
    """
    problem, facts = patient.problems[0], patient.facts
    rates = facts.conditions[problem.condition].rates
    there = {facts.phenotypes[key].name: key
             for key, began in problem.findings.items() if began <= 0}  # fmt: skip
    pains = [name for name in there if PAINFUL.search(name)]
    return there[max(pains, key=lambda name: rates.get(name, 0.0))] if pains else None


def names_of(facts: Facts, findings: Iterable[str]) -> frozenset[str]:
    """Return the names of findings, and of those above them.

    Args:
        facts: The fact tables.
        findings: Ids of findings.
    """
    known = with_ancestors(findings, facts.above)
    return frozenset(facts.phenotypes[one].name for one in known if one in facts.phenotypes)


def holds(
    one: Criterion, keys: AbstractSet[str], began: Mapping[str, float], values: Mapping[str, float]
) -> bool:
    """Return whether a criterion holds.

    Args:
        one: The criterion.
        keys: Conditions of the patient.
        began: Name of each finding -> hours since it began.
        values: What its expression may name.
    """
    if one.conditions and not keys & set(one.conditions):
        return False
    if one.finding is not None and one.finding not in began:
        return False
    if one.along and not began.keys() & {*one.along}:
        return False
    hours = began[one.finding] if one.finding is not None else math.inf
    return bool(parse(one.when).compute({**values, "finding_hours": hours}))
