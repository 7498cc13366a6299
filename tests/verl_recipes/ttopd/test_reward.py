"""The cosine length reward: golden values and its order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError
from verl_recipes.registry import WRONG_MODES
from verl_recipes.ttopd.reward import cosine_reward

ATOL = 1e-9

lengths = st.integers(0, 40_000)


def test_golden(golden):
    assert golden["002_cosine"]
    for case in golden["002_cosine"]:
        found = cosine_reward(case["correct"], case["L"], case["truncated"])
        assert found == pytest.approx(case["r"], abs=ATOL), case


def test_golden_negative_r_min(golden):
    case = golden["002_cosine_negative_rmin"]
    trap = {"r_min": -1.0, "r_max": 1.0}
    correct, wrong = (
        cosine_reward(True, 9300, False, **trap),
        cosine_reward(False, 0, False, **trap),
    )
    assert correct == pytest.approx(case["r_correct_9300"], abs=ATOL)
    assert wrong == pytest.approx(case["r_wrong_0"], abs=ATOL)
    assert correct < wrong
    crossing = cosine_reward(True, int(case["Lstar"]), False, **trap)
    assert crossing == pytest.approx(0.0, abs=ATOL)


@given(lengths, lengths, lengths)
def test_correct_answers_earn_more_than_wrong_and_truncated_ones(right, wrong, cut):
    correct = cosine_reward(True, right, False)
    incorrect = cosine_reward(False, wrong, False)
    truncated = {cosine_reward(outcome, cut, True) for outcome in (True, False)}
    assert truncated == {-0.5}
    assert 1.2 >= correct >= 0.2 - 1e-12
    assert 0.0 >= incorrect >= -0.2 - 1e-12
    assert correct > incorrect > -0.5


@given(lengths, lengths, st.integers(1, 20_000))
def test_monotone_in_length(one, other, l_max):
    short, long = sorted((one, other))
    for correct in (True, False):
        for mode in WRONG_MODES:
            before, after = (
                cosine_reward(correct, length, False, l_max=l_max, wrong_mode=mode)
                for length in (short, long)
            )
            rises = not correct and mode == "yeo"
            assert (after >= before) if rises else (before >= after)
            if short < l_max / 2 < long:
                assert (before == after) == (not correct and mode == "flat")


@given(lengths, st.integers(1, 20_000), st.floats(-2, 2), st.floats(0, 2), st.floats(-2, 2))
def test_ends_and_middle(length, l_max, r_min, spread, r_penalty):
    options = {"l_max": l_max, "r_min": r_min, "r_max": r_min + spread, "r_penalty": r_penalty}

    def of(correct, tokens, mode="paper"):
        return cosine_reward(correct, tokens, False, wrong_mode=mode, **options)

    close = {"abs": 1e-9}
    assert of(True, 0) == pytest.approx(options["r_max"], **close)
    assert of(True, l_max + length) == pytest.approx(r_min, **close)
    assert of(False, 0) == pytest.approx(0.0, **close)
    assert of(False, l_max + length) == pytest.approx(-abs(r_min), **close)
    assert of(False, 0, "yeo") == pytest.approx(r_penalty, **close)
    assert of(False, l_max + length, "yeo") == pytest.approx(0.0, **close)
    assert of(False, length, "flat") == 0.0
    # As printed: R_max - (R_max - R_min) / 2 * (1 - cos).
    bend = 1 - math.cos(math.pi * min(length, l_max) / l_max)
    assert of(True, length) == pytest.approx(options["r_max"] - spread / 2 * bend, **close)
    assert of(False, length) == pytest.approx(-abs(r_min) / 2 * bend, **close)
    assert cosine_reward(True, length, True, **options) == r_penalty


def test_an_unknown_mode_for_wrong_answers_is_refused():
    with pytest.raises(ConfigError, match="did you mean 'paper'"):
        cosine_reward(False, 0, False, wrong_mode="papers")
