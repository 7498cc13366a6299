"""Consistency of generated tasks: each gate yields what is wrong with one task.

A gate that cannot fail is worth nothing, so each has a mutation of a task that must trip it; the
tests run both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gym_clinic.clinical.canary import CANARY
from gym_clinic.clinical.judging.assertions import CHECKS
from gym_clinic.clinical.judging.calls import canonical
from gym_clinic.clinical.judging.citations import NOT_JUDGED, is_true, measurements_of
from gym_clinic.clinical.judging.judge import DomainJudge
from gym_clinic.clinical.judging.seen import seen
from gym_clinic.clinical.naming import fulfils
from gym_clinic.clinical.tasks import seed_of
from gym_clinic.clinical.world import ClinicCase, ClinicWorld
from gym_clinic.domain import Domain
from gym_clinic.episode import Task
from gym_clinic.facts import words
from gym_clinic.simulate.clinic.texts.sections.history import age_words
from gym_clinic.simulate.split import Split

FEWEST, MOST = 2, 14
"""Keys that a gold asks to have been read."""

SHOWN_LATER = ("vital", "lab")
"""Kinds of evidence whose value is only known once it was measured."""

_KINDS = ("vital", "lab", "study", "site", "told", "record", "medicine", "allergy", "condition",
          "habit", "pregnancy", "document", "kind", "score", "guideline", "knowledge",
          "lookup", "onset")  # fmt: skip


@dataclass(frozen=True)
class GateContext:
    """What gates look at beside the task.

    Attributes:
        domain: The domain.
        judge: Its judge.
        split: The split of the task.
        tasks: All tasks of the split by id.
    """

    domain: Domain
    judge: DomainJudge
    split: Split
    tasks: Mapping[str, Task] = field(default_factory=dict)


def problems(task: Task, context: GateContext) -> list[str]:
    """Return what the gates find in a task, each with the name of its gate."""
    found = ((name, gate(task, context)) for name, gate in GATES.items())
    return [f"{task.id}, {name}: {one}" for name, several in found for one in several]


def _world(task: Task, context: GateContext) -> ClinicWorld:
    """The world that the domain opens for a task."""
    case = context.domain.open_case(task)
    assert isinstance(case, ClinicCase)
    return case.world


def _of_split(task: Task, context: GateContext) -> Iterator[str]:
    if task.record.get("split") != context.split:
        yield f"the record is of split {task.record.get('split')!r}, not {context.split!r}"
    place = seed_of(context.split, 0) % 4
    if task.record["seed"] % 4 != place:
        yield "the seed of the patient is one of another split"


def _marked(task: Task, context: GateContext) -> Iterator[str]:
    if CANARY not in task.provenance or "synthetic" not in task.provenance:
        yield "the provenance lacks 'synthetic' or the canary"


def _ticket(task: Task, context: GateContext) -> Iterator[str]:
    patient = _world(task, context).patient
    person = patient.person
    if person.name.split()[-1] not in task.ticket:
        yield f"the ticket does not name the patient, {person.name!r}"
    months = {str(round(person.age * 12)), str(int(person.age * 12 + 1e-6))}
    ages = {f"{person.age:g}", str(int(person.age)), *months, age_words(patient)[0]}
    if not ages & set(re.findall(r"\d+(?:\.\d+)?", task.ticket)):
        yield f"the ticket does not give the age, {person.age:g}"


def _names_no_diagnosis(task: Task, context: GateContext) -> Iterator[str]:
    """The name of what brings the patient is not in the ticket, unless it is lived with.

    A question about a treatment names what is treated.
    """
    if "question" in task.record:
        return
    patient = _world(task, context).patient
    lived_with = {one.condition for one in patient.background}
    text = " ".join(words(task.ticket))
    for problem in patient.problems:
        if problem.condition in lived_with:
            continue
        disease = patient.facts.diseases[problem.condition]
        for name in (disease.name, *disease.synonyms):
            plain = " ".join(words(name))
            if len(plain) > 5 and re.search(rf"\b{re.escape(plain)}\b", text):
                yield f"the ticket names {name!r}"


def _read(task: Task, context: GateContext) -> Iterator[str]:
    wanted = task.gold["read"]
    if not FEWEST <= len(set(wanted)) == len(wanted) <= MOST:
        yield f"'read' has {len(wanted)} keys, expected {FEWEST} to {MOST} different ones"
    for key in wanted:
        if key.partition(":")[0] not in _KINDS:
            yield f"'read' has the unknown key {key!r}"
    world = _world(task, context)
    if known := seen(ClinicCase(world)) & set(wanted):
        yield f"'read' asks for {sorted(known)}, which the ticket tells"
    facts = world.patient.facts
    for key in wanted:
        kind, _, of = key.partition(":")
        if kind in ("vital", "lab") and of not in facts.measurements:
            yield f"'read' names no measurement: {key!r}"
        if kind in ("told", "onset") and of not in facts.phenotypes and of not in _ASKED_OF_ALL:
            yield f"'read' names no finding: {key!r}"


_ASKED_OF_ALL = ("medicines", "allergies", "past")


def _shown_later(case: ClinicCase, key: str) -> bool:
    """Whether a key is of a measurement, or of a finding that measurements show, with noise."""
    kind, _, of = key.partition(":")
    return kind in SHOWN_LATER or bool(measurements_of(case.patient.facts, of))


def _cited(task: Task, context: GateContext) -> Iterator[str]:
    case = ClinicCase(_world(task, context))
    for one in task.gold["cite"]:
        key = one["finding"]
        if not _shown_later(case, key) and not is_true(case, key, one["present"]):
            yield f"{key!r} is not {'there' if one['present'] else 'absent'} in this patient"


def _instead(task: Task, context: GateContext) -> Iterator[str]:
    case = ClinicCase(_world(task, context))
    wanted = {*task.gold["read"], *(one["finding"] for one in task.gold["cite"])}
    for group in task.gold.get("instead", ()):
        if unknown := sorted({*group["keys"]} - wanted):
            yield f"'instead' replaces {unknown}, which neither 'read' nor 'cite' asks for"
        several = group["sets"] if "sets" in group else [group["of"]]
        for one in (fact for facts in several for fact in facts):
            key, present = one["finding"], one["present"]
            if key.partition(":")[0] in NOT_JUDGED:  # a part of the record is read, not there
                continue
            if not _shown_later(case, key) and not is_true(case, key, present):
                yield f"'instead': {key!r} is not {'there' if present else 'absent'}"


def _expected(task: Task, context: GateContext) -> Iterator[str]:
    names = {one.name for one in context.domain.tools} | {"order_study", "give_medication"}
    facts = _world(task, context).patient.facts
    for one in task.gold["expected"]:
        if one["name"] not in names:
            yield f"expected action: no tool {one['name']!r}"
        own = context.judge.canonical
        forms = own(one["name"], one["arguments"]) if own is not None else None
        if forms is None and one["name"] in ("order_study", "perform_procedure", "consult_service"):
            forms = canonical(facts, one["name"], one["arguments"])
        for _, arguments in forms or ():
            if {key: arguments.get(key) for key in one["arguments"]} != dict(one["arguments"]):
                yield f"expected action {one['name']}: not in canonical form, {arguments}"


TREATMENTS = ("treatments", "orders")
"""Fields of ``acceptable`` that hold treatments: actions, or sets of them."""


def _forbidden(task: Task, context: GateContext) -> Iterator[str]:
    acceptable = task.gold.get("acceptable", {})
    right = [one for name in TREATMENTS for one in _actions(acceptable.get(name, ()))]
    for one in task.gold["forbidden"]:
        if any(fulfils(action, one) for action in right):
            yield f"{one!r} is both acceptable and forbidden"


def _actions(value: Any) -> Iterator[str]:
    """The actions of nested lists."""
    if isinstance(value, str):
        yield value
    else:
        for one in value:
            yield from _actions(one)


def _asserted(task: Task, context: GateContext) -> Iterator[str]:
    known = {**CHECKS, **context.judge.checks}
    if not task.gold["assertions"]:
        yield "there is no assertion"
    for one in task.gold["assertions"]:
        if one["check"] not in known:
            yield f"no check {one['check']!r} of assertions"
        if not str(one.get("text", "")).strip():
            yield f"the assertion {one['check']!r} has no text"


def _reference(task: Task, context: GateContext) -> Iterator[str]:
    reference = task.gold["reference"]
    if reference["cost"] < 0 or reference["orders"] < 0:
        yield f"the reference plan has {dict(reference)}"


def _twin(task: Task, context: GateContext) -> Iterator[str]:
    twin = task.gold.get("twin")
    if not twin:
        return
    other = context.tasks.get(twin["of"])
    if other is None:
        yield f"its twin {twin['of']!r} is not in the split"
        return
    if other.record["seed"] != task.record["seed"]:
        yield "its twin is another patient"
    turned = other.gold["answer"] != task.gold["answer"]
    if turned is not (twin["kind"] == "turns"):
        yield f"a twin of kind {twin['kind']!r} {'changes' if turned else 'keeps'} the answer"


Gate = Callable[[Task, GateContext], Iterator[str]]

GATES: Mapping[str, Gate] = {
    "split": _of_split,
    "marks": _marked,
    "ticket": _ticket,
    "diagnosis in ticket": _names_no_diagnosis,
    "read": _read,
    "cite": _cited,
    "instead": _instead,
    "expected": _expected,
    "forbidden": _forbidden,
    "assertions": _asserted,
    "reference": _reference,
    "twin": _twin,
}
"""Name -> gate."""
