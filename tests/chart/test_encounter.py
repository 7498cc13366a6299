"""The chart of an encounter: time, orders, treatment, ends, copies."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import gymnasium as gym
import pytest
from chart_domain import DYING, ID, LEAVING, world
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ClinicEnv, ToolError
from gym_clinic.chart import Chart, open_chart
from gym_clinic.chart import ordering as orders
from gym_clinic.chart.record import BEFORE_CARE
from gym_clinic.chart.results import measure_vitals, read_result, trend
from gym_clinic.chart.talk import PatientAnswer
from gym_clinic.chart.tools import READING
from gym_clinic.simulate.clinic import draw_patient, measure
from gym_clinic.simulate.clinic.texts import documents
from gym_clinic.testing import check_domain

PROGRAM = """
from gym_clinic.chart import open_chart
from gym_clinic.chart import ordering
from gym_clinic.chart.record import BEFORE_CARE
from gym_clinic.chart.results import measure_vitals, read_result
from gym_clinic.simulate.clinic import draw_patient
chart = open_chart(draw_patient(5, "pneumonia"))
ordering.order_tests(chart, ["basic-metabolic-panel"])
ordering.give_medicine(chart, "amoxicillin", 1, "g", "iv")
chart.spend(70, seen=True)
print(read_result(chart, chart.orders["o1"]), measure_vitals(chart))
"""


def opened(seed: int = 5, condition: str = "pneumonia") -> Chart:
    patient, record = world(seed, condition)
    return Chart(record, patient)


@given(st.lists(st.sampled_from(["wait", "test", "drug", "vitals", "cancel"]), max_size=12))
def test_the_clock_never_goes_back_and_orders_come_in_order(steps: list[str]) -> None:
    chart, before = opened(), 0.0
    for step in steps:
        try:
            if step == "wait":
                chart.spend(17)
            elif step == "test":
                orders.order_tests(chart, ["lactate"])
            elif step == "drug":
                orders.give_medicine(chart, "paracetamol", 1, "g", "po")
            elif step == "vitals":
                chart.spend(2, seen=True)
                measure_vitals(chart)
            else:
                orders.cancel_order(chart, "o1")
        except ToolError:
            pass
        assert chart.minute >= before
        before = chart.minute
    assert [one["t"] for one in chart.events] == sorted(one["t"] for one in chart.events)
    assert all(one.ordered <= one.done <= one.due for one in chart.orders.values())


def test_a_result_comes_after_its_time_and_is_that_of_the_collection() -> None:
    chart = opened()
    (order,) = orders.order_tests(chart, ["potassium"])
    assert order.status(chart.minute) == "ordered"
    assert read_result(chart, order) is None
    chart.spend(order.due - chart.minute - 1)
    assert read_result(chart, order) is None
    chart.spend(1)
    result = read_result(chart, order)
    assert result is not None
    (line,) = result["values"]
    reading = measure(chart.patient, "k", order.done, chart.given(order.done))
    assert line["value"] == reading.value
    chart.spend(200)
    assert read_result(chart, order) == result


def test_a_repeat_in_the_same_minute_is_a_new_sample() -> None:
    chart = opened()
    chart.spend(2, seen=True)
    first, second = measure_vitals(chart), measure_vitals(chart)
    assert first["minute"] == second["minute"]
    assert first != second


def test_an_order_that_is_cancelled_in_time_changes_nothing() -> None:
    plain, cancelled = opened(), opened()
    orders.give_medicine(cancelled, "ceftriaxone", 2, "g", "iv")
    orders.cancel_order(cancelled, "o1")
    plain.spend(cancelled.minute)
    for chart in (plain, cancelled):
        chart.spend(240)
    assert cancelled.given() == {}
    assert cancelled.state() == plain.state()
    assert cancelled.cost() == 0
    assert cancelled.outcome() == plain.outcome()


def test_a_dose_that_was_given_cannot_be_cancelled() -> None:
    chart = opened()
    orders.give_medicine(chart, "ceftriaxone", 2, "g", "iv")
    chart.spend(30)
    with pytest.raises(ToolError, match="Too late to cancel o1"):
        orders.cancel_order(chart, "o1")
    orders.discontinue(chart, "ceftriaxone")
    assert "drug:ceftriaxone" in chart.given()


def test_a_test_is_cancelled_before_its_result() -> None:
    chart = opened()
    (order,) = orders.order_tests(chart, ["lactate"])
    chart.spend(order.done - chart.minute + 1)
    orders.cancel_order(chart, "lactate")
    chart.spend(60)
    assert read_result(chart, chart.orders[order.id]) is None
    assert chart.cost() > 0, "the sample was taken"


def test_treatment_acts_from_when_it_is_given() -> None:
    treated, untreated = opened(), opened()
    orders.give_medicine(treated, "amoxicillin", 1, "g", "iv")
    orders.give_medicine(treated, "clarithromycin", 500, "mg", "po")
    orders.give_support(treated, "oxygen", "oxygen", "oxygen", 4, "L/min", "inhaled")
    untreated.spend(treated.minute, seen=True)
    given = max(one.done for one in treated.orders.values())
    assert treated.state(1) == untreated.state(1)
    for chart in (treated, untreated):
        chart.spend(600, seen=True)
    assert given < treated.minute
    assert treated.state()["temp_c"] < untreated.state()["temp_c"]


@pytest.mark.parametrize(("wait", "timing"), [(0, "before harm"), (18, "too late")])
def test_before_and_too_late_are_facts(wait: float, timing: str) -> None:
    chart = opened(3, "tension-pneumothorax")
    if wait:
        chart.spend(wait, seen=True)
    orders.do_procedure(chart, "needle-decompression", "left", emergency=True)
    chart.spend(10, seen=True)
    treatment = chart.outcome().treatments[0]
    assert treatment.timing == timing
    assert chart.outcome().harmed == (timing == "too late")


def test_what_is_not_treated_is_harmed_after_the_limit() -> None:
    chart = opened(3, "tension-pneumothorax")
    assert chart.outcome().treatments[0].timing == "untreated"
    chart.spend(15, seen=True)
    assert chart.outcome().treatments[0].timing == "untreated and harmed"


def test_death_ends_the_encounter_at_its_minute() -> None:
    chart = opened(**DYING)
    death = chart.patient.death()
    assert death is not None
    with pytest.raises(ToolError, match="died"):
        chart.spend(480, seen=True)
    assert (chart.minute, chart.ended()) == (death, "died")
    with pytest.raises(ToolError, match="The encounter is over"):
        orders.order_tests(chart, ["lactate"])
    assert chart.outcome().harmed


def test_treatment_in_time_prevents_death() -> None:
    chart = opened(**DYING)
    orders.do_procedure(chart, "finger thoracostomy", emergency=True)
    chart.spend(480, seen=True)
    assert chart.ended() is None


def test_a_patient_who_is_not_seen_leaves_and_one_who_is_seen_stays() -> None:
    unseen, seen = opened(**LEAVING), opened(**LEAVING)
    with pytest.raises(ToolError, match="left"):
        unseen.spend(200)
    assert (unseen.minute, unseen.ended()) == (127, "left")
    for _ in range(4):
        seen.spend(50, seen=True)
    assert seen.ended() is None


def test_a_monitor_adds_rows_to_the_trend() -> None:
    chart = opened()
    orders.start_monitoring(chart, "vital signs")
    chart.spend(60)
    rows = trend(chart)
    assert [row["minute"] for row in rows] == [0, 16, 31, 46, 61]
    chart.cancel(chart.orders["o1"])
    chart.spend(60)
    assert trend(chart) == rows


def test_costs_count_what_was_carried_out_and_one_needle_for_one_sample() -> None:
    chart = opened()
    orders.order_tests(chart, ["blood-count", "lactate", "basic-metabolic-panel"])
    assert (chart.cost(), chart.discomforts()) == (0, 0)
    committed = chart.committed()
    chart.spend(30, seen=True)
    prices = chart.patient.facts.measurements
    assert committed == chart.committed() == {"cost": chart.cost(), "orders": 3.0}
    assert chart.cost() == sum(prices[key].cost for key in ("hb", "na", "lactate"))
    assert chart.discomforts() == 1


def snapshot(chart: Chart) -> tuple[Any, ...]:
    """All that distinguishes two charts of one patient."""
    return (
        chart.minute, chart.events, chart.vitals, chart.shown, chart.contradictions,
        dict(chart.orders), chart.changes, chart.given(), chart.ended(), chart.metrics(),
    )  # fmt: skip


def busy() -> Chart:
    chart = opened()
    orders.order_tests(chart, ["blood-count"])
    orders.give_medicine(chart, "amoxicillin", 1, "g", "iv")
    chart.spend(55, seen=True)
    measure_vitals(chart)
    read_result(chart, chart.orders["o1"])
    return chart


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_is_equal_and_goes_its_own_way(copied: Any) -> None:
    chart = busy()
    twin = copied(chart)
    assert snapshot(twin) == snapshot(chart)
    before = snapshot(chart)
    orders.order_tests(twin, ["lactate"])
    twin.spend(30)
    assert snapshot(chart) == before
    orders.order_tests(chart, ["lactate"])
    chart.spend(30)
    assert snapshot(twin) == snapshot(chart)


def test_a_fork_shares_patient_and_record() -> None:
    chart = busy()
    twin = copy.deepcopy(chart)
    assert twin.patient is chart.patient
    assert twin["documents"] is chart["documents"]


def test_reading_tools_cannot_change_the_chart() -> None:
    chart = opened()
    chart.writable = False
    with pytest.raises(TypeError, match="WRITE"):
        orders.order_tests(chart, ["lactate"])


def test_two_processes_see_the_same() -> None:
    chart = open_chart(draw_patient(5, "pneumonia"))
    orders.order_tests(chart, ["basic-metabolic-panel"])
    orders.give_medicine(chart, "amoxicillin", 1, "g", "iv")
    chart.spend(70, seen=True)
    wanted = f"{read_result(chart, chart.orders['o1'])} {measure_vitals(chart)}"
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == wanted


def test_a_fork_is_answered_as_the_original() -> None:
    chart = opened()
    for question in ("What brings you in?", "Do you have a fever?"):
        assert chart.ask(question).text
    twin, read = copy.deepcopy(chart), pickle.loads(pickle.dumps(chart))
    answers = {one.ask("Do you smoke?").text for one in (chart, twin, read)}
    assert len(answers) == 1


def test_wrong_answers_of_a_chat_patient_are_counted_and_not_scored() -> None:
    class Inventing:
        def answer(self, question: str, minute: float, actions: object) -> PatientAnswer:
            return PatientAnswer("I have two heads.", failures=("not in the record",))

    patient, record = world(5, "pneumonia")
    chart = Chart(record, patient, Inventing())
    assert chart.ask("What is wrong?").text == "I have two heads."
    assert chart.metrics()["wrong_answers"] == 1


def test_documents_can_be_read_from_when_they_are_written() -> None:
    patient = draw_patient(5, "pneumonia")
    every = documents(patient)
    written = [one for one in every if one.kind in BEFORE_CARE]
    chart = open_chart(patient, every)
    listed = {one.name: one for one in READING}
    first = listed["list_documents"].call({}, chart)["documents"]
    chart.spend(300, seen=True)
    later = listed["list_documents"].call({}, chart)["documents"]
    assert len(first) < len(later) == len(written)
    assert listed["read_document"].call({"title": later[-1]}, chart) == written[-1].text


def test_what_a_document_tells_is_no_invention() -> None:
    patient = draw_patient(5, "pneumonia")
    chart = open_chart(patient, documents(patient))
    listed = {one.name: one for one in READING}
    chart.spend(60, seen=True)
    for title in listed["list_documents"].call({}, chart)["documents"]:
        listed["read_document"].call({"title": title}, chart)
    assert {"hr", "sbp", "rr"} <= chart.shown.keys()


@pytest.mark.parametrize(("millilitres", "acts"), [(10, False), (500, True)])
def test_a_sip_of_fluid_does_nothing(millilitres: float, acts: bool) -> None:
    chart = open_chart(draw_patient(5, "pneumonia"))
    order = orders.give_support(chart, "fluids", "saline", "saline", millilitres, "mL", "iv")
    assert bool(order.actions) is acts


@pytest.mark.parametrize(("task", "end"), [("c0", "died"), ("c1", "left")])
def test_the_environment_ends_by_death_and_by_departure(task: str, end: str) -> None:
    env = gym.make(ID).unwrapped
    assert isinstance(env, ClinicEnv)
    env.reset(options={"task_id": task})
    call = {"id": "1", "name": "wait", "arguments": {"minutes": 480}}
    observation, _, terminated, truncated, info = env.step_calls([call])
    assert (terminated, truncated, info["stop"]) == (True, False, end)
    assert end in observation
    assert info["metrics"][end] == 1.0


def test_a_forked_environment_saves_the_patient_whom_the_other_loses() -> None:
    env = gym.make(ID).unwrapped
    assert isinstance(env, ClinicEnv)
    env.reset(options={"task_id": "c0"})
    twin = env.fork()
    wait = {"id": "2", "name": "wait", "arguments": {"minutes": 200}}
    saves = {
        "id": "1",
        "name": "perform_procedure",
        "arguments": {"procedure": "needle-decompression", "side": "left", "emergency": True},
    }
    assert env.step_calls([wait])[2]
    twin.step_calls([saves])
    assert not twin.step_calls([wait])[2]


def test_a_domain_over_charts_conforms() -> None:
    check_domain(ID, adversaries=[])


@pytest.mark.parametrize(("condition", "seed"), [("opioid-overdose", 3), ("gout", 1)])
def test_only_who_can_be_woken_gives_pain_a_number(condition: str, seed: int) -> None:
    row = measure_vitals(opened(seed, condition))
    assert ("pain" in row) is (condition == "gout")
