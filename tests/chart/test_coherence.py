"""Values given to scores are held against the chart, and recorded."""

from __future__ import annotations

import inspect

import pytest
from chart_domain import world

from gym_clinic.chart import Chart
from gym_clinic.chart.coherence import sources
from gym_clinic.chart.record import chart_record
from gym_clinic.chart.tools import READING, score_tools
from gym_clinic.facts import load
from gym_clinic.instruments import input_schema, score

TOOLS = {one.name: one for one in (*READING, *score_tools())}


@pytest.fixture
def chart() -> Chart:
    patient, record = world(7, "pneumonia")
    return Chart(record, patient)


def test_values_of_the_chart_leave_no_mark(chart: Chart) -> None:
    row = TOOLS["measure_vital_signs"].call({}, chart)
    given = {name: row[name] for name in ("rr", "sbp", "gcs")}
    answer = TOOLS["calculate_qsofa"].call(given, chart)
    assert answer["score"] == score("qsofa", given).score
    assert chart.contradictions == []


def test_a_value_that_differs_is_recorded_and_not_corrected(chart: Chart) -> None:
    row = TOOLS["measure_vital_signs"].call({}, chart)
    answer = TOOLS["calculate_qsofa"].call({"rr": row["rr"], "sbp": 70, "gcs": row["gcs"]}, chart)
    assert answer["parts"]["sbp"] == 1
    (found,) = chart.contradictions
    assert (found.field, found.given, found.kind) == ("sbp", 70, "contradicts the chart")
    assert found.known == (row["sbp"],)
    assert chart.metrics()["contradictions"] == 1


def test_a_value_that_was_never_read_is_invented(chart: Chart) -> None:
    TOOLS["calculate_qsofa"].call({"rr": 16, "sbp": 120, "gcs": 15}, chart)
    assert {one.kind for one in chart.contradictions} == {"not on the chart"}
    assert chart.metrics()["invented_values"] == 3


def test_age_and_sex_are_those_of_the_record(chart: Chart) -> None:
    wrong = {"age": chart["person"]["age"] - 30, "weight_kg": chart["person"]["weight_kg"]}
    wrong |= {"sex": "female", "creatinine": 1.0}
    assert chart["person"]["sex"] == "male"
    TOOLS["calculate_cockcroft_gault"].call(wrong, chart)
    fields = {one.field: one.kind for one in chart.contradictions}
    assert fields["age"] == fields["sex"] == "contradicts the chart"
    assert fields["creatinine"] == "not on the chart"
    assert "weight_kg" not in fields


def test_units_are_converted_before_they_are_compared(chart: Chart) -> None:
    chart.show("glucose", 180)
    chart.show("na", 140)
    chart.show("bun", 14)
    given = {"sodium": 140, "glucose": {"value": 10.0, "unit": "mmol/L"}, "bun": 14}
    TOOLS["calculate_osmolality"].call(given, chart)
    assert chart.contradictions == []
    given["glucose"] = {"value": 6.0, "unit": "mmol/L"}
    TOOLS["calculate_osmolality"].call(given, chart)
    assert [one.field for one in chart.contradictions] == ["glucose"]


def test_schemas_are_those_of_the_declarations() -> None:
    for key, declared in load().instruments.items():
        made = TOOLS[f"calculate_{key}"]
        assert made.schema["function"]["parameters"] == input_schema(declared)
        assert made.schema["function"]["description"].startswith(declared.name)
        assert "case" in inspect.signature(made.function).parameters


def test_inputs_are_facts_of_the_person_or_measurements() -> None:
    facts = load()
    patient, _ = world(7, "pneumonia")
    person = chart_record(patient)["person"]
    inputs = {each.name for one in facts.instruments.values() for each in one.inputs}
    for name, source in sources().items():
        assert name in inputs, name
        assert source in person or source in facts.measurements, source
