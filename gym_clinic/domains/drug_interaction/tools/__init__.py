"""The tools of a review: those that read the patient's record, and those that read the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gym_clinic.chart.tools import ASKING, READING, score_tools
from gym_clinic.clinical.tools import REASONING, library_tools
from gym_clinic.domains.drug_interaction.answer import submit_answer
from gym_clinic.domains.drug_interaction.tools import patient_checks, product_checks, record
from gym_clinic.embedded import EMBEDDED
from gym_clinic.toolbox import Tool, tools_of

_CHART = ("read_patient_record", "read_history", "read_allergies", "list_documents",
          "read_document")  # fmt: skip

RECORD: tuple[Tool, ...] = (
    *(one for one in READING if one.name in _CHART),
    *tools_of(record),
    *ASKING,
)
"""Tools that read the record and ask the patient."""

CHECKS: tuple[Tool, ...] = (*tools_of(product_checks), *tools_of(patient_checks))
"""Tools that answer from the tables about what they are asked."""

SCORES = ("ckdepi2021", "cockcroft_gault")
"""Scores that a review may compute."""


def make_tools(knowledge_base: str | Mapping[str, Any] = EMBEDDED) -> tuple[Tool, ...]:
    """Return all tools of the domain.

    Args:
        knowledge_base: As for :func:`gym_clinic.embedded.open_knowledge`.
    """
    return (
        *RECORD,
        *CHECKS,
        *score_tools(SCORES),
        *library_tools(knowledge_base),
        *(one for one in REASONING if one.name == "think"),
        submit_answer,
    )


__all__ = ["CHECKS", "RECORD", "SCORES", "make_tools"]
