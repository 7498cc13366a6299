"""What blood pressure entails: the pressures of one beat, consciousness, a failing circulation."""

from __future__ import annotations

from collections.abc import Mapping

PULSE_PRESSURE, NARROW = 0.25, 0.16
"""Share of the systolic pressure that the pulse pressure is at least, and where the heart cannot
fill or empty or the pressure has fallen: tamponade, aortic stenosis, shock."""

PERFUSED, COMA_POINTS = 0.62, 30.0
"""Share of the usual mean pressure below which consciousness fails, and points of the coma score
that the whole of the usual pressure is worth; authored."""


def least_pulse_pressure(systolic: float, *, narrow: bool) -> float:
    """Return the least pulse pressure in mmHg at a systolic pressure.

    Args:
        systolic: In mmHg.
        narrow: Whether there is shock, or what keeps the heart from filling or emptying.
    """
    return (NARROW if narrow else PULSE_PRESSURE) * systolic


def consciousness(state: Mapping[str, float], usual: Mapping[str, float]) -> float:
    """Return the coma score: it falls where too little blood reaches the brain, to 3 at least."""
    mean, before = ((one["sbp"] + 2 * one["dbp"]) / 3 for one in (state, usual))
    lacking = max(PERFUSED - mean / before, 0.0)
    return max(state["gcs"] - COMA_POINTS * lacking, 3.0)


def is_failing(state: Mapping[str, float]) -> bool:
    """Return whether consciousness, oxygen or blood pressure is so low that everybody sees it.

    Args:
        state: The state, with `age`; the least systolic pressure of a child is that of paediatric
            life support.
    """
    least = min(90.0, 70 + 2 * state["age"])
    return state["gcs"] <= 12 or state["spo2"] < 90 or state["sbp"] < least
