"""The library of conditions."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from itertools import groupby

from gym_clinic.facts import Facts
from gym_clinic.facts.records.conditions import Condition, Effect
from gym_clinic.facts.records.courses import Course


def condition_page(facts: Facts) -> str:
    """Return the library of conditions, by discipline, as Markdown."""
    ones = sorted(facts.conditions.values(), key=lambda one: (_discipline(facts, one), one.id))
    bring = sum(one.role != "background" for one in ones)
    lines = [
        "# Conditions of simulated patients",
        "",
        f"**A simulation, not for patient care.** {len(ones)} "
        f"conditions, of which {bring} bring patients; the others are lived "
        "with. Each is the clinical course of a disease of the fact tables and is declared in "
        "`kb/facts/conditions`; findings, red flags and treatment in words stay with the disease. "
        "The numbers are those of typical patients, written for this simulation where no source is "
        "named. This page is made by `python -m kb.build.pages`.",
        "",
        "An effect is what the condition does to a measurement on arrival at its usual severity "
        "(mean and standard deviation; a factor with its geometric deviation). "
        "`gym-clinic patient show --condition ID --seed N` prints a patient.",
    ]
    for discipline, group in groupby(ones, key=lambda one: _discipline(facts, one)):
        lines += ["", f"## {discipline}"]
        for one in group:
            lines += ["", *_condition(facts, one)]
    return "\n".join(lines) + "\n"


def _discipline(facts: Facts, one: Condition) -> str:
    return facts.disciplines[facts.diseases[one.id].discipline].name


def _condition(facts: Facts, one: Condition) -> Iterator[str]:
    disease = facts.diseases[one.id]
    yield f"### {disease.name} (`{one.id}`)"
    yield ""
    if one.complaints:
        yield f"- complaints: {', '.join(each.finding for each in one.complaints)}"
    if one.months:
        yield f"- months: {', '.join(calendar.month_name[each] for each in one.months)}"
    if one.variants:
        yield f"- forms: {', '.join(one.variants)}"
    effects = {**one.vitals, **one.labs}
    if effects:
        yield f"- effects: {'; '.join(_effect(facts, key, effects[key]) for key in effects)}"
    if one.course is not None:
        yield f"- course: {_course(one.course)}"
    if one.risks:
        yield f"- more often with: {', '.join(each.factor for each in one.risks)}"
    if one.medicines:
        yield f"- medicines: {', '.join(each.drug for each in one.medicines)}"
    if one.work_up:
        yield f"- work-up: {', '.join(one.work_up)}"
    if one.first_line:
        yield f"- first: {', '.join(one.first_line)}"
    if one.contraindicated:
        yield f"- not: {', '.join(one.contraindicated)}"
    for each in one.distinctions:
        test = f" ({each.test})" if each.test else ""
        yield f"- not {facts.diseases[each.look_alike].name}: {each.by}{test}"


def _effect(facts: Facts, key: str, effect: Effect) -> str:
    one = facts.measurements[key]
    if effect.times is not None:
        return f"{one.short} x {effect.times[0]:g} (/ {effect.times[1]:g})"
    if effect.set is not None:
        return f"{one.short} {effect.set[0]:g} ± {effect.set[1]:g} {one.unit}".rstrip()
    mean, deviation = effect.add or (0.0, 0.0)
    return f"{one.short} {mean:+g} ± {deviation:g} {one.unit}".rstrip()


def _course(course: Course) -> str:
    low, high = course.onset_hours
    told = f"begins {low:g} to {high:g} hours before arrival"
    change = f"{abs(course.change_per_hour):.1%}".replace(".0%", "%")
    told += f", untreated {'worse' if course.change_per_hour > 0 else 'better'} by {change} an hour"
    if course.harm_after_minutes is not None:
        told += f", harm after {course.harm_after_minutes} minutes"
    together = " or ".join(" and ".join(one) for one in course.treated_by)
    return f"{told}; treated by {together}" if together else told
