"""The events of one patient in time: what counts, what was cancelled, what was given.

An event does not count if its call failed, or if it was cancelled in time: by a ``cancel_order``
that names its drug, test, procedure, service or pathway (or its ``order_id``), or by a
``discontinue`` of its drug, unless it was given, or its result was read, before that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from gym_clinic.facts.named_drugs import resolve
from gym_clinic.safety.state import Event
from gym_clinic.safety.terms import as_written, term, terms

NEVER = math.inf

ORDERED, GIVEN = "prescribe", ("administer", "administer_medication", "give")
"""Tools that order a drug, and that give one."""

CANCEL, STOP = "cancel_order", "discontinue"

KEYS = {
    "order_test": "test",
    "get_result": "test",
    "procedure": "name",
    "consult": "service",
    "activate": "pathway",
    "monitor": "test",
    "acknowledge_result": "result_id",
}
"""Tool -> the argument that names what it is about."""

_CANCELLED_BY_NAME = ("order_test", "procedure", "consult", "activate")
_UNDONE = {
    "canceled", "cancelled", "declined", "denied", "discontinued", "error", "failed", "rejected",
    "revoked", "voided", "withdrawn",
}  # fmt: skip
_DONE = {"administered", "completed", "done", "given", "performed", "resulted"}


def first(times: Iterable[float]) -> float:
    """Return the earliest of times; never if there are none."""
    return min(times, default=NEVER)


def drugs_of(event: Event) -> set[str]:
    """Return the ids of the drugs that an event names."""
    name = event.text("drug")
    return set() if not name else set((resolve(name) or as_written(name)).ingredients)


class Timeline:
    """The events of one patient.

    Args:
        events: The events, in any order.

    Attributes:
        counting: Those that count, by time.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        called = [one for one in events if term(one.status or "") not in _UNDONE]
        self._undoing = [one for one in called if one.tool in (CANCEL, STOP)]
        self._given = [one for one in called if one.tool in GIVEN]
        self._read = [one for one in called if one.tool == "get_result"]
        standing = filter(self._stands, called) if self._undoing else called
        self.counting = sorted(standing, key=lambda one: float(one.t))

    def _stands(self, event: Event) -> bool:
        undone = first(float(one.t) for one in self._undoing if undoes(one, event))
        if undone == NEVER:
            return True
        return min(self.given_at(event), self._read_at(event)) < undone

    def given_at(self, event: Event) -> float:
        """Return the minute at which an order was given or done; never if nothing says so."""
        if event.tool in GIVEN or term(event.status or "") in _DONE:
            return float(event.t)
        if event.tool != ORDERED:
            return NEVER
        drugs = drugs_of(event)
        return first(
            float(one.t) for one in self._given if one.t >= event.t and drugs_of(one) & drugs
        )

    def _read_at(self, event: Event) -> float:
        if event.tool != "order_test":
            return NEVER
        named = term(event.text("test") or "")
        return first(
            float(one.t)
            for one in self._read
            if one.t >= event.t and term(one.text("test") or "") == named
        )


def undoes(undo: Event, event: Event) -> bool:
    """Return whether one event cancels another that came before it, or at the same minute."""
    if undo.t < event.t:
        return False
    if undo.tool == STOP:
        earlier = undo.t > event.t  # at one minute the old order is stopped and the new one stands
        return event.tool == ORDERED and earlier and bool(drugs_of(undo) & drugs_of(event))
    if undo.tool != CANCEL:
        return False
    if (number := undo.args.get("order_id")) is not None:
        return bool(number == event.args.get("order_id")) and event.tool not in (CANCEL, STOP)
    if event.tool == ORDERED:
        return bool(drugs_of(undo) & drugs_of(event))
    if event.tool not in _CANCELLED_BY_NAME:
        return False
    key = KEYS[event.tool]
    named = {undo.text(key), undo.text("procedure") if key == "name" else None} - {None}
    return term(event.text(key) or "") in terms(named)
