"""A state made ready for judging: what counts, which orders stand, what is taken at home.

An event does not count if its call failed, if it was cancelled in time, or if it was for another
patient. An order is cancelled in time by a ``cancel_order`` that names its drug, test, procedure,
service or pathway (or its ``order_id``), or by a ``discontinue`` of its drug, unless it was given,
or its result was read, before that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from gym_clinic.safety.drug_names import (
    as_written,
    is_a,
    plain_route,
    resolve,
    resolve_allergen,
    resolve_class,
)
from gym_clinic.safety.interactions import Medicine
from gym_clinic.safety.measures import measured
from gym_clinic.safety.state import Event, HomeMedicine, State
from gym_clinic.safety.terms import term, terms

NEVER = math.inf

ORDERED, GIVEN = "prescribe", ("administer", "administer_medication", "give")
"""Tools that order a drug, and that give one."""

_UNDONE = {
    "canceled", "cancelled", "declined", "denied", "discontinued", "error", "failed", "rejected",
    "revoked", "voided", "withdrawn",
}  # fmt: skip
_DONE = {"administered", "completed", "done", "given", "performed", "resulted"}

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

_NUMBERS = ("dose", "per_day", "per_week", "rate_meq_h", "start_delay_days")


@dataclass(frozen=True)
class Order:
    """A drug that was ordered, or given without an order.

    Attributes:
        event: The event.
        name: The name as it was written.
        medicines: Its ingredients.
        given_at: Minute of the first dose; None where the state does not say that it was given.
    """

    event: Event
    name: str
    medicines: tuple[Medicine, ...]
    given_at: float | None = None

    @property
    def t(self) -> float:
        """Minute of the order."""
        return float(self.event.t)

    def is_a(self, *references: str) -> bool:
        """Return whether an ingredient is one of the drugs or classes."""
        return any(is_a(one.drug, ref) for one in self.medicines for ref in references)


@dataclass(frozen=True)
class HomeProduct:
    """A home medicine with the minute at which it was discontinued."""

    name: str
    medicines: tuple[Medicine, ...]
    stopped_at: float | None = None


class Situation:
    """What the rules look at.

    Attributes:
        state: The state.
        patient: The patient.
        unresolved: What could not be judged: unknown names of drugs, values of a wrong type.
        comfort: Whether comfort is the only goal of care.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.patient = state.patient
        self.unresolved: list[str] = []
        self.conditions = frozenset(terms(state.patient.conditions or ()))
        self.comfort = term(str(state.patient.field("goals") or "")) == "comfort"
        self.events = [one for one in sorted(state.events, key=_time) if self._counts(one)]
        self.orders = list(self._orders())
        self.home = [self._home(one) for one in state.patient.active_meds]
        self._check_arguments()

    def _counts(self, event: Event) -> bool:
        if term(event.status or "") in _UNDONE or self.is_foreign(event):
            return False
        return (
            event.tool in GIVEN
            or not any(
                _undoes(other, event) for other in self.state.events if not self.is_foreign(other)
            )
            or self._done_before_undone(event)
        )

    def is_foreign(self, event: Event) -> bool:
        """Return whether an event names another patient than the one who is treated."""
        named = event.args.get("patient_id")
        return named is not None and self.patient.id is not None and named != self.patient.id

    def stands_elsewhere(self, event: Event) -> bool:
        """Return whether an event for another patient was made and not undone in time."""
        if term(event.status or "") in _UNDONE:
            return False
        others = [one for one in self.state.events if self.is_foreign(one) and one is not event]
        same = [one for one in others if one.args["patient_id"] == event.args["patient_id"]]
        undoing = event.tool == "cancel_order" and any(_undoes(event, one) for one in same)
        return not undoing and not any(_undoes(one, event) for one in same)

    def refuses(self, order: Order) -> bool:
        """Return whether the patient refused a drug, or a class that it belongs to."""
        refused = self.patient.refused
        if term(order.name) in terms(refused):
            return True
        classes = {f"class:{found}" for name in refused if (found := resolve_class(name))}
        drugs = {drug for name in refused if (one := resolve(name)) for drug in one.ingredients}
        return order.is_a(*classes, *drugs)

    def _done_before_undone(self, event: Event) -> bool:
        undone = min(one.t for one in self.state.events if _undoes(one, event))
        done = self._given_at(event)
        if event.tool == "order_test":
            named = term(event.text("test") or "")
            done = min(
                (
                    float(one.t)
                    for one in self.state.events
                    if one.tool == "get_result"
                    and one.t >= event.t
                    and term(one.text("test") or "") == named
                ),
                default=None,
            )
        return done is not None and done < undone

    def _given_at(self, event: Event) -> float | None:
        if event.tool in GIVEN or term(event.status or "") in _DONE:
            return float(event.t)
        drugs = _drugs(event)
        return (
            min(
                (
                    float(one.t)
                    for one in self.state.events
                    if one.tool in GIVEN
                    and one.t >= event.t
                    and _drugs(one) & drugs
                    and term(one.status or "") not in _UNDONE
                ),
                default=None,
            )
            if event.tool == ORDERED
            else None
        )

    def _orders(self) -> Iterator[Order]:
        ordered: list[tuple[float, set[str]]] = []
        for event in self.events:
            if event.tool == ORDERED:
                ordered.append((float(event.t), _drugs(event)))
        for event in self.events:
            given = event.tool in GIVEN and not any(
                t <= event.t and drugs & _drugs(event) for t, drugs in ordered
            )
            if event.tool == ORDERED or given:
                name = event.text("drug") or ""
                medicines = self._medicines(name, event.text("route"), "order")
                yield Order(event, name, medicines, self._given_at(event))

    def _medicines(self, name: str, route: str | None, where: str) -> tuple[Medicine, ...]:
        found = resolve(name)
        if found is None:
            self.unresolved.append(f"{where}: unknown drug {name!r}")
            found = as_written(name)
        way = plain_route(route) or found.route
        return tuple(Medicine(drug, way, found.form) for drug in found.ingredients)

    def _home(self, one: str | HomeMedicine) -> HomeProduct:
        name = one if isinstance(one, str) else one.drug
        medicines = self._medicines(name, None if isinstance(one, str) else one.route, "home")
        medicines = tuple(
            medicine if medicine.route else Medicine(medicine.drug, "po", medicine.form)
            for medicine in medicines
        )
        drugs = {medicine.drug for medicine in medicines}
        stops = [float(e.t) for e in self.events if e.tool == "discontinue" and _drugs(e) & drugs]
        return HomeProduct(name, medicines, min(stops, default=None))

    def _check_arguments(self) -> None:
        for event in self.events:
            for name in _NUMBERS:
                if event.args.get(name) is not None and event.number(name) is None:
                    value = f"{event.args[name]!r:.40}"
                    self.unresolved.append(f"{event.tool}: {name} {value} is no number")
        for one in self.patient.allergies:
            if not resolve_allergen(one.substance):
                self.unresolved.append(f"allergy: unknown substance {one.substance!r}")
        for name in self.patient.stopped_days:
            if resolve(name) is None:
                self.unresolved.append(f"stopped: unknown drug {name!r}")

    @cached_property
    def active_home(self) -> list[HomeProduct]:
        """Home medicines that were not discontinued."""
        return [one for one in self.home if one.stopped_at is None]

    @cached_property
    def pairs(self) -> list[tuple[Order, Medicine, Order | HomeProduct, Medicine]]:
        """Each new order with each medicine beside it; ingredients of one product are no pair."""
        found: list[tuple[Order, Medicine, Order | HomeProduct, Medicine]] = []
        for number, order in enumerate(self.orders):
            beside: list[Order | HomeProduct] = [*self.orders[:number]]
            for product in self.home:
                given, stopped = order.given_at, product.stopped_at
                if stopped is None or (given is not None and given < stopped):
                    beside.append(product)
            for other in beside:
                found += [(order, a, other, b) for a in order.medicines for b in other.medicines]
        return found

    @cached_property
    def stopped(self) -> list[tuple[Medicine, float]]:
        """Drugs that were stopped, with the days since: before the encounter, or during it."""
        found = [
            (Medicine(drug), float(days))
            for name, days in self.patient.stopped_days.items()
            for drug in (resolve(name) or as_written(name)).ingredients
        ]
        for product in self.home:
            if product.stopped_at is not None:
                found += [(medicine, 0.0) for medicine in product.medicines]
        return found

    def measured(self, kind: str, name: str) -> float | None:
        """Return a laboratory value (kind "labs") or a vital sign ("vitals"); None if unknown."""
        return measured(self.patient, kind, name)

    def having(self, *conditions: str) -> list[str]:
        """Return which of the conditions the patient has on record."""
        return [one for one in conditions if term(one) in self.conditions]

    def done(self, tool: str, **what: str) -> list[Event]:
        """Return the calls of a tool that count, with arguments of the given terms."""
        return [
            event
            for event in self.events
            if event.tool == tool
            and all(term(event.text(key) or "") == term(value) for key, value in what.items())
        ]

    def doses(self, *references: str) -> list[Order]:
        """Return the orders of drugs or classes."""
        return [order for order in self.orders if order.is_a(*references)]


