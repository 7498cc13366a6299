"""Questions to the arguments of an order: dose, route, frequency, rate, indication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gym_clinic.facts import load
from gym_clinic.facts.records.drugs import DoseLimit
from gym_clinic.safety.conditions import predicate
from gym_clinic.safety.evidence import Evidence, Found, found, spoken
from gym_clinic.safety.interactions import Medicine
from gym_clinic.safety.predicates.actions import first_time, said
from gym_clinic.safety.predicates.patient import in_range, said_range
from gym_clinic.safety.situation import DrugOrder, Situation
from gym_clinic.safety.terms import term, terms

_MG = {
    **dict.fromkeys(("mcg", "ug", "µg", "μg", "microgram", "micrograms"), 1e-3),
    **dict.fromkeys(("mg", "milligram", "milligrams"), 1.0),
    **dict.fromkeys(("g", "gm", "gram", "grams"), 1e3),
}
_A_DAY = {
    "min": 1440.0,
    "minute": 1440.0,
    "h": 24.0,
    "hr": 24.0,
    "hour": 24.0,
    "d": 1.0,
    "day": 1.0,
}
_MEASURED = 0.01
"""Share by which a dose may be above a limit for having been rounded."""

_INTERMITTENT = 3
"""Days a week up to which a drug is given intermittently."""


def dose_mg(order: DrugOrder, unit: str | None, weight: float | None) -> tuple[float, bool] | None:
    """Return the dose in mg, and whether it is an amount a day already; None if it is not known.

    Args:
        order: The order; its unit may be per kg, and per minute, hour or day.
        unit: The unit of an order without one.
        weight: Weight of the patient in kg.
    """
    dose = order.number("dose")
    parts = (order.text("unit") or unit or "").casefold().replace(" ", "").split("/")
    if dose is None or parts[0] not in _MG:
        return None
    amount, daily = dose * _MG[parts[0]], False
    for part in parts[1:]:
        if part == "kg" and weight:
            amount *= weight
        elif part in _A_DAY:
            amount, daily = amount * _A_DAY[part], True
        elif part != "dose":
            return None
    return amount, daily


def times_a_day(order: DrugOrder) -> float:
    """Return how often a drug is given on a day on which it is given; once if nothing is said."""
    a_week = order.number("per_week") or 0.0
    return order.number("per_day") or max(1.0, a_week / 7)


def daily_mg(order: DrugOrder, unit: str | None, weight: float | None) -> float | None:
    """Return the amount of a day on which the drug is given, in mg; None if it is not known."""
    found = dose_mg(order, unit, weight)
    if found is None:
        return None
    amount, daily = found
    return amount if daily else amount * times_a_day(order)


def weekly_mg(order: DrugOrder, weight: float | None) -> float | None:
    """Return the amount of a week in mg; None if it is not known."""
    found = dose_mg(order, "mg", weight)
    if found is None:
        return None
    amount, daily = found
    if daily:
        return amount * 7
    days = min(order.number("per_week") or 7.0, 7.0)
    return amount * days * times_a_day(order)


def dose_ratio(order: DrugOrder, one: Medicine, weight: float | None) -> float | None:
    """Return daily dose over the greatest one of an adult; None if either is not known."""
    record = load().drugs.get(one.drug)
    limit = _limit(record.max_daily_doses, one.form) if record else None
    if limit is None or len(order.medicines) > 1:  # a strength of a combination is not one dose
        return None
    if limit.unit == "mg/week":
        amount = weekly_mg(order, weight)
        return None if amount is None else amount / limit.maximum
    amount = daily_mg(order, limit.unit, weight)
    if amount is None:
        return None
    of_route = (most for route, most in limit.by_route.items() if route == one.route)
    maximum = next(of_route, limit.maximum)
    a_week = order.number("per_week")
    if limit.intermittent and a_week and a_week <= _INTERMITTENT:
        maximum = limit.intermittent
    return amount / (maximum * _MG[limit.unit])


def _limit(limits: Sequence[DoseLimit], form: str | None) -> DoseLimit | None:
    by_form = {one.form: one for one in limits}
    if form in by_form:
        return by_form[form]
    return by_form.get(None) or next(iter(limits), None)


@predicate(
    lambda **limits: f"the daily dose over the greatest one of an adult is {said_range(**limits)}",
    of_order=True,
)
def daily_dose_ratio(situation: Situation, order: DrugOrder, **limits: float) -> Found:
    """Daily dose over the adult maximum, after unit, route and schedule, is within limits."""
    evidence = []
    for one in order.medicines:
        ratio = dose_ratio(order, one, situation.patient.weight_kg)
        if ratio is not None and in_range(round(ratio, 6), **limits):
            evidence.append(Evidence(f"{ratio:.2g} times the adult maximum", order.t, one.drug))
    return tuple(evidence) or None


@predicate("the daily dose is above what the known kidney function leaves", of_order=True)
def dose_above_kidneys(situation: Situation, order: DrugOrder) -> Found:
    """Daily dose is above the greatest one at the known eGFR, which stands for the clearance."""
    egfr = situation.measured("labs", "egfr")
    if egfr is None or len(order.medicines) > 1:  # a strength of a combination is not one dose
        return None
    evidence = []
    for one in order.medicines:
        record = load().drugs.get(one.drug)
        most = record.most_by_kidneys(egfr, one.route) if record is not None else None
        amount = daily_mg(order, "mg", situation.patient.weight_kg)
        if most is not None and amount is not None and amount > most * (1 + _MEASURED):
            text = f"{amount:g} mg a day; at most {most:g} mg at an eGFR of {egfr:g}"
            evidence.append(Evidence(text, order.t, one.drug))
    return tuple(evidence) or None


@predicate(
    lambda limits, rounding: (
        "the daily dose per kg of body weight is above "
        + spoken([f"{limit:g} mg of {drug}" for drug, limit in limits.items()])
        + f", with {rounding:.0%} for rounding"
    ),
    of_order=True,
)
def daily_dose_per_kg(
    situation: Situation, order: DrugOrder, limits: Mapping[str, float], rounding: float
) -> Found:
    """Daily dose in mg per kg is above the limit of the drug."""
    weight = situation.patient.weight_kg
    evidence = []
    for drug, limit in limits.items():
        amount = daily_mg(order, "mg", weight) if order.is_a(drug) and weight else None
        if amount and weight and amount / weight > limit * (1 + rounding) + 1e-9:
            evidence.append(Evidence(f"{amount / weight:.0f} mg/kg a day", order.t, drug))
    return tuple(evidence) or None


@predicate(
    lambda days: f"it is not ordered by the week, or more than {days} times a week", of_order=True
)
def more_often_than_weekly(situation: Situation, order: DrugOrder, days: float) -> Found:
    """There is no number of doses a week, or one above the limit; advice says nothing of it."""
    if _is_advice(order):
        return None
    a_week = order.number("per_week")
    if a_week and a_week <= days:
        return None
    said_as = f"{a_week:g} doses a week" if a_week else "no weekly schedule"
    return (Evidence(said_as, order.t),)


@predicate(lambda one_of: f"the route is {spoken(one_of)}", of_order=True)
def route(situation: Situation, order: DrugOrder, one_of: Sequence[str]) -> Found:
    """The route, from the order or the name of the drug, is one of these."""
    return found(f"route {one.route}" for one in order.medicines[:1] if one.route in one_of)


@predicate(lambda one_of: f"the indication is {spoken(one_of)}", of_order=True)
def indication(situation: Situation, order: DrugOrder, one_of: Sequence[str]) -> Found:
    """The indication of the order is one of these."""
    given = order.text("indication")
    return found([f"indication {given}"] if given and term(given) in terms(one_of) else [])


@predicate("the dose is at most {value} mg", of_order=True)
def dose_at_most(situation: Situation, order: DrugOrder, value: float) -> Found:
    """The dose in mg is at most a value; one that is not given is."""
    if order.number("dose") is None:
        return ()
    amount = dose_mg(order, "mg", situation.patient.weight_kg)
    return () if amount is not None and amount[0] <= value else None


@predicate(lambda name: f"the order says: {spoken([name])}", of_order=True)
def argument(situation: Situation, order: DrugOrder, name: str) -> Found:
    """An argument of the order is true or holds something."""
    return found([spoken([name])] if order.event.args.get(name) else [])


@predicate(lambda name, above: f"the order's {spoken([name])} is above {above:g}", of_order=True)
def argument_above(situation: Situation, order: DrugOrder, name: str, above: float) -> Found:
    """A number of the order is above a limit."""
    value = order.number(name)
    return found([f"{spoken([name])} {value:g}"] if value is not None and value > above else [])


@predicate(
    lambda action, minutes: f"not done by {minutes:g} min after the order: {said([action])}",
    of_order=True,
)
def not_followed_by(situation: Situation, order: DrugOrder, action: str, minutes: float) -> Found:
    """An action was not done before the order or soon after it."""
    late = first_time(situation, [action]) > order.t + minutes
    return found([f"no {said([action])} by {order.t + minutes:g} min"] if late else [])


@predicate("dose, unit, route or frequency is missing", of_order=True)
def incomplete(situation: Situation, order: DrugOrder) -> Found:
    """The order lacks what a prescription needs; advice that names the drug alone is none."""
    if _is_advice(order):
        return None
    has = {
        "dose": bool(order.number("dose")),
        "unit": bool(order.text("unit")),
        "route": bool(order.medicines[0].route),
        "frequency": bool(order.number("per_day") or order.number("per_week")),
    }
    return found(f"no {name}" for name, there in has.items() if not there)


def _is_advice(order: DrugOrder) -> bool:
    """Whether a drug is advised by name alone, without a dose."""
    return order.event.args.get("advised") is True and order.number("dose") is None
