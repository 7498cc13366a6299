"""A simulated patient, complete before a word is written about it.

The record is the truth. Every text renders it, every test measures it, and the course follows from
it at any minute, with or without treatment. The same seed gives the same patient in every process.
A simulation, not for patient care.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from gym_clinic.errors import ConfigError
from gym_clinic.facts import Facts, load, with_ancestors
from gym_clinic.facts.conditions import Condition
from gym_clinic.facts.courses import Course
from gym_clinic.facts.epidemiology import Person
from gym_clinic.names import suggest
from gym_clinic.simulate.clinic.body import (
    DrawnEffect,
    State,
    draw_usual,
    findings_of,
    outside,
    settle,
    with_limits,
)
from gym_clinic.simulate.clinic.people import (
    Background,
    Demographics,
    ReportedAllergy,
    TakenMedicine,
    draw_allergies,
    draw_background,
    draw_demographics,
    draw_medicines,
)
from gym_clinic.simulate.clinic.problems import (
    Problem,
    died_at,
    draw_problem,
    examined,
    severity_at,
    treated_at,
)
from gym_clinic.simulate.clinic.shown import ShownSign, one_examination, one_report, rhythm
from gym_clinic.simulate.disease.persons import draw_person, epidemiology_of
from gym_clinic.simulate.disease.second import common_problems, draw_second, likely_besides

SECOND = 0.1
"""Share of patients who have a second problem."""

FEVER = 38.0
"""Temperature of a fever."""

AROUSAL = {"hr": (5.0, 4.0), "sbp": (6.0, 6.0), "dbp": (3.0, 3.0), "rr": (1.0, 1.0)}
"""Measurement -> mean and standard deviation of what arrival adds to it, never below 0."""

CALMS_IN = 45
"""Minutes in which half of it wears off."""

RETAIN_CARBON_DIOXIDE = ("chronic-obstructive-pulmonary-disease",)
"""Background conditions in which carbon dioxide may have been raised for months."""


@dataclass(frozen=True)
class ClinicPatient:
    """A simulated patient.

    Attributes:
        seed: What it was made from.
        person: Who it is.
        arrived: Date and time of arrival.
        background: What the patient has lived with.
        medicines: What the patient takes.
        allergies: What the patient reports.
        healthy: Measurements as they would be without any condition or medicine.
        problems: Why the patient comes: the first brings the complaint.
        arousal: Measurement -> what the journey, pain and worry add on arrival; it wears off.
        facts: The fact tables.
    """

    seed: int
    person: Demographics
    arrived: datetime.datetime
    background: tuple[Background, ...]
    medicines: tuple[TakenMedicine, ...]
    allergies: tuple[ReportedAllergy, ...]
    healthy: Mapping[str, float]
    problems: tuple[Problem, ...]
    arousal: Mapping[str, DrawnEffect]
    facts: Facts = dataclasses.field(repr=False, compare=False)

    def conditions(self) -> Iterator[tuple[Problem, Condition]]:
        """Yield each problem with its condition in the form that the patient has."""
        for problem in self.problems:
            yield problem, self.facts.conditions[problem.condition].form(problem.variant)

    @cached_property
    def usual(self) -> State:
        """The whole state before the problems: with background conditions and medicines."""
        return self._settled([])

    @cached_property
    def born(self) -> datetime.date:
        """Date of birth."""
        days = round(self.person.age * 365.25) + Random(f"{self.seed}:birthday").randrange(1, 300)
        if self.person.age < 2:
            days = round(self.person.age * 365.25) + 1
        return self.arrived.date() - datetime.timedelta(days=days)

    def state(self, minute: float, actions: Mapping[str, float] | None = None) -> State:
        """Return every measurement at a time.

        Args:
            minute: Minutes from arrival.
            actions: What was done -> when; "drug:ID", "class:ID", "procedure:NAME" and the like.
        """
        causes = [
            (self.severity(problem, minute, actions), problem.effects) for problem in self.problems
        ]
        if minute >= 0:
            causes.append((0.5 ** (minute / CALMS_IN), self.arousal))
        return self._settled(causes)

    def severity(
        self, problem: Problem, minute: float, actions: Mapping[str, float] | None = None
    ) -> float:
        """Return how severe a problem is at a time; 1 is its usual severity on arrival."""
        course = self._course(problem)
        return severity_at(problem, course, minute, treated_at(course, self._with_classes(actions)))

    def death(self, actions: Mapping[str, float] | None = None) -> int | None:
        """Return the minute at which the patient dies within two days; None if they live."""
        known = self._with_classes(actions)
        courses = ((one, self._course(one)) for one in self.problems)
        minutes = [died_at(one, course, treated_at(course, known)) for one, course in courses]
        return min((minute for minute in minutes if minute is not None), default=None)

    @cached_property
    def examination(self) -> tuple[ShownSign, ...]:
        """What the examination on arrival finds: each part once, what is abnormal first."""
        return one_examination([one.signs for one in self.problems])

    def report(self, study: str, minute: float = 0) -> str | None:
        """Return what a study shows at a time; None if none of the problems says."""
        reports = [one.studies[study] for one in self.problems if study in one.studies]
        if not reports:
            return None
        text = one_report(reports)
        if study != "ecg":
            return text
        fibrillates = any(one.condition == "atrial-fibrillation" for one in self.background)
        return rhythm(text, round(self.state(minute)["hr"]), fibrillates)

    def findings(self, minute: float = 0) -> dict[str, bool]:
        """Return each finding, by id, that the patient has or that measurements exclude."""
        ids = self.facts.finding_ids
        state = self.state(minute)
        measured = findings_of(self.facts, state, self.person.sex, self.person.age)
        found: dict[str, bool] = {}
        for problem in self.problems:
            found |= {key: True for key, began in problem.findings.items() if began <= minute}
        return found | {ids[name]: has for name, has in measured.items()}

    def abnormal(self, state: Mapping[str, float]) -> dict[str, str]:
        """Return measurement -> "L" or "H" for what is outside its reference range."""
        return outside(self.facts, state, self.person.sex, self.person.age)

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain JSON."""
        plain = {
            one.name: _plain(getattr(self, one.name))
            for one in dataclasses.fields(self)
            if one.name not in ("facts", "arrived")
        }
        when = {"arrived": self.arrived.isoformat(), "born": self.born.isoformat()}
        return plain | when | {"provenance": "synthetic"}

    def _course(self, problem: Problem) -> Course:
        course = self.facts.conditions[problem.condition].form(problem.variant).course
        if course is None:
            raise ValueError(f"{problem.condition} is a background condition; it has no course")
        return course

    def _with_classes(self, actions: Mapping[str, float] | None) -> dict[str, float]:
        """The actions, with the classes of the drugs among them."""
        found = dict(actions or {})
        for action, minute in (actions or {}).items():
            kind, _, name = action.partition(":")
            if kind == "drug" and name in self.facts.drugs:
                for group in self.facts.drugs[name].classes:
                    found[f"class:{group}"] = min(minute, found.get(f"class:{group}", minute))
        return found

    def _settled(self, problems: list[tuple[float, Mapping[str, DrawnEffect]]]) -> State:
        causes = [(one.severity, one.effects) for one in self.background]
        causes += [(1.0, one.effects) for one in self.medicines]
        kept = 1.0
        for one in self.medicines:
            kept *= 1 - one.blunting
        before = settle(
            self.facts, self.healthy, causes, sex=self.person.sex, age=self.person.age,
            retains=self._retains,
        )  # fmt: skip
        if not problems:
            return before
        drawn = {key: before[key] for key in self.healthy}
        return settle(
            self.facts, drawn, problems, sex=self.person.sex, age=self.person.age,
            blunting=1 - kept, retains=self._retains,
        )  # fmt: skip

    @property
    def _retains(self) -> bool:
        return any(one.condition in RETAIN_CARBON_DIOXIDE for one in self.background)


