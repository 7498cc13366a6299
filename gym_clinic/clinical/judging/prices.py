"""What dear orders take: tests and treatments beyond what the reference plan costs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from gym_clinic.chart import Chart
from gym_clinic.chart.catalogue import study_price, test_prices
from gym_clinic.clinical.judging.groundless import accepted_orders
from gym_clinic.frozen import once

FREE, DEAREST = 2.5, 0.15
"""Multiple of the reference plan's cost and orders that is free, and the most that more takes."""

LEAST_COST, LEAST_ORDERS = 100.0, 2.0
"""US dollars and number of orders that a reference plan counts at least."""


def economy(case: Chart, advised: Collection[str], gold: Mapping[str, Any]) -> float:
    """Return what dear orders take, 0 to .15.

    What tests and treatments cost beyond two and a half times the reference plan, or their number
    beyond two and a half times its orders, whichever is more. Tests that the answer advises are
    among them: they would be done.

    Args:
        case: The chart.
        advised: Actions of the answer's orders, such as ``study:mri-brain``.
        gold: The gold, with ``reference``.
    """
    reference = gold.get("reference")
    if reference is None:
        return 0.0
    made, further = case.committed(), list(_further(case, advised, gold))
    cost, orders = made["cost"] + sum(further), made["orders"] + len(further)
    dearer = cost / (FREE * max(float(reference["cost"]), LEAST_COST)) - 1
    more = orders / (FREE * max(float(reference["orders"]), LEAST_ORDERS)) - 1
    return min(DEAREST, DEAREST * max(0.0, dearer, more))


def _names(actions: Iterable[str]) -> frozenset[str]:
    """Actions without their kinds."""
    return frozenset(one.partition(":")[2] or one for one in actions)


def _further(case: Chart, advised: Collection[str], gold: Mapping[str, Any]) -> Iterator[float]:
    """The prices in US dollars of tests that are advised and were not ordered yet."""
    ordered = {one.what for one in case.orders.values()}
    expected = once(gold, "names of accepted orders", lambda: _names(accepted_orders(gold)))
    prices = test_prices(case.patient.facts)
    for one in sorted(advised):
        kind, _, test = one.partition(":")
        if test in ordered or test in expected:
            continue
        if kind == "study":
            yield study_price(test).cost
        elif kind == "lab":
            yield prices[test].cost
