"""Urea goes with creatinine, and kidneys that have been ill for long cost haemoglobin."""

from __future__ import annotations

import dataclasses

import pytest

from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.people import Background
from gym_clinic.simulate.clinic.physiology.body import DrawnEffect
from gym_clinic.simulate.clinic.physiology.kidneys import least_urea, most_haemoglobin


def failing(condition: str, times: float) -> dict[str, float]:
    """The usual state of a grown patient who lives with a condition that fails the kidneys."""
    patient = next(
        one for seed in range(50)
        if (one := draw_patient(seed, "migraine")).person.age > 30
    )  # fmt: skip
    lived_with = Background(condition, 4.0, {"creatinine": DrawnEffect("times", times)})
    return dataclasses.replace(patient, background=(lived_with,), medicines=()).usual


def test_urea_rises_with_creatinine_whatever_the_condition_says_of_it() -> None:
    usual = {"creatinine": 0.8, "bun": 12.0}
    assert least_urea({"creatinine": 4.0, "bun": 12.0}, usual) == pytest.approx(40, abs=1)
    assert least_urea({"creatinine": 0.6, "bun": 12.0}, usual) == 0
    state = failing("chronic-kidney-disease", 5.0)
    assert state["egfr"] < 25
    assert state["bun"] > 20
    assert state["urea"] > 7.1


@pytest.mark.parametrize(("rate", "left"), [(90, 14.0), (60, 14.0), (30, 12.8), (15, 11.0)])
def test_haemoglobin_falls_with_the_filtration_of_years(rate: float, left: float) -> None:
    assert most_haemoglobin(rate, 14.0) == pytest.approx(left)


def test_only_kidneys_that_have_long_been_ill_cost_haemoglobin() -> None:
    long_ill, other = (failing(one, 5.0) for one in ("chronic-kidney-disease", "hypertension"))
    assert long_ill["hb"] < other["hb"] - 1.5
    assert long_ill["hct"] == pytest.approx(long_ill["hb"] * 2.97)
