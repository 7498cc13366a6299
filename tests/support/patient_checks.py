"""What must hold of every simulated patient; a check returns what is wrong, or None."""

from __future__ import annotations

import math
import re

from gym_clinic.facts import with_ancestors
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.beginnings import long_standing
from gym_clinic.simulate.clinic.people import excluded_by, may_live_with
from gym_clinic.simulate.clinic.physiology.body import (
    findings_of,
    pregnancy_effects,
    settle,
)
from gym_clinic.simulate.clinic.problems import CLOUDED, EXPOSURE


def fits(patient: ClinicPatient) -> str | None:
    """Everybody may have what brings them, by age, sex and pregnancy."""
    for one in patient.problems:
        epidemiology = patient.facts.diseases[one.condition].epidemiology
        if epidemiology is not None and not epidemiology.admits(patient.person.person):
            return f"{one.condition} at {patient.person.person}"
    return None


def lived_with(patient: ClinicPatient) -> str | None:
    for one in patient.background:
        epidemiology = patient.facts.diseases[one.condition].epidemiology
        if epidemiology is not None and not may_live_with(epidemiology, patient.person.person):
            return f"{one.condition} at {patient.person.person}"
        if one.years > patient.person.age:
            return f"{one.condition} for {one.years} years at {patient.person.age}"
    return None


def together(patient: ClinicPatient) -> str | None:
    """Nobody has two conditions that exclude each other."""
    really = [one for one in patient.background if not one.mistaken]
    names = [one.condition for one in (*patient.problems, *really)]
    both = [(one, other) for one in names for other in excluded_by(one) if other in names]
    return f"{both[0]}" if both else None


def old_enough(patient: ClinicPatient) -> str | None:
    """Nobody has reacted to a medicine in the first year of life."""
    wrong = bool(patient.allergies) and patient.person.age < 1
    return f"{patient.allergies} at {patient.person.age}" if wrong else None


def clouded(patient: ClinicPatient) -> str | None:
    """A patient with a low coma score has a finding of it."""
    ids = patient.facts.finding_ids
    there = {key for one in patient.problems for key in one.findings}
    found = ids[CLOUDED] in with_ancestors(there, patient.facts.above)
    clear = patient.state(0)["gcs"] >= 14.5
    return None if found or clear else "a low coma score without a finding"


def once(patient: ClinicPatient) -> str | None:
    """Nobody has a condition twice, but for an attack of what is lived with."""
    attacks = {one.id for _, one in patient.conditions() if one.lived_with_before is not None}
    lived_with = [one.condition for one in patient.background]
    names = [*(one for one in lived_with if one not in attacks)]
    names += [one.condition for one in patient.problems]
    if len({*lived_with}) < len(lived_with):
        return f"twice in {lived_with}"
    return None if len(set(names)) == len(names) else f"twice in {names}"


def look_alike_second(patient: ClinicPatient) -> str | None:
    first, *others = [one.condition for one in patient.problems]
    alike = {*patient.facts.diseases[first].look_alikes, first}
    wrong = [one for one in others if one in alike]
    return f"{wrong} beside {first}" if wrong else None


def findings_fit(patient: ClinicPatient) -> str | None:
    for one in patient.problems:
        for key in one.findings:
            only = patient.facts.phenotypes[key].only
            if only is not None and not only.admits(patient.person.person):
                return f"{patient.facts.phenotypes[key].name} in {patient.person.person}"
    return None


def no_relatives(patient: ClinicPatient) -> str | None:
    for one in patient.problems:
        for key in one.findings:
            if patient.facts.above[key] & one.findings.keys():
                return f"{patient.facts.phenotypes[key].name} with its parent"
    return None


def timed(patient: ClinicPatient) -> str | None:
    for one in patient.problems:
        if not one.began < 0:
            return f"{one.condition} began at {one.began}"
        began = [
            when
            for key, when in one.findings.items()
            if patient.facts.phenotypes[key].group != EXPOSURE
            and patient.facts.phenotypes[key].name not in long_standing()
        ]
        if any(not one.began <= when <= 0 for when in began):
            return f"a finding of {one.condition} began before it, or after arrival"
    return None


def complaint(patient: ClinicPatient) -> str | None:
    first = patient.problems[0]
    names = [one.finding for one in patient.facts.conditions[first.condition].complaints]
    features = patient.facts.diseases[first.condition].phenotypes
    names += ["Malaise", CLOUDED, "Coma"]
    names += [patient.facts.phenotypes[one.phenotype].name for one in features]
    if first.complaint not in first.findings:
        return "the complaint is no finding"
    if patient.facts.phenotypes[first.complaint or ""].name not in names:
        return "the complaint is none of the condition"
    return None if first.findings[first.complaint or ""] == first.began else "complaint began later"


def measured(patient: ClinicPatient) -> str | None:
    """What a measurement shows is never drawn beside it."""
    state = patient.state(0)
    names = findings_of(patient.facts, state, *patient.person.measured_by)
    ids = patient.facts.finding_ids
    found = patient.findings(0)
    wrong = [name for name, has in names.items() if found[ids[name]] != has]
    return f"{wrong} against the measurements" if wrong else None


def calendar(patient: ClinicPatient) -> str | None:
    age = (patient.arrived.date() - patient.born).days / 365.25
    right = math.floor(age) == math.floor(patient.person.age) or patient.person.age < 2
    return None if right and age > 0 else f"{age:.1f} by the calendar, not {patient.person.age}"


