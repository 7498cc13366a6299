"""The figures of a run: pure functions from scored episodes to means with intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from gym_clinic.evaluate.intervals import (
    Column,
    Interval,
    Spread,
    interval,
    mean_intervals,
    pass_at_k,
    pass_hat_k,
    resamples,
    spread,
)
from gym_clinic.rewards.rubric import Range, scale

if TYPE_CHECKING:
    from gym_clinic.evaluate.intervals import Draw

AGGREGATE_ROWS = 500_000
"""Episodes read over all resamples for the intervals of a domain's own figures."""

MIN_AGGREGATES = 200
"""Minimum number of resamples of a domain's own figures."""


@dataclass(frozen=True)
class Result:
    """The figures of one line of a trace.

    Attributes:
        task_id: The task.
        trial: Number of the trial, from 0.
        error: Why the episode has no score; None if it has one.
        reward: Sum of the rewards of its steps; None with an error.
        success: Whether the task is solved, as the domain defines it.
        rewards: Name -> part of the reward.
        metrics: The domain's figures of this episode; NaN if undefined.
        turns: Number of actions.
        calls: Number of calls, failed ones included.
        stop: Why the episode ended.
        usage: Amounts that the policy reports, such as tokens.
        failed_by: With an error, who raised it: ``"service"`` or ``"policy"``.
    """

    task_id: str
    trial: int
    error: str | None = None
    reward: float | None = None
    success: bool = False
    rewards: Mapping[str, float] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    turns: int = 0
    calls: int = 0
    stop: str | None = None
    usage: Mapping[str, float] = field(default_factory=dict)
    failed_by: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Result:
        """Take the figures from a line of a trace.

        Raises:
            KeyError: If a field is missing.
            TypeError: If a figure is not a number.
        """
        return cls(
            task_id=row["task_id"],
            trial=row["trial"],
            error=row["error"],
            reward=None if row["error"] is not None else _figure(row["reward"]),
            success=bool(row["success"]),
            rewards=_figures(row["rewards"]),
            metrics=_figures(row["metrics"]),
            turns=int(_figure(row["turns"])),
            calls=len(row["calls"]),
            stop=row["stop"],
            usage=_figures(row["usage"]),
            failed_by=None
            if row["error"] is None
            else "policy"
            if "traceback" in row
            else "service",
        )


def _figures(figures: Mapping[str, Any]) -> dict[str, float]:
    return {name: math.nan if value is None else _figure(value) for name, value in figures.items()}


def _figure(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"expected a number, got {value!r:.40}")
    return value


