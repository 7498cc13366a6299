"""The chart of one simulated patient: a record with a clock, orders, results and an end.

A simulation, not for patient care.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.chart.coherence import Contradiction as Contradiction
    from gym_clinic.chart.encounter import Chart as Chart
    from gym_clinic.chart.encounter import open_chart as open_chart
    from gym_clinic.chart.judging import safety_state as safety_state
    from gym_clinic.chart.orders import Order as Order
    from gym_clinic.chart.outcomes import EncounterOutcome as EncounterOutcome
    from gym_clinic.chart.record import chart_record as chart_record

_HOMES = {
    "Chart": "encounter",
    "Contradiction": "coherence",
    "Order": "orders",
    "EncounterOutcome": "outcomes",
    "chart_record": "record",
    "open_chart": "encounter",
    "safety_state": "judging",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
