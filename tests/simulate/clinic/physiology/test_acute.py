"""What medicines do to measurements at once, whatever the illness."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from clingen_rows import Some
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.chart.catalogue import procedures
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient, presenting
from gym_clinic.simulate.clinic.physiology.acute import AcuteEffect, acute_effects


@pytest.fixture(scope="module")
def patient() -> ClinicPatient:
    return draw_patient(7, "migraine")


def changed(patient: ClinicPatient, minute: float, actions: Mapping[str, float]) -> dict[str, int]:
    """Measurement -> 1 or -1 where it rises or falls."""
    plain, moved = patient.state(minute), patient.state(minute, actions)
    return {
        key: 1 if moved[key] > plain[key] else -1
        for key in plain
        if abs(moved[key] - plain[key]) > 1e-9
    }


def test_actions_and_measurements_exist() -> None:
    facts = load()
    for action, effect in acute_effects().items():
        kind, _, name = action.partition(":")
        tables = {
            "class": facts.drug_classes, "drug": facts.drugs, "procedure": procedures().procedures
        }  # fmt: skip
        known = tables.get(kind, {"": None})
        assert name in known, action
        assert effect.effects.keys() <= facts.measurements.keys()


def test_insulin_lowers_the_glucose_of_those_who_do_not_need_it(patient: ClinicPatient) -> None:
    moved = changed(patient, 60, {"drug:insulin-regular": 5})
    assert moved["glucose"] == moved["glucometer"] == moved["k"] == -1


@pytest.mark.parametrize("action", ["oxygen", "procedure:high-flow-oxygen"])
def test_oxygen_raises_a_low_saturation_at_once(action: str) -> None:
    low = [draw_patient(seed, "bronchiolitis") for seed in range(12)]
    low = [one for one in low if one.state(30)["spo2"] < 93]
    assert len(low) >= 4
    for one in low:
        rises = one.state(30, {action: 5.0})["spo2"] - one.state(30)["spo2"]
        assert rises >= 2


def test_a_panic_attack_races_and_settles_within_hours() -> None:
    attacks = [draw_patient(seed, "panic-disorder") for seed in range(12)]
    rises = [one.state(0)["hr"] - one.usual["hr"] for one in attacks]
    assert sorted(rises)[2] >= 20
    for one, rise in zip(attacks, rises, strict=True):
        if len(one.problems) == 1 and rise > 20:
            assert one.state(180)["hr"] - one.usual["hr"] < rise / 3


def test_effects_begin_last_and_wear_off(patient: ClinicPatient) -> None:
    actions = {"drug:morphine": 30.0}
    assert changed(patient, 30, actions) == {}
    assert changed(patient, 60, actions)["rr"] == -1
    assert changed(patient, 30 + 10 + 2 * 180, actions) == {}


def test_an_antipyretic_does_not_cool_who_has_no_fever(patient: ClinicPatient) -> None:
    plain, moved = patient.state(90), patient.state(90, {"drug:paracetamol": 5})
    assert plain["temp_c"] < 37.5
    assert moved["temp_c"] >= min(36.8, plain["temp_c"]) - 1e-9
    fevered = draw_patient(7, "pneumonia")
    assert changed(fevered, 90, {"drug:paracetamol": 5})["temp_c"] == -1


@given(st.sampled_from(sorted(acute_effects())), st.floats(0.1, 500), st.floats(0, 3000))
def test_no_effect_goes_beyond_its_limit_or_turns(name: str, value: float, minutes: float) -> None:
    effect: AcuteEffect = acute_effects()[name]
    assert 0 <= effect.strength(minutes) <= 1
    for shift in effect.effects.values():
        moved = shift.moved(value)
        falls = shift.not_below is not None
        assert (moved <= value) if falls else (moved >= value)
        if shift.not_below is not None:
            assert moved >= min(value, shift.not_below)
        if shift.not_above is not None:
            assert moved <= max(value, shift.not_above)


@pytest.mark.population
def test_first_treatments_kill_nobody_who_would_live_without_them(some: Some) -> None:
    for condition in some(presenting(load())):
        one = draw_patient(3, condition.id)
        alternatives = condition.course.treated_by if condition.course is not None else ()
        for together in alternatives[:1]:
            died = one.death(dict.fromkeys(together, 20.0))
            assert died is None or one.death() is not None, (condition.id, together)
