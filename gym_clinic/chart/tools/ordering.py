"""Tools that order and cancel tests, ask services, watch the patient, and let time pass."""

from __future__ import annotations

from typing import Any, Literal

from gym_clinic.chart import ordering
from gym_clinic.chart.catalogue import actions, find_among, find_drug, find_procedure, find_study
from gym_clinic.chart.encounter import Chart, minutes_of
from gym_clinic.chart.orders import Order
from gym_clinic.errors import ToolError
from gym_clinic.toolbox import Kind, tool

LONGEST_WAIT = 480
"""Minutes of one wait at most."""


def _placed(case: Chart, order: Order) -> dict[str, Any]:
    line = {"order_id": order.id, "order": order.name, "ordered": case.clock(order.ordered)}
    return {**line, "expected": case.clock(order.due)}


@tool(kind=Kind.WRITE)
def order_lab(
    case: Chart, tests: list[str], method: str | None = None, serial: bool = False
) -> dict[str, Any]:
    """Order laboratory tests from one sample; results come back after their time.

    What is no laboratory test is not ordered, and named with the tool that orders it.

    Args:
        tests: Tests and panels, such as "blood-count", "basic-metabolic-panel", "troponin".
        method: A method, such as "venous gas"; the usual one if left out.
        serial: Whether it repeats an earlier test on purpose.
    """
    known, refused = ordering.known_tests(case.patient.facts, tests)
    placed = [
        _placed(case, one) for one in ordering.order_tests(case, known, method, serial=serial)
    ]
    return {"orders": placed, "not ordered": refused} if refused else {"orders": placed}


@tool(kind=Kind.WRITE)
def order_study(case: Chart, study: str, reason: str | None = None) -> dict[str, Any]:
    """Order an image, a culture, an endoscopy or another study; the report comes back later.

    Args:
        study: Such as "chest-x-ray", "ct-head", "blood-culture".
        reason: Why, for the request.
    """
    return _placed(case, ordering.order_study(case, study, reason))


@tool(kind=Kind.WRITE)
def order_ecg(case: Chart) -> dict[str, Any]:
    """Order a 12-lead ECG."""
    return _placed(case, ordering.order_study(case, "ecg"))


@tool(kind=Kind.WRITE)
def start_monitoring(
    case: Chart,
    what: Literal["vital signs", "ecg", "glucose", "urine output", "neurological status"] = (
        "vital signs"
    ),
) -> dict[str, Any]:
    """Have the patient monitored from now on; vital signs are then on the trend every 15 minutes.

    Args:
        what: What is watched.
    """
    order = ordering.start_monitoring(case, what)
    return {"order_id": order.id, "order": order.name, "started": case.clock(order.done)}


@tool(kind=Kind.WRITE)
def consult_service(case: Chart, service: str, question: str) -> dict[str, Any]:
    """Ask another service to see the patient.

    Args:
        service: Such as "cardiology", "surgery", "psychiatry".
        question: What is asked.
    """
    return _placed(case, ordering.consult(case, service, question))


@tool(kind=Kind.WRITE)
def activate_pathway(case: Chart, pathway: str) -> dict[str, Any]:
    """Activate an emergency pathway.

    Args:
        pathway: "cath_lab", "pci_transfer", "stroke", "sepsis", "trauma", "massive_transfusion",
            "cardiac_arrest", "obstetric_emergency", "safeguarding" or "isolation".
    """
    name = find_among(pathway, actions().pathways, "pathway")
    case.spend(minutes_of("activate"))
    case.log("activate", pathway=name)
    return {"pathway": name, "activated": case.clock()}


@tool(kind=Kind.WRITE)
def obtain_consent(
    case: Chart, treatment: str, explained: list[str] | None = None
) -> dict[str, Any]:
    """Ask the patient, or who speaks for the patient, for consent to a procedure or medicine.

    Args:
        treatment: The procedure, the study that needs consent, or the medicine.
        explained: What was explained: benefit, risks, alternatives.
    """
    named = {"procedure": _procedure(case, treatment)}
    if not named["procedure"]:
        named = {"drug": treatment}
    case.spend(minutes_of("consent"), seen=True)
    case.log("consent", status="given", explained=explained, **named)
    return {"treatment": treatment, "consent": "given", "time": case.clock()}


def _procedure(case: Chart, treatment: str) -> str:
    """The procedure or study that is meant; empty if it is a medicine."""
    facts = case.patient.facts
    try:
        return find_procedure(facts, treatment)
    except ToolError as unknown:
        for find in (lambda: find_study(facts, treatment), lambda: find_drug(treatment)):
            try:
                found = find()
            except ToolError:
                continue
            return found if isinstance(found, str) else ""
        raise unknown from None


@tool(kind=Kind.WRITE)
def cancel_order(case: Chart, order: str, reason: str | None = None) -> dict[str, Any]:
    """Cancel an order before its result is back, or before it is given or begun.

    Args:
        order: Number of the order, or name of what was ordered.
        reason: Why.
    """
    cancelled = ordering.cancel_order(case, order, reason)
    return {"order_id": cancelled.id, "order": cancelled.name, "cancelled": case.clock()}


@tool(kind=Kind.WRITE)
def wait(case: Chart, minutes: int) -> dict[str, Any]:
    """Let time pass: results come back, treatment works, illness goes on.

    It lists what is back and was not read.

    Args:
        minutes: How long, from 1 to 480.
    """
    if not 1 <= minutes <= LONGEST_WAIT:
        raise ToolError(f"minutes is {minutes}; expected 1 to {LONGEST_WAIT}.")
    case.spend(minutes)
    back = [
        {"order_id": one.id, "order": one.name}
        for one in case.orders.values()
        if one.has_result(case.minute) and case.remembered(one.id) is None
    ]
    return {"time": case.clock(), "results_back": back or "none"}
