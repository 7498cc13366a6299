"""The problem that brings a patient: when it began, what it shows, and how it goes on."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from random import Random

from gym_clinic.facts import Facts, with_ancestors
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.facts.records.courses import Course
from gym_clinic.facts.records.epidemiology import Person
from gym_clinic.simulate.clinic.beginnings import (
    DAY,
    begins_it,
    draw_beginning,
    least_days,
    not_before,
)
from gym_clinic.simulate.clinic.examination.cultures import one_germ
from gym_clinic.simulate.clinic.examination.imaging import agreeing, heard
from gym_clinic.simulate.clinic.examination.shown import (
    CLEAR,
    ShownSign,
    StudyReport,
    draw_report,
    draw_signs,
)
from gym_clinic.simulate.clinic.finding_lists import (
    comes_with,
    not_felt,
    possible_when,
    shown_by_tests,
)
from gym_clinic.simulate.clinic.physiology.body import DrawnEffect, draw_effect, measured_findings
from gym_clinic.simulate.clinic.physiology.circulation import is_failing
from gym_clinic.simulate.disease.findings import (
    draw_findings,
    draw_variant,
    possible,
    shares,
    unrelated,
)
from gym_clinic.simulate.split import Split

OTHER_COMPLAINT = 0.65
"""Share of patients who complain of any of their findings instead of a typical complaint."""

EXPOSURE = "exposure and poisoning"
"""The group of findings that come before the illness."""


PAINFUL = re.compile(
    r"(?<!impaired )\bpain(ful)?\b|ache\b|colic|cramps|(?<!hyper)algia|odynophagia|dysuria"
    r"|dysmenorrhea|heartburn|chest tightness",
    re.IGNORECASE,
)
"""Names of findings that hurt."""

HURTS = 2.5
"""Pain score from which on a patient tells where it hurts, and does not forget it."""

SEEN_CLOUDED = 8.5
"""Coma score below which clouded consciousness is what others notice first."""

VAGUE = 0.4
"""Share of those who say only that they are unwell."""

CLOUDED = "Reduced consciousness/confusion"
"""Clouded consciousness: whoever has a coma score below `CLEAR` has it, or a form such as coma."""

FORMS_OF_CLOUDED = ("Drowsiness", "Confusion", "Disorientation")
"""Forms of clouded consciousness that nobody with another form of it is said not to have."""

RATIO_OF_ENZYMES = 0.1
"""Standard deviation of the ratio of AST to ALT where the liver loses both, a share; authored."""

MOST_SEVERE = 3.0
"""Severity beyond which nothing gets worse, unless it was worse on arrival."""

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
        signs: What the examination finds.
        studies: Study -> its report.
        effects: Measurement -> effect at severity 1.
    """

    condition: str
    variant: str | None
    began: int
    severity: float
    complaint: str | None
    findings: Mapping[str, int]
    signs: tuple[ShownSign, ...]
    studies: Mapping[str, StudyReport]
    effects: Mapping[str, DrawnEffect]


def draw_problem(condition: Condition, random: Random, age: float) -> Problem:
    """Draw a problem without what is told and shown (:func:`told`, :func:`examined`).

    Args:
        condition: The condition.
        random: The source of randomness.
        age: Of the patient, in years: no problem began before birth.
    """
    course = condition.course
    if course is None:
        raise ValueError(f"{condition.id} is a background condition; it brings no one")
    low, high = course.onset_hours
    began = -round(60 * math.exp(random.uniform(math.log(max(low, 0.02)), math.log(high))))
    severity = min(max(random.lognormvariate(-0.08, 0.28), SEVERITY[0]), SEVERITY[1])
    if course.fatal_at is not None:
        severity = min(severity, 0.9 * course.fatal_at)
    variant = draw_variant(condition, random)
    return Problem(
        condition=condition.id,
        variant=variant,
        began=min(max(began, -math.floor(age * 365.25 * DAY)), -1),
        severity=round(severity, 2),
        complaint=None,
        findings={},
        signs=(),
        studies={},
        effects=_effects(condition.form(variant), random),
    )


