"""Drawing a simulated patient: person, body, problems, and what is told and shown of them."""

from __future__ import annotations

import dataclasses
import datetime
import math
from collections.abc import Sequence
from random import Random

from gym_clinic.errors import ConfigError
from gym_clinic.facts import Facts, load, with_ancestors
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.facts.records.epidemiology import Person
from gym_clinic.names import suggest
from gym_clinic.simulate.clinic.drug_rules import stopped_by_kidneys
from gym_clinic.simulate.clinic.examination.signs_beside import signs_beside
from gym_clinic.simulate.clinic.finding_lists import possible_when
from gym_clinic.simulate.clinic.medicines import (
    PastEvent,
    ReportedAllergy,
    TakenMedicine,
    apply_cause,
    draw_allergies,
    draw_cause,
    draw_medicines,
    not_against,
    of_one_country,
)
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.people import (
    MINUTES_IN_YEAR,
    Background,
    Demographics,
    beside_known,
    build_of,
    draw_background,
    draw_demographics,
    draw_known,
    draw_mistaken,
)
from gym_clinic.simulate.clinic.physiology.body import (
    DrawnEffect,
    draw_usual,
    findings_of,
    with_limits,
)
from gym_clinic.simulate.clinic.physiology.survival import lethal
from gym_clinic.simulate.clinic.problems import HURTS, PAINFUL, draw_problem, examined, told
from gym_clinic.simulate.clinic.second_problem import second_problem
from gym_clinic.simulate.clinic.telling.incidental import names_beside
from gym_clinic.simulate.disease.findings import possible, shares, unrelated
from gym_clinic.simulate.disease.persons import draw_person, epidemiology_of
from gym_clinic.simulate.split import Split

SECOND = 0.1
"""Share of patients who have a second problem."""

SURVIVED = 120
"""Minutes that everybody on arrival survives at least."""

SAYS_SO = 4
"""Age in years from which on a patient tells where it hurts."""

SEVERER = 40
"""Steps of a twentieth by which a problem is made more severe at most, up to what it needs."""

FEVER = 38.0
"""Temperature of a fever."""

NOT_URGENT, LONG_ILL = 3, 14 * 24 * 60
"""Triage from which on, and minutes of illness after which, people come by day."""

DAY_BEGINS = 8
"""The first of the twelve hours of the day at which they come."""

LEAST_BODY_MASS = 10.5
"""In kg/m2: whom an illness has wasted to less does not come."""

AROUSAL = {"hr": (5.0, 4.0), "sbp": (6.0, 6.0), "dbp": (3.0, 3.0), "rr": (1.0, 1.0)}
"""Measurement -> mean and standard deviation of what arrival adds to it, never below 0."""


