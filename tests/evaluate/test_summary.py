"""The figures of a run, checked against enumeration, closed forms and by hand."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.errors import ConfigError
from gym_clinic.evaluate.intervals import Interval, pass_at_k, pass_hat_k
from gym_clinic.evaluate.report import Grid, compare, markdown, tables
from gym_clinic.evaluate.summary import Result, Summary, summarise

ABOUT = {
    "id": "x/Y-v0",
    "env_options": {},
    "policy": "p|q",
    "policy_options": {"temperature": 0},
    "version": "1",
    "data": "d",
    "split": "test",
}


def result(task: str, trial: int = 0, reward: float = 0.0, **rest: Any) -> Result:
    return Result(
        task, trial, reward=reward, **{"turns": 2, "calls": 1, "stop": "answered", **rest}
    )


def summary(results: Sequence[Result], trials: int = 1, **rest: Any) -> Summary:
    given = {"seed": 0, "reward_range": (-1.0, 1.0), **rest}
    return summarise(results, about=ABOUT, trials=trials, **given)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_pass_estimators_average_over_all_choices_of_k_trials(
    solved: list[bool], data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, len(solved)))
    chosen = list(itertools.combinations(solved, k))
    n, c = len(solved), sum(solved)
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


def test_means_extremes_and_scaling_by_hand() -> None:
    found = summary(
        [
            result("a", 0, -3.0),
            result("a", 1, 0.5, success=True),
            result("b", 0, 1.0, calls=3),
            result("b", 1, 0.0, stop="max_turns"),
        ],
        trials=2,
    )
    assert (found.reward.mean, found.reward.min, found.reward.max) == (-0.375, -3.0, 1.0)
    # -3 lies below the declared range and counts as its lower end.
    assert found.scaled.mean == pytest.approx((0.0 + 0.75 + 1.0 + 0.5) / 4)
    assert (found.scaled.min, found.scaled.max) == (0.0, 1.0)
    assert found.success.mean == 0.25
    assert found.calls.mean == 1.5
    assert found.stops == {"answered": 3, "max_turns": 1}
    assert (found.tasks, found.episodes, found.errors) == (2, 4, 0)
    assert found.pass_at_k["1"].mean == 0.25
    assert found.pass_at_k["2"].mean == 0.5
    assert found.pass_hat_k["2"].mean == 0.0


def test_failed_episodes_are_counted_and_enter_no_mean_but_usage() -> None:
    fine = [
        result(name, trial, 1.0, success=True, usage={"tokens": 5})
        for name in "ab"
        for trial in (0, 1)
    ]
    broken = [Result("c", 0, error="down", usage={"tokens": 2}), result("c", 1, -1.0)]
    found = summary(fine + broken, trials=2)
    assert (found.episodes, found.errors) == (6, 1)
    assert found.reward.mean == pytest.approx(0.6)
    assert found.usage == {"tokens": 22}
    # Task c has one trial left, and cannot say what two would do.
    assert found.pass_at_k["1"].mean == 1.0


def test_nothing_scored_gives_no_figures_but_a_report() -> None:
    found = summary([Result("a", 0, error="down"), Result("b", 0, error="down")])
    assert found.reward.mean is None
    assert found.reward.min is None
    assert found.metrics == {}
    assert found.errors == found.episodes == 2
    json.dumps(found.as_dict(), allow_nan=False)
    assert "–" in markdown(found)


def test_trials_of_a_task_stay_together() -> None:
    once = [result(f"t{number}", 0, float(number % 3) - 1) for number in range(30)]
    copies = [
        result(one.task_id, trial, one.reward or 0.0) for one in once for trial in range(5)
    ]  # fmt: skip
    # Copies of a trial bring no news, so the interval must not shrink.
    assert summary(copies, trials=5).reward == summary(once).reward


def test_interval_agrees_with_the_normal_approximation() -> None:
    found = summary([result(f"t{n}", 0, float(n % 2)) for n in range(400)]).reward
    assert found.low is not None
    assert found.high is not None
    half = 1.96 * math.sqrt(0.25 / 400)
    assert found.high - found.mean == pytest.approx(half, rel=0.1)
    assert found.mean - found.low == pytest.approx(half, rel=0.1)


def test_bootstrap_depends_on_the_seed_alone() -> None:
    results = [result(f"t{n}", 0, (n * 37 % 11) / 11) for n in range(40)]
    assert summary(results) == summary(results)
    assert summary(results).reward != summary(results, seed=1).reward
    assert summary(results).reward.mean == summary(results, seed=1).reward.mean


def test_a_domain_aggregates_whole_resampled_tasks() -> None:
    calls: list[int] = []

    def aggregate(results: Sequence[Result]) -> Mapping[str, float]:
        calls.append(len(results))
        names = [one.task_id for one in results]
        assert all(names.count(name) % 2 == 0 for name in set(names))  # both trials, or none
        return {"mean": sum(one.metrics["m"] for one in results) / len(results)}

    results = [
        result(f"t{n}", trial, n / 10, metrics={"m": n / 10}) for n in range(10) for trial in (0, 1)
    ]
    found = summary(results, trials=2, aggregate=aggregate)
    assert len(calls) == 1 + 2000
    assert set(calls) == {20}
    assert found.metrics["mean"].mean == pytest.approx(0.45)
    assert found.metrics["mean"].low == pytest.approx(found.reward.low)
    assert found.metrics["mean"].high == pytest.approx(found.reward.high)


def test_aggregates_of_many_episodes_take_fewer_resamples() -> None:
    calls: list[int] = []

    def aggregate(results: Sequence[Result]) -> Mapping[str, float]:
        calls.append(len(results))
        return {"m": 0.5}

    summary([result(f"t{n}") for n in range(1000)], aggregate=aggregate)
    assert len(calls) == 1 + 500
    calls.clear()
    summary([result(f"t{n}") for n in range(4000)], aggregate=aggregate)
    assert len(calls) == 1 + 200


def test_undefined_figures_become_null() -> None:
    def aggregate(results: Sequence[Result]) -> Mapping[str, float]:
        return {"never": math.nan, "here": 1.0}

    found = summary([result("a"), result("b")], aggregate=aggregate)
    assert found.metrics["never"] == Interval()
    assert found.metrics["here"] == Interval(1.0, 1.0, 1.0)


def test_a_figure_that_some_tasks_lack_is_averaged_over_the_others() -> None:
    results = [result("a", rewards={"x": 1.0}), result("b", rewards={"x": 0.0, "rare": 0.5})]
    found = summary(results)
    assert found.rewards["x"].mean == 0.5
    assert found.rewards["rare"] == Interval(0.5, 0.5, 0.5)


def test_a_result_is_read_from_a_line_of_a_trace() -> None:
    row = {
        "task_id": "a", "trial": 1, "error": None, "reward": 0.5, "success": True,
        "rewards": {"x": 0.5}, "metrics": {"m": None}, "turns": 3, "calls": [{}, {}],
        "stop": "answered", "usage": {"tokens": 4},
    }  # fmt: skip
    found = Result.of(row)
    assert (found.calls, found.turns, found.success) == (2, 3, True)
    assert math.isnan(found.metrics["m"])


def test_report_and_comparison() -> None:
    one = summary([result("a", 0, 1.0, success=True), result("a", 1, 1.0)], trials=2)
    two = summarise(
        [result("a", metrics={}), Result("b", 0, error="down")],
        about={**ABOUT, "policy": "other"},
        trials=1,
        seed=0,
        reward_range=(-1.0, 1.0),
        aggregate=lambda results: {"f1": 0.25},
    )
    grid = compare([one, two])
    assert grid.columns == (
        "policy", "success", "reward", "failed", "episodes", "success_interval", "scaled",
        "scaled_interval", "turns", "calls", "f1",
    )  # fmt: skip
    assert [row[0] for row in grid.rows] == ["p|q", "other"]
    assert [row[-1] for row in grid.rows] == ["–", "0.250"]
    assert "p\\|q" in grid.markdown()
    assert all(len(row) == len(grid.columns) for row in grid.rows)
    assert len(tables(one)) == 3
    assert len(tables(two)) == 2  # one trial says nothing about several
    text = markdown(one)
    assert "| scaled reward | 1.000 | 1.000 to 1.000 | 1.000 | 1.000 |" in text
    assert "temperature" in text


def test_runs_with_other_tasks_or_scoring_are_not_compared() -> None:
    one = summary([result("a", 0, 1.0)], trials=1)
    other = replace(one, policy="other", data="changed")
    with pytest.raises(ConfigError, match="tasks or scoring differ"):
        compare([one, other])
    assert len(compare([one, replace(other, split="dev")]).rows) == 2


def test_rich_tables_take_any_text() -> None:
    from rich.console import Console

    grid = Grid("[bold]", ("a", "b"), (("[red]", "[/x]"),))
    console = Console(width=60, record=True, file=open_null())
    console.print(grid.rich(60))
    assert "[red]" in console.export_text()


def open_null() -> Any:
    import io

    return io.StringIO()
