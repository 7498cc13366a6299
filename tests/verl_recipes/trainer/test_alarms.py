from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError
from verl_recipes.trainer.alarms import WATCHED, Alarms

HEALTHY = {
    "val/turns": 7.2, "clinic/clip_ratio": 0.1, "ttopd/kl": 0.4, "clinic/mixed_fraction": 0.6,
    "ttopd/grad_ratio": 2.0, "clinic/hint_echo": 0.0,
}  # fmt: skip


def heard(series: Sequence[float], key: str, alarms: Alarms | None = None) -> list[int]:
    """Return the steps, from 1, at which one figure raises an alarm, the others being healthy."""
    alarms = alarms or Alarms()
    return [
        step for step, value in enumerate(series, 1) if alarms.check(step, {**HEALTHY, key: value})
    ]


def test_alarms_watch_every_figure() -> None:
    assert set(HEALTHY) == set(WATCHED)


@given(
    st.fixed_dictionaries({
        "val/turns": st.floats(1.0, 50.0),
        "clinic/clip_ratio": st.floats(0.0, 0.5),
        "ttopd/kl": st.floats(0.0, 10.0),
        "clinic/mixed_fraction": st.floats(0.2, 1.0),
        "ttopd/grad_ratio": st.floats(0.0, 10.0),
    }),
    st.integers(1, 30),
)  # fmt: skip
def test_a_constant_healthy_run_raises_no_alarm(level: dict[str, float], steps: int) -> None:
    alarms = Alarms()
    for step in range(1, steps + 1):
        assert alarms.check(step, {**level, "clinic/hint_echo": 0.0}) == []


@given(st.lists(st.floats(0.0, 1.0), max_size=20))
def test_thresholds(values: list[float]) -> None:
    steps = list(enumerate(values, 1))
    assert heard(values, "clinic/clip_ratio") == [n for n, x in steps if x > 0.5]
    assert heard(values, "clinic/mixed_fraction") == [n for n, x in steps if x < 0.2]
    assert heard(values, "clinic/hint_echo") == [n for n, x in steps if x > 0.0]
    ratios = [20.0 * x for x in values]
    expected = [n for n, x in enumerate(ratios, 1) if x > 10.0]
    assert heard(ratios, "ttopd/grad_ratio") == expected


@given(st.lists(st.floats(0.0, 3.0) | st.sampled_from([0.001, 0.0004, 1e-5, 1e-7]), max_size=20))
def test_a_drop_of_the_kl_raises_an_alarm(kl: list[float]) -> None:
    pairs = list(pairwise(kl))
    # An alarm needs a KL beyond rounding, and the step right after it.
    expected = [n for n, (a, b) in enumerate(pairs, 2) if a > 1e-5 and b < (1 - 0.8) * a]
    assert heard(kl, "ttopd/kl") == expected


def test_the_papers_reset_raises_an_alarm_and_its_ema_run_does_not() -> None:
    assert heard([1.9, 2.637, 0.343, 0.4], "ttopd/kl") == [3]
    assert heard([0.001 + 1.062 * n / 59 for n in range(60)], "ttopd/kl") == []


def test_a_kl_is_compared_with_the_step_before_only() -> None:
    alarms = Alarms()
    assert alarms.check(1, {"ttopd/kl": 2.0}) == []
    assert alarms.check(2, {}) == []
    assert alarms.check(3, {"ttopd/kl": 0.1}) == []
    assert len(alarms.check(4, {"ttopd/kl": 0.01})) == 1


@given(
    st.lists(st.floats(1.0, 10.0) | st.sampled_from([2.0, 8.0, 1.7, 6.8]), min_size=1, max_size=20)
)
def test_three_evaluations_below_the_first(turns: list[float]) -> None:
    low = [x < (1 - 0.15) * turns[0] for x in turns]
    expected = [n for n in range(1, len(turns) + 1) if n >= 3 and all(low[n - 3 : n])]
    assert heard(turns, "val/turns") == expected


