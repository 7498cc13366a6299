"""Tools that several clinical domains share; each domain picks those that it offers.

Those that look something up answer from published knowledge alone and see no patient. Those that
read the chart are in :mod:`gym_clinic.chart.tools`.
"""

from __future__ import annotations

from gym_clinic.clinical.tools import medicines, reasoning, references
from gym_clinic.clinical.tools.library import library_tools
from gym_clinic.toolbox import Tool, tools_of

REFERENCES: tuple[Tool, ...] = tools_of(references)
"""Guidelines, diseases, look-alikes and tests, from the fact tables."""

REASONING: tuple[Tool, ...] = tools_of(reasoning)
"""Thinking, names of findings, a differential diagnosis, and similar patients."""

MEDICINES: tuple[Tool, ...] = tools_of(medicines)
"""What a drug is, and how two interact."""

__all__ = ["MEDICINES", "REASONING", "REFERENCES", "library_tools"]
