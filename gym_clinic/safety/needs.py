"""What a situation must have before a rule can be violated, so that few rules are asked in full.

A need is a set of marks of which the situation must have one, such as ``call:procedure``,
``drug:class:opioid`` or ``condition:influenza``. The needs of a rule follow from its condition; a
predicate that is not in the table below needs nothing, and its rule is always asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import classes_of
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.safety.conditions import Asked, Condition
from gym_clinic.safety.situation import Situation
from gym_clinic.safety.terms import term

Need = frozenset[str]

ORDER, DOSE = "order", "dose"
"""The marks of an order of any drug, and of one with a dose."""

STOPPED = "stopped"
"""The mark of a drug that was stopped, before the encounter or in it."""

FOREIGN = "another patient"
"""The mark of an event that names another patient."""

TERATOGEN, OLDER_ADULTS = "teratogen", "older adults"
"""The marks of an order of a drug with a rule for pregnant women, and with one for the old."""


def can_hold(needs: Iterable[Need], marks: frozenset[str]) -> bool:
    """Return whether a situation has a mark of each need."""
    apart = marks.isdisjoint
    return not any(map(apart, needs))


def needs_of(condition: Condition) -> tuple[Need, ...]:
    """Return the needs of a condition, each of which must be met before it can hold."""
    if isinstance(condition, Asked):
        table = _OF_PREDICATE.get(condition.predicate.name)
        marks = frozenset(table(condition.arguments)) if table else frozenset[str]()
        return (marks,) if marks else ()
    parts = [needs_of(part) for part in condition.parts]
    if condition.how == "order":
        return (*parts[0], frozenset((ORDER,)))  # what is narrow comes first
    if condition.how == "all":
        return tuple(dict.fromkeys(need for part in parts for need in part))
    if condition.how == "any" and all(parts):
        return (frozenset(mark for part in parts for mark in part[0]),)
    return ()


def marks_of(situation: Situation) -> frozenset[str]:
    """Return the marks of a situation."""
    patient, state = situation.patient, situation.state
    found = set(_said("call", tuple(situation.calls)))
    found.update(f"again:{tool}" for tool, made in situation.calls.items() if len(made) > 1)
    for order in situation.orders:
        found.add(ORDER)
        if order.number("dose") is not None:
            found.add(DOSE)
        for one in order.medicines:
            found |= _marks_of_drug(one.drug)
    found.update(f"graded:{grade.severity}" for _, grade in situation.graded)
    found |= _meant("condition", tuple(situation.conditions))
    found |= _meant("lab", tuple(patient.labs))
    found |= _meant("vital", tuple(patient.vitals))
    found |= _said("answer", _there(state.final))
    found |= _said("truth", _there(state.gold))
    emergency = state.gold.get("emergency")
    if isinstance(emergency, str):
        found.add(f"emergency:{term(emergency)}")
    found |= _said("record", tuple(patient.present))
    there = {
        "allergy": patient.allergies, "home": situation.home, "refused": patient.refused,
        "critical result": patient.critical_results, STOPPED: situation.stopped,
        FOREIGN: situation.foreign,
    }  # fmt: skip
    found.update(mark for mark, some in there.items() if some)
    return frozenset(found)


def _there(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the fields that hold something; null is absent."""
    return tuple(name for name, value in fields.items() if value is not None)


@lru_cache(maxsize=4096)
def _said(kind: str, names: tuple[str, ...]) -> Need:
    """The marks of names as they are written."""
    return frozenset(f"{kind}:{name}" for name in names)


@lru_cache(maxsize=4096)
def _meant(kind: str, names: tuple[str, ...]) -> Need:
    """The marks of the terms that names mean."""
    return _said(kind, tuple(map(term, names)))


@lru_cache(maxsize=1024)
def _marks_of_drug(drug: str) -> Need:
    facts, classes = load(), classes_of(drug)
    groups = (facts.drug_classes.get(key) for key in classes)
    ruled = [one for one in (facts.drugs.get(drug), *groups) if one is not None]
    own = facts.drugs.get(drug)
    return frozenset((
        f"drug:{drug}",
        *(f"drug:{CLASS}{one}" for one in classes),
        *([TERATOGEN] if own is not None and own.pregnancy is not None else ()),
        *([OLDER_ADULTS] if any(one.older_adults for one in ruled) else ()),
    ))  # fmt: skip


def _of_action(actions: Sequence[str]) -> Iterator[str]:
    """The marks of actions as predicates write them: ``order_test:ct_head``, ``dose:DRUG``."""
    for action in actions:
        tool, _, what = action.partition(":")
        if tool not in ("dose", "iv", "injected"):
            yield f"call:{tool}"
        else:
            yield ORDER if what in ("any", "antimicrobial") else f"drug:{what}"


_OF_PREDICATE: dict[str, Callable[[Mapping[str, Any]], Iterable[str]]] = {
    "allergy": lambda given: ["allergy"],
    "answer": lambda given: [f"answer:{given['field']}"],
    "answered": lambda given: [f"answer:{given['field']}"],
    "answer_holds": lambda given: [f"answer:{given['field']}"],
    "answer_number": lambda given: [f"answer:{given['field']}"],
    "cancelled_for": lambda given: ["call:cancel_order"],
    "condition": lambda given: [f"condition:{term(one)}" for one in given["any_of"]],
    "consent_without": lambda given: ["call:consent"],
    "contradicted_input": lambda given: ["call:calculate"],
    "despite_refusal": lambda given: ["refused"],
    "differs_from_twin": lambda given: ["truth:twin_final"],
    "daily_dose_per_kg": lambda given: [f"drug:{one}" for one in given["limits"]],
    "daily_dose_ratio": lambda given: [DOSE],
    "dose_above_kidneys": lambda given: [DOSE],
    "disclosure": lambda given: ["call:disclose"],
    "done": lambda given: _of_action(given["any_of"]),
    "drug": lambda given: [f"drug:{one}" for one in given["any_of"]],
    "duplicate_test": lambda given: ["again:order_test"],
    "emergency": lambda given: (
        [f"emergency:{term(one)}" for one in given.get("any_of") or ()] or ["truth:emergency"]
    ),
    "home_medicines": lambda given: ["home"],
    "interacting": lambda given: [f"graded:{given['severity']}"],
    "lab": lambda given: [f"lab:{term(given['name'])}"],
    "misreported": lambda given: ["answer:reported_labs"],
    "no_consent": lambda given: ["call:procedure"],
    "not_retrieved": lambda given: ["answer:citations"],
    "note_lacks": lambda given: ["answer:note"],
    "older_adult_rule": lambda given: [OLDER_ADULTS],
    "other_patient": lambda given: [FOREIGN],
    "over_triage": lambda given: ["answer:esi"],
    "recorded": lambda given: [f"record:{given['field']}"],
    "recorded_number": lambda given: [f"record:{given['field']}"],
    "refused": lambda given: ["refused"],
    "required_missing": lambda given: [f"truth:{given['field']}"],
    "teratogen": lambda given: [TERATOGEN],
    "true_number": lambda given: [f"truth:{given['field']}"],
    "truth": lambda given: [f"truth:{given['field']}"],
    "unacknowledged": lambda given: ["critical result"],
    "vital": lambda given: [f"vital:{term(given['name'])}"],
    "washing_out": lambda given: [STOPPED],
    "without_prior": lambda given: _of_action([given["action"]]),
    "wrong_side": lambda given: ["call:procedure"],
}
"""Predicate -> the marks of which one must be there before it can hold, by its arguments."""