@dataclass(frozen=True)
class Summary:
    """The figures of one policy over one split.

    Means are taken over scored episodes; 95% intervals are bootstrap percentiles over
    resampled tasks; the trials of a task stay together.

    Attributes:
        id: The environment.
        env_options: Its options.
        policy: The policy.
        policy_options: Its options, without secrets.
        version: The version of gym_clinic.
        data: Hash of the split's tasks.
        split: The split.
        seed: The seed of the run.
        trials: Trials of each task.
        tasks: Number of tasks.
        episodes: Number of episodes, failed ones included.
        errors: Number of episodes in which an outside service failed, or the policy raised an
            exception; of all figures only usage includes them.
        failures: Task, trial, error and who failed (``"service"`` or ``"policy"``) of each of
            these episodes, in the order of the run.
        reward_range: The declared lowest and highest reward.
        reward: The reward of an episode.
        scaled: The reward clipped to its declared range and mapped to 0..1.
        success: The share of solved episodes.
        pass_at_k: k -> the chance that one of k trials solves a task.
        pass_hat_k: k -> the chance that all of k trials solve a task.
        rewards: The parts of the reward.
        metrics: The domain's own figures.
        classes: Class of the gold -> scored tasks; empty where the domain names no classes.
        balanced: Reward, scaled reward, success and metrics as the mean of the classes' means,
            with equal weights.
        turns: Actions of an episode.
        calls: Calls of an episode.
        stops: Reason of the end -> number of episodes.
        usage: Amounts used in all episodes, such as tokens.
    """

    id: str
    env_options: Mapping[str, Any]
    policy: str
    policy_options: Mapping[str, Any]
    version: str
    data: str
    split: str
    seed: int
    trials: int
    tasks: int
    episodes: int
    errors: int
    failures: Sequence[Mapping[str, Any]]
    reward_range: Range
    reward: Spread
    scaled: Spread
    success: Interval
    pass_at_k: Mapping[str, Interval]
    pass_hat_k: Mapping[str, Interval]
    rewards: Mapping[str, Interval]
    metrics: Mapping[str, Interval]
    classes: Mapping[str, int]
    balanced: Mapping[str, Interval]
    turns: Interval
    calls: Interval
    stops: Mapping[str, int]
    usage: Mapping[str, float]

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain JSON."""
        return asdict(self)


def summarise(
    results: Sequence[Result],
    *,
    about: Mapping[str, Any],
    trials: int,
    seed: int,
    reward_range: Range,
    classes: Mapping[str, str] | None = None,
    aggregate: Callable[[Sequence[Result]], Mapping[str, float]] | None = None,
) -> Summary:
    """Reduce the episodes of a run to its figures.

    Every mean gets 2,000 resamples. A domain's aggregate is called once a resample on whole
    episodes: 200 to 2,000 times, so that about 500,000 episodes are read in total.

    Args:
        results: The episodes.
        about: ``id``, ``env_options``, ``policy``, ``policy_options``, ``version``, ``data``
            and ``split`` of the summary.
        trials: Trials of each task.
        seed: Seeds the bootstrap.
        reward_range: The declared range of the reward.
        classes: Task id -> class of its gold; no balanced means without it.
        aggregate: The domain's figures over scored episodes; none without it.
    """
    scored = [result for result in results if result.error is None]
    tasks: dict[str, list[Result]] = {}
    for result in scored:
        tasks.setdefault(result.task_id, []).append(result)
    clusters = list(tasks.values())
    rewards = [_value(result.reward) for result in scored]
    scaled = [scale(reward, reward_range) for reward in rewards]

    means: dict[tuple[str, str], Column] = {
        ("", "reward"): [[_value(r.reward) for r in group] for group in clusters],
        ("", "scaled"): [[scale(_value(r.reward), reward_range) for r in g] for g in clusters],
        ("", "success"): [[float(r.success) for r in group] for group in clusters],
        ("", "turns"): [[float(r.turns) for r in group] for group in clusters],
        ("", "calls"): [[float(r.calls) for r in group] for group in clusters],
    }
    for name in dict.fromkeys(name for result in scored for name in result.rewards):
        means["rewards", name] = [
            [r.rewards[name] for r in group if name in r.rewards] for group in clusters
        ]
    # A task with a failed trial has fewer trials than the estimators need.
    solved = [sum(r.success for r in group) if len(group) == trials else None for group in clusters]
    for k in range(1, trials + 1):
        means["pass@", str(k)] = [[] if c is None else [pass_at_k(trials, c, k)] for c in solved]
        means["pass^", str(k)] = [[] if c is None else [pass_hat_k(trials, c, k)] for c in solved]
    labels = None if classes is None else [classes[task_id] for task_id in tasks]
    draws = resamples(len(clusters), seed)
    found = dict(zip(means, mean_intervals(list(means.values()), draws), strict=True))

    def under(head: str) -> dict[str, Interval]:
        return {name: interval for (of, name), interval in found.items() if of == head}

    plain = under("")
    return Summary(
        id=about["id"],
        env_options=about["env_options"],
        policy=about["policy"],
        policy_options=about["policy_options"],
        version=about["version"],
        data=about["data"],
        split=about["split"],
        seed=seed,
        trials=trials,
        tasks=len({result.task_id for result in results}),
        episodes=len(results),
        errors=len(results) - len(scored),
        failures=[
            {
                "task_id": result.task_id,
                "trial": result.trial,
                "error": result.error,
                "failed_by": result.failed_by,
            }
            for result in results
            if result.error is not None
        ],
        reward_range=reward_range,
        reward=spread(plain["reward"], rewards),
        scaled=spread(plain["scaled"], scaled),
        success=plain["success"],
        pass_at_k=under("pass@"),
        pass_hat_k=under("pass^"),
        rewards=under("rewards"),
        metrics=_aggregate_intervals(clusters, draws, aggregate),
        turns=plain["turns"],
        calls=plain["calls"],
        classes=dict(sorted(Counter(labels or ()).items())),
        balanced=_balanced(scored, clusters, labels, means, draws),
        stops=dict(sorted(Counter(str(result.stop) for result in scored).items())),
        usage=_totals(result.usage for result in results),
    )


def _balanced(
    scored: Sequence[Result],
    clusters: Sequence[Sequence[Result]],
    labels: Sequence[str] | None,
    means: Mapping[tuple[str, str], Column],
    draws: Sequence[Draw],
) -> dict[str, Interval]:
    """Return the means balanced over classes; none without classes."""
    if labels is None:
        return {}
    columns: dict[str, Column] = {name: means["", name] for name in ("reward", "scaled", "success")}
    for name in dict.fromkeys(name for result in scored for name in result.metrics):
        values = [[r.metrics[name] for r in group if name in r.metrics] for group in clusters]
        finite = [[value for value in group if math.isfinite(value)] for group in values]
        columns.setdefault(name, finite)
    return dict(zip(columns, mean_intervals(list(columns.values()), draws, labels), strict=True))


def _aggregate_intervals(
    clusters: Sequence[Sequence[Result]],
    draws: Sequence[Draw],
    aggregate: Callable[[Sequence[Result]], Mapping[str, float]] | None,
) -> dict[str, Interval]:
    if aggregate is None or not draws:
        return {}
    whole = aggregate([result for group in clusters for result in group])
    size = sum(map(len, clusters))
    enough = max(MIN_AGGREGATES, AGGREGATE_ROWS // size)
    resampled = [
        aggregate([result for number in draw.tolist() for result in clusters[number]])
        for draw in draws[:enough]
    ]
    return {
        name: interval(value, [found[name] for found in resampled if name in found])
        for name, value in whole.items()
    }


def _value(reward: float | None) -> float:
    if reward is None:
        raise ValueError("a scored episode has no reward")
    return reward


def _totals(usages: Iterable[Mapping[str, float]]) -> dict[str, float]:
    totals: dict[str, float] = {}
    for usage in usages:
        for name, amount in usage.items():
            totals[name] = totals.get(name, 0) + amount
    return totals
