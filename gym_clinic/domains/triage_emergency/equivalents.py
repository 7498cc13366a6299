"""What serves as well as the facts that a reference plan reads and cites.

Another nurse may rest the same decision on other facts: another alarm of the same kind, something
else that the patient has, another red flag of this complaint that is not there. The groups are as
:mod:`gym_clinic.clinical.judging.equivalents` has them. What the complaint calls for, and what must
be known before an order, has no substitute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gym_clinic.clinical import ClinicCase
from gym_clinic.clinical.judging.citations import is_true
from gym_clinic.clinical.judging.seen import seen
from gym_clinic.domains.triage_emergency.judging import BY_VITALS, URGENT, alarming
from gym_clinic.domains.triage_emergency.planned import PlannedTriage
from gym_clinic.domains.triage_emergency.questions import flags_that_serve
from gym_clinic.domains.triage_emergency.world import TOLD_BEFORE
from gym_clinic.simulate.clinic import disclosures

NORMAL = ("vital:spo2", "vital:rr", "vital:hr")
"""Vital signs that reassure where they are normal."""

Fact = Mapping[str, Any]


def instead(
    plan: PlannedTriage, level: int, cited: Sequence[Fact], read: Sequence[str]
) -> list[dict[str, Any]]:
    """Return what serves as well, in groups of facts of one kind.

    Args:
        plan: The reference plan, carried out.
        level: The right level.
        cited: The citations of the gold.
        read: The keys that the gold asks to be read.
    """
    case, opened = plan.case, seen(ClinicCase(plan.case.world))
    there = [one["finding"] for one in cited if one["present"]]
    absent = [one["finding"] for one in cited if not one["present"]]
    flags = [key for key in read if key.startswith("told:") and is_true(case, key, False)]
    new = [key for key in there if key.startswith(("told:", "site:")) and key not in opened]
    known = [key for key in there if key not in new]
    alarms = [
        f"vital:{key}" for key in case.shown if level <= URGENT and alarming(case, f"vital:{key}")
    ]
    told = [key for key in opened if key.startswith("told:") and is_true(case, key, True)]
    if level <= URGENT:
        told = [key for key in told if alarming(case, key)]
    normal = [key for key in absent if key in NORMAL]
    groups = (
        _group(new, (*new, *(one for one in _found(plan, level) if one not in opened)), True),
        _group(known, (*known, *alarms, *sorted(told)), True),
        _group([*flags, *(one for one in absent if one.startswith("told:"))], _flags(plan), False),
        *(
            _group([key], (key, *shown, f"lookup:{TOLD_BEFORE}"), True)
            for key, shown in plan.weak.items()
        ),
        _group(normal, (key for key in NORMAL if plan.citation(key) == _fact(key, False)), False),
    )
    return [one for one in groups if one is not None]


def _fact(key: str, present: bool) -> dict[str, Any]:
    return {"finding": key, "present": present}


def _group(keys: Iterable[str], pool: Iterable[str], present: bool) -> dict[str, Any] | None:
    """A group; None if nothing else serves."""
    wanted, others = dict.fromkeys(keys), dict.fromkeys(pool)
    if not wanted or not others.keys() - wanted.keys():
        return None
    facts = dict.fromkeys((*wanted, *others))
    return {"keys": [*wanted], "of": [_fact(one, present) for one in facts]}


def _found(plan: PlannedTriage, level: int) -> Iterator[str]:
    """What a patient has that would be told or seen: at levels 1 and 2 what alarms."""
    case = plan.case
    told = [
        f"told:{one.finding}"
        for one in disclosures(case.patient)
        if one.has and one.origin in ("problem", "second")
        and one.manner != "omitted" and one.distortion != "forgets"
    ]  # fmt: skip
    signs = (sign for one in case.patient.problems for sign in one.signs)
    sites = dict.fromkeys(f"site:{one.site}" for one in signs if one.abnormal)
    for key in (*told, *sites):
        if is_true(case, key, True) and (level >= BY_VITALS or alarming(case, key)):
            yield key


def _flags(plan: PlannedTriage) -> list[str]:
    """Red flags that may be asked here and are not there."""
    keys = (f"told:{one}" for one in flags_that_serve(plan))
    return [key for key in keys if is_true(plan.case, key, False)]
