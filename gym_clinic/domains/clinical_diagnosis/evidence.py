"""What an agent must find out about a patient, computed from the hidden record.

The evidence of a task are the few facts that tell its condition from its look-alikes in this
patient: what the patient would say if asked, what is seen on examination, which tests are abnormal
because of it. Whether each can be obtained is tried on the chart afterwards (:mod:`.trial`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from gym_clinic.chart.catalogue import actions, studies_of, study_price, test_price, tests_of
from gym_clinic.clinical.differential import ELSEWHERE, finding_rates
from gym_clinic.clinical.seen import seen
from gym_clinic.clinical.world import ClinicCase, ClinicWorld
from gym_clinic.domain import CallSpec
from gym_clinic.errors import ToolError
from gym_clinic.simulate.clinic import Disclosure, disclosures
from gym_clinic.simulate.clinic.body import reference

LONGEST_TEST = 150
"""Minutes after which the result of a decisive test is back at the latest."""

MOST_TOLD, MOST_SITES, MOST_LABS, MOST_STUDIES = 3, 2, 2, 2
"""Decisive facts of each kind, at most."""

CHILDBEARING = (12, 50)
"""Ages in years between which pregnancy is thought of."""

FEWEST = 3
"""Decisive facts, at least; what is missing are findings that are absent."""


@dataclass(frozen=True)
class DecisiveFact:
    """A fact to be found out.

    Attributes:
        key: As in :mod:`gym_clinic.clinical.seen`.
        present: Whether it is there or, of a test or examination, abnormal.
        call: The call that obtains or orders it.
    """

    key: str
    present: bool
    call: CallSpec

    @property
    def kind(self) -> str:
        """Its kind: told, site, lab, vital or study."""
        return self.key.partition(":")[0]


def decisive_facts(world: ClinicWorld) -> tuple[DecisiveFact, ...]:
    """Return the decisive facts of a patient, those that are told first.

    What the documents of the ticket tell is not among them.
    """
    found = [*_told(world), *_sites(world), *_labs(world), *_studies(world)]
    known = {one.key for one in found}
    found += [one for one in _excluding(world) if one.key not in known]
    told = seen(ClinicCase(world))
    found = [one for one in found if one.key not in told]
    if len(found) < FEWEST:
        absent = [one for one in _absent(world) if one.key not in told]
        found += absent[: FEWEST - len(found)]
    return tuple(found)


def question_about(name: str) -> str:
    """Return a plain question about a finding.

    >>> question_about("Chest pain")
    'Have you had chest pain?'
    """
    plain = name if name.split()[0].isupper() else name[0].lower() + name[1:]
    return f"Have you had {plain}?"


def _asked(world: ClinicWorld, finding: str) -> CallSpec:
    name = world.patient.facts.phenotypes[finding].name
    return "ask_patient", {"question": question_about(name)}


def _plans(world: ClinicWorld) -> Iterator[Disclosure]:
    """The findings of which the ticket says nothing."""
    for one in disclosures(world.patient):
        if f"finding:{one.finding}" not in world.quoted:
            yield one


def _told(world: ClinicWorld) -> list[DecisiveFact]:
    """What the patient says when asked, the most telling findings first."""
    condition = world.patient.problems[0].condition
    rates, everywhere = finding_rates()[condition], _everywhere()
    weights: dict[str, float] = {}
    for one in _plans(world):
        tells = one.has and one.manner != "omitted" and one.distortion != "forgets"
        rate = rates.get(one.finding, 0.0)
        if tells and one.origin == "problem" and rate > ELSEWHERE:
            weights[one.finding] = math.log(rate / everywhere[one.finding])
    best = sorted(weights, key=lambda one: (-weights[one], one))
    return [DecisiveFact(f"told:{one}", True, _asked(world, one)) for one in best[:MOST_TOLD]]


def _absent(world: ClinicWorld) -> Iterator[DecisiveFact]:
    """What is absent and would speak for a look-alike."""
    facts = world.patient.facts
    condition = world.patient.problems[0].condition
    rates = finding_rates()
    alike = [one for one in facts.diseases[condition].look_alikes if one in rates]
    weights: dict[str, float] = {}
    for one in _plans(world):
        if not one.has and one.manner != "omitted":
            theirs = max((rates[key].get(one.finding, 0.0) for key in alike), default=0.0)
            weights[one.finding] = theirs - rates[condition].get(one.finding, 0.0)
    for key in sorted(weights, key=lambda key: (-weights[key], key)):
        if weights[key] > 0:
            yield DecisiveFact(f"told:{key}", False, _asked(world, key))


def _sites(world: ClinicWorld) -> list[DecisiveFact]:
    """Parts of the examination that the condition makes abnormal."""
    own = {one.site for one in world.patient.problems[0].signs if one.abnormal}
    shown = dict.fromkeys(one.site for one in world.patient.examination if one.abnormal)
    listed = [one for one in shown if one in own and one != "general"]
    return [
        DecisiveFact(f"site:{one}", True, ("examine_patient", {"system": one}))
        for one in listed[:MOST_SITES]
    ]


def _labs(world: ClinicWorld) -> list[DecisiveFact]:
    """Laboratory values that the condition makes abnormal, the most abnormal first."""
    patient = world.patient
    facts, state = patient.facts, patient.state(0)
    _, condition = next(patient.conditions())
    asked = {one.test for one in condition.distinctions}
    weights: dict[str, float] = {}
    for key in sorted(condition.labs.keys() & state.keys()):
        one = facts.measurements[key]
        limits = reference(one, patient.person.sex, patient.person.age)
        order = _order_of(world, key)
        if limits is None or order is None or f"lab:{key}" in world.quoted:
            continue
        beyond = _beyond(state[key], limits.low, limits.high, 2 * (one.analytic + one.within))
        asked_for = key in asked or order in asked
        listed = key in condition.work_up or order in condition.work_up
        if (
            beyond > 0
            and (asked_for or listed)
            and test_price(order, tests_of(facts)[order]).minutes <= LONGEST_TEST
        ):
            weights[key] = min(beyond, 2.0) + asked_for
    best = sorted(weights, key=lambda one: (-weights[one], one))[:MOST_LABS]
    return [
        DecisiveFact(f"lab:{one}", True, ("order_lab", {"tests": [_order_of(world, one)]}))
        for one in best
    ]


def _beyond(value: float, low: float | None, high: float | None, noise: float) -> float:
    """How far a value is beyond a limit in logarithms, less what noise may take back."""
    if high is not None and value > high > 0:
        return math.log(value / high) - noise
    if low is not None and 0 < value < low:
        return math.log(low / value) - noise
    return 0.0


def _order_of(world: ClinicWorld, key: str) -> str | None:
    """The panel or test that measures something; None if no laboratory reports it."""
    facts = world.patient.facts
    one = facts.measurements[key]
    if one.kind == "vital" or key in actions().not_ordered:
        return None
    if one.panel is not None and one.panel in tests_of(facts):
        return one.panel
    return key if key in tests_of(facts) else None


def _studies(world: ClinicWorld) -> list[DecisiveFact]:
    """Studies that show the condition or, if none does, that show it is no look-alike."""
    patient = world.patient
    problem, condition = next(patient.conditions())
    known = set(studies_of(patient.facts))
    asked = [one.test for one in condition.distinctions]
    weights: dict[str, float] = {}
    for study, report in problem.studies.items():
        if study not in known or not _is_quick(study):
            continue
        weight = float(asked.count(study)) + 2.0 * report.shows
        if study in condition.work_up:
            weight += 1 - condition.work_up.index(study) / (len(condition.work_up) + 1)
        weights[study] = weight
    best = sorted(weights, key=lambda one: (-weights[one], one))
    shown = [one for one in best if problem.studies[one].shows][:MOST_STUDIES]
    chosen = shown or [one for one in best if one in condition.work_up][:1]
    return [
        DecisiveFact(f"study:{one}", problem.studies[one].shows, ("order_study", {"study": one}))
        for one in chosen
    ]


def _excluding(world: ClinicWorld) -> Iterator[DecisiveFact]:
    """The test that tells the most dangerous look-alike apart, and a pregnancy test where due."""
    patient = world.patient
    facts, person = patient.facts, patient.person
    _, condition = next(patient.conditions())
    triage = {key: one.triage or 9 for key, one in facts.conditions.items()}
    told_apart = [
        one
        for one in condition.distinctions
        if one.look_alike in triage and one.test and _is_listed(world, one.test)
    ]
    told_apart.sort(key=lambda one: (triage[one.look_alike], one.look_alike))
    tests = [one.test for one in told_apart[:1] if one.test is not None]
    low, high = CHILDBEARING
    fertile = person.sex == "female" and low <= person.age < high and person.pregnant_weeks is None
    tests += ["hcg"] if fertile and "hcg" in condition.work_up else []
    for test in dict.fromkeys(tests):
        if test in facts.measurements:
            order, abnormal = _order_of(world, test), _is_abnormal(world, test)
            if order is None or not _is_back_in_time(world, order):
                continue
            if f"lab:{test}" not in world.quoted and (not abnormal or test in condition.labs):
                call: CallSpec = ("order_lab", {"tests": [order]})
                yield DecisiveFact(f"lab:{test}", abnormal, call)
        elif test in studies_of(facts) and _is_quick(test):
            report = patient.problems[0].studies.get(test)
            shows = report is not None and report.shows
            yield DecisiveFact(f"study:{test}", shows, ("order_study", {"study": test}))


def _is_listed(world: ClinicWorld, test: str) -> bool:
    """Whether a test belongs to the work-up of the condition, itself or by its panel."""
    _, condition = next(world.patient.conditions())
    facts = world.patient.facts
    panel = _order_of(world, test) if test in facts.measurements else None
    return test in condition.work_up or panel in condition.work_up


def _is_back_in_time(world: ClinicWorld, order: str) -> bool:
    return test_price(order, tests_of(world.patient.facts)[order]).minutes <= LONGEST_TEST


def _is_abnormal(world: ClinicWorld, key: str) -> bool:
    patient = world.patient
    return key in patient.abnormal(patient.state(0))


def _is_quick(study: str) -> bool:
    """Whether the result is back in time, without a procedure that needs consent."""
    try:
        price = study_price(study)
    except ToolError:
        return False
    return price.minutes <= LONGEST_TEST and not price.invasive


@lru_cache(maxsize=1)
def _everywhere() -> Mapping[str, float]:
    """Finding -> its mean rate over all presenting conditions."""
    rates = finding_rates()
    total: dict[str, float] = {}
    for each in rates.values():
        for one, rate in each.items():
            total[one] = total.get(one, 0.0) + rate
    return {one: max(value / len(rates), 1e-3) for one, value in total.items()}