def told(
    facts: Facts,
    problem: Problem,
    person: Person,
    values: Mapping[str, float],
    random: Random,
    first: Problem | None = None,
    alone: bool = True,
) -> Problem:
    """Return a problem with its symptoms and signs, and the complaint.

    Args:
        facts: The fact tables.
        problem: The problem.
        person: Who the patient is.
        values: The state on arrival and `age`; no finding contradicts it.
        random: The source of randomness.
        first: The problem that brings the patient, if this is a second one.
        alone: Whether it is the only problem; else nobody says only that they are unwell.
    """
    condition = facts.conditions[problem.condition].form(problem.variant)
    ids, days = facts.finding_ids, -problem.began / DAY
    unlike = {ids[name] for name, day in condition.from_day.items() if day > days}
    unlike |= {
        ids[name] for name, text in possible_when().items() if not parse(text).compute(values)
    }

    def may_be_first(finding: str) -> bool:
        name = facts.phenotypes[finding].name
        return least_days(condition, name, person.age) <= days

    complaint = None
    if first is None:
        weights = {
            ids[one.finding]: one.weight
            for one in condition.complaints
            if condition.rates.get(one.finding, 1) > 0
        }
        able = possible(facts, weights, person)
        able = [one for one in able if one not in unlike] or able
        able = [one for one in able if may_be_first(one)] or able
        (complaint,) = random.choices(able, weights=[weights[one] for one in able])
    beside = [complaint] if complaint is not None else [*first.findings] if first else []
    findings = _findings(facts, problem, unlike, person, beside, random)
    if complaint is not None:
        findings[complaint] = problem.began
    known = with_ancestors([*findings, *(first.findings if first else ())], facts.above)
    if values["gcs"] < CLEAR and ids[CLOUDED] not in known:
        chances = shares(facts, problem.condition, problem.variant)
        special = [one for one in chances if ids[CLOUDED] in facts.above[one]]
        likely = [*sorted(special, key=lambda one: -chances[one]), ids[CLOUDED]]
        fitting = [one for one in possible(facts, likely, person) if one not in unlike]
        for one in unrelated(facts, fitting, findings, 1):
            name, began = facts.phenotypes[one].name, round(0.3 * problem.began)
            findings[one] = not_before(condition, name, problem.began, began)
    if values["gcs"] < SEEN_CLOUDED:  # who cannot be woken is not called drowsy
        lighter = {ids[name] for name in (CLOUDED, *FORMS_OF_CLOUDED)} & findings.keys()
        begun = [findings.pop(one) for one in lighter]
        findings |= {ids["Coma"]: min(begun)} if begun else {}
        complaint = ids["Coma"] if complaint in lighter else complaint
    effects = problem.effects
    hurts = any(PAINFUL.search(facts.phenotypes[one].name) for one in findings)
    if hurts and "pain" not in effects:
        effects = {**effects, "pain": DrawnEffect("set", random.uniform(2, 6))}
    felt = sorted(one for one in findings if _may_bring(facts, one) and may_be_first(one))
    if first is None and felt and random.random() < OTHER_COMPLAINT:
        # People come with what troubles them most, and that is not always what is typical.
        complaint = random.choice(felt)
        vague = random.random() < VAGUE and alone and not is_failing(values)
        if vague and possible(facts, [ids["Malaise"]], person):
            complaint = ids["Malaise"]
        elif values["gcs"] < SEEN_CLOUDED:
            clouded = (it for it in findings if ids[CLOUDED] in {it, *facts.above[it]})
            complaint = next(clouded, complaint)
        findings[complaint] = problem.began
    for one, began in tuple(findings.items()):
        for name in comes_with().get(facts.phenotypes[one].name, ()):
            findings.setdefault(ids[name], began)
    return dataclasses.replace(problem, complaint=complaint, findings=findings, effects=effects)


