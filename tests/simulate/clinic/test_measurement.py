"""Measured values: layers, errors that a repeat shows, and values computed from reported ones."""

from __future__ import annotations

from statistics import fmean, pstdev

import pytest

from gym_clinic.errors import ConfigError
from gym_clinic.facts import load
from gym_clinic.facts.expressions import parse
from gym_clinic.simulate.clinic import ClinicPatient, Sample, draw_patient, measure, presenting
from gym_clinic.simulate.clinic.measurement import measuring, methods_of


@pytest.fixture(scope="module")
def patient() -> ClinicPatient:
    return draw_patient(7, "migraine")


def test_the_same_arguments_give_the_same_reading(patient: ClinicPatient) -> None:
    assert measure(patient, "k", 20) == measure(patient, "k", 20)


def test_a_sample_holds_what_single_measurements_give(patient: ClinicPatient) -> None:
    sample = Sample(patient, 33, {"oxygen": 5}, repeat=2)
    for key in patient.facts.measurements:
        assert sample.reading(key) == measure(patient, key, 33, {"oxygen": 5}, repeat=2)


def test_readings_have_the_declared_decimals_and_possible_values(patient: ClinicPatient) -> None:
    for key, one in patient.facts.measurements.items():
        for method in methods_of(one):
            value = measure(patient, key, 12, method=method).value
            assert value == round(value, one.decimals)
            low, high = (round(limit, one.decimals) for limit in one.possible)
            assert low <= value <= high


@pytest.mark.parametrize("repeat", range(6))
def test_computed_values_follow_from_the_reported_ones(patient: ClinicPatient, repeat: int) -> None:
    sample = Sample(patient, 15, {"fluids": 1.0}, repeat=repeat)
    person = patient.person
    for key, formula in measuring().computed.items():
        values: dict[str, float | bool] = {"age": person.age, "female": person.sex == "female"}
        values |= {
            name: sample.reading(name).value for name in parse(formula).names - values.keys()
        }
        one = patient.facts.measurements[key]
        low, high = one.possible
        wanted = min(max(float(parse(formula).compute(values)), low), high)
        assert sample.reading(key).value == round(wanted, one.decimals)


def test_values_scatter_as_declared_around_the_state(patient: ClinicPatient) -> None:
    truth = patient.state(30)["na"]
    readings = [measure(patient, "na", 30, repeat=number) for number in range(300)]
    sound = [one.value for one in readings if one.fault is None]
    assert fmean(sound) == pytest.approx(truth, rel=0.02)
    assert pstdev(sound) == pytest.approx(0.006 * truth, rel=0.35)


def test_a_repeat_shows_that_a_sample_was_haemolysed(patient: ClinicPatient) -> None:
    readings = [measure(patient, "k", 30, repeat=number) for number in range(250)]
    wrong = [one for one in readings if one.fault == "haemolysed"]
    sound = [one.value for one in readings if one.fault is None]
    assert 0 < len(wrong) < 30
    assert min(one.value for one in wrong) > fmean(sound) + 0.2
    assert {one.comment is None for one in wrong} == {True, False}
    first = wrong[0]
    again = [readings[(readings.index(first) + step) % 250].value for step in (1, 2, 3)]
    assert sorted(again)[1] < first.value - 0.2


def test_a_finger_that_was_not_washed_is_always_noticed(patient: ClinicPatient) -> None:
    readings = [measure(patient, "glucometer", 30, repeat=number) for number in range(400)]
    wrong = [one for one in readings if one.fault == "sugar on the finger"]
    assert wrong
    assert all("not washed" in (one.comment or "") for one in wrong)


def test_an_error_falsifies_all_values_of_its_sample_that_it_touches() -> None:
    patient = draw_patient(7, "migraine")
    for repeat in range(200):
        sample = Sample(patient, 30, repeat=repeat)
        if sample.reading("sbp").fault == "cuff too small":
            assert sample.reading("dbp").fault == "cuff too small"
            assert sample.reading("map").fault == "cuff too small"
            assert sample.reading("k").fault != "cuff too small"
            return
    raise AssertionError("200 readings without a wrong cuff")