def pregnancy(patient: ClinicPatient) -> str | None:
    weeks, person = patient.person.pregnant_weeks, patient.person
    if weeks is None:
        return None
    right = person.sex == "female" and 12 <= person.age <= 55 and 4 <= weeks <= 42
    return None if right else f"{weeks} weeks in {person.sex}, {person.age}"


def weight(patient: ClinicPatient) -> str | None:
    """The weight on the record is the weight on arrival."""
    now, on_record = patient.state(0)["weight_kg"], patient.person.weight_kg
    return None if abs(now - on_record) < 0.06 else f"{on_record} kg on the record, {now:.1f} kg"


def size(patient: ClinicPatient) -> str | None:
    person = patient.person
    index = person.weight_kg / (person.height_cm / 100) ** 2
    low, high = (12, 60) if person.age >= 18 else (10, 36)
    tall = person.height_cm > (40 if person.age < 2 else 75)
    return (
        None if low <= index <= high and tall else f"{person.height_cm} cm, {person.weight_kg} kg"
    )


def adult_habits(patient: ClinicPatient) -> str | None:
    return f"{patient.person.habits} in a child" if (
        patient.person.habits and patient.person.age < 16
    ) else None  # fmt: skip


def alive(patient: ClinicPatient) -> str | None:
    return "dead on arrival" if patient.death({}) == 0 else None


def worsens(patient: ClinicPatient) -> str | None:
    """Untreated, severity moves in the direction of its course and nowhere else."""
    for one, condition in patient.conditions():
        assert condition.course is not None
        severities = [patient.severity(one, minute) for minute in (0, 30, 60, 240)]
        rises = condition.course.change_per_hour >= 0
        ordered = sorted(severities, reverse=not rises)
        if any(abs(a - b) > 1e-9 for a, b in zip(ordered, severities, strict=True)):
            return f"{one.condition}: {severities}"
    return None


def treatment_helps(patient: ClinicPatient) -> str | None:
    first = patient.problems[0]
    for together in patient.course(first).treated_by:
        actions = dict.fromkeys(together, 10.0)
        if patient.severity(first, 600, actions) >= patient.severity(first, 10):
            return f"{first.condition}: no better by {together}"
    return None


def began_from_nothing(patient: ClinicPatient) -> str | None:
    for one in patient.problems:
        if patient.severity(one, one.began - 1) != 0:
            return f"{one.condition} was there before it began"
        if not patient.severity(one, one.began / 2) <= one.severity + 1e-9:
            return f"{one.condition} was worse before arrival"
    return None


def rate(patient: ClinicPatient) -> str | None:
    text = patient.report("ecg") or ""
    found = re.search(r"(\d+)/min", text)
    right = found is None or int(found[1]) == round(patient.state(0)["hr"])
    return None if right else f"{text} at a heart rate of {patient.state(0)['hr']:.0f}"


def never_names(patient: ClinicPatient) -> str | None:
    """The examination does not say what the patient has; the report of a study may."""
    for one in patient.problems:
        disease = patient.facts.diseases[one.condition]
        texts = " ".join(sign.text for sign in one.signs).casefold()
        for name in (disease.name, *disease.synonyms):
            if len(name) > 4 and re.search(rf"\b{re.escape(name.casefold())}\b", texts):
                return f"{one.condition}: {name!r} is told"
    return None


def healthy_in_range(patient: ClinicPatient) -> str | None:
    person = patient.person
    weeks = person.pregnant_weeks
    expecting = [] if weeks is None else [(1.0, pregnancy_effects(weeks))]
    whole = settle(patient.facts, patient.healthy, expecting, sex=person.sex, age=person.age)
    usual = {"weight_kg", "egfr"} | (set() if weeks is None else {"ph"})  # she breathes deeper
    wrong = sorted(patient.abnormal(whole).keys() - usual)
    return f"{wrong} outside the range without any disease" if wrong else None


NEWBORN = 0.1
"""Age in years below which a healthy child has jaundice."""


def healthy_findings(patient: ClinicPatient) -> str | None:
    """What is measured in a healthy person of this age, pregnant or not, is no finding."""
    person, weeks = patient.person, patient.person.pregnant_weeks
    expecting = [] if weeks is None else [(1.0, pregnancy_effects(weeks))]
    whole = settle(patient.facts, patient.healthy, expecting, sex=person.sex, age=person.age)
    found = findings_of(patient.facts, whole, *person.measured_by)
    usual = {"Jaundice", "Unconjugated hyperbilirubinemia"} if person.age < NEWBORN else set()
    usual |= {"Decreased glomerular filtration rate"}  # of the old
    wrong = sorted({name for name, has in found.items() if has} - usual)
    return f"{wrong} without any disease" if wrong else None


def season(patient: ClinicPatient) -> str | None:
    """What has a season comes in it."""
    for one in patient.problems:
        months = patient.facts.conditions[one.condition].months
        if months and patient.arrived.month not in months:
            return f"{one.condition} on {patient.arrived:%d %B}"
    return None


def neutral(patient: ClinicPatient) -> str | None:
    """Before the first problem began nothing differs from the usual, but that children grow."""
    before = patient.state(min(one.began for one in patient.problems) - 1)
    grows = {"weight_kg"} if patient.person.age < 18 else set()
    keys = before.keys() - grows
    wrong = [key for key in sorted(keys) if abs(before[key] - patient.usual[key]) > 1e-9]
    return f"{wrong} changed by nothing" if wrong else None
