from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verl_recipes.trainer.alarms import WATCHED, Alarms, probability_gap

HEALTHY = {
    "val/turns": 7.2, "clinic/clip_ratio": 0.1, "ttopd/kl": 0.4, "clinic/mixed_fraction": 0.6,
    "ttopd/grad_ratio": 2.0, "clinic/hint_echo": 0.0, "clinic/fault_fraction": 0.0,
    "clinic/failed_fraction": 0.0, "training/rollout_probs_diff_mean": 0.004,
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
        "clinic/fault_fraction": st.floats(0.0, 0.05),
        "clinic/failed_fraction": st.floats(0.0, 0.05),
        "training/rollout_probs_diff_mean": st.floats(0.0, 0.02),
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
    for failed in ("clinic/fault_fraction", "clinic/failed_fraction"):
        assert heard(values, failed) == [n for n, x in steps if x > 0.05]
    gap = "training/rollout_probs_diff_mean"
    assert heard(values, gap) == [n for n, x in steps if x > 0.02]
    assert heard(values, gap, Alarms(1e-4)) == [n for n, x in steps if x > 1e-4]
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
def test_turns_over_any_three_evaluations(turns: list[float]) -> None:
    means = [sum(turns[n : n + 3]) / 3 for n in range(1, len(turns) - 2)]
    highest = [max([turns[0], *means[:n]]) for n in range(len(means))]
    expected = [
        n for n, (mean, top) in enumerate(zip(means, highest, strict=True), 4)
        if mean < (1 - 0.15) * top
    ]  # fmt: skip
    assert heard(turns, "val/turns") == expected


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([8.0, 6.0, 6.0, 6.0], [4]),
        ([8.0, 6.0, 8.0, 7.0], []),  # 7.00 on average; one good evaluation is noise
        ([8.0, 5.0, 8.0, 5.0], [4]),  # 6.00: one good evaluation does not hide a fall
        ([2.0, 7.0, 7.0, 7.0, 4.0, 4.0, 4.0], [6, 7]),  # a fall from what was learnt
        ([8.0, 7.5, 7.0, 6.5, 6.0, 5.5, 5.0], [5, 6, 7]),  # little by little
        ([8.0, 5.0], []),
    ],
)
def test_a_fall_of_the_turns(turns: list[float], expected: list[int]) -> None:
    assert heard(turns, "val/turns") == expected


def test_a_run_of_sixty_steps_has_evaluations_enough_to_hear_a_collapse() -> None:
    """At the default of ten steps between evaluations; the paper's run has 60."""
    alarms, said = Alarms(), []
    for step in range(0, 61, 10):
        said += [step] * len(alarms.check(step, {"val/turns": 7.65 if step < 30 else 5.0}))
    assert said == [40, 50, 60]


def test_a_stage_is_compared_with_itself_alone() -> None:
    """Its tasks may take fewer turns, and its KL begins anew."""
    alarms = Alarms()
    for step in range(4):
        alarms.check(step, {"val/turns": 8.0, "ttopd/kl": 2.0})
    alarms.begin_stage()
    for step in range(4, 8):
        assert alarms.check(step, {"val/turns": 3.0, "ttopd/kl": 0.1}) == []
    assert [len(alarms.check(step, {"val/turns": 2.0})) for step in (8, 9, 10)] == [0, 1, 1]


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
    assert alarms.recent == [5.0, 5.0]
    assert len(alarms.check(40, {"val/turns": 5.0})) == 1


@pytest.mark.parametrize("key", WATCHED)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_figures_that_are_not_finite_raise_an_alarm(key: str, value: float) -> None:
    alarms = Alarms()
    alarms.check(1, HEALTHY)
    (said,) = alarms.check(2, {**HEALTHY, key: value})
    assert said.startswith(f"step 2: {key} is {value}")
    known = alarms.state_dict()
    recent = known.pop("recent")
    assert all(x is None or math.isfinite(x) for x in [*known.values(), *recent])
    assert alarms.check(3, HEALTHY) == []


def test_the_text_of_alarms() -> None:
    alarms = Alarms()
    for step in (1, 2, 3):
        said = alarms.check(step, {"val/turns": 8.0 if step == 1 else 5.0})
    assert said == []
    alarms.check(4, {"ttopd/kl": 2.637})
    values = (4.5, 0.343, 0.125, 0.917, 14.25, 0.02, 15 / 16, 0.5, 0.31)
    texts = alarms.check(5, dict(zip(WATCHED, values, strict=True)))
    parts = (
        ("4.83 turns over the last 3 evaluations", "15% below the 8.00 of before"),
        ("from 2.64 to 0.343, more than 80%",),
        ("12% of the groups",),
        ("92% of the trajectories truncated (limit 50%)",),
        ("14.2 times that of GRPO (limit 10)",),
        ("clinic/hint_echo 0.02",),
        ("the environment failed 94% of the trajectories (limit 5%)",),
        ("50% of the prompts did not come back (limit 5%)",),
        ("differ by 0.31 on average from the trainer's (limit 0.02)",),
    )
    for text, expected in zip(texts, parts, strict=True):
        assert all(part in text for part in expected), text
        assert text.startswith("step 5: ")
        assert "\n" not in text


def test_the_gap_allows_for_precision_and_for_a_cut_of_the_probabilities() -> None:
    def limit(**changes: Any) -> float:
        rollout = {"name": "vllm", "dtype": "bfloat16", "top_p": 1.0}
        return probability_gap(SimpleNamespace(**{**rollout, **changes}))

    assert limit() == 0.02
    assert limit(top_p=0.95) == pytest.approx(0.07)
    assert limit(dtype="float32") == 1e-4
    assert limit(name="hf", top_p=0.95) == 1e-4


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
