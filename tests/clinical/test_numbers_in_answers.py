"""A boolean is no number: not in an answer, not in the arguments of a tool."""

from __future__ import annotations

from typing import Any

import pytest

from gym_clinic import Case, ToolError
from gym_clinic.domain import load

CITED: list[dict[str, Any]] = []
TRIAGE = {"level": 3, "pathway": "none", "disposition": "standard bed", "cited_findings": CITED}
REVIEW = {"verdict": "start as proposed", "problems": [], "plan": {}, "cited_findings": CITED}


@pytest.mark.parametrize(
    ("domain", "tool", "given", "says"),
    [
        ("triage_emergency", "submit_answer", {**TRIAGE, "level": True}, "'level'"),
        ("triage_emergency", "submit_answer",
         {**TRIAGE, "cited_findings": [{"finding": "pulse", "value": True}]},
         "'cited_findings.0.value'"),
        ("triage_emergency", "give_oxygen",
         {"device": "nasal cannula", "litres_per_minute": True}, "'litres_per_minute'"),
        ("clinical_diagnosis", "wait", {"minutes": True}, "'minutes'"),
        ("clinical_diagnosis", "give_medication",
         {"drug": "aspirin", "dose": True, "unit": "mg", "route": "po"}, "'dose'"),
        ("drug_interaction", "check_pregnancy", {"drug": "warfarin", "weeks": True}, "'weeks'"),
        ("drug_interaction", "submit_answer",
         {**REVIEW, "plan": {"wait_days": True}}, "'plan.wait_days'"),
        ("drug_interaction", "submit_answer",
         {**REVIEW, "plan": {"monitoring": [{"test": "INR", "first_day": True}]}},
         "'plan.monitoring.0.first_day'"),
        ("drug_interaction", "submit_answer",
         {**REVIEW, "plan": {"doses": [{"drug": "warfarin", "daily_dose": True}]}},
         "'plan.doses.0.daily_dose'"),
    ],
)  # fmt: skip
def test_a_boolean_is_refused_where_a_number_is_due(
    domain: str, tool: str, given: dict[str, Any], says: str
) -> None:
    found = next(one for one in load(domain).tools if one.name == tool)
    with pytest.raises(ToolError, match=f"argument {says}: Input should be a (whole )?number"):
        found.call(given, Case({}))
