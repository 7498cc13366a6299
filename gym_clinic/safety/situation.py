"""A state made ready for judging: which orders stand, what is taken at home, what is on record.

What was done for another patient counts nowhere, but for the rule that is about it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from gym_clinic.facts.medicine_text import parse_medicine
from gym_clinic.facts.named_drugs import is_a, plain_route, resolve, resolve_class
from gym_clinic.safety.interactions import Graded, Medicine, interaction
from gym_clinic.safety.measures import measured
from gym_clinic.safety.state import Event, HomeMedicine, State
from gym_clinic.safety.terms import as_written, term, terms
from gym_clinic.safety.timeline import (
    CANCEL,
    GIVEN,
    NEVER,
    ORDERED,
    STOP,
    Timeline,
    drugs_of,
    undoes,
)


@dataclass(frozen=True)
class DrugOrder:
    """A drug that was ordered, or given without an order.

    Attributes:
        event: The event.
        name: The name as it was written.
        medicines: Its ingredients.
        given_at: Minute of the first dose; never where the state does not say that it was given.
    """

    event: Event
    name: str
    medicines: tuple[Medicine, ...]
    given_at: float = NEVER

    @property
    def t(self) -> float:
        """Minute of the order."""
        return float(self.event.t)

    def number(self, name: str) -> float | None:
        """Return a number of the order: of its arguments, or else as its name says it."""
        if self.event.args.get(name) is not None:
            return self.event.number(name)
        written = parse_medicine(self.name)
        if name == "per_day" and self.event.args.get("per_week") is None:
            return written.per_day
        return written.dose.value if name == "dose" and written.dose is not None else None

    def text(self, name: str) -> str | None:
        """Return a text of the order, as `number`; a unit in the name goes with a dose in it."""
        if self.event.args.get(name) is not None:
            return self.event.text(name)
        written = parse_medicine(self.name)
        if name == "indication":
            return written.indication
        if name == "unit" and self.event.args.get("dose") is None and written.dose is not None:
            return "/".join(filter(None, (written.dose.unit, *written.dose.per))) or None
        return None

    def is_a(self, *references: str) -> bool:
        """Return whether an ingredient is one of the drugs or classes."""
        return any(is_a(one.drug, ref) for one in self.medicines for ref in references)


@dataclass(frozen=True)
class HomeProduct:
    """A home medicine with the minute at which it was discontinued."""

    name: str
    medicines: tuple[Medicine, ...]
    stopped_at: float | None = None


Pair = tuple[DrugOrder, Medicine, DrugOrder | HomeProduct, Medicine]
"""A new order with a medicine beside it: each product with one of its ingredients."""


@lru_cache(maxsize=4096)
def _medicines_named(name: str, route: str | None) -> tuple[Medicine, ...]:
    """The ingredients of a drug, by the route of its order or else of its name."""
    found = resolve(name) or as_written(name)
    way = plain_route(route) or found.route
    return tuple(Medicine(drug, way, found.form) for drug in found.ingredients)


@lru_cache(maxsize=4096)
def _taken_at_home(name: str, route: str | None) -> HomeProduct:
    """A home medicine that goes on; by mouth where nobody said how."""
    medicines = (
        one if one.route else Medicine(one.drug, "po", one.form)
        for one in _medicines_named(name, route)
    )
    return HomeProduct(name, tuple(medicines))


class Situation:
    """What the rules look at.

    Attributes:
        state: The state.
        patient: The patient.
        comfort: Whether comfort is the only goal of care.
        foreign: The events that name another patient.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.patient = state.patient
        self._measured: dict[tuple[str, str], float | None] = {}
        self.conditions = frozenset(terms(state.patient.conditions or ()))
        self.comfort = term(str(state.patient.field("goals") or "")) == "comfort"
        named = [one for one in state.events if "patient_id" in one.args]
        self.foreign = [one for one in named if self.is_foreign(one)]
        own = [one for one in state.events if one not in self.foreign] if self.foreign else None
        self.timeline = Timeline(state.events if own is None else own)
        self.events = self.timeline.counting
        self.orders = list(self._orders())
        self.home = [self._home(one) for one in state.patient.active_meds]

    def is_foreign(self, event: Event) -> bool:
        """Return whether an event names another patient than the one who is treated."""
        named = event.args.get("patient_id")
        return named is not None and self.patient.id is not None and named != self.patient.id

    def stands_elsewhere(self, event: Event) -> bool:
        """Return whether an event for another patient counts, and does not undo such an event."""
        other = event.args["patient_id"]
        same = [one for one in self.state.events if one.args.get("patient_id") == other]
        undoing = event.tool == CANCEL and any(undoes(event, one) for one in same)
        return not undoing and event in Timeline(same).counting

    def refuses(self, order: DrugOrder) -> bool:
        """Return whether the patient refused a drug, or a class that it belongs to."""
        refused = self.patient.refused
        if term(order.name) in terms(refused):
            return True
        classes = {f"class:{found}" for name in refused if (found := resolve_class(name))}
        drugs = {drug for name in refused if (one := resolve(name)) for drug in one.ingredients}
        return order.is_a(*classes, *drugs)

    def _orders(self) -> Iterator[DrugOrder]:
        ordered: list[tuple[float, set[str]]] = []
        for event in self.events:
            if event.tool == ORDERED:
                ordered.append((float(event.t), drugs_of(event)))
        for event in self.events:
            given = event.tool in GIVEN and not any(
                t <= event.t and drugs & drugs_of(event) for t, drugs in ordered
            )
            if event.tool == ORDERED or given:
                name = event.text("drug") or ""
                medicines = _medicines_named(name, event.text("route"))
                yield DrugOrder(event, name, medicines, self.timeline.given_at(event))

    def _home(self, one: str | HomeMedicine) -> HomeProduct:
        name, route = (one, None) if isinstance(one, str) else (one.drug, one.route)
        product = _taken_at_home(name, route)
        if not (stops := self.calls.get(STOP)):
            return product
        drugs = {medicine.drug for medicine in product.medicines}
        times = [float(each.t) for each in stops if drugs_of(each) & drugs]
        return replace(product, stopped_at=min(times, default=None))

    @cached_property
    def active_home(self) -> list[HomeProduct]:
        """Home medicines that were not discontinued."""
        return [one for one in self.home if one.stopped_at is None]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Each new order with each medicine beside it; ingredients of one product are no pair."""
        found: list[Pair] = []
        for number, order in enumerate(self.orders):
            beside: list[DrugOrder | HomeProduct] = [*self.orders[:number]]
            for product in self.home:
                if product.stopped_at is None or order.given_at < product.stopped_at:
                    beside.append(product)
            for other in beside:
                found += [(order, a, other, b) for a in order.medicines for b in other.medicines]
        return found

    @cached_property
    def graded(self) -> list[tuple[Pair, Graded]]:
        """The pairs that interact in this patient, each with its grade."""
        grades = ((pair, interaction(pair[1], pair[3], self.patient)) for pair in self.pairs)
        return [(pair, grade) for pair, grade in grades if grade is not None]

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
        key = (kind, name)
        if key not in self._measured:
            self._measured[key] = measured(self.patient, kind, name)
        return self._measured[key]

    def having(self, *conditions: str) -> list[str]:
        """Return which of the conditions the patient has on record."""
        return [one for one in conditions if term(one) in self.conditions]

    def known(self, *conditions: str) -> float:
        """Return the minute from which on one of the conditions on record could be known."""
        there = self.having(*conditions)
        return min((self._known_from.get(term(one), 0.0) for one in there), default=0.0)

    @cached_property
    def _known_from(self) -> dict[str, float]:
        return {term(key): float(at) for key, at in self.patient.known_from.items()}

    def since(self, minute: float) -> Situation:
        """Return the situation with the orders alone that stand from a minute on.

        An order of before counts if its first dose is given later; one that was carried out before
        does not.
        """
        if minute <= 0:
            return self
        later = copy.copy(self)
        for name in ("pairs", "graded"):
            later.__dict__.pop(name, None)
        later.orders = [
            one for one in self.orders if one.t >= minute or minute <= one.given_at < NEVER
        ]
        return later

    def done(self, tool: str, **what: str) -> list[Event]:
        """Return the calls of a tool that count, with arguments of the given terms."""
        return [
            event
            for event in self.calls.get(tool, ())
            if all(term(event.text(key) or "") == term(value) for key, value in what.items())
        ]

    @cached_property
    def calls(self) -> dict[str, list[Event]]:
        """Tool -> its calls that count."""
        found: dict[str, list[Event]] = {}
        for event in self.events:
            found.setdefault(event.tool, []).append(event)
        return found

    def doses(self, *references: str) -> list[DrugOrder]:
        """Return the orders of drugs or classes."""
        return [order for order in self.orders if order.is_a(*references)]
