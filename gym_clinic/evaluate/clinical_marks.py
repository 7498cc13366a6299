"""Marks of the calls of clinical episodes: by what they read or did, not by how they are written.

The question "fever, cough or vomiting?" is as good as "fever?". A call of a clinical episode is
needed if it is the first to read something that the gold asks to be read, if it orders or gives
what the solution orders or gives, or if it waits for a result that is needed. A call of the
solution is missed if the episode did not read, or do, what it is there for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from gym_clinic.clinical import ClinicCase
from gym_clinic.clinical.judging.calls import TOUCHING, canonical
from gym_clinic.clinical.judging.seen import seen
from gym_clinic.domain import CallSpec, Domain
from gym_clinic.episode import Task
from gym_clinic.errors import ToolError
from gym_clinic.facts import Facts
from gym_clinic.frozen import thaw
from gym_clinic.rewards.process import signature
from gym_clinic.toolbox import Toolbox

WAIT = "wait"


def is_clinical(domain: Domain, task: Task) -> bool:
    """Return whether a task's gold says what must be read of a simulated chart."""
    return "read" in task.gold and isinstance(domain.open_case(task), ClinicCase)


def marks_by_meaning(
    domain: Domain, task: Task, calls: Sequence[Mapping[str, Any]], solution: Sequence[CallSpec]
) -> tuple[list[bool], list[CallSpec]]:
    """Return whether each call is needed, and the calls of the solution that were missed.

    Both are carried out again, each on a fresh chart of the task.

    Args:
        domain: A clinical domain.
        task: The task.
        calls: What was called: name, arguments, and whether it was answered ("ok").
        solution: The calls of the solution, without the one that gives the answer.
    """
    made = [(one["name"], thaw(one["arguments"])) for one in calls]
    answered = [bool(one["ok"]) for one in calls]
    read = _gains(domain, task, made, answered)
    wanted = _gains(domain, task, solution, [True] * len(solution))
    case = domain.open_case(task)
    assert isinstance(case, ClinicCase)
    facts = case.patient.facts
    waiting = {key for call in solution for key in _done(facts, *call)}
    needed = []
    for call, ok, gain in zip(made, answered, read, strict=True):
        done = waiting & set(_done(facts, *call)) if ok else set()
        waiting -= done
        needed.append(bool(gain or done))
    for number, (name, _) in enumerate(made):
        later = any(read[number + 1 :])
        needed[number] = needed[number] or (name == WAIT and answered[number] and later)
    known = frozenset().union(*read)
    missed = [
        call for call, gain in zip(solution, wanted, strict=True)
        if gain - known or waiting & set(_done(facts, *call))
    ]  # fmt: skip
    return needed, missed


def _gains(
    domain: Domain, task: Task, calls: Sequence[CallSpec], answered: Sequence[bool]
) -> list[frozenset[str]]:
    """The keys of the gold that each call was the first to read."""
    box, case, wanted = Toolbox(domain.tools), domain.open_case(task), _wanted(task)
    assert isinstance(case, ClinicCase)
    known = seen(case) & wanted
    found = []
    for (name, arguments), ok in zip(calls, answered, strict=True):
        tool = box.get(name)
        if ok and tool is not None and not tool.submits:
            case.writable = tool.writes
            with suppress(ToolError):  # what was said in between may have made it possible
                tool.call(thaw(arguments), case)
        now = seen(case) & wanted
        found.append(frozenset(now - known))
        known = now
    return found


def _wanted(task: Task) -> set[str]:
    """The keys that the gold, or one of its assertions, asks to be read, or to be cited."""
    keys = {*task.gold["read"], *(one["finding"] for one in task.gold.get("cite", ()))}
    for one in task.gold.get("assertions", ()):
        keys |= {*one.get("keys", ()), *([one["key"]] if "key" in one else [])}
    return keys


def _done(facts: Facts, name: str, arguments: Mapping[str, Any]) -> Iterator[Hashable]:
    """What a call orders or gives, without doses and details."""
    for tool, given in canonical(facts, name, arguments):
        if tool in TOUCHING:
            what = [given[key] for key in _WHAT if key in given]
            yield signature(tool, {"what": what[0] if what else ""})


_WHAT = ("test", "study", "drug", "procedure", "service", "pathway", "what", "fluid", "product")
"""Arguments that name what is ordered or given."""
