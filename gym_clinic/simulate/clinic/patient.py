"""A simulated patient, complete before a word is written about it.

The record is the truth. Every text renders it, every test measures it, and the course follows from
it at any minute, with or without treatment. The same seed gives the same patient in every process.
A simulation, not for patient care.
"""

from __future__ import annotations

import dataclasses
import datetime
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Literal

from gym_clinic.facts import Facts, with_ancestors
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.facts.records.courses import Course
from gym_clinic.simulate.clinic.examination.imaging import image_report
from gym_clinic.simulate.clinic.examination.lasting import Lasting, draw_lasting, with_lasting
from gym_clinic.simulate.clinic.examination.shown import (
    ShownSign,
    StudyReport,
    one_examination,
    one_report,
    rhythm,
)
from gym_clinic.simulate.clinic.examination.signs_beside import SignBeside, with_signs_beside
from gym_clinic.simulate.clinic.medicines import PastEvent, ReportedAllergy, TakenMedicine
from gym_clinic.simulate.clinic.people import (
    ADULT,
    MINUTES_IN_YEAR,
    Background,
    Demographics,
    usual_weight,
)
from gym_clinic.simulate.clinic.physiology.acute import acute_moves
from gym_clinic.simulate.clinic.physiology.body import (
    DrawnEffect,
    State,
    findings_of,
    outside,
    pregnancy_effects,
    reference,
    settle,
    with_limits,
)
from gym_clinic.simulate.clinic.physiology.kidneys import KIDNEYS
from gym_clinic.simulate.clinic.physiology.survival import dies_of_body
from gym_clinic.simulate.clinic.problems import Problem, died_at, severity_at, treated_at
from gym_clinic.simulate.clinic.treatment import (
    SuitedTreatment,
    course_in,
    treatment_for,
    values_at,
)
from gym_clinic.simulate.split import Split

SPEAKS, GROWN_UP = 10, 16
"""Ages in years from which on a patient speaks for himself, and comes without a parent."""

CONVERSES = 12.5
"""Coma score from which on a patient can be talked with."""

CALMS_IN = 45
"""Minutes in which half of it wears off."""

REMEMBERED = 4
"""States that a patient keeps, since an encounter looks at the same minute several times."""

AMERICAN = 0.4
"""Share of patients who live in America."""

GROWS_IN = 0.2
"""Years after which a child is measurably taller and heavier."""

RETAIN_CARBON_DIOXIDE = ("chronic-obstructive-pulmonary-disease",)
"""Background conditions in which carbon dioxide may have been raised for months."""

OVER = ("transient-ischaemic-attack",)
"""Conditions whose signs have gone by the arrival: nobody writes that they go on."""

NARROW_PULSE = ("aortic-stenosis", "cardiac-tamponade")
"""Conditions in which the pulse pressure is narrow: the heart cannot empty or fill."""

SLOW_REFILL = 3.0
"""Seconds of capillary refill from which on the skin is not warm."""