def draw_patient(
    seed: int,
    condition: str | None = None,
    facts: Facts | None = None,
    split: Split | None = None,
) -> ClinicPatient:
    """Draw a patient.

    Args:
        seed: The same seed and condition give the same patient.
        condition: Id of the disease that brings the patient; drawn by its frequency if None.
        facts: The fact tables; the embedded ones by default.
        split: Whose wordings signs and reports have, since some are kept from train; those of all
            if None. All else is the same, but what is heard of what an image of the lungs shows.

    Raises:
        ConfigError: If there is no such condition, or it brings no one.
    """
    tables = load() if facts is None else facts
    random = Random(f"{seed}:{condition or ''}:patient")
    chosen = _condition(tables, condition, random)
    basis = draw_person(epidemiology_of(tables.diseases[chosen.id]), random)
    cause = draw_cause(chosen, basis, random)
    known = cause.taken_for if cause is not None else None
    background = draw_background(tables, chosen, basis, random, known)
    lived_with = [one.condition for one in background]
    person = draw_demographics(chosen, lived_with, basis, random)
    allergies = draw_allergies(basis.age, random)
    medicines = draw_medicines(tables, lived_with, allergies, basis, person.weight_kg, random)
    healthy = draw_usual(tables, basis.sex, basis.age, random, person.pregnant_weeks)
    healthy["weight_kg"] = person.weight_kg
    problems = [draw_problem(chosen, random, basis.age)]
    if random.random() < SECOND and (
        other := second_problem(tables, chosen, lived_with, basis, random)
    ):
        problems.append(draw_problem(other, random, basis.age))
    past: list[PastEvent] = []
    if cause is not None and (known not in tables.conditions or known in lived_with):
        began = problems[0].began
        medicines, past = apply_cause(tables, cause, began, allergies, medicines, random)
        background = [_known_for_long(tables, one, medicines, basis) for one in background]
        medicines = [_begun_since(one, background) for one in medicines]
    own, first = Random(f"{seed}:{chosen.id}:known before"), problems[0]
    known_before = draw_known(tables, chosen, basis, first.began, own, first.effects)
    if known_before is not None:
        problems[0] = dataclasses.replace(first, effects=beside_known(first.effects, known_before))
        background.append(known_before)
        lived_with.append(chosen.id)
        own = Random(f"{seed}:{chosen.id}:medicines before")
        kept = not_against(tables, chosen, medicines)
        medicines = draw_medicines(
            tables, lived_with, allergies, basis, person.weight_kg, own, kept
        )
    own = Random(f"{seed}:{chosen.id}:mistaken")
    had = [*lived_with, *(one.condition for one in problems[1:])]
    mistaken = draw_mistaken(tables, chosen, basis, had, own)
    if mistaken is not None:
        medicines = _also_for(tables, mistaken, medicines, allergies, person, had, chosen, own)
        background = sorted([*background, mistaken], key=lambda one: one.condition)
        order = [one.condition for one in background]
        medicines.sort(key=lambda one: [*order, one.condition].index(one.condition))
    day = _day([tables.conditions[one.condition] for one in problems], random)
    arrived = datetime.datetime.combine(
        day, datetime.time(_hour(chosen, problems[0].began, random))
    )
    made = ClinicPatient(
        seed=seed,
        person=person,
        arrived=arrived + datetime.timedelta(minutes=random.randrange(60)),
        background=tuple(background),
        medicines=tuple(medicines),
        past=tuple(past),
        allergies=tuple(allergies),
        healthy=healthy,
        problems=tuple(problems),
        arousal={
            key: DrawnEffect("add", max(random.gauss(*by), 0.0)) for key, by in AROUSAL.items()
        },
        facts=tables,
        split=split,
    )
    made = dataclasses.replace(made, medicines=tuple(of_one_country(made.medicines, made.american)))
    made = _within_kidneys(made)
    told_of = _with_pain(
        _with_fever(_told(_weighed(_ill_enough(_survivable(made))), random), random)
    )
    return _examined(told_of, random)


def _day(conditions: Sequence[Condition], random: Random) -> datetime.date:
    """A day of 2025, in the season of the conditions that have one."""
    days = [datetime.date(2025, 1, 1) + datetime.timedelta(days=number) for number in range(365)]
    seasons = [one.months for one in conditions if one.months]
    fit = [one for one in days if all(one.month in season for season in seasons)]
    return fit[random.randrange(len(days)) % len(fit)]


def _known_for_long(
    facts: Facts, lived: Background, medicines: Sequence[TakenMedicine], person: Person
) -> Background:
    """A condition that has been known since the first medicine for it, if the age allows it."""
    begun = [-(one.begun or 0) for one in medicines if one.condition == lived.condition]
    first = epidemiology_of(facts.diseases[lived.condition]).ages[0].low
    needed = math.ceil(10 * max(begun, default=0) / MINUTES_IN_YEAR) / 10 + 0.1
    longest = max(person.age - first, lived.years)
    years = min(max(lived.years, needed if any(begun) else 0.0), longest)
    return dataclasses.replace(lived, years=round(years, 1))


def _begun_since(taken: TakenMedicine, background: Sequence[Background]) -> TakenMedicine:
    """A medicine that was begun no earlier than what it is for was known."""
    known = [one.years for one in background if one.condition == taken.condition]
    if taken.begun is None or not known:
        return taken
    earliest = -round(0.95 * known[0] * MINUTES_IN_YEAR)
    return dataclasses.replace(taken, begun=max(taken.begun, earliest))


