"""What comes back of orders, and vital signs over time.

A sample is measured from the state at its collection, under what was given by then. Results are
computed when they are first read, and are the same however late that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gym_clinic.chart.catalogue import actions, tests_of
from gym_clinic.chart.encounter import Chart
from gym_clinic.chart.orders import Order
from gym_clinic.chart.reports import rate_of, study_report
from gym_clinic.facts.records.conditions import Measurement
from gym_clinic.frozen import Frozen, freeze
from gym_clinic.simulate.clinic import Reading, Sample
from gym_clinic.simulate.clinic.measurement import methods_of
from gym_clinic.simulate.clinic.physiology.body import reference
from gym_clinic.simulate.clinic.problems import SEEN_CLOUDED

VITALS = ("hr", "sbp", "dbp", "map", "rr", "spo2", "temp_c", "gcs", "pain", "crt_s")
"""The vital signs, in the order of a chart."""


def result_of(chart: Chart, order: Order) -> Frozen | None:
    """Return the result of an order; None while there is none.

    Returns:
        ``order_id``, ``name``, ``collected`` and ``reported`` (times of day), and ``values`` of a
        laboratory order or ``report`` of another.
    """
    if not order.has_result(chart.minute):
        return None
    known = chart.remembered(order.id)
    if known is not None:
        return known
    head = {
        "order_id": order.id,
        "name": order.name,
        "collected": chart.clock(order.done),
        "reported": chart.clock(order.due),
    }
    given = chart.given(order.done)
    key = (order.kind, order.what, order.done, order.repeat, order.details.get("method"),
           tuple(sorted(given.items())))  # fmt: skip
    if order.kind == "study":
        report = chart.computed(
            key, lambda: study_report(chart.patient, order.what, order.done, given)
        )
        return chart.remember(order.id, {**head, "report": report})
    if order.kind == "consult":
        answer = f"The team of {order.name} has read the question and will see the patient."
        return chart.remember(order.id, {**head, "report": answer})
    values = chart.computed(key, lambda: _values(chart, order, given))
    return chart.remember(order.id, {**head, "values": values})


def _values(chart: Chart, order: Order, given: Mapping[str, float]) -> Any:
    sample = Sample(chart.patient, order.done, given, repeat=order.repeat)
    readings = _readings(chart, sample, tests_of(chart.patient.facts)[order.what], order)
    return freeze([_line(chart, one) for one in readings])


def _readings(
    chart: Chart, sample: Sample, measured: Iterable[Measurement], order: Order
) -> Iterator[Reading]:
    gas = actions().gases.get(order.what)
    method = order.details.get("method") if gas is None else gas.method
    for one in measured:
        if chart.patient.person.age >= one.from_age:
            yield sample.reading(one.id, method if method in methods_of(one) else None)


def _line(chart: Chart, reading: Reading) -> dict[str, Any]:
    """A value as a laboratory reports it."""
    person, one = chart.patient.person, chart.patient.facts.measurements[reading.measurement]
    limits = reference(one, *person.measured_by)
    line: dict[str, Any] = {"test": reading.measurement, "name": one.name}
    line |= {"value": whole(reading.value, one.decimals), "unit": one.unit}
    if limits is not None:
        if limits.low is not None and reading.value < limits.low:
            line["flag"] = "L"
        elif limits.high is not None and reading.value > limits.high:
            line["flag"] = "H"
        low = "" if limits.low is None else f"{limits.low:g}"
        high = "" if limits.high is None else f"{limits.high:g}"
        line["reference"] = f"{low}-{high}" if low and high else f">={low}" if low else f"<={high}"
    if reading.comment is not None:
        line["comment"] = reading.comment
    return line


def whole(value: float, decimals: int) -> float | int:
    """Return a value as a whole number where it is reported without decimals."""
    return value if decimals else int(value)


def read_result(chart: Chart, order: Order, *, again: bool = True) -> Frozen | None:
    """Return a result and remember that the agent has been shown it; as `result_of`.

    Args:
        chart: The chart.
        order: The order.
        again: Whether reading it another time is noted for the judge of safety.
    """
    result = result_of(chart, order)
    if result is not None:
        for line in result.get("values", ()):
            chart.show(line["test"], line["value"])
        rate = rate_of(result["report"]) if order.what == "ecg" else None
        if rate is not None:
            chart.show("hr", rate)
        if again or not was_read(chart, order):
            chart.log("get_result", test=order.what, order_id=order.id)
    return result


def was_read(chart: Chart, order: Order) -> bool:
    """Return whether the agent has been shown the result of an order."""
    noted = {"test": order.what, "order_id": order.id}
    return any(one["tool"] == "get_result" and one["args"] == noted for one in chart.events)


def measure_vitals(chart: Chart, methods: Mapping[str, str] | None = None) -> Frozen:
    """Measure the vital signs now; a repeat in the same minute is a new measurement."""
    repeat = sum(row["minute"] == chart.minute for row in chart.vitals)
    row = _row(chart, chart.minute, repeat, methods or {})
    chart.vitals.append(row)
    _show(chart, row)
    return row


def trend(chart: Chart) -> list[Frozen]:
    """Return every row of vital signs by time: of arrival, by hand, and of the monitor."""
    rows = [_row(chart, 0.0, 0, {}), *chart.vitals]
    for order in chart.orders.values():
        if order.kind != "monitoring" or order.what != "vital signs":
            continue
        end = chart.minute if order.cancelled is None else order.cancelled
        steps = int((end - order.done) // actions().monitor_every)
        times = [order.done + number * actions().monitor_every for number in range(1, steps + 1)]
        rows += [_row(chart, minute, 0, {}) for minute in times]
    found = {(row["minute"], number): row for number, row in enumerate(rows)}
    ordered = [found[key] for key in sorted(found)]
    for row in ordered:
        _show(chart, row)
    return ordered


def _row(chart: Chart, minute: float, repeat: int, methods: Mapping[str, str]) -> Frozen:
    given = chart.given(minute)
    key = ("vitals", minute, repeat, tuple(sorted(methods.items())), tuple(sorted(given.items())))
    return chart.computed(key, lambda: _measured_row(chart, minute, repeat, methods, given))


def _measured_row(
    chart: Chart, minute: float, repeat: int, methods: Mapping[str, str],
    given: Mapping[str, float],
) -> Frozen:  # fmt: skip
    sample = Sample(chart.patient, minute, given, repeat=repeat)
    facts, age = chart.patient.facts, chart.patient.person.age
    row: dict[str, Any] = {"minute": minute, "time": chart.clock(minute)}
    comments = []
    for name in VITALS:
        if age < facts.measurements[name].from_age:
            continue
        if name == "pain" and row["gcs"] < SEEN_CLOUDED:
            continue  # who cannot be woken gives pain no number
        reading = sample.reading(name, methods.get(name))
        row[name] = whole(reading.value, facts.measurements[name].decimals)
        comments += [reading.comment] if reading.comment else []
    if "oxygen" in given:
        comments.append("on oxygen")
    if comments:
        row["comment"] = "; ".join(dict.fromkeys(comments))
    frozen: Frozen = freeze(row)
    return frozen


def _show(chart: Chart, row: Mapping[str, Any]) -> None:
    for name in VITALS:
        if name in row:
            chart.show(name, row[name])