def test_dilution_needs_an_infusion(patient: ClinicPatient) -> None:
    without = {measure(patient, "na", 30, repeat=number).fault for number in range(110)}
    given = {
        measure(patient, "na", 30, {"fluids": 2}, repeat=number).fault for number in range(200)
    }
    assert "diluted" not in without
    assert "diluted" in given


def test_methods_differ(patient: ClinicPatient) -> None:
    def mean(key: str, method: str) -> float:
        values = [measure(patient, key, 9, method=method, repeat=one) for one in range(25)]
        return fmean(one.value for one in values if one.fault is None)

    assert mean("temp_c", "axillary") < mean("temp_c", "tympanic") < mean("temp_c", "rectal")
    assert mean("ph", "venous gas") < mean("ph", "arterial gas")
    assert mean("pco2", "venous gas") > mean("pco2", "arterial gas") + 3
    assert mean("po2", "venous gas") < 45


def test_oxygen_raises_the_saturation_at_once() -> None:
    patient = draw_patient(11, "pneumonia")
    before = [measure(patient, "spo2", 10, repeat=one).value for one in range(20)]
    after = [measure(patient, "spo2", 10, {"oxygen": 9}, repeat=one).value for one in range(20)]
    assert fmean(after) > fmean(before)


@pytest.mark.parametrize(
    ("measurement", "method", "hint"), [("potassum", None, "k"), ("k", "labratory", "laboratory")]
)
def test_unknown_names_are_answered_with_near_ones(
    patient: ClinicPatient, measurement: str, method: str | None, hint: str
) -> None:
    with pytest.raises(ConfigError, match=hint):
        measure(patient, measurement, 0, method=method)


def test_the_data_name_measurements_methods_and_specimens_that_exist(
    patient: ClinicPatient,
) -> None:
    known = patient.facts.measurements
    data = measuring()
    kinds = {one.kind for one in known.values()}
    assert data.computed.keys() | data.methods.keys() <= known.keys()
    for fault in data.faults:
        assert fault.specimen in kinds
        assert fault.values.keys() <= known.keys()
        ways = {way for key in fault.values for way in methods_of(known[key])}
        assert set(fault.methods) <= ways
        assert (fault.noted > 0) == (fault.comment is not None)


def test_no_error_makes_the_pulse_pressure_narrower_than_that_of_a_heart() -> None:
    narrow = set()
    for number, one in enumerate(presenting(load())):
        ill = draw_patient(number, one.id)
        for minute in (5, 20, 60, 240):
            sample = Sample(ill, minute)
            upper, lower = sample.reading("sbp").value, sample.reading("dbp").value
            assert upper - lower >= 0.16 * upper - 1, (one.id, upper, lower)
            if upper - lower < 0.25 * upper - 1:
                narrow.add(one.id)
                state = ill.state(minute)
                assert state["sbp"] - state["dbp"] < 0.25 * state["sbp"], (one.id, upper, lower)
    assert narrow


def test_what_is_on_file_of_earlier_days_was_measured_without_an_error() -> None:
    faults = {"earlier": 0, "today": 0}
    for seed in range(60):
        ill = draw_patient(seed, "migraine")
        for name, minute in (("earlier", -90_000), ("today", 30)):
            sample = Sample(ill, minute)
            keys = ("k", "spo2", "sbp", "temp_c")
            faults[name] += sum(sample.reading(key).fault is not None for key in keys)
    assert faults["earlier"] == 0
    assert faults["today"] > 0


def test_two_temperatures_a_few_minutes_apart_agree() -> None:
    agreed = 0
    for seed in range(40):
        one = draw_patient(seed, "pneumonia")
        for minute in (0, 30, 61):
            both = [measure(one, "temp_c", minute + later) for later in (0, 3)]
            if not any(reading.comment for reading in both):  # it is said where a reading is off
                agreed += 1
                assert abs(both[0].value - both[1].value) < 0.15
    assert agreed > 80


def test_a_wrong_cuff_takes_a_share_of_the_pressure() -> None:
    (wrong,) = (one for one in measuring().faults if one.id == "cuff too large")
    assert parse(wrong.values["sbp"]).compute({"value": 60.0, "extent": 1.0}) > 50
