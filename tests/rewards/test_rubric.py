from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import Call, Case, ConfigError, Episode, Rubric, Task, Turn
from gym_clinic.rewards import call_f1, exact_answer, scale


def episode(
    calls: list[Call] | None = None, answer: Any = None, gold: dict[str, Any] | None = None
) -> Episode:
    task = Task(id="t", record={}, gold=gold or {"answer": "a", "calls": []})
    made = Episode(task, Case({}), answer=answer)
    made.turns.append(Turn("", calls=tuple(calls or ())))
    return made


def one(_: Episode) -> float:
    return 1.0


def half(_: Episode) -> float:
    return 0.5


def test_total_is_the_weighted_sum_and_all_parts_are_reported() -> None:
    rubric = Rubric({"one": one, "half": half, "unweighted": one}, {"one": 2.0, "half": -1.0})
    score = rubric.score(episode())
    assert score.total == pytest.approx(1.5)
    assert score.rewards == {"one": 1.0, "half": 0.5, "unweighted": 1.0}


def test_range_follows_weights_and_parts() -> None:
    parts = {"one": one, "half": half}
    assert Rubric(parts, {"one": 0.5, "half": 0.5}).reward_range == (0.0, 1.0)
    assert Rubric(parts, {"one": 0.5, "half": 0.5}, range=(-1, 1)).reward_range == (-1.0, 1.0)
    assert Rubric(parts, {"one": 2, "half": -1}).reward_range == (-1.0, 2.0)
    ranges = {"one": (0.0, 4.0), "half": (-1.0, 1.0)}
    assert Rubric(parts, {"one": 1, "half": 1}, range=ranges).reward_range == (-1.0, 5.0)
    assert Rubric(parts, {"one": 1}, range=ranges).reward_range == (0.0, 4.0)


def test_adjustments_apply_in_order() -> None:
    rubric = Rubric(
        {"one": one},
        {"one": 1.0},
        adjust=(lambda _, total: total + 1, lambda _, total: total * 10),
        total_range=(0.0, 50.0),
    )
    assert rubric.score(episode()).total == 20.0


def test_the_total_stays_in_its_declared_range() -> None:
    low = Rubric({"one": one}, {"one": 1.0}, adjust=(lambda _, total: total - 5,))
    assert low.reward_range == (0.0, 1.0)
    assert low.score(episode()).total == 0.0
    high = replace(low, adjust=(lambda _, total: total + 5,), total_range=(-1.0, 2.0))
    assert high.reward_range == (-1.0, 2.0)
    assert high.score(episode()).total == 2.0
    assert high.score(episode()).rewards == {"one": 1.0}
    with pytest.raises(ConfigError, match=r"total_range must run from low to high, not 1\.\.0"):
        replace(low, total_range=(1, 0))


def test_other_weights_make_another_rubric() -> None:
    rubric = Rubric({"one": one, "half": half}, {"one": 1.0})
    other = rubric.with_weights({"half": 2.0})
    assert other.score(episode()).total == 1.0
    assert rubric.weights == {"one": 1.0}
    assert other.reward_range == (0.0, 2.0)


def test_other_weights_keep_a_declared_range_and_its_clip() -> None:
    capped = Rubric({"one": one, "half": half}, {"one": 1.0}, total_range=(-1.0, 1.0))
    other = capped.with_weights({"one": 2.0, "half": 4.0})
    assert other.reward_range == (-1.0, 1.0)
    assert other.score(episode()).total == 1.0
    assert other.score(episode()).rewards == {"one": 1.0, "half": 0.5}
    assert other.with_weights({"one": -3.0}).score(episode()).total == -1.0


def test_what_the_caller_writes_later_changes_no_weight() -> None:
    weights = {"one": 1.0}
    rubric = Rubric({"one": one}, weights)
    weights["one"] = 5.0
    assert rubric.reward_range == (0.0, 1.0)


def test_a_total_that_is_no_number_is_never_paid() -> None:
    nowhere = Rubric({"one": one, "odd": lambda _: float("inf")}, {"one": 1.0, "odd": 0.0})
    with pytest.raises(ValueError, match=r"the reward is nan: .*'odd': inf"):
        nowhere.score(episode())


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"acuracy": 1}, r"weights name unknown rewards \['acuracy'\]; did you mean 'accuracy'"),
        ({"accuracy": math.nan}, "the weight of 'accuracy' must be from -1e"),
        ({"accuracy": math.inf}, "must be from -1e"),
        ({"accuracy": "1"}, "the weight of 'accuracy' must be a number, got '1'"),
        ({"accuracy": True}, "must be a number, got True"),
        ({"accuracy": None}, "must be a number"),
    ],
)
def test_wrong_weights_are_named(weights: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Rubric({"accuracy": one, "process": half}, weights)
    with pytest.raises(ConfigError, match=says):
        Rubric({"accuracy": one, "process": half}, {"accuracy": 1}).with_weights(weights)


def test_a_missing_range_is_named() -> None:
    with pytest.raises(ConfigError, match=r"range lacks the rewards \['half'\]"):
        Rubric({"one": one, "half": half}, {"one": 1}, range={"one": (0, 1)})


@given(st.floats(-1e6, 1e6), st.floats(-100, 100), st.floats(-100, 100))
def test_scaled_rewards_lie_in_0_to_1(reward: float, first: float, second: float) -> None:
    low, high = sorted((first, second))
    assert 0.0 <= scale(reward, (low, high)) <= 1.0


def test_scale() -> None:
    assert scale(0.0, (-1.0, 1.0)) == 0.5
    assert scale(-7.0, (-1.0, 1.0)) == 0.0
    assert scale(7.0, (-1.0, 1.0)) == 1.0
    assert scale(1.0, (1.0, 1.0)) == 0.0


def test_exact_answer() -> None:
    assert exact_answer(episode(answer="a")) == 1.0
    assert exact_answer(episode(answer="b")) == 0.0
    assert exact_answer(episode(answer=None)) == 0.0
    assert exact_answer(episode(answer=None, gold={"answer": None})) == 0.0


def call(name: str, ok: bool = True, **arguments: Any) -> Call:
    return Call(name, arguments, ok=ok)


GOLD = {
    "calls": [
        {"name": "look", "arguments": {"x": 1, "y": ["a", {"b": None}]}},
        {"name": "ask", "arguments": {}},
    ]
}


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([], 0.0),
        ([call("look", y=["a", {"b": None}], x=1), call("ask")], 1.0),
        ([call("ask"), call("ask"), call("ask")], 2 / 3),
        ([call("ask", ok=False)], 0.0),
        ([call("ask", ok=False), call("ask")], 2 / 3),
        ([call("look", x=1, y=["a", {"b": None}]), call("ask"), call("other", ok=False)], 4 / 5),
        ([call("look", x=True, y=["a", {"b": None}])], 0.0),
        ([call("look", x="1", y=["a", {"b": None}])], 0.0),
    ],
)
def test_call_f1(calls: list[Call], expected: float) -> None:
    assert call_f1(episode(calls, gold=GOLD)) == pytest.approx(expected)


def test_call_f1_without_gold_calls() -> None:
    assert call_f1(episode([], gold={"calls": []})) == 1.0
    assert call_f1(episode([call("ask")], gold={"calls": []})) == 0.0
