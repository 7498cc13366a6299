"""From when on an agent could know a problem, by what it was shown or has documented.

Nobody is blamed for what the chart had not shown yet: a condition that nobody has found forbids
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gym_clinic.chart.catalogue import tests_of
from gym_clinic.chart.encounter import Chart
from gym_clinic.chart.results import result_of
from gym_clinic.simulate.clinic import Problem, image_report

ARRIVAL, VITALS, STUDY, LABORATORY, EXAMINATION = (
    "arrival", "vitals", "study", "laboratory", "examination",
)  # fmt: skip
WAYS = (ARRIVAL, VITALS, STUDY, LABORATORY, EXAMINATION)
"""How a problem comes to be known: from arrival on, or by what is read or found. A part of the
examination, a measurement or a study may follow after a colon, as in "laboratory:k"."""

READ_VITALS = ("get_vitals", "get_vitals_trend")


def known_from(chart: Chart, problem: Problem, ways: Sequence[str] = ()) -> float | None:
    """Return the minute from which on a problem could be known; None if it could not be yet.

    Args:
        chart: The chart.
        problem: The problem.
        ways: How it comes to be known, as in :data:`WAYS`; by default by a study that shows it or
            an abnormal result of its work-up, and if it has neither, by the examination.
    """
    asked = ways or usual_ways(chart, problem)
    return 0.0 if ARRIVAL in asked else min(_minutes(chart, problem, asked), default=None)


def usual_ways(chart: Chart, problem: Problem) -> tuple[str, ...]:
    """Return how a problem comes to be known if nothing else is said of it."""
    tests = tests_of(chart.patient.facts)
    work_up = chart.patient.facts.conditions[problem.condition].work_up
    shows = any(one.shows for one in problem.studies.values())
    if shows or any(one in tests for one in work_up):
        return STUDY, LABORATORY
    return (EXAMINATION,) if any(one.abnormal for one in problem.signs) else (ARRIVAL,)


def _minutes(chart: Chart, problem: Problem, ways: Sequence[str]) -> Iterator[float]:
    for event in chart.events:
        tool, arguments = event["tool"], event["args"]
        if tool == "record_diagnosis":
            shows = arguments.get("diagnosis") == problem.condition
        elif tool in READ_VITALS:
            shows = VITALS in ways
        elif tool == "examine" and _allows(ways, EXAMINATION, arguments["system"]):
            site = arguments["system"]
            shows = any(one.abnormal for one in problem.signs if one.site == site)
        else:
            continue
        if shows:
            yield float(event["t"])
    yield from _by_results(chart, problem, ways)


def _by_results(chart: Chart, problem: Problem, ways: Sequence[str]) -> Iterator[float]:
    """Yield when results that show the problem were read."""
    read: dict[str, float] = {}
    for event in chart.events:
        if event["tool"] == "get_result":
            read.setdefault(event["args"]["order_id"], float(event["t"]))
    for key, minute in read.items():
        order = chart.orders.get(key)
        if order is None:
            continue
        if order.kind == "study":
            report = image_report(problem.studies, order.what)
            if report is not None and report.shows and _allows(ways, STUDY, order.what):
                yield minute
        elif order.kind == "laboratory":
            result = result_of(chart, order)
            for line in () if result is None else result.get("values", ()):
                moved = line["test"] in problem.effects and "flag" in line
                if moved and _allows(ways, LABORATORY, line["test"]):
                    yield minute


def _allows(ways: Sequence[str], kind: str, name: str) -> bool:
    return kind in ways or f"{kind}:{name}" in ways
