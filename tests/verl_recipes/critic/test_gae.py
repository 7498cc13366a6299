"""Advantages by turn: the reference values, and another way to write their sum."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verl_recipes.critic.gae import turn_advantages

TURNS = st.lists(st.tuples(st.floats(-2, 2), st.floats(-2, 2)), min_size=1, max_size=6)


def test_golden(golden: Any) -> None:
    case = golden["001_gae"]
    values = case["V"][:-1]  # the last one is that of the end, 0
    found = turn_advantages(case["r"], values, gamma=case["gamma"], lam=case["lam"])
    assert found[0] == pytest.approx(case["adv"], abs=1e-9)
    assert found[1] == pytest.approx(case["ret"], abs=1e-9)


@given(turns=TURNS, gamma=st.floats(0, 1), lam=st.floats(0, 1))
def test_it_is_the_sum_that_the_paper_prints(
    turns: list[tuple[float, float]], gamma: float, lam: float
) -> None:
    rewards, values = ([pair[n] for pair in turns] for n in (0, 1))
    after = [*values[1:], 0.0]
    errors = [r + gamma * v1 - v0 for r, v0, v1 in zip(rewards, values, after, strict=True)]
    printed = [
        sum((gamma * lam) ** (later - turn) * errors[later] for later in range(turn, len(turns)))
        for turn in range(len(turns))
    ]
    to_go = [
        sum(gamma ** (later - turn) * rewards[later] for later in range(turn, len(turns)))
        for turn in range(len(turns))
    ]
    advantages, returns = turn_advantages(rewards, values, gamma=gamma, lam=lam)
    assert advantages == pytest.approx(printed, abs=1e-9)
    assert returns == pytest.approx(to_go, abs=1e-9)
