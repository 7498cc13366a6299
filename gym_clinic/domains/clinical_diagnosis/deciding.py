"""What decides between a condition and those that look like it, and whether a patient shows it.

``decisive.json`` names it for every condition that brings patients, in the order in which a
clinician would turn to it: the test of reference, or the signs and answers where the condition is
known by these. Where one fact is not enough for a clinician, several are needed together. A
clinical emergency is known by its signs, which do not wait for a test.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter

from gym_clinic.chart.catalogue import (
    actions,
    check_fits,
    find_study,
    find_test,
    studies_of,
    study_entry,
    study_price,
    test_prices,
    tests_of,
)
from gym_clinic.clinical.judging.citations import is_true
from gym_clinic.clinical.judging.seen import seen
from gym_clinic.clinical.world import ClinicCase, ClinicWorld
from gym_clinic.domain import CallSpec
from gym_clinic.errors import ToolError
from gym_clinic.facts import Facts
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.facts.records.instruments import Expr
from gym_clinic.facts.records.models import Texts
from gym_clinic.facts.typed_json import Strict
from gym_clinic.simulate.clinic import Disclosure, disclosures
from gym_clinic.simulate.clinic.physiology.body import ACIDS, reference
from gym_clinic.simulate.clinic.telling.incidental import is_sayable, may_have

NOT, READ = "not ", "read "
"""How an entry begins that decides by its absence, and one that is to be known, whatever it is."""

BUFFERED = {"hco3"}
"""Measurements that acids lower, in every formula that holds them."""

LONGEST, LONGEST_IN_EMERGENCY, EMERGENCY = 480, 180, 2
"""Minutes in which the result of a test is back at the latest; and the triage levels up to which
less time is left."""


class DecidingSet(Strict):
    """Facts that decide together.

    Attributes:
        facts: Entries all of which are needed, such as "study:lumbar-puncture", "lab:lipase",
            "site:skin", "vital:temp_c", "told:Barking cough", "not lab:troponin", or
            "read study:ecg"; what the others support comes first.
        forms: The forms of the condition in which they decide; all if empty.
        known: Whether they decide in those alone who have known the condition before (true), or in
            those alone who have not (false), as the test by which it is found once; in both if
            None.
    """

    facts: Texts = Field(min_length=1)
    forms: Texts = ()
    known: bool | None = None


class Ordered(Strict):
    """What is ordered beside what decides: what the danger or the treatment asks for.

    A test has to be ordered and read, whatever it shows, and supports nothing by itself.

    Attributes:
        tests: Entries of tests and studies, such as "lab:troponin".
        services: Services that are asked to see the patient.
        stopped: References of medicines that are stopped if they are taken at home.
        shows: Names of findings of which the illness shows one; any illness if empty.
        when: The condition on the patient, as in `Condition.needed_when`.
    """

    tests: Texts = ()
    services: Texts = ()
    stopped: Texts = ()
    shows: Texts = ()
    when: Expr = "True"


class Discriminators(Strict):
    """What tells a condition from others.

    Attributes:
        by: Sets of facts each of which decides; what is turned to first comes first.
        sought: Entries by which the condition is looked for, and which do not decide.
        settled_by: Entries that leave no doubt: no further test is asked for beside them to show
            that it is not a look-alike.
        assessed: Entries that are to be known besides, whatever they are: what makes the condition
            dangerous.
        ordered: What is ordered beside that.
        excludes: Look-alikes of which one is to be excluded, where those that are seen first in
            triage are far-fetched.
    """

    by: tuple[DecidingSet, ...] = Field(min_length=1)
    sought: Texts = ()
    settled_by: Texts = ()
    assessed: Texts = ()
    ordered: tuple[Ordered, ...] = ()
    excludes: Texts = ()

    @property
    def entries(self) -> Texts:
        """Every entry of the sets, each once."""
        return tuple(dict.fromkeys(entry for one in self.by for entry in one.facts))

    @property
    def leading(self) -> Texts:
        """What the condition is looked for by: what is sought, and what leads a set.

        What tells an attack of a known illness is not among them.
        """
        led = (one.facts[0] for one in self.by if not one.known)
        return tuple(dict.fromkeys((*self.sought, *led)))


@dataclass(frozen=True)
class DecisiveFact:
    """A fact to be found out.

    Attributes:
        key: As in :mod:`gym_clinic.clinical.judging.seen`.
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


@lru_cache(maxsize=1)
def discriminators() -> Mapping[str, Discriminators]:
    """Return the data file: condition -> what tells it from others."""
    text = Path(__file__).with_name("decisive.json").read_bytes()
    return TypeAdapter(dict[str, Discriminators]).validate_json(text)