def test_steps_without_an_evaluation_do_not_change_an_alarm() -> None:
    alarms = Alarms()
    said: list[int] = []
    for step in range(41):
        found = {"val/turns": 7.65 if step == 0 else 5.52} if step % 10 == 0 else {}
        said += [step] * len(alarms.check(step, found))
    assert said == [30, 40]


def test_an_evaluation_counts_once_and_an_empty_one_does_not_count() -> None:
    alarms = Alarms()
    assert alarms.check(0, {"val/turns": 0.0}) == []
    assert alarms.baseline is None
    for step in (0, 10, 10, 10, 20):
        assert alarms.check(step, {"val/turns": 5.0 if step else 8.0}) == []
    assert alarms.check(30, {"val/turns": 0.0}) == []
    assert alarms.low == 2
    assert len(alarms.check(40, {"val/turns": 5.0})) == 1


@pytest.mark.parametrize("key", WATCHED)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_figures_that_are_not_finite_raise_an_alarm(key: str, value: float) -> None:
    alarms = Alarms()
    alarms.check(1, HEALTHY)
    (said,) = alarms.check(2, {**HEALTHY, key: value})
    assert said.startswith(f"step 2: {key} is {value}")
    assert all(x is None or math.isfinite(x) for x in alarms.state_dict().values())
    assert alarms.check(3, HEALTHY) == []


def test_the_text_of_alarms() -> None:
    alarms = Alarms()
    for step in (1, 2, 3):
        said = alarms.check(step, {"val/turns": 8.0 if step == 1 else 5.0})
    assert said == []
    alarms.check(4, {"ttopd/kl": 2.637})
    turns, clipped, dropped, mixed, gradients, echoed = alarms.check(
        5,
        {
            "val/turns": 4.5, "clinic/clip_ratio": 0.917, "ttopd/kl": 0.343,
            "clinic/mixed_fraction": 0.125, "ttopd/grad_ratio": 14.25, "clinic/hint_echo": 0.02,
        },
    )  # fmt: skip
    assert "4.50 turns" in turns
    assert "15% below the 8.00 of the first, 3 evaluations in a row" in turns
    assert "92% of the trajectories truncated (limit 50%)" in clipped
    assert "from 2.64 to 0.343, more than 80%" in dropped
    assert "12% of the groups" in mixed
    assert "14.2 times that of GRPO (limit 10)" in gradients
    assert "clinic/hint_echo 0.02" in echoed
    for text in (turns, clipped, dropped, mixed, gradients, echoed):
        assert text.startswith("step 5: ")
        assert "\n" not in text


levels = st.fixed_dictionaries(
    {},
    optional={
        "val/turns": st.floats(0.0, 10.0),
        "ttopd/kl": st.floats(0.0, 3.0),
        "clinic/clip_ratio": st.floats(0.0, 1.0),
    },
)


@given(st.lists(levels, max_size=20), st.data())
def test_a_restored_state_behaves_the_same(series: list[dict[str, float]], data: Any) -> None:
    cut = data.draw(st.integers(0, len(series)))
    whole, first, second = Alarms(), Alarms(), Alarms()
    expected = [whole.check(step, found) for step, found in enumerate(series)]
    said = [first.check(step, found) for step, found in enumerate(series[:cut])]
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    said += [second.check(step, found) for step, found in enumerate(series[cut:], cut)]
    assert said == expected
    assert second.state_dict() == whole.state_dict()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"other": 1}, "has the keys"),
        ({"low": 1.5}, "'low' in the state of alarms is a whole number, not 1.5"),
        ({"low": None}, "'low' in the state of alarms is a whole number"),
        ({"kl": "x"}, "'kl' in the state of alarms is a number or null, not 'x'"),
        ({"baseline": True}, "'baseline' in the state of alarms is a number or null"),
    ],
)
def test_a_state_of_another_form_is_refused(changes: dict[str, Any], said: str) -> None:
    alarms = Alarms()
    alarms.check(1, HEALTHY)
    before = alarms.state_dict()
    with pytest.raises(ConfigError, match=said):
        alarms.load_state_dict({**before, "low": 2, **changes})
    assert alarms.state_dict() == before
    with pytest.raises(ConfigError, match="has the keys"):
        alarms.load_state_dict({})
