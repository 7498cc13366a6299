"""The tools of clinical diagnosis: enough to look, to act, to think and to answer."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from gym_clinic.chart import Chart, open_chart
from gym_clinic.domains.clinical_diagnosis.tools import tools
from gym_clinic.errors import ToolError
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.toolbox import Kind

TOOLS = {one.name: one for one in tools()}


@pytest.fixture
def chart() -> Chart:
    return open_chart(draw_patient(5, "pneumonia"))


def call(chart: Chart, name: str, **arguments: Any) -> Any:
    return TOOLS[name].call(arguments, chart)


def test_there_are_as_many_tools_as_in_the_paper() -> None:
    kinds = Counter(one.kind for one in TOOLS.values())
    assert kinds[Kind.READ] >= 30
    assert kinds[Kind.WRITE] >= 2
    assert kinds[Kind.THINK] == kinds[Kind.SUBMIT] == 1
    named = {"get_vital_signs", "order_lab", "generate_ddx", "search_pubmed", "think"}
    assert named | {"retrieve_evidence", "search_medical_wiki", "submit_answer"} <= TOOLS.keys()


def test_a_diagnosis_is_recorded_by_any_of_its_names(chart: Chart) -> None:
    assert call(chart, "record_diagnosis", diagnosis="PE")["recorded"] == "Pulmonary embolism"
    call(chart, "record_diagnosis", diagnosis="pneumonia", certainty="confirmed")
    assert [one["disease"] for one in chart["diagnoses"]] == ["pulmonary-embolism", "pneumonia"]
    with pytest.raises(ToolError, match="No disease"):
        call(chart, "record_diagnosis", diagnosis="qwxyz")


def test_a_referral_names_a_service_and_a_reason(chart: Chart) -> None:
    told = call(chart, "refer_patient", service="cardiology", reason="murmur", urgency="soon")
    assert told["referred to"] == "cardiology"
    with pytest.raises(ToolError, match="reason"):
        call(chart, "refer_patient", service="cardiology", reason=" ", urgency="soon")


def test_the_trend_of_a_test_has_the_values_that_are_back(chart: Chart) -> None:
    assert call(chart, "get_lab_trend", test="crp")["values"] == "none back"
    call(chart, "order_lab", tests=["crp"])
    call(chart, "wait", minutes=90)
    first = call(chart, "get_lab_trend", test="crp")["values"]
    call(chart, "order_lab", tests=["crp"], serial=True)
    call(chart, "wait", minutes=90)
    both = call(chart, "get_lab_trend", test="CRP")["values"]
    assert len(first) == 1
    assert len(both) == 2
    assert both[0] == first[0]
