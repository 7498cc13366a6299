"""Marks of the calls of clinical episodes: by what they read or did, not by how they are written.

The question "fever, cough or vomiting?" is as good as "fever?". A call of a clinical episode is
needed if it is the first to read something that the gold asks to be read, if it is one of the
calls that the reward expects, if it orders or gives what the solution orders or gives, if it waits
for a result that is needed, or if it is the first to check kidneys or medicines of the patient (an
eGFR, a list of interactions). A call of the solution is missed if the episode did not read, or
do, what it is there for.
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
from gym_clinic.facts.named_drugs import resolve
from gym_clinic.frozen import thaw
from gym_clinic.rewards.clinical import CallArguments, matched
from gym_clinic.rewards.process import signature
from gym_clinic.toolbox import Toolbox

WAIT = "wait"

CHECKS = ("calculate_ckdepi", "calculate_cockcroft", "check_")
"""How calls begin that a careful clinician makes of what was read, whatever comes of it."""


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
    expected = [(one["name"], one["arguments"]) for one in task.gold.get("expected", ())]
    needed, forms, checks = [], list[CallArguments](), set[Hashable]()
    for call, ok, gain in zip(made, answered, read, strict=True):
        done = waiting & set(_done(facts, *call)) if ok else set()
        waiting -= done
        before = matched(forms, expected)
        forms += canonical(facts, *call) if ok else []
        checked = ok and signature(*call) not in checks and _checks_the_patient(case, *call)
        checks |= {signature(*call)} if checked else set()
        needed.append(bool(gain or done or checked) or matched(forms, expected) > before)
    for number, (name, _) in enumerate(made):
        later = any(read[number + 1 :])
        needed[number] = needed[number] or (name == WAIT and answered[number] and later)
    known = frozenset().union(*read)
    left = [one for one in expected if not matched(forms, [one])]
    missed = [
        call for call, gain in zip(solution, wanted, strict=True)
        if gain - known or waiting & set(_done(facts, *call))
        or matched(canonical(facts, *call), left)
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


def _checks_the_patient(case: ClinicCase, name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a call checks kidneys, or medicines that are taken, were taken or are proposed."""
    own = {one.drug for one in case.patient.medicines} | {one.what for one in case.patient.past}
    own.add(str(case.get("question", {}).get("drug", "")))
    given = [
        one for each in arguments.values() for one in (each if isinstance(each, list) else [each])
    ]
    named = [resolve(one) for one in given if isinstance(one, str)]
    drugs = {drug for one in named if one is not None for drug in one.ingredients}
    return name.startswith(CHECKS) and drugs <= own


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
