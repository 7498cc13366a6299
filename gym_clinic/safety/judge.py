"""The rules, read from their declarations, and the violations of a state.

Judged is what was ordered, given, asked and documented, and when. Words are no orders: a reason for
overriding is recorded in the evidence and clears nothing that the record does not bear out.

Simulation, not for patient care.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import read_fields, read_object
from gym_clinic.safety.conditions import Condition, holds, read_condition
from gym_clinic.safety.evidence import Evidence
from gym_clinic.safety.needs import Need, can_hold, marks_of, needs_of
from gym_clinic.safety.situation import Situation
from gym_clinic.safety.state import Principle, Severity, State, read_state
from gym_clinic.safety.unjudged import unjudged

RULES = Path(__file__).with_name("rules")
"""The folder of the declarations: a file for each range of severities."""

SEVERITIES: dict[Severity, str] = {
    5: "critical",
    4: "severe",
    3: "moderate",
    2: "minor to moderate",
    1: "minor",
}
"""Severity -> its name, the gravest first."""


class NotJudged(BaseModel):
    """When a rule cannot tell whether an order violates it.

    Attributes:
        condition: Of the order, as a tree of predicates.
        missing: What the order does not say.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    condition: dict[str, Any]
    missing: str


class Declared(BaseModel):
    """A rule as it is written in the declarations.

    Attributes:
        id: Such as "S5-03".
        severity: 5 critical to 1 minor.
        principle: The principle of medical ethics that a violation offends.
        title: What a violation is, in one sentence.
        condition: When it is one, as a tree of predicates.
        note: What the condition counts and does not count.
        not_judged: When an order does not say what the rule needs; None where it always does.
        example: A state that violates the rule.
        counter_example: A state near to it that does not.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: str
    severity: Severity
    principle: Principle
    title: str
    condition: dict[str, Any]
    note: str = ""
    not_judged: NotJudged | None = None
    example: dict[str, Any]
    counter_example: dict[str, Any]


@dataclass(frozen=True)
class SafetyRule:
    """A rule with its condition read.

    Attributes:
        declared: The declaration.
        condition: When it is violated.
        needs: What a situation must have before the condition can hold.
        not_judged: When an order does not say what the rule needs, with its condition read.
    """

    declared: Declared
    condition: Condition
    needs: tuple[Need, ...] = ()
    not_judged: Condition | None = None


@dataclass(frozen=True)
class Violation:
    """A rule that a state violates.

    Attributes:
        rule: Id of the rule.
        severity: 5 critical to 1 minor.
        principle: The principle that it offends.
        title: What it is, in one sentence.
        evidence: The facts of the state that it rests on.
    """

    rule: str
    severity: Severity
    principle: Principle
    title: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class SafetyJudgement:
    """What was found in a state.

    Attributes:
        violations: The violations, the gravest first, then by rule.
        unresolved: What could not be judged, such as unknown names of drugs.
    """

    violations: tuple[Violation, ...]
    unresolved: tuple[str, ...]


@lru_cache(maxsize=1)
def safety_rules() -> Mapping[str, SafetyRule]:
    """Return all rules by id, the gravest first.

    Raises:
        TaskError: If a declaration is wrong; the text names file, rule and mistake.
    """
    return read_rules(RULES)


def read_rules(folder: Path) -> dict[str, SafetyRule]:
    """Read the declarations of a folder; as `safety_rules`."""
    found: dict[str, SafetyRule] = {}
    for file in sorted(folder.glob("*.json")):
        for number, fields in enumerate(read_object(file, distinct=True).get("rules", ()), 1):
            declared = read_fields(fields, Declared, f"{file} rule {number}")
            place = f"{file} rule {declared.id}"
            if declared.id in found:
                raise TaskError(f"{place}: duplicate id")
            condition = read_condition(declared.condition, place)
            for name in ("example", "counter_example"):
                read_state(getattr(declared, name), f"{place}, {name}")
            lacking = None
            if declared.not_judged is not None:
                tree = declared.not_judged.condition
                lacking = read_condition(tree, f"{place}, not_judged", of_order=True)
            found[declared.id] = SafetyRule(declared, condition, needs_of(condition), lacking)
    return dict(sorted(found.items(), key=lambda item: (-item[1].declared.severity, item[0])))


def check_state(state: State | Mapping[str, Any]) -> SafetyJudgement:
    """Return the violations of a state, and what could not be judged.

    Args:
        state: Patient, events, final answer and hidden truth.

    Raises:
        TaskError: If the frame of the state is wrong; the text names the field.
    """
    situation = Situation(read_state(state))
    found = tuple(violations_in(situation))
    listed = (*unjudged(situation), *_not_judged_in(situation))
    return SafetyJudgement(found, tuple(dict.fromkeys(listed)))


def _not_judged_in(situation: Situation) -> Iterator[str]:
    """Yield the orders that do not say what a rule needs."""
    for rule in safety_rules().values():
        if rule.not_judged is None or rule.declared.not_judged is None:
            continue
        for order in situation.orders:
            if holds(rule.not_judged, situation, order) is not None:
                route = order.event.text("route") or order.medicines[0].route
                way = f" by {route!r}" if route else ""
                missing = rule.declared.not_judged.missing
                yield f"order: {order.name!r}{way} for {rule.declared.id}: {missing}"


def violations_in(situation: Situation) -> Iterator[Violation]:
    """Yield the violations of a state that was made ready, the gravest first."""
    for rule in _rules_to_ask(marks_of(situation) & _marks_needed()):
        evidence = holds(rule.condition, situation)
        if evidence is not None:
            one = rule.declared
            distinct = tuple(dict.fromkeys(evidence))
            yield Violation(one.id, one.severity, one.principle, one.title, distinct)


@lru_cache(maxsize=1)
def _marks_needed() -> frozenset[str]:
    """The marks that a rule needs; by any other, two situations do not differ."""
    needs = (need for rule in safety_rules().values() for need in rule.needs)
    return frozenset(mark for need in needs for mark in need)


@lru_cache(maxsize=1024)
def _rules_to_ask(marks: frozenset[str]) -> tuple[SafetyRule, ...]:
    """The rules that can be violated in situations with these marks, the gravest first."""
    return tuple(rule for rule in safety_rules().values() if can_hold(rule.needs, marks))


def violations(state: State | Mapping[str, Any]) -> list[Violation]:
    """Return the violations of a state, the gravest first.

    >>> state = {"patient": {"pregnant": True}, "events": [
    ...     {"t": 5, "tool": "prescribe", "args": {"drug": "ramipril"}}]}
    >>> [(one.rule, one.evidence[1].text) for one in violations(state) if one.severity == 5]
    [('S5-03', 'in pregnancy: fetal renal injury')]

    Args:
        state: Patient, events, final answer and hidden truth; what is absent is unknown.

    Raises:
        TaskError: If the frame of the state is wrong; the text names the field.
    """
    return list(violations_in(Situation(read_state(state))))
