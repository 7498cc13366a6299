"""What of a state could not be judged: unknown names, values of a wrong type, values missing.

Unknown counts as unknown, never as harmless: what is listed here may hide a violation.
"""

from __future__ import annotations

from collections.abc import Iterator

from gym_clinic.facts.medicine_words import medicine_words, parse_route
from gym_clinic.facts.named_drugs import did_you_mean, is_no_allergy, resolve, resolve_allergen
from gym_clinic.safety.situation import DrugOrder, Situation
from gym_clinic.safety.state import HomeMedicine
from gym_clinic.safety.timeline import CANCEL, STOP

_NUMBERS = ("dose", "per_day", "per_week", "rate_meq_h", "start_delay_days")


def unjudged(situation: Situation) -> Iterator[str]:
    """Yield what could not be judged in a situation, each in words."""
    yield from _medicines(situation)
    for event in situation.events:
        for name in _NUMBERS:
            if event.args.get(name) is not None and event.number(name) is None:
                yield f"{event.tool}: {name} {event.args[name]!r:.40} is no number"
    for allergy in situation.patient.allergies:
        substance = allergy.substance
        if not resolve_allergen(substance) and not is_no_allergy(substance):
            yield _named("allergy", "substance", substance)


def _medicines(situation: Situation) -> Iterator[str]:
    """Yield the drugs, routes and units that are not known."""
    for order in situation.orders:
        yield from _drug("order", order.name)
        yield from _route("order", order.name, order.event.args.get("route"))
        yield from _unit(order)
    for home, product in zip(situation.patient.active_meds, situation.home, strict=True):
        yield from _drug("home", product.name)
        if isinstance(home, HomeMedicine):
            yield from _route("home", product.name, home.route)
    for name in situation.patient.stopped_days:
        yield from _drug("stopped", name)
    for event in situation.events:
        stopped = event.text("drug")
        if event.tool in (STOP, CANCEL) and stopped:
            yield from _drug(event.tool, stopped)


def _drug(where: str, name: str) -> Iterator[str]:
    if resolve(name) is None:
        yield _named(where, "drug", name)


def _named(where: str, what: str, name: str) -> str:
    hint = did_you_mean(name)
    return f"{where}: unknown {what} {name!r}" + (f"; {hint}" if hint else "")


def _route(where: str, drug: str, route: object) -> Iterator[str]:
    if isinstance(route, str) and route.strip() and parse_route(route).name is None:
        yield f"{where}: unknown route {route!r} of {drug!r}"
    elif route is not None and not isinstance(route, str):
        yield f"{where}: route {route!r:.40} of {drug!r} is no text"


def _unit(order: DrugOrder) -> Iterator[str]:
    """Yield a unit that is none; one that is no mass is known, and compared with no limit."""
    unit = order.text("unit") or ""
    parts = unit.casefold().replace(" ", "").split("/")
    if unit and not {*parts} <= medicine_words().units.keys() | {"dose"}:
        yield f"order: unknown unit {unit!r} of {order.name!r}"
