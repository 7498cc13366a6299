"""The problem that brings a patient: when it began, what it shows, and how it goes on."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from gym_clinic.facts import Facts, most_specific
from gym_clinic.facts.conditions import Condition, Course, Study
from gym_clinic.facts.epidemiology import Person
from gym_clinic.simulate.clinic.body import DrawnEffect, draw_effect, measured_findings
from gym_clinic.simulate.presentation import probability

DAY = 24 * 60
_SINUS = re.compile(r"Sinus (rhythm|tachycardia|bradycardia)(,? (at |of |rate )?\d+ ?(/min|bpm)?)?")
_RATE = re.compile(r"\b\d+ ?(/min|bpm)")

OTHER_COMPLAINT = 0.65
"""Share of patients who complain of any of their findings instead of a typical complaint."""

EXPOSURE = "exposure and poisoning"
"""The group of findings that come before the illness."""

PAINFUL = re.compile(r"\bpain|\bache|headache|colic|cramps", re.IGNORECASE)
"""Names of findings that hurt."""

VAGUE = 0.4
"""Share of those who say only that they are unwell."""

SEVERITY = (0.4, 1.6)
"""Least and greatest severity on arrival; 1 is the usual one."""


@dataclass(frozen=True)
class Problem:
    """A problem of a patient.

    Attributes:
        condition: Id of the disease.
        variant: Its form; None where the condition has none.
        began: Minutes from arrival, below 0.
        severity: On arrival; 1 is the usual one.
        complaint: Id of the finding that the patient comes with; None for a second problem.
        findings: Id of each symptom or sign -> minutes from arrival at which it began.
        signs: Part of the examination -> what is found.
        studies: Study -> its report.
        effects: Measurement -> effect at severity 1.
    """

    condition: str
    variant: str | None
    began: int
    severity: float
    complaint: str | None
    findings: Mapping[str, int]
    signs: tuple[tuple[str, str], ...]
    studies: Mapping[str, str]
    effects: Mapping[str, DrawnEffect]


def draw_problem(
    facts: Facts, condition: Condition, person: Person, random: Random, *, complains: bool = True
) -> Problem:
    """Draw a problem."""
    course = condition.course
    if course is None:
        raise ValueError(f"{condition.id} is a background condition; it brings no one")
    low, high = course.onset_hours
    began = -round(60 * math.exp(random.uniform(math.log(max(low, 0.02)), math.log(high))))
    severity = min(max(random.lognormvariate(-0.08, 0.28), SEVERITY[0]), SEVERITY[1])
    ids = facts.finding_ids
    if course.fatal_at is not None:
        severity = min(severity, 0.9 * course.fatal_at)
    variant = None
    if condition.variants:
        (variant,) = random.choices(
            list(condition.variants), weights=list(condition.variants.values())
        )
    complaint = None
    if complains:
        possible = [
            one for one in condition.complaints if _may_have(facts, ids[one.finding], person)
        ]
        chosen = random.choices(possible, weights=[one.weight for one in possible])[0]
        complaint = ids[chosen.finding]
    findings = _findings(facts, condition, person, began, complaint, random)
    effects = _effects(condition, random)
    hurts = any(PAINFUL.search(facts.phenotypes[one].name) for one in findings)
    if hurts and "pain" not in effects:
        effects["pain"] = DrawnEffect("set", random.uniform(2, 6))
    told = sorted(one for one in findings if facts.phenotypes[one].group != EXPOSURE)
    if complains and told and random.random() < OTHER_COMPLAINT:
        # People come with what troubles them most, and that is not always what is typical.
        complaint = random.choice(told)
        if random.random() < VAGUE and _may_have(facts, ids["Malaise"], person):
            complaint = ids["Malaise"]
        findings[complaint] = began
    return Problem(
        condition=condition.id,
        variant=variant,
        began=min(began, -1),
        severity=round(severity, 2),
        complaint=complaint,
        findings=findings,
        signs=_signs(condition, variant, severity, random),
        studies={one.study: _report(one, variant, random) for one in condition.studies},
        effects=effects,
    )


def _effects(condition: Condition, random: Random) -> dict[str, DrawnEffect]:
    extent = random.gauss(0, 1)
    drawn = {
        key: draw_effect(effect, random, extent)
        for key, effect in {**condition.vitals, **condition.labs}.items()
    }
    systolic, diastolic = condition.vitals.get("sbp"), condition.vitals.get("dbp")
    if systolic and diastolic and systolic.add and diastolic.add and systolic.add[1] > 0:
        # Both pressures move together.
        apart = (drawn["sbp"].amount - systolic.add[0]) / systolic.add[1]
        drawn["dbp"] = DrawnEffect("add", diastolic.add[0] + apart * diastolic.add[1])
    return drawn


def _findings(
    facts: Facts,
    condition: Condition,
    person: Person,
    began: int,
    complaint: str | None,
    random: Random,
) -> dict[str, int]:
    """Draw symptoms and signs; what measurements and studies show is read off them instead."""
    elsewhere = {*measured_findings(), *shown_by_tests()}
    drawn: set[str] = set() if complaint is None else {complaint}
    for feature in facts.diseases[condition.id].phenotypes:
        name = facts.phenotypes[feature.phenotype].name
        share = condition.rates.get(name, probability(feature.frequency))
        if name in elsewhere or not _may_have(facts, feature.phenotype, person):
            continue
        if random.random() < share:
            drawn.add(feature.phenotype)
    kept = most_specific(drawn, facts.above)
    if complaint is not None and complaint not in kept:  # a special form of it was drawn
        kept = {one for one in kept if complaint not in facts.above[one]} | {complaint}
    found: dict[str, int] = {}
    for one in sorted(kept):
        if facts.phenotypes[one].group == EXPOSURE and one != complaint:
            found[one] = began - random.randint(1, 14) * DAY
            continue
        first = one == complaint or random.random() < 0.4
        found[one] = began if first else round(began * random.uniform(0.05, 0.9))
    return found


def _may_have(facts: Facts, finding: str, person: Person) -> bool:
    only = facts.phenotypes[finding].only
    return only is None or only.admits(person)


def _report(study: Study, variant: str | None, random: Random) -> str:
    possible = [one for one in study.results if one.variant in (None, variant)]
    return random.choices(possible, weights=[one.share for one in possible])[0].text


@lru_cache(maxsize=1)
def shown_by_tests() -> frozenset[str]:
    """The findings that a test shows, or that are the name of a disease."""
    file = Path(__file__).with_name("shown_by_tests.json")
    return frozenset(json.loads(file.read_text(encoding="utf-8")))


def rhythm(text: str, rate: int, fibrillates: bool) -> str:
    """Return the report of an ECG with the rate that the heart has.

    >>> rhythm("Sinus rhythm. ST depression of 1 mm in V5.", 112, False)
    'Sinus tachycardia 112/min. ST depression of 1 mm in V5.'

    Args:
        text: The report; "Sinus rhythm" and the like are replaced, other rhythms get the rate.
        rate: Beats a minute.
        fibrillates: Whether the patient has lived with atrial fibrillation.
    """
    name = "tachycardia" if rate > 100 else "bradycardia" if rate < 60 else "rhythm"
    own = "Atrial fibrillation, ventricular rate" if fibrillates else f"Sinus {name}"
    found, count = _SINUS.subn(f"{own} {rate}/min", text, count=1)
    return found if count else _RATE.sub(f"{rate}/min", text, count=1)


def _signs(
    condition: Condition, variant: str | None, severity: float, random: Random
) -> tuple[tuple[str, str], ...]:
    found = []
    for one in condition.signs:
        if one.variant not in (None, variant):
            continue
        if random.random() < min(one.share * severity, 1.0) or one.share == 1:
            found.append((one.site, one.text))
        elif one.otherwise is not None:
            found.append((one.site, one.otherwise))
    return tuple(found)


def severity_at(problem: Problem, course: Course, minute: float, treated: float | None) -> float:
    """Return the severity at a time.

    Args:
        problem: The problem.
        course: The course of its condition.
        minute: Minutes from arrival.
        treated: When its treatment was complete; None for none.
    """
    if minute <= 0:
        return (
            problem.severity * (1 - minute / problem.began) ** 0.6 if minute > problem.began else 0
        )
    until = minute if treated is None else min(minute, max(treated, 0.0))
    change = course.change_per_hour * until / 60
    untreated = min(max(problem.severity * (1 + change), 0.0), 3.0)
    if until == minute:
        return untreated
    return float(untreated * 0.5 ** ((minute - until) / course.half_time_minutes))


def treated_at(course: Course, actions: Mapping[str, float]) -> float | None:
    """Return when the first of the alternatives was complete; None if none is.

    Args:
        course: The course of a condition.
        actions: Action, as in `Course.treated_by`, -> when it was done, in minutes from arrival.
    """
    complete = [
        max(actions[one] for one in together)
        for together in course.treated_by
        if all(one in actions for one in together)
    ]
    return min(complete, default=None)


def died_at(
    problem: Problem, course: Course, treated: float | None, until: int = 2 * DAY
) -> int | None:
    """Return the minute of death within a time, or None."""
    if course.fatal_at is None:
        return None
    for minute in range(0, until + 1, 5):
        if severity_at(problem, course, minute, treated) >= course.fatal_at:
            return minute
    return None
