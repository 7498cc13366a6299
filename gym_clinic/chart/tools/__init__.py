"""Shared tools over a `Chart`, of which a domain picks: asking, reading, ordering and the like."""

from __future__ import annotations

from gym_clinic.chart.tools import asking, ordering, reading, treating
from gym_clinic.chart.tools.scores import score_tools
from gym_clinic.toolbox import Tool, tools_of

READING: tuple[Tool, ...] = tools_of(reading)
"""Tools that look: record, vital signs, examination, results, orders, time."""

ASKING: tuple[Tool, ...] = tools_of(asking)
"""The tool that asks the patient."""

ORDERING: tuple[Tool, ...] = tools_of(ordering)
"""Tools that order and cancel tests, consults, pathways and monitoring, and let time pass."""

TREATING: tuple[Tool, ...] = tools_of(treating)
"""Tools that give, prescribe and stop medicines, give support and do procedures."""

__all__ = ["ASKING", "ORDERING", "READING", "TREATING", "score_tools"]
