"""Orders on a chart: tests, studies, medicines, support, procedures, monitoring and consults.

Each takes its minutes, is noted for the judge of safety, and begins to act at its own time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gym_clinic.chart.catalogue import (
    Only,
    Price,
    actions,
    check_fits,
    find_among,
    find_drug,
    find_procedure,
    find_study,
    find_tests,
    parts_of_panels,
    procedure_price,
    study_entry,
    study_price,
    test_prices,
    tests_of,
)
from gym_clinic.chart.dosing import effects_of
from gym_clinic.chart.encounter import Chart, minutes_of
from gym_clinic.chart.orders import NEVER, Order
from gym_clinic.errors import ToolError
from gym_clinic.facts import Facts
from gym_clinic.facts.doses import SAME_AS
from gym_clinic.facts.named_drugs import plain_route
from gym_clinic.simulate.clinic.measurement import methods_of

ONLY_IN: Mapping[str, Only] = {"hcg": "female", "psa": "male"}
"""Test -> whom it is for."""

MOST_TESTS = 12
"""Tests of one order at most."""

BEDSIDE_COLLECTION = 1.0
"""Minutes until a measurement at the bedside is taken."""


def known_tests(facts: Facts, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of laboratory tests among some, and why each other is none.

    Raises:
        ToolError: If none is, or there are none or too many.
    """
    _check_number(names)
    known, refused = list[str](), list[str]()
    for name in names:
        try:
            find_tests(facts, name)
        except ToolError as error:
            refused.append(str(error))
        else:
            known.append(name)
    if refused and not known:
        raise ToolError(" ".join(refused))
    return known, refused


def order_tests(
    chart: Chart, names: Sequence[str], method: str | None = None, *, serial: bool = False
) -> list[Order]:
    """Order laboratory tests and panels, all from one sample.

    Args:
        chart: The chart.
        names: The tests.
        method: A method that one of them has.
        serial: Whether they repeat earlier tests on purpose.

    Raises:
        ToolError: If a name is unknown, or there are none or too many.
    """
    facts = chart.patient.facts
    _check_number(names)
    tests = _apart(facts, [test for name in names for test in find_tests(facts, name)])
    for test in tests:
        check_fits(chart.patient, ONLY_IN.get(test), test)
    if method is not None:
        known = {way for test in tests for one in tests_of(facts)[test] for way in methods_of(one)}
        if method not in known:
            raise ToolError(f"No method '{method[:60]}' for these tests; known: {sorted(known)}.")
    chart.spend(minutes_of("order"))
    repeat = len({one.ordered for one in chart.orders.values() if one.ordered == chart.minute})
    placed = []
    for test in tests:
        measured = tests_of(facts)[test]
        price = test_prices(facts)[test]
        bedside = all(one.kind in ("vital", "other") for one in measured)
        taken = chart.minute + (BEDSIDE_COLLECTION if bedside else actions().collection)
        order = chart.place(
            "laboratory",
            test,
            test,
            done=taken,
            due=taken + price.minutes,
            details={} if method is None else {"method": method},
            cost=price.cost,
            discomfort=price.discomfort,
            repeat=repeat,
        )
        chart.log("order_test", test=test, order_id=order.id, serial=serial or None)
        placed.append(order)
    return placed


def _check_number(names: Sequence[str]) -> None:
    if not 0 < len(names) <= MOST_TESTS:
        raise ToolError(f"order_lab takes 1 to {MOST_TESTS} tests, got {len(names)}.")


def _apart(facts: Facts, tests: Sequence[str]) -> list[str]:
    """The tests, each once, without single tests that a panel among them holds."""
    panels = parts_of_panels(facts)
    held = {part for test in tests for part in panels.get(test, ())}
    return [one for one in dict.fromkeys(tests) if one not in held]


def order_study(chart: Chart, name: str, reason: str | None = None) -> Order:
    """Order an ECG, an image, a culture or another study.

    Raises:
        ToolError: If it is unknown or cannot be done in this patient.
    """
    study = find_study(chart.patient.facts, name)
    check_fits(chart.patient, study_entry(study).only, study)
    price = study_price(study)
    chart.spend(minutes_of("order"))
    begun = actions().performed * price.minutes if price.start is None else price.start
    order = chart.place(
        "study",
        study,
        study,
        done=chart.minute + begun,
        due=chart.minute + price.minutes,
        details={} if reason is None else {"reason": reason},
        cost=price.cost,
        discomfort=price.discomfort,
    )
    chart.log("order_test", test=study, order_id=order.id)
    if price.invasive:
        chart.log("procedure", name=study, invasive=True, order_id=order.id)
    return order


def give_medicine(
    chart: Chart,
    drug: str,
    dose: float,
    unit: str,
    route: str,
    *,
    per_day: float | None = None,
    indication: str | None = None,
    home: bool = False,
) -> Order:
    """Order a medicine; the first dose is given in minutes unless it is for home.

    A dose too small to act, or a route by which the drug does not work, is given and does nothing
    (:mod:`.dosing`).

    Raises:
        ToolError: If drug, unit or route are unknown, the dose is not above 0, or the patient
            cannot swallow.
    """
    named = find_drug(drug)
    plain = plain_route(route) or ""
    way = plain if plain in actions().routes else SAME_AS.get(plain, plain)
    if way not in actions().routes:
        way = find_among(route, actions().routes, "route")
    if dose <= 0:
        raise ToolError(f"The dose is {dose:g} {unit}; expected a number above 0.")
    does = () if home else effects_of(chart, named.ingredients, dose, unit, way)
    if home:
        chart.spend(minutes_of("order"))
    else:
        chart.work(minutes_of("order"))
    given = NEVER if home else chart.minute + actions().routes[way]
    order = chart.place(
        "prescription" if home else "medicine",
        "+".join(named.ingredients),
        drug.strip()[:80],
        done=given,
        does=does,
        details={"dose": dose, "unit": unit, "route": way, "per_day": per_day or 1.0},
        cost=actions().medicine_cost,
    )
    chart.log(
        "prescribe",
        drug=drug,
        dose=dose,
        unit=unit,
        per_day=per_day or 1,
        route=way,
        indication=indication,
        order_id=order.id,
    )
    return order


