"""Consciousness goes with the pressure that reaches the brain."""

from __future__ import annotations

import pytest

from gym_clinic.simulate.clinic.physiology.circulation import consciousness


@pytest.mark.parametrize(
    ("pressure", "usual", "least", "most"),
    [
        ((41, 22), (95, 58), 3, 10),  # a small child in deep shock is not awake
        ((60, 35), (125, 78), 8, 13),
        ((95, 60), (125, 78), 15, 15),
        ((70, 42), (95, 58), 15, 15),
    ],
)
def test_nobody_is_awake_without_pressure(
    pressure: tuple[float, float], usual: tuple[float, float], least: float, most: float
) -> None:
    state, before = (
        {"sbp": float(one[0]), "dbp": float(one[1]), "gcs": 15.0} for one in (pressure, usual)
    )
    assert least <= consciousness(state, before) <= most