def _also_for(
    facts: Facts,
    mistaken: Background,
    medicines: list[TakenMedicine],
    allergies: Sequence[ReportedAllergy],
    person: Demographics,
    had: Sequence[str],
    chosen: Condition,
    random: Random,
) -> list[TakenMedicine]:
    """The medicines, with those for a wrong diagnosis that nothing known or hidden forbids."""
    drawn = draw_medicines(
        facts, [mistaken.condition], allergies, person.person, person.weight_kg, random, medicines
    )
    new = drawn[len(medicines) :]
    for condition in (chosen, *(facts.conditions[one] for one in had)):
        new = not_against(facts, condition, new)
    return [*medicines, *new]


def _within_kidneys(patient: ClinicPatient) -> ClinicPatient:
    """The patient, without long-term medicines that are stopped at the usual kidney function."""
    egfr = patient.usual["egfr"]
    kept = (
        one for one in patient.medicines
        if one.begun is not None or not stopped_by_kidneys(patient.facts, one.drug, egfr)
    )  # fmt: skip
    return dataclasses.replace(patient, medicines=tuple(kept))


def _survivable(patient: ClinicPatient) -> ClinicPatient:
    """The patient, less severely ill if nobody would arrive alive like this."""
    while any(one.minutes <= SURVIVED for one in lethal(patient.state(0), patient.person.age)):
        problems = (
            dataclasses.replace(one, severity=round(0.9 * one.severity, 2))
            for one in patient.problems
        )
        patient = dataclasses.replace(patient, problems=tuple(problems))
    return patient


def _ill_enough(patient: ClinicPatient) -> ClinicPatient:
    """The patient, more severely ill where what makes the diagnosis is not there yet."""
    for number, (problem, condition) in enumerate(patient.conditions()):
        if condition.arrives_when is None:
            continue
        needed = parse(condition.arrives_when)
        for step in range(1, SEVERER + 1):
            state = patient.state(0)
            now = dataclasses.replace(patient.person, weight_kg=state["weight_kg"])
            if needed.compute({**state, "age": now.age, **build_of(now)}):
                break
            severity = round(problem.severity * 1.05**step, 2)
            problems = [*patient.problems]
            problems[number] = dataclasses.replace(problem, severity=severity)
            patient = dataclasses.replace(patient, problems=tuple(problems))
    return patient


def _weighed(patient: ClinicPatient) -> ClinicPatient:
    """The patient, with the weight that the illness has left or added."""
    person, weight = patient.person, patient.state(0)["weight_kg"]
    least = LEAST_BODY_MASS * (person.height_cm / 100) ** 2
    if weight < least:  # before the illness the person weighed more than was drawn
        before = patient.healthy["weight_kg"] * least / weight
        patient = dataclasses.replace(patient, healthy={**patient.healthy, "weight_kg": before})
        weight = patient.state(0)["weight_kg"]
    return dataclasses.replace(
        patient, person=dataclasses.replace(person, weight_kg=round(weight, 1))
    )


def _hour(chosen: Condition, began: float, random: Random) -> int:
    """The hour of arrival: that of the condition, by day if it is not urgent and old, else any."""
    hour = random.randrange(24)
    first, last = chosen.hours
    if (first, last) != (0, 24):
        return first + hour % (last - first)
    if chosen.triage is None or chosen.triage < NOT_URGENT or began > -LONG_ILL:
        return hour
    return DAY_BEGINS + hour // 2


def _told(patient: ClinicPatient, random: Random) -> ClinicPatient:
    """The patient, with the symptoms and signs of every problem; they agree with the state."""
    person = patient.person.person
    values = patient.state(0) | {"age": person.age}
    first, *others = patient.problems
    facts = patient.facts
    problems = [told(facts, first, person, values, random, alone=not others)]
    problems += [told(facts, one, person, values, random, problems[0]) for one in others]
    return dataclasses.replace(patient, problems=tuple(problems))


