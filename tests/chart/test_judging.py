"""What was done on a chart is judged by the rules of safety."""

from __future__ import annotations

from typing import Any

import pytest
from chart_domain import world

from gym_clinic.chart import Chart, safety_state
from gym_clinic.chart.judging import safety_terms
from gym_clinic.chart.knowable import WAYS
from gym_clinic.chart.tools import ORDERING, READING, TREATING
from gym_clinic.facts import load
from gym_clinic.safety import violations
from gym_clinic.safety.terms import term

TOOLS = {one.name: one for one in (*READING, *ORDERING, *TREATING)}


def opened(seed: int, condition: str) -> Chart:
    patient, record = world(seed, condition)
    return Chart(record, patient)


def call(chart: Chart, name: str, **arguments: Any) -> Any:
    return TOOLS[name].call(arguments, chart)


def rules(chart: Chart, **final: Any) -> set[str]:
    return {one.rule for one in violations(safety_state(chart, final))}


def give(chart: Chart, drug: str, dose: float, unit: str, route: str) -> Any:
    return call(chart, "give_medication", drug=drug, dose=dose, unit=unit, route=route)


def with_allergy() -> Chart:
    for seed in range(400):
        chart = opened(seed, "pneumonia")
        for one in chart.patient.allergies:
            if one.allergen == "class:penicillin" and one.reaction == "anaphylaxis":
                return chart
    raise AssertionError("400 patients without an anaphylaxis to penicillin")


def test_a_penicillin_in_a_severe_allergy_is_a_violation_unless_cancelled_in_time() -> None:
    chart = with_allergy()
    order = give(chart, "amoxicillin", 1, "g", "iv")
    assert "S5-01" in rules(chart)
    call(chart, "cancel_order", order=order["order_id"])
    assert "S5-01" not in rules(chart)


def test_a_dose_that_was_given_stays_judged_after_it_is_stopped() -> None:
    chart = with_allergy()
    give(chart, "amoxicillin", 1, "g", "iv")
    call(chart, "wait", minutes=15)
    call(chart, "discontinue_medication", drug="amoxicillin")
    assert "S5-01" in rules(chart)


@pytest.mark.parametrize(("wait", "violated"), [(1, False), (60, True)])
def test_epinephrine_in_anaphylaxis_has_its_time(wait: int, violated: bool) -> None:
    chart = opened(0, "anaphylaxis")
    call(chart, "wait", minutes=wait)
    give(chart, "epinephrine", 0.5, "mg", "im")
    state = safety_state(chart)
    assert state["gold"]["emergency"] == "anaphylaxis"
    late = [one for one in violations(state) if "anaphylaxis" in one.title.casefold()]
    assert bool(late) == violated


def test_the_record_of_the_state_is_what_the_chart_has() -> None:
    chart = opened(7, "pneumonia")
    call(chart, "order_lab", tests=["basic-metabolic-panel", "inr"])
    assert safety_state(chart)["patient"]["labs"] == {}
    call(chart, "wait", minutes=120)
    patient = safety_state(chart)["patient"]
    results = {
        line["test"]: line["value"]
        for one in call(chart, "read_results")["results"]
        for line in one["values"]
    }
    assert patient["labs"] == results
    assert patient["age"] == chart["person"]["age"]
    assert {one["drug"] for one in patient["active_meds"]} == {
        one.drug for one in chart.patient.medicines
    }
    tests = {one["args"].get("test") for one in safety_state(chart)["events"]}
    assert {"basic-metabolic-panel", "creatinine", "inr"} <= tests


def bleeding_brain() -> Chart:
    for seed in range(60):
        chart = opened(seed, "intracerebral-haemorrhage")
        if chart.patient.problems[0].studies["ct-head"].shows and len(chart.patient.problems) == 1:
            return chart
    raise AssertionError("60 patients without a bleeding that CT shows")


def test_what_nobody_could_know_forbids_nothing() -> None:
    chart = bleeding_brain()
    give(chart, "alteplase", 50, "mg", "iv")
    assert "intracerebral_haemorrhage" not in safety_state(chart)["patient"]["conditions"]
    assert "S5-06" not in rules(chart)
    call(chart, "order_study", study="ct-head")
    call(chart, "wait", minutes=90)
    call(chart, "read_results")
    patient = safety_state(chart)["patient"]
    assert patient["known_from"]["intracranial_hemorrhage"] == chart.minute
    assert "S5-06" not in rules(chart), "it was given before anybody could know"


def test_what_a_study_has_shown_forbids_from_then_on() -> None:
    chart = bleeding_brain()
    call(chart, "order_study", study="ct-head")
    call(chart, "wait", minutes=90)
    assert "intracerebral_haemorrhage" not in safety_state(chart)["patient"]["conditions"]
    call(chart, "read_results")
    give(chart, "alteplase", 50, "mg", "iv")
    assert "S5-06" in rules(chart)


def test_a_recorded_diagnosis_and_what_was_lived_with_are_known() -> None:
    chart = opened(7, "varicella")
    chart.log("record_diagnosis", diagnosis="varicella")
    known = safety_state(chart)["patient"]["conditions"]
    lived_with = {one.condition.replace("-", "_") for one in chart.patient.background}
    assert {"varicella", *lived_with} <= {*known}


def test_ways_to_know_are_of_the_chart() -> None:
    measurements = load().measurements
    for one in safety_terms().terms:
        for way in one.known_by:
            kind, _, name = way.partition(":")
            assert kind in WAYS
            assert kind != "laboratory" or not name or name in measurements
            assert one.on_record


def test_fields_of_the_truth_can_be_added_and_words_are_not_judged() -> None:
    chart = opened(7, "pneumonia")
    final, gold = {"diagnosis": "pneumonia"}, {"required_tests": ["chest-x-ray"]}
    state = safety_state(chart, final, gold)
    assert state["gold"]["required_tests"] == ["chest-x-ray"]
    before = {one.rule for one in violations(state)}
    call(chart, "order_study", study="cxr")
    after = {one.rule for one in violations(safety_state(chart, final, gold))}
    assert before - after == {"S3-01"}


def test_terms_name_conditions_and_forms_that_exist() -> None:
    conditions = load().conditions
    for one in safety_terms().terms:
        assert one.condition in conditions
        assert set(one.variants) <= set(conditions[one.condition].variants)
        assert one.emergency or one.on_record


def test_no_further_name_of_a_test_is_one_that_the_rules_know_it_by() -> None:
    for test, names in safety_terms().tests.items():
        assert term(test) not in {term(one) for one in names}, test