Decision = tuple[DecisiveFact, ...]
"""Facts of a patient that decide together."""


def read_entry(facts: Facts, entry: str) -> tuple[str, bool]:
    """Return the key of an entry, and whether presence or absence is meant.

    An entry that is to be known, whatever it is, counts as presence.

    Raises:
        KeyError: If it names an unknown finding, measurement or study.
    """
    kind, _, of = entry.removeprefix(NOT).removeprefix(READ).partition(":")
    if kind == "told":
        of = facts.finding_ids[of]
    elif kind in ("lab", "vital"):
        of = facts.measurements[of].id
    elif kind == "study" and of not in studies_of(facts):
        raise KeyError(of)
    return f"{kind}:{of}", not entry.startswith(NOT)


def decisions(world: ClinicWorld, *, in_time: bool = True) -> tuple[Decision, ...]:
    """Return the sets of facts of a patient each of which decides, the first choice first.

    Only what is so in this patient: a test of reference that shows nothing decides nothing. What
    the ticket tells is known, and left out of its set; a set of which all is known is no decision
    that the agent makes.

    Args:
        world: The patient's world.
        in_time: Whether every fact is to be had in the time that a plan takes; else the sets that
            wait for a slow test, such as a culture, are among them.
    """
    found: dict[frozenset[str], Decision] = {}
    problem = world.patient.problems[0]
    ticket = ClinicCase(world)
    known = seen(ticket)
    before = problem.condition in {one.condition for one in world.patient.background}
    for one in discriminators()[problem.condition].by:
        if one.forms and problem.variant not in one.forms:
            continue
        if one.known is not None and one.known is not before:
            continue
        facts = [_fact_of(world, ticket, known, entry, in_time) for entry in one.facts]
        left = tuple(fact for fact in facts if isinstance(fact, DecisiveFact))
        if left and None not in facts:
            found.setdefault(frozenset(fact.key for fact in left), left)
    return tuple(found.values())


def assessed(world: ClinicWorld) -> Iterator[DecisiveFact]:
    """Yield what is to be known of a patient besides what decides, if it can be had."""
    ticket = ClinicCase(world)
    known = seen(ticket)
    for entry in discriminators()[world.patient.problems[0].condition].assessed:
        fact = _fact_of(world, ticket, known, READ + entry, True)
        if isinstance(fact, DecisiveFact):
            yield fact


def _fact_of(
    world: ClinicWorld, ticket: ClinicCase, known: Collection[str], entry: str, in_time: bool
) -> DecisiveFact | Literal["known"] | None:
    """The fact of an entry in a patient; None if it is not so or cannot be had in time."""
    key, present = read_entry(world.patient.facts, entry)
    either = (True, False) if entry.startswith(READ) else (present,)
    if key in known:
        return "known" if any(is_true(ticket, key, one) for one in either) else None
    call = call_for(world, key, in_time=in_time)
    so = next((one for one in either if holds(world, key, one)), None)
    if so is None and False in either and denied_when_asked(world, ticket, key):
        so = False
    return None if call is None or so is None else DecisiveFact(key, so, call)


def denied_when_asked(world: ClinicWorld, ticket: ClinicCase, key: str) -> bool:
    """Return whether the patient says no to a question that the plan of the talk leaves open.

    Who is asked for something that is not there, and could be, says so.
    """
    kind, _, of = key.partition(":")
    patient = world.patient
    if kind != "told" or any(one.finding == of for one in disclosures(patient)):
        return False
    sayable = is_sayable(patient.facts, of) and may_have(patient, of)
    return sayable and is_true(ticket, key, present=False)


def telling_keys(facts: Facts, condition: Condition, look_alike: str) -> tuple[str, ...]:
    """Return the keys by which a look-alike of a condition is looked for; empty if none is known.

    The tests that tell the two apart, and what the look-alike itself is known by.
    """
    found: list[str] = []
    alike = facts.conditions.get(look_alike)
    for one in condition.distinctions:
        if one.look_alike == look_alike and one.test is not None:
            keys = _keys_of_test(facts, one.test)
            found += [
                key for key in keys if alike is None or _differs(facts, key, condition, alike)
            ]
    other = discriminators().get(look_alike)
    if other is not None:
        read = (read_entry(facts, one) for one in other.leading)
        found += [key for key, present in read if present]
    return tuple(dict.fromkeys(found))