def _plain(value: Any) -> Any:
    """A value of the record as JSON has it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def draw_patient(
    seed: int, condition: str | None = None, facts: Facts | None = None
) -> ClinicPatient:
    """Draw a patient.

    Args:
        seed: The same seed and condition give the same patient.
        condition: Id of the disease that brings the patient; drawn by its frequency if None.
        facts: The fact tables; the embedded ones by default.

    Raises:
        ConfigError: If there is no such condition, or it brings no one.
    """
    tables = load() if facts is None else facts
    random = Random(f"{seed}:{condition or ''}:patient")
    chosen = _condition(tables, condition, random)
    basis = draw_person(epidemiology_of(tables.diseases[chosen.id]), random)
    background = draw_background(tables, chosen, basis, random)
    lived_with = [one.condition for one in background]
    person = draw_demographics(chosen, lived_with, basis, random)
    allergies = draw_allergies(random)
    medicines = draw_medicines(
        tables, lived_with, allergies, basis.age, basis.pregnancy is not None, random
    )
    healthy = draw_usual(tables, basis.sex, basis.age, random) | {"weight_kg": person.weight_kg}
    problems = [draw_problem(tables, chosen, basis, random)]
    if random.random() < SECOND and (other := _second(tables, chosen, lived_with, basis, random)):
        problems.append(draw_problem(tables, other, basis, random, problems[0]))
    day = datetime.date(2025, 1, 1) + datetime.timedelta(days=random.randrange(365))
    arrived = datetime.datetime.combine(day, datetime.time(random.randrange(24)))
    made = ClinicPatient(
        seed=seed,
        person=person,
        arrived=arrived + datetime.timedelta(minutes=random.randrange(60)),
        background=tuple(background),
        medicines=tuple(medicines),
        allergies=tuple(allergies),
        healthy=healthy,
        problems=tuple(problems),
        arousal={
            key: DrawnEffect("add", max(random.gauss(*by), 0.0)) for key, by in AROUSAL.items()
        },
        facts=tables,
    )
    return _examined(_with_fever(made, random), random)


def _with_fever(patient: ClinicPatient, random: Random) -> ClinicPatient:
    """The patient, with fever in the history where there is fever on arrival."""
    fever = patient.facts.finding_ids["Fever"]
    first, *others = patient.problems
    if patient.state(0)["temp_c"] < FEVER or fever in first.findings:
        return patient
    findings = {**first.findings, fever: round(first.began * random.uniform(0.3, 1))}
    known = dataclasses.replace(first, findings=findings)
    return dataclasses.replace(patient, problems=(known, *others))


def _examined(patient: ClinicPatient, random: Random) -> ClinicPatient:
    """The patient, with what examination and studies show of every problem."""
    facts, person = patient.facts, patient.person
    values = with_limits(facts, patient.state(0), person.sex, person.age)
    measured = findings_of(facts, patient.state(0), person.sex, person.age)
    problems = []
    for problem, condition in patient.conditions():
        there = with_ancestors(problem.findings, facts.above)
        names = {facts.phenotypes[key].name for key in there}
        names = {one for one in names if measured.get(one, True)}
        names |= {one for one, has in measured.items() if has}
        problems.append(examined(problem, condition, names.__contains__, values, random))
    return dataclasses.replace(patient, problems=tuple(problems))


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


def _second(
    facts: Facts, first: Condition, lived_with: Sequence[str], person: Person, random: Random
) -> Condition | None:
    """A second, mild and common problem that could not be mistaken for the first."""
    mild = {
        one.id for one in presenting(facts) if one.role == "presenting" and (one.triage or 0) >= 4
    }
    likely = likely_besides(facts, person, (key for key in common_problems(facts) if key in mild))
    drawn = draw_second(likely, facts.diseases[first.id], random, lived_with)
    return None if drawn is None else facts.conditions[drawn]
