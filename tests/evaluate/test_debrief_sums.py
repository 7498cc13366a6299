"""The rows of a debrief add up to the reward: for every id, with policies good and bad."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import product
from typing import Any

import eval_domain
import gymnasium as gym
import pytest
import toy_domains

from gym_clinic import ClinicEnv, Rubric
from gym_clinic.catalog import ids, unwrap
from gym_clinic.domains.clingen.curation import literature_of
from gym_clinic.domains.clingen.debrief import points_table
from gym_clinic.domains.clingen.literature.scoring import score
from gym_clinic.evaluate.debrief import Ended, debrief, headline
from gym_clinic.evaluate.report import Grid
from gym_clinic.policies import load, play
from gym_clinic.taskset import first, spread

ROUNDED = 0.000501
"""What rounding takes from, or adds to, one printed number."""

POLICIES = ("oracle", "rules", "random", "silent", "echo")
IDS = [name for name in ids() if name.startswith("clinic/")]


def tables(env: ClinicEnv, policy: str, task: Any, seed: int = 0) -> tuple[float, dict[str, Grid]]:
    """Play a task; return its reward, and the tables of its debrief."""
    outcome = play(env, task, load(policy, env)(seed), seed)
    grids = debrief(env, Ended(outcome.episode, outcome.reward, outcome.info))
    assert headline(env, Ended(outcome.episode, outcome.reward, outcome.info))
    return outcome.reward, {grid.title: grid for grid in grids}


def check_sum(grid: Grid, total: float | None = None) -> None:
    """Check that the numbers of the last column add up to its last one."""
    *rows, last = [row for row in grid.rows if row[-1]]
    if total is not None:
        assert float(last[-1]) == pytest.approx(total, abs=ROUNDED)
    numbers = [float(row[-1]) for row in rows]
    assert math.fsum(numbers) == pytest.approx(
        float(last[-1]), abs=ROUNDED * (len(numbers) + 1) + 1e-9
    ), grid


@pytest.mark.parametrize(
    ("env_id", "policy"), [*product(IDS, POLICIES), ("clinic/ClinGen-v0", "malformed")]
)
def test_the_rows_add_up_to_the_reward(env_id: str, policy: str) -> None:
    env = unwrap(gym.make(env_id, split="dev"))
    for seed, task in enumerate(spread(env.tasks, 3)):
        reward, grids = tables(env, policy, task, seed)
        check_sum(grids["Reward"], reward)
        for title in ("Process", "Points, as the procedure adds them", "The answer"):
            if title in grids:
                check_sum(grids[title])


@pytest.mark.parametrize("env_id", [*toy_domains.IDS, eval_domain.ID])
@pytest.mark.parametrize("policy", ["oracle", "random", "silent"])
def test_the_rows_of_any_domain_add_up(env_id: str, policy: str) -> None:
    env = unwrap(gym.make(env_id))
    for seed, task in enumerate(first(env.tasks, 3)):
        reward, grids = tables(env, policy, task, seed)
        check_sum(grids["Reward"], reward)


def _price(episode: Any, total: float) -> float:
    """Price of calls."""
    return total - 0.3 * len(episode.calls)


def _cap(episode: Any, total: float) -> float:
    return min(total, 0.4)


def test_caps_clips_and_deductions_are_rows_of_their_own() -> None:
    env = unwrap(gym.make(eval_domain.ID))
    for low, high, changes in (
        (-5.0, 5.0, [("Price of calls", "-0.300"), (" cap", "-0.800")]),
        (0.5, 5.0, [("Price of calls", "-0.300"), (" cap", "-0.800"),
                    ("clipped to 0.5 to 5", "+0.100")]),
    ):  # fmt: skip
        rubric = replace(env.domain.rubric, adjust=(_price, _cap), total_range=(low, high))
        env.rubric = rubric
        reward, grids = tables(env, "oracle", env.tasks[0])
        rows = grids["Reward"].rows
        assert [(row[0], row[-1]) for row in rows[2:-1]] == changes
        check_sum(grids["Reward"], reward)


def test_changes_and_weighted_parts_are_the_total() -> None:
    rubric = Rubric(
        {"a": lambda _: 0.7, "b": lambda _: -1.0}, {"a": 2.0, "b": 0.5}, adjust=(_cap,),
        total_range=(0.0, 0.3),
    )  # fmt: skip
    found = rubric.score(None)  # type: ignore[arg-type]
    assert found.changes == (
        (" cap", pytest.approx(-0.5)), ("clipped to 0 to 0.3", pytest.approx(-0.1)),
    )  # fmt: skip
    assert 2.0 * 0.7 - 0.5 + sum(amount for _, amount in found.changes) == pytest.approx(0.3)
    assert rubric.with_weights({"a": 0.1}).score(None).changes == ()  # type: ignore[arg-type]


@pytest.mark.parametrize("split", ["dev", "test"])
def test_points_are_those_of_the_procedure(split: str) -> None:
    env = unwrap(gym.make("clinic/ClinGen-v0", split=split))
    capped = 0
    for task in spread(env.tasks, 60):
        grid = points_table(task)
        check_sum(grid)  # type: ignore[arg-type]
        sop = score(literature_of(task.record).literature).sop
        total = next(points for what, points in grid.rows if what == "total")
        assert float(total) == pytest.approx(sop.points)
        assert grid.rows[-1][0].startswith(f"class: {sop.classification} (")
        capped += any(what.startswith("at most") for what, _ in grid.rows)
    assert capped


@pytest.mark.parametrize("env_id", IDS)
def test_gold_is_told_in_words(env_id: str) -> None:
    env = unwrap(gym.make(env_id, split="dev"))
    for task in spread(env.tasks, 4):
        _, grids = tables(env, "silent", task)
        shown = [
            cell for title, grid in grids.items() if title != "Citations"
            for row in grid.rows for cell in row
        ]  # fmt: skip
        assert not any('{"' in cell or "['" in cell for cell in shown)
        keys = re.compile(r"\b(told|vital|lab|site|HP|drug|class|medicine):\w")
        assert not [cell for cell in shown if keys.search(cell)]