def _differs(facts: Facts, key: str, condition: Condition, alike: Condition) -> bool:
    """Whether a study, or a value that one of two conditions changes in one of its forms."""
    kind, _, of = key.partition(":")
    forms = (*condition.forms(), *alike.forms())
    return kind == "study" or any(moves(one, facts, of) for one in forms)


def _keys_of_test(facts: Facts, test: str) -> list[str]:
    if test in facts.measurements:
        kind = "vital" if facts.measurements[test].kind == "vital" else "lab"
        return [f"{kind}:{test}"]
    try:
        return [f"lab:{one.id}" for one in tests_of(facts)[find_test(facts, test)]]
    except ToolError:
        return [f"study:{find_study(facts, test)}"]


def call_for(world: ClinicWorld, key: str, *, in_time: bool = True) -> CallSpec | None:
    """Return the call that obtains a fact; None if none does, or none in the time of a plan."""
    patient = world.patient
    facts = patient.facts
    kind, _, of = key.partition(":")
    triage = facts.conditions[patient.problems[0].condition].triage or 9
    longest: float = LONGEST_IN_EMERGENCY if triage <= EMERGENCY else LONGEST
    if not in_time:
        longest = math.inf
    if kind == "told":
        return "ask_patient", {"question": question_about(facts.phenotypes[of].name)}
    if kind == "site":
        return "examine_patient", {"system": of}
    if kind == "habit":
        return "read_history", {"section": "habits"}
    if kind == "vital" and of not in tests_of(facts):
        return "get_vital_signs", {}
    if kind in ("lab", "vital"):
        order = order_of(facts, of)
        if order is None or test_prices(facts)[order].minutes > longest:
            return None
        return "order_lab", {"tests": [order]}
    try:
        check_fits(patient, study_entry(of).only, of)
        if study_price(of).minutes > longest:
            return None
    except ToolError:
        return None
    return "order_study", {"study": of}


def question_about(name: str) -> str:
    """Return a plain question about a finding.

    >>> question_about("Chest pain")
    'Have you had chest pain?'
    """
    plain = name if name.split()[0].isupper() else name[0].lower() + name[1:]
    return f"Have you had {plain}?"


def order_of(facts: Facts, key: str) -> str | None:
    """Return the panel or test that measures something; None if no order does."""
    one = facts.measurements[key]
    if key in actions().not_ordered:
        return None
    if one.panel is not None and one.panel in tests_of(facts):
        return one.panel
    return key if key in tests_of(facts) else None


def holds(world: ClinicWorld, key: str, present: bool) -> bool:
    """Return whether a fact is so in a patient because of the condition that brings the patient.

    A measurement counts as abnormal if it is further from its limit than noise may take it, and a
    finding if the patient tells it when asked.
    """
    patient = world.patient
    problem, condition = next(patient.conditions())
    kind, _, of = key.partition(":")
    if kind == "study":
        report = problem.studies.get(of)
        return report is not None and report.shows is present
    if kind == "site":
        shown = any(one.abnormal for one in patient.examination if one.site == of)
        own = any(one.abnormal for one in problem.signs if one.site == of)
        return own and shown if present else not shown
    if kind == "habit":
        return (of in world.patient.person.habits) is present
    if kind == "told":
        return any(
            one.finding == of and one.has is present and one.distortion != "forgets"
            for one in untold(world)
            if one.manner != "omitted" and (one.origin == "problem" or not present)
        )
    one, state = patient.facts.measurements[of], patient.state(0)
    limits = reference(one, *patient.person.measured_by)
    if limits is None or of not in state:
        return False
    noise = 2 * (one.analytic + one.within)
    beyond = _beyond(state[of], limits.low, limits.high)
    return moves(condition, patient.facts, of) and beyond > noise if present else beyond < -noise


def moves(condition: Condition, facts: Facts, key: str) -> bool:
    """Return whether a condition changes a measurement, or one that it is computed from."""
    formula = facts.measurements[key].formula
    names = {key} if formula is None else {key, *parse(formula).names}
    if names & BUFFERED:
        names |= {*ACIDS}
    return any(one in condition.labs or one in condition.vitals for one in names)


def untold(world: ClinicWorld) -> tuple[Disclosure, ...]:
    """Return what the patient is able to tell and the ticket does not."""
    return tuple(
        one for one in disclosures(world.patient) if f"finding:{one.finding}" not in world.quoted
    )


def _beyond(value: float, low: float | None, high: float | None) -> float:
    """How far a value is beyond its limits in logarithms; below 0 if it is within them."""
    above = math.log(value / high) if high is not None and value > 0 < high else -math.inf
    below = math.log(low / value) if low is not None and value > 0 < low else -math.inf
    return max(above, below)