def examined(
    problem: Problem,
    condition: Condition,
    has: Callable[[str], bool],
    values: Mapping[str, float],
    random: Random,
    split: Split | None = None,
) -> Problem:
    """Return a problem with what examination and studies show.

    Args:
        problem: The problem.
        condition: Its condition.
        has: Whether the patient has a finding, by its name.
        values: The state on arrival, `age`, and the limits of healthy people.
        random: The source of randomness.
        split: Whose wordings are drawn; those of all if None.
    """
    variant = problem.variant
    signs = draw_signs(condition, variant, problem.severity, has, values, random, split)
    listed = {one.study: one for one in condition.studies}

    def drawn_report(study: str, shows: bool | None = None) -> StudyReport | None:
        return draw_report(listed[study], variant, has, values, random, shows, split)

    drawn = {key: drawn_report(key) for key in listed}
    known = {key: one for key, one in drawn.items() if one is not None}
    studies = one_germ(agreeing(known, drawn_report), drawn_report)
    signs = heard(signs, studies, random, split)
    return dataclasses.replace(problem, signs=signs, studies=studies)


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
    alt, ast = condition.labs.get("alt"), condition.labs.get("ast")
    if alt and ast and alt.set and ast.set and alt.set[0] > ast.set[0]:
        # The same cells of the liver lose both enzymes, as in viral hepatitis: ALT is the higher.
        apart = (drawn["ast"].amount - ast.set[0]) / ast.set[1]
        share = ast.set[0] / alt.set[0] * (1 + RATIO_OF_ENZYMES * apart)
        drawn["ast"] = DrawnEffect("set", share * drawn["alt"].amount)
    return drawn


def _findings(
    facts: Facts,
    problem: Problem,
    unlike: Collection[str],
    person: Person,
    beside: Collection[str],
    random: Random,
) -> dict[str, int]:
    """Draw symptoms and signs; what measurements and studies show is read off them instead."""
    elsewhere = {*measured_findings(), *shown_by_tests()} - {"Coma"}  # of which the crew tells
    condition = facts.conditions[problem.condition]
    chances = {
        key: share
        for key, share in shares(facts, problem.condition, problem.variant).items()
        if facts.phenotypes[key].name not in elsewhere and key not in unlike
    }
    found: dict[str, int] = {}
    began = problem.began
    for one in sorted(draw_findings(facts, chances, person, random, beside=beside)):
        phenotype = facts.phenotypes[one]
        if phenotype.group == EXPOSURE and phenotype.name not in begins_it():
            found[one] = began - random.randint(1, 14) * DAY
            continue
        found[one] = draw_beginning(
            condition, phenotype.name, began, person.age, chances.get(one, 0), random
        )
    return found


def _may_bring(facts: Facts, finding: str) -> bool:
    """Whether a finding may be why a patient comes: it is felt."""
    one = facts.phenotypes[finding]
    return one.group != EXPOSURE and one.name not in not_felt()


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
    most = max(problem.severity, MOST_SEVERE)
    untreated = min(max(problem.severity * untreated_growth(course, until / 60), 0.0), most)
    if until == minute:
        return untreated
    return float(untreated * 0.5 ** ((minute - until) / course.half_time_minutes))


def untreated_growth(course: Course, hours: float) -> float:
    """Return how many times as severe as on arrival a condition is, untreated, after hours."""
    change = course.change_per_hour * hours
    if course.shape == "accelerating":
        return math.exp(change)
    if course.plateau is not None:
        room = course.plateau - 1
        return 1 + room * (1 - math.exp(-change / room))
    return 1 + change


def treated_at(course: Course, actions: Mapping[str, float]) -> float | None:
    """Return when the first of the alternatives was complete; None if none is.

    Args:
        course: The course of a condition.
        actions: Action, as in `Course.treated_by`, -> when it was done, in minutes from arrival;
            as in :func:`done_at`.
    """
    complete = []
    for together in course.treated_by if actions else ():
        done = [done_at(course, one, actions) for one in together]
        known = [when for when in done if when is not None]
        if len(known) == len(done):
            complete.append(max(known))
    return min(complete, default=None)


def done_at(course: Course, action: str, actions: Mapping[str, float]) -> float | None:
    """Return when an action was done; None if it was not, or by a route that does not treat.

    Args:
        course: The course of a condition.
        action: As in `Course.treated_by`.
        actions: As in `treated_at`; "drug:ID@ROUTE" tells the route of a drug, and where none is
            told it counts as right.
    """
    routes = course.routes.get(action, ())
    told = [one for one in actions if one.startswith(f"{action}@")] if routes else []
    if not told:
        return actions.get(action)
    right = (actions.get(f"{action}@{route}") for route in routes)
    return min((when for when in right if when is not None), default=None)


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
