"""The tool that asks the patient, or who speaks for the patient."""

from __future__ import annotations

from gym_clinic.chart.encounter import Chart, minutes_of
from gym_clinic.errors import ToolError
from gym_clinic.toolbox import tool

LONGEST = 500
"""Characters of a question at most."""


@tool
def ask_patient(case: Chart, question: str) -> str:
    """Ask the patient; for a small child a parent answers, for the unconscious the crew.

    Args:
        question: Up to four things at once, in plain words; of a longer list only the last two are
            answered.
    """
    if not question.strip() or len(question) > LONGEST:
        raise ToolError(f"expected a question of 1 to {LONGEST} characters")
    case.spend(minutes_of("ask"), seen=True)
    case.log("ask_patient", question=question)
    return case.ask(question).text
