"""Calibration: what is known of it by hand, and that it does not depend on the order."""

from __future__ import annotations

import doctest
import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError
from gym_clinic.domains.kacr.critic import measure_calibration


def test_by_hand() -> None:
    found = measure_calibration([0.9, 0.9, 0.1, 1.0], [1, 0, 0, 1])
    assert found.error == pytest.approx((3 * abs(2.8 - 2.0) / 3 + 0.1) / 4)
    assert found.brier == pytest.approx((0.01 + 0.81 + 0.01) / 4)
    assert [point.size for point in found.curve] == [1, 3]


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=20))
def test_order_does_not_count_and_truth_has_no_error(pairs: list[tuple[float, bool]]) -> None:
    chances, outcomes = [pair[0] for pair in pairs], [float(pair[1]) for pair in pairs]
    found = measure_calibration(chances, outcomes)
    assert sum(point.size for point in found.curve) == len(pairs)
    again = measure_calibration(chances[::-1], outcomes[::-1])
    assert again.error == pytest.approx(found.error)
    assert 0.0 <= found.error <= 1.0
    assert measure_calibration(outcomes, outcomes).error == 0.0


@pytest.mark.parametrize("given_", [([], []), ([0.5], [1, 0])])
def test_nothing_to_compare_is_an_error(given_: tuple[list[float], list[float]]) -> None:
    with pytest.raises(ConfigError, match="expected as many, not none"):
        measure_calibration(*given_)


@pytest.mark.parametrize("name", ["calibration", "state"])
def test_examples_in_the_docstrings_hold(name: str) -> None:
    module = importlib.import_module(f"gym_clinic.domains.kacr.critic.{name}")
    failed, tried = doctest.testmod(module)
    assert tried > 0
    assert not failed