@dataclass(frozen=True)
class ClinicPatient:
    """A simulated patient.

    Attributes:
        seed: What it was made from.
        person: Who it is.
        arrived: Date and time of arrival.
        background: What the patient has lived with.
        medicines: What the patient takes.
        past: Medicines that ended, exposures and procedures that have to do with the illness.
        allergies: What the patient reports.
        healthy: Measurements as they would be without any condition or medicine.
        problems: Why the patient comes: the first brings the complaint.
        arousal: Measurement -> what the journey, pain and worry add on arrival; it wears off.
        facts: The fact tables.
        split: Whose wordings signs and reports have; those of all if None.
        beside: What is seen of findings beside the problems.
    """

    seed: int
    person: Demographics
    arrived: datetime.datetime
    background: tuple[Background, ...]
    medicines: tuple[TakenMedicine, ...]
    past: tuple[PastEvent, ...]
    allergies: tuple[ReportedAllergy, ...]
    healthy: Mapping[str, float]
    problems: tuple[Problem, ...]
    arousal: Mapping[str, DrawnEffect]
    facts: Facts = dataclasses.field(repr=False, compare=False)
    split: Split | None = None
    beside: tuple[SignBeside, ...] = ()

    def conditions(self) -> Iterator[tuple[Problem, Condition]]:
        """Yield each problem with its condition in the form that the patient has."""
        for problem in self.problems:
            yield problem, self.facts.conditions[problem.condition].form(problem.variant)

    @cached_property
    def speaker(self) -> Literal["patient", "parent", "crew"]:
        """Who speaks on arrival: the patient, the parent of a small or unconscious child, or else
        the crew of the ambulance.
        """
        if self.person.age < SPEAKS:
            return "parent"
        if self.state(0)["gcs"] >= CONVERSES:
            return "patient"
        return "parent" if self.person.age < GROWN_UP else "crew"

    @cached_property
    def american(self) -> bool:
        """Whether the patient lives in America, as far as no medicine speaks against it."""
        return Random(f"{self.seed}:country").random() < AMERICAN

    @cached_property
    def usual(self) -> State:
        """The whole state before the problems: with background conditions and medicines."""
        return dict(self._before)

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
        key = (minute, frozenset(actions.items()) if actions else None)
        known = self._known_states
        found = known.get(key)
        if found is None:
            if len(known) >= REMEMBERED:
                known.pop(next(iter(known)), None)
            found = known[key] = self._state_at(minute, actions)
        return dict(found)

    @cached_property
    def _known_states(self) -> dict[tuple[float, frozenset[tuple[str, float]] | None], State]:
        """The last few states, by minute and actions."""
        return {}

    def _state_at(self, minute: float, actions: Mapping[str, float] | None) -> State:
        causes = [
            cause for problem in self.problems for cause in self._causes(problem, minute, actions)
        ]
        if minute >= 0:
            causes.append((0.5 ** (minute / CALMS_IN), self.arousal))
        state = self._settled(causes)
        moves = acute_moves(state, self._with_classes(actions), minute) if actions else {}
        state = self._settled([*causes, (1.0, moves)]) if moves else state
        years = minute / MINUTES_IN_YEAR
        if years < -GROWS_IN and self.person.age < ADULT:
            age, sex = self.person.age, self.person.sex
            state["weight_kg"] *= usual_weight(max(age + years, 0), sex) / usual_weight(age, sex)
        return state

    def _causes(
        self, problem: Problem, minute: float, actions: Mapping[str, float] | None
    ) -> Iterator[tuple[float, Mapping[str, DrawnEffect]]]:
        """Yield severity and effects: what follows slowly has moved less since arrival."""
        now = self.severity(problem, minute, actions)
        known = problem.effects
        if timed := self.facts.conditions[problem.condition].by_hours:
            hours = max((minute - problem.began) / 60, 0.0)
            parts = {key: parse(text).compute({"hours": hours}) for key, text in timed.items()}
            yield now, {key: known[key].part(parts[key]) for key in known.keys() & parts.keys()}
            known = {key: effect for key, effect in known.items() if key not in parts}
        if minute <= 0:
            yield now, known
            return
        arrival = self.severity(problem, 0)
        paces: dict[float, dict[str, DrawnEffect]] = {}
        for key, effect in known.items():
            paces.setdefault(self.facts.measurements[key].pace_hours, {})[key] = effect
        for hours, effects in paces.items():
            moved = 1 - math.exp(-minute / (60 * hours)) if hours else 1.0
            yield arrival + (now - arrival) * moved, effects

    def severity(
        self, problem: Problem, minute: float, actions: Mapping[str, float] | None = None
    ) -> float:
        """Return how severe a problem is at a time; 1 is its usual severity on arrival."""
        if not actions:
            return severity_at(problem, self._courses[problem.condition], minute, None)
        course = self.course(problem)
        return severity_at(problem, course, minute, treated_at(course, self._with_classes(actions)))

    def course(self, problem: Problem) -> Course:
        """Return the course of a problem with what treats it in this patient."""
        return self._suited_courses[problem.condition]

    def treatment(self, problem: Problem | None = None, minute: float = 0) -> SuitedTreatment:
        """Return what treats a problem and is right in this patient: :func:`treatment_for`."""
        return treatment_for(self, problem, minute)

    def death(self, actions: Mapping[str, float] | None = None) -> int | None:
        """Return the minute at which the patient dies within two days; None if they live.

        They die of a body that is not compatible with life (:mod:`.survival`), or of what the
        course of a condition says.
        """
        known = self._with_classes(actions)
        known_courses = self._suited_courses if actions else self._courses
        courses = [(one, known_courses[one.condition]) for one in self.problems]
        treated = [treated_at(course, known) for _, course in courses]
        deaths = [
            died_at(one, course, when) for (one, course), when in zip(courses, treated, strict=True)
        ]
        changes = [when for when in treated if when is not None]
        changes += [
            when + course.half_time_minutes
            for (_, course), when in zip(courses, treated, strict=True)
            if when is not None
        ]
        body = dies_of_body(
            lambda minute: self._state_at(minute, actions), self.person.age, changes
        )
        return min((one for one in (*deaths, body) if one is not None), default=None)

    @cached_property
    def examination(self) -> tuple[ShownSign, ...]:
        """What the examination on arrival finds: each part once, what is abnormal first."""
        return with_signs_beside(one_examination(one.signs for one in self.problems), self.beside)

    @cached_property
    def touching(self) -> str:
        """All that may make a part of the body abnormal: findings on arrival, abnormal signs, a
        slow capillary refill and conditions, in lower case.
        """
        has = [key for key, there in self.findings().items() if there]
        above = with_ancestors(has, self.facts.above)
        lines = [self.facts.phenotypes[key].name for key in above]
        lines += [one.text for one in self.examination if one.abnormal]
        lines += [*self._lived_with, *(one.condition for one in self.problems)]
        if self.state(0)["crt_s"] >= SLOW_REFILL:
            lines.append("poor perfusion")
        return "\n".join(lines).lower()

    @cached_property
    def lasting(self) -> tuple[Lasting, ...]:
        """What studies show for good of the conditions that the patient lives with."""
        today = {one.condition for one in self.problems}
        values = with_limits(self.facts, self.usual, *self.person.measured_by)
        left = [one for one in self._lived_with if one not in today]
        return draw_lasting(self.facts, self.seed, left, values, self.split)

    def report(self, study: str, minute: float = 0, normal: str | None = None) -> str | None:
        """Return what a study shows at a time; None if nothing of the patient says.

        Args:
            study: Its name.
            minute: Minutes from arrival.
            normal: What it shows of a healthy person, if no problem says.
        """
        drawn = (image_report(one.studies, study) for one in self.problems)
        reports = [one for one in drawn if one is not None]
        today = StudyReport(normal, False) if normal is not None else None
        if reports:
            today = StudyReport(one_report(reports), any(one.shows for one in reports))
        text = with_lasting(self.lasting, study, today)
        return text if study != "ecg" or text is None else self.ecg(text, minute)

    def ecg(self, text: str, minute: float, actions: Mapping[str, float] | None = None) -> str:
        """Return the report of an ECG with the rate at a minute, named as at this age."""
        fibrillates = any(one.condition == "atrial-fibrillation" for one in self.background)
        usual = reference(self.facts.measurements["hr"], *self.person.measured_by)
        return rhythm(text, round(self.state(minute, actions)["hr"]), fibrillates, usual)

    def findings(self, minute: float = 0) -> dict[str, bool]:
        """Return each finding, by id, that the patient has or that measurements exclude."""
        ids = self.facts.finding_ids
        state = self.state(minute)
        measured = findings_of(self.facts, state, *self.person.measured_by)
        found: dict[str, bool] = {}
        for problem in self.problems:
            found |= {key: True for key, began in problem.findings.items() if began <= minute}
        return found | {ids[name]: has for name, has in measured.items()}

    def abnormal(self, state: Mapping[str, float]) -> dict[str, str]:
        """Return measurement -> "L" or "H" for what is outside its reference range."""
        return outside(self.facts, state, *self.person.measured_by)

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain JSON."""
        plain = {
            one.name: _plain(getattr(self, one.name))
            for one in dataclasses.fields(self)
            if one.name not in ("facts", "arrived")
        }
        when = {"arrived": self.arrived.isoformat(), "born": self.born.isoformat()}
        return plain | when | {"speaker": self.speaker, "provenance": "synthetic"}

    @cached_property
    def _courses(self) -> dict[str, Course]:
        courses = {problem.condition: condition.course for problem, condition in self.conditions()}
        return {key: course for key, course in courses.items() if course is not None}

    @cached_property
    def _suited_courses(self) -> dict[str, Course]:
        found = {
            problem.condition: course_in(condition, values_at(self, problem))
            for problem, condition in self.conditions()
        }
        return {key: course for key, course in found.items() if course is not None}

    def _with_classes(self, actions: Mapping[str, float] | None) -> dict[str, float]:
        """The actions, with the classes of the drugs among them."""
        found = dict(actions or {})
        for action, minute in (actions or {}).items():
            kind, _, name = action.partition(":")
            if kind == "drug" and name in self.facts.drugs:
                for group in self.facts.drugs[name].classes:
                    found[f"class:{group}"] = min(minute, found.get(f"class:{group}", minute))
        return found

    @cached_property
    def _before(self) -> State:
        """The state under background conditions and medicines alone."""
        causes = [(one.severity, one.effects) for one in self.background]
        causes += [(1.0, one.effects) for one in self.medicines]
        if self.person.pregnant_weeks is not None:
            causes.append((1.0, pregnancy_effects(self.person.pregnant_weeks)))
        return settle(
            self.facts, self.healthy, causes, sex=self.person.sex, age=self.person.age,
            retains=self._retains, narrow=self._narrow, anaemic=KIDNEYS in self._lived_with,
        )  # fmt: skip

    def _settled(self, problems: list[tuple[float, Mapping[str, DrawnEffect]]]) -> State:
        kept = 1.0
        for one in self.medicines:
            kept *= 1 - one.blunting
        drawn = {key: self._before[key] for key in self.healthy}
        return settle(
            self.facts, drawn, problems, sex=self.person.sex, age=self.person.age,
            blunting=1 - kept, retains=self._retains, narrow=self._narrow,
        )  # fmt: skip

    @property
    def _lived_with(self) -> list[str]:
        return [one.condition for one in self.background if not one.mistaken]

    @property
    def _retains(self) -> bool:
        acute = {one.condition for one in self.problems}
        return not acute.issuperset({*RETAIN_CARBON_DIOXIDE} & {*self._lived_with})

    @property
    def _narrow(self) -> bool:
        has = {*self._lived_with, *(one.condition for one in self.problems)}
        return not has.isdisjoint(NARROW_PULSE)


def _plain(value: Any) -> Any:
    """A value of the record as JSON has it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
