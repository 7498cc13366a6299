"""Welch's and Fisher's tests against published values."""

from __future__ import annotations

import pytest

from gym_clinic.domains.clingen.literature.comparisons import (
    case_control,
    compare,
    fisher,
    two_sided,
)
from gym_clinic.domains.clingen.literature.records import Arm
from gym_clinic.errors import TaskError


@pytest.mark.parametrize(("t", "freedom"), [(12.706, 1), (2.571, 5), (2.086, 20), (1.98, 120)])
def test_the_table_of_students_t_is_met(t, freedom):
    assert two_sided(t, freedom) == pytest.approx(0.05, abs=2e-4)


def test_fisher_gives_the_p_value_of_the_lady_tasting_tea():
    assert fisher(3, 4, 1, 4) == pytest.approx(34 / 70)


def test_the_interval_of_a_difference_follows_from_mean_sd_and_n():
    found = compare(Arm("test", "a", 16, 612.0, 88.0), Arm("reference", "b", 15, 428.0, 61.0))
    assert (found.difference, found.low, found.high) == (184, 128, 240)
    assert found.p < 0.001


def test_counts_are_compared_as_shares():
    found = compare(Arm("test", "a", 20, count=10), Arm("reference", "b", 20, count=0))
    assert found.difference == 50
    assert 0 < found.low < 50 < found.high
    with pytest.raises(TaskError, match="means and SDs"):
        compare(Arm("test", "a", 20, count=10), Arm("reference", "b", 20, 1.0, 0.2))


def test_an_odds_ratio_lies_within_its_interval():
    found = case_control(14, 812, 9, 2210)
    assert found.low < found.odds_ratio == 4.29 < found.high
    assert found.p < 0.001