def _time(event: Event) -> float:
    return float(event.t)


def _drugs(event: Event) -> set[str]:
    name = event.text("drug")
    return set() if not name else set((resolve(name) or as_written(name)).ingredients)


def _undoes(undo: Event, event: Event) -> bool:
    """Return whether one event cancels another that came before it, or at the same minute."""
    if term(undo.status or "") in _UNDONE or undo.t < event.t:
        return False
    if undo.tool == "discontinue":
        earlier = undo.t > event.t  # at one minute the old order is stopped and the new one stands
        return event.tool == ORDERED and earlier and bool(_drugs(undo) & _drugs(event))
    if undo.tool != "cancel_order" or event.tool in ("cancel_order", "discontinue"):
        return False
    if (number := undo.args.get("order_id")) is not None:
        return bool(number == event.args.get("order_id"))
    if event.tool == ORDERED:
        return bool(_drugs(undo) & _drugs(event))
    if event.tool in ("get_result", "monitor", "acknowledge_result"):
        return False
    key = KEYS.get(event.tool)
    if key is None:
        return False
    named = {undo.text(one) for one in (key, "procedure" if key == "name" else key)} - {None}
    return term(event.text(key) or "") in terms(named)


def first(times: Iterable[float]) -> float:
    """Return the earliest of times; never if there are none."""
    return min(times, default=NEVER)