def _with_fever(patient: ClinicPatient, random: Random) -> ClinicPatient:
    """The patient, with fever in the history where there is fever on arrival.

    It is of the first problem that warms; of the one that brings the patient if none does.
    """
    fever = patient.facts.finding_ids["Fever"]
    if patient.state(0)["temp_c"] < FEVER or any(fever in one.findings for one in patient.problems):
        return patient
    problems = [*patient.problems]
    warming = (number for number, one in enumerate(problems) if "temp_c" in one.effects)
    number = next(warming, 0)
    one = problems[number]
    began = round(one.began * random.uniform(0.3, 1))
    problems[number] = dataclasses.replace(one, findings={**one.findings, fever: began})
    return dataclasses.replace(patient, problems=tuple(problems))


def _with_pain(patient: ClinicPatient) -> ClinicPatient:
    """The patient, with a painful finding where the pain score says that something hurts.

    It is the likeliest one of the problem that hurts most; a problem that has none does not hurt.
    """
    facts, person, state = patient.facts, patient.person.person, patient.state(0)
    found = {key for one in patient.problems for key in one.findings}
    hurting = [one for one in patient.problems if "pain" in one.effects]
    known = any(PAINFUL.search(facts.phenotypes[key].name) for key in found)
    if person.age < SAYS_SO or state["pain"] < HURTS or known or not hurting:
        return patient
    worst = max(hurting, key=lambda one: one.severity * one.effects["pain"].amount)
    values = state | {"age": person.age}
    unlike = {name for name, text in possible_when().items() if not parse(text).compute(values)}
    chances = shares(facts, worst.condition, worst.variant)
    names = {key: facts.phenotypes[key].name for key in possible(facts, chances, person)}
    late = facts.conditions[worst.condition].form(worst.variant).from_day
    painful = [
        key
        for key, name in names.items()
        if PAINFUL.search(name) and name not in unlike and name not in late and chances[key]
    ]
    painful.sort(key=lambda key: (-chances[key], key))
    added = dict.fromkeys(unrelated(facts, painful, found, 1), round(0.5 * worst.began))
    effects = {key: one for key, one in worst.effects.items() if added or key != "pain"}
    changed = dataclasses.replace(worst, findings={**worst.findings, **added}, effects=effects)
    problems = tuple(changed if one is worst else one for one in patient.problems)
    return dataclasses.replace(patient, problems=problems)


def _examined(patient: ClinicPatient, random: Random) -> ClinicPatient:
    """The patient, with what examination and studies show of every problem."""
    facts, person = patient.facts, patient.person
    values = with_limits(facts, patient.state(0), *person.measured_by) | build_of(person)
    measured = findings_of(facts, patient.state(0), *person.measured_by)
    problems = []
    for problem, condition in patient.conditions():
        there = with_ancestors(problem.findings, facts.above)
        has = {facts.phenotypes[key].name for key in there}
        has = {one for one in has if measured.get(one, True)} | {*filter(measured.get, measured)}
        problems.append(
            examined(problem, condition, has.__contains__, values, random, patient.split)
        )
    beside = tuple(signs_beside(names_beside(patient), patient.seed, patient.split))
    return dataclasses.replace(patient, problems=tuple(problems), beside=beside)


def presenting(facts: Facts) -> list[Condition]:
    """Return the conditions that bring patients."""
    return [one for one in facts.conditions.values() if one.role != "background"]


def _condition(facts: Facts, name: str | None, random: Random) -> Condition:
    known = {one.id: one for one in presenting(facts)}
    if name is None:
        # The square root keeps the rare ones in sight.
        weights = [(one.weight or 0) ** 0.5 for one in known.values()]
        return random.choices(list(known.values()), weights=weights)[0]
    if name in facts.conditions and name not in known:
        raise ConfigError(f"{name!r} is a background condition; it brings no patient by itself")
    if name not in known:
        raise ConfigError(f"no condition {name!r}; {suggest(name, known)}")
    return known[name]
