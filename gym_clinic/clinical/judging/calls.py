"""Calls as they are compared with the expected actions: names resolved, lists taken apart.

An expected action of a gold names the tool and the arguments that count, in these forms:

* ``order_lab`` {"test": "troponin"}: one for each test; ids of tests and panels.
* ``order_study`` {"study": "ecg"}: also for ``order_ecg``.
* ``give_medication`` {"drug": "aspirin", "route": "po"}: also for ``prescribe_medication``; ids of
  the ingredients joined by "+", short names of routes.
* ``perform_procedure``, ``consult_service``, ``activate_pathway``, ``examine_patient``: their
  canonical names.
* any other tool: its arguments as they are; texts without case and blanks at their ends.

Calls that failed are made, and match nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from gym_clinic.chart.catalogue import tests_of
from gym_clinic.chart.order_names import hyphenated, order_words
from gym_clinic.clinical.judging.seen import measured_alike
from gym_clinic.clinical.naming import find_action
from gym_clinic.episode import Call
from gym_clinic.facts import Facts
from gym_clinic.facts.named_drugs import plain_route
from gym_clinic.rewards.clinical import CallArguments, matched
from gym_clinic.simulate.clinic.examination.imaging import sees

Canonical = Callable[[str, Mapping[str, Any]], Iterable[CallArguments] | None]
"""A domain's own canonical form of a call; None for the shared one."""

ORDER, LAB = "order_study", "order_lab"

TOUCHING = frozenset({
    "activate_pathway", "consult_service", "discontinue_medication", "give_blood", "give_fluids",
    "give_medication", "give_oxygen", "obtain_consent", "order_lab", "order_study",
    "perform_procedure", "refer_patient", "start_monitoring",
})  # fmt: skip
"""Tools, in the canonical form of their calls, that touch the patient: orders, treatment, referral.
The others read, look up or note."""


def canonical_calls(
    facts: Facts, calls: Iterable[Call], own: Canonical | None = None
) -> list[CallArguments]:
    """Return calls in the form that is compared.

    Args:
        facts: The fact tables.
        calls: The calls that were made, failed ones included.
        own: The forms of a domain's own tools.
    """
    found: list[CallArguments] = []
    for call in calls:
        if not call.ok:
            found.append(("", {}))
            continue
        chosen = own(call.name, call.arguments) if own is not None else None
        found += canonical(facts, call.name, call.arguments) if chosen is None else chosen
    return found


def ordered_in_place(
    facts: Facts, calls: Iterable[CallArguments], expected: Sequence[CallArguments]
) -> list[CallArguments]:
    """Return calls in which a test stands for an expected one.

    An image stands for one that sees no more than it does, a single test for the panel that holds
    it, and any measurement of a substance for another of it, such as of glucose: which value is
    needed is asked by what must be read.
    """
    wanted = {given["study"] for name, given in expected if name == ORDER and "study" in given}
    panels = {given["test"] for name, given in expected if name == LAB and "test" in given}
    found: list[CallArguments] = []
    for name, given in calls:
        if name == LAB and given.get("test") not in panels:
            stands = (one for one in _stands_for(facts, given["test"]) if one in panels)
            given = {**given, "test": next(stands, given["test"])}
        study = given.get("study") if name == ORDER else None
        if wanted and study is not None and study not in wanted:
            shown = sees(study)
            study = next((one for one in sorted(wanted) if shown.get(one)), study)
            given = {**given, "study": study}
        found.append((name, given))
    return found


def _stands_for(facts: Facts, test: str) -> Iterator[str]:
    """Yield the panel that holds a single test, then single tests of what a test measures."""
    single = facts.measurements.get(test)
    if single is not None and single.panel is not None:
        yield single.panel
    for one in tests_of(facts).get(test, ()):
        yield from (key.partition(":")[2] for key in measured_alike(facts, one.id)[1:])


def undone(
    calls: Sequence[CallArguments], expected: Iterable[CallArguments]
) -> tuple[CallArguments, ...]:
    """Return the expected calls that were not made, each matched to a call of its own."""
    done, left = list[CallArguments](), list[CallArguments]()
    for one in expected:
        (done if matched(calls, [*done, one]) > len(done) else left).append(one)
    return tuple(left)


def canonical(facts: Facts, name: str, arguments: Mapping[str, Any]) -> list[CallArguments]:
    """Return the canonical form of a call of the tools over charts."""
    if name == "order_lab":
        rest = {"serial": arguments["serial"]} if arguments.get("serial") else {}
        named = arguments.get("tests", ())
        tests = (test for one in named for test in _tests_named(facts, one))
        return [(name, {"test": test, **rest}) for test in tests]
    if name == "order_ecg":
        return [("order_study", {"study": "ecg"})]
    if name in ("give_medication", "prescribe_medication"):
        drug = _named(facts, "drug", arguments.get("drug", ""))
        kept = {key: arguments[key] for key in ("dose", "unit") if key in arguments}
        route = plain_route(arguments.get("route"))
        return [("give_medication", {"drug": drug, "route": route, **kept})]
    field = _FIELDS.get(name)
    if field is not None and field[0] in arguments:
        resolved = _named(facts, field[1], arguments[field[0]])
        return [(name, {**_plain(arguments), field[0]: resolved})]
    return [(name, _plain(arguments))]


_FIELDS = {
    "order_study": ("study", "study"),
    "perform_procedure": ("procedure", "procedure"),
    "consult_service": ("service", "consult"),
    "activate_pathway": ("pathway", "pathway"),
}


def _tests_named(facts: Facts, name: Any) -> tuple[Any, ...]:
    several = order_words().several.get(hyphenated(name)) if isinstance(name, str) else None
    return several or (_named(facts, "lab", name),)


def _named(facts: Facts, kind: str, name: Any) -> Any:
    if not isinstance(name, str):
        return name
    action = find_action(facts, f"{kind}:{name}")
    return name.strip().casefold() if action is None else action.partition(":")[2]


def _plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value.strip().casefold() if isinstance(value, str) else value
        for key, value in arguments.items()
    }