def give_support(
    chart: Chart, kind: str, drug: str, name: str, dose: float, unit: str, route: str
) -> Order:
    """Give oxygen, fluids or blood.

    Args:
        chart: The chart.
        kind: "oxygen", "fluids" or "blood".
        drug: What it is for the judge of safety, such as "saline".
        name: What it is called on lists.
        dose: How much.
        unit: Its unit, such as "mL".
        route: Such as "iv".
    """
    price = actions().support[kind]
    chart.work(minutes_of("order"))
    details = {"drug": drug, "dose": dose, "unit": unit, "route": route}
    order = chart.place(
        "support",
        kind,
        name,
        done=chart.minute + price.minutes,
        does=(kind,) if dose >= price.least_per_kg * chart.patient.person.weight_kg else (),
        details=details,
        cost=price.cost,
        discomfort=0 if kind == "oxygen" else 1,
    )
    chart.log("prescribe", order_id=order.id, per_day=1, **details)
    return order


def do_procedure(
    chart: Chart, name: str, side: str | None = None, emergency: bool = False
) -> Order:
    """Start a procedure.

    Raises:
        ToolError: If it is unknown.
    """
    procedure = find_procedure(chart.patient.facts, name)
    price: Price = procedure_price(procedure)
    chart.work(price.minutes)
    order = chart.place(
        "procedure",
        procedure,
        procedure,
        done=chart.minute + (price.start or 0.0),
        does=(f"procedure:{procedure}",),
        details={} if side is None else {"side": side},
        cost=price.cost,
        discomfort=price.discomfort,
    )
    chart.log(
        "procedure",
        name=procedure,
        side=side,
        invasive=price.invasive or None,
        emergency_exception=emergency or None,
        order_id=order.id,
    )
    return order


def start_monitoring(chart: Chart, what: str) -> Order:
    """Let vital signs be measured at intervals from now on, or something else be watched."""
    chart.spend(minutes_of("order"), seen=True)
    order = chart.place("monitoring", what, f"monitoring of {what}", done=chart.minute, cost=30.0)
    chart.log("monitor", test=what, order_id=order.id)
    return order


def consult(chart: Chart, service: str, question: str) -> Order:
    """Ask a service; it answers later.

    Raises:
        ToolError: If there is no such service.
    """
    name = find_among(service, actions().consult.services, "service")
    chart.spend(minutes_of("consult"))
    due = chart.minute + actions().consult.minutes
    details = {"question": question[:500]}
    order = chart.place("consult", name, name, done=due, due=due, details=details, cost=150.0)
    chart.log("consult", service=name, order_id=order.id)
    return order


def cancel_order(chart: Chart, name: str, reason: str | None = None) -> Order:
    """Cancel an order in time: before its result is back, or before it is given or begun.

    Raises:
        ToolError: If there is no such order, or it is too late.
    """
    order = chart.find_order(name)
    if order.cancelled is not None:
        raise ToolError(f"Order {order.id} was cancelled at {chart.clock(order.cancelled)}.")
    minutes = minutes_of("cancel")
    if not order.can_be_cancelled(chart.minute + minutes):
        raise ToolError(
            f"Too late to cancel {order.id} ({order.name}): {order.status(chart.minute)} since "
            f"{chart.clock(order.due if order.has_result(chart.minute) else order.done)}."
        )
    chart.spend(minutes)
    cancelled = chart.cancel(order)
    key = {"laboratory": "test", "study": "test", "procedure": "name", "consult": "service"}
    named = {key.get(order.kind, "drug"): order.name}
    chart.log("cancel_order", order_id=order.id, reason=reason, **named)
    return cancelled


def discontinue(chart: Chart, drug: str, reason: str | None = None) -> str:
    """Stop a medicine: one taken at home, or one ordered here. What was given stays given.

    Raises:
        ToolError: If the patient takes or has been ordered no such medicine.
    """
    wanted = set(find_drug(drug).ingredients)
    home = [one.drug for one in chart.patient.medicines if one.drug in wanted]
    ordered = [
        one
        for one in chart.orders.values()
        if one.kind in ("medicine", "prescription")
        and one.cancelled is None
        and wanted & set(one.what.split("+"))
    ]
    if not home and not ordered:
        names = [chart.patient.facts.drugs[one.drug].name for one in chart.patient.medicines]
        raise ToolError(f"'{drug[:60]}' is not among the medicines: {', '.join(names) or 'none'}.")
    chart.spend(minutes_of("order"))
    stopped = chart.edit("discontinued")
    for name in home or sorted(wanted):
        stopped.setdefault(name, chart.minute)
    for one in ordered:
        if one.can_be_cancelled(chart.minute):
            chart.cancel(one)
    chart.log("discontinue", drug=drug, reason=reason)
    return ", ".join(home or [one.name for one in ordered])
