"""The tools of triage: those of the chart that a triage nurse uses, and its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gym_clinic.chart.tools import ASKING, ORDERING, READING, TREATING, score_tools
from gym_clinic.clinical.tools import REASONING, library_tools
from gym_clinic.domains.triage_emergency.tools import activation, references, screens, submission
from gym_clinic.embedded import EMBEDDED
from gym_clinic.toolbox import Tool, tools_of

SCORES = ("esi", "gcs", "news2", "qsofa", "shock_index")
"""Published scores that are computed at the door."""

CHART = (
    "ask_patient", "examine_patient", "give_blood", "give_fluids",
    "give_medication", "give_oxygen", "list_documents", "measure_vital_signs", "order_ecg",
    "order_lab", "order_study", "perform_procedure", "read_allergies", "read_document",
    "read_history", "read_medicines", "read_patient_record", "read_results",
    "read_vital_signs_trend", "start_monitoring", "wait",
)  # fmt: skip
"""Tools of the chart that triage offers."""

_OF_CHART = {one.name: one for one in (*READING, *ASKING, *ORDERING, *TREATING)}
_THINK = tuple(one for one in REASONING if one.name == "think")

ACTING: tuple[Tool, ...] = (
    *tools_of(activation),
    *(_OF_CHART[name] for name in CHART),
    *tools_of(screens),
    *tools_of(references),
    *score_tools(SCORES),
)
"""Tools that look and act."""


def make_tools(knowledge_base: str | Mapping[str, Any] = EMBEDDED) -> tuple[Tool, ...]:
    """Return all tools, in the order shown.

    Args:
        knowledge_base: As for :func:`gym_clinic.embedded.open_knowledge`.
    """
    return (*ACTING, *library_tools(knowledge_base), *_THINK, *tools_of(submission))
