"""The answer of a triage nurse: level, protocol and place, and what they rest on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gym_clinic.chart import Chart
from gym_clinic.clinical.answer import Citations, FreeText, Name
from gym_clinic.toolbox import Kind, tool

Place = Literal["resuscitation", "monitored bed", "standard bed", "fast track", "waiting room"]


@tool(kind=Kind.SUBMIT)
def submit_answer(
    case: Chart,
    level: Annotated[int, Field(ge=1, le=5)],
    pathway: Name,
    disposition: Place,
    cited_findings: Citations,
    follow_up: FreeText = "",
) -> None:
    """Give the triage decision, and end the encounter. Orders and activations are done before it.

    Args:
        level: Level of the Emergency Severity Index, from 1 to 5.
        pathway: Id of the protocol that is right, as `list_protocols` has it, or "none".
        disposition: Where the patient goes now.
        cited_findings: What the decision rests on: at least three findings that were asked,
            measured or examined, each with whether it is there; of a measurement, study or part of
            the examination, whether it is abnormal.
        follow_up: When the patient is looked at again, and what for.
    """
