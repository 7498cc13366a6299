"""What a run was worth: pure functions from judged episodes to figures with intervals."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from gym_clinic.rewards.rubric import Range, scale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Draw = NDArray[np.int64]

RESAMPLES = 2_000
"""Bootstrap resamples of every mean."""

AGGREGATE_ROWS = 500_000
"""Episodes read, over all resamples, for the intervals of a domain's own figures."""

MIN_AGGREGATES = 200
"""Resamples of a domain's own figures, however many episodes there are."""


@dataclass(frozen=True)
class Interval:
    """A mean and its 95% interval; None where there is nothing to average."""

    mean: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Spread(Interval):
    """An interval, with the lowest and highest single value."""

    min: float | None = None
    max: float | None = None


@dataclass(frozen=True)
class Result:
    """The figures of one line of a trace.

    Attributes:
        task_id: The task.
        trial: Which of its trials, from 0.
        error: Why the episode could not be judged; None when it was.
        reward: The sum over its steps; None with an error.
        success: Whether the domain calls it solved.
        rewards: Every part of the reward.
        metrics: The domain's figures of this episode; NaN where one is undefined.
        turns: Actions of the agent.
        calls: Calls it made, failed ones included.
        stop: Why it ended.
        usage: What the policy says it used, such as tokens.
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

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Result:
        """Take the figures from a line of a trace.

        Raises:
            KeyError: If a field is missing.
            TypeError: If a figure is no number.
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
    resampled tasks, the trials of a task staying together.

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
        tasks: How many tasks were played.
        episodes: How many episodes were played, failed ones included.
        errors: How many of them an outside service failed; they enter no figure but usage.
        reward_range: The declared lowest and highest reward.
        reward: The reward of an episode.
        scaled: The reward clipped to its declared range and mapped to 0..1.
        success: The share of solved episodes.
        pass_at_k: k -> the chance that one of k trials solves a task.
        pass_hat_k: k -> the chance that all of k trials solve a task.
        rewards: The parts of the reward.
        metrics: The domain's own figures.
        turns: Actions of an episode.
        calls: Calls of an episode.
        stops: Why episodes ended -> how many.
        usage: What the policy used in all, such as tokens.
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
    reward_range: Range
    reward: Spread
    scaled: Spread
    success: Interval
    pass_at_k: Mapping[str, Interval]
    pass_hat_k: Mapping[str, Interval]
    rewards: Mapping[str, Interval]
    metrics: Mapping[str, Interval]
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
    aggregate: Callable[[Sequence[Result]], Mapping[str, float]] | None = None,
) -> Summary:
    """Reduce the episodes of a run to its figures.

    Every mean gets 2,000 resamples. A domain's aggregate is a function of whole episodes, so
    it is called once a resample: at least 200 and at most 2,000 times, about as many as
    together read 500,000 episodes.

    Args:
        results: The episodes.
        about: ``id``, ``env_options``, ``policy``, ``policy_options``, ``version``, ``data``
            and ``split`` of the summary.
        trials: Trials of each task.
        seed: Seeds the bootstrap.
        reward_range: The declared range of the reward.
        aggregate: The domain's figures of many scored episodes; none without it.
    """
    scored = [result for result in results if result.error is None]
    tasks: dict[str, list[Result]] = {}
    for result in scored:
        tasks.setdefault(result.task_id, []).append(result)
    clusters = list(tasks.values())
    rewards = [_value(result.reward) for result in scored]
    scaled = [scale(reward, reward_range) for reward in rewards]

    means: dict[tuple[str, str], list[Sequence[float]]] = {
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
    # A task with a failed trial has fewer trials than the estimators are asked about.
    solved = [sum(r.success for r in group) if len(group) == trials else None for group in clusters]
    for k in range(1, trials + 1):
        means["pass@", str(k)] = [[] if c is None else [pass_at_k(trials, c, k)] for c in solved]
        means["pass^", str(k)] = [[] if c is None else [pass_hat_k(trials, c, k)] for c in solved]
    draws = _draws(len(clusters), seed)
    found = dict(zip(means, _mean_intervals(list(means.values()), draws), strict=True))

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
        reward_range=reward_range,
        reward=_spread(plain["reward"], rewards),
        scaled=_spread(plain["scaled"], scaled),
        success=plain["success"],
        pass_at_k=under("pass@"),
        pass_hat_k=under("pass^"),
        rewards=under("rewards"),
        metrics=_aggregate_intervals(clusters, draws, aggregate),
        turns=plain["turns"],
        calls=plain["calls"],
        stops=dict(sorted(Counter(str(result.stop) for result in scored).items())),
        usage=_totals(result.usage for result in results),
    )


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return the chance that at least one of k trials succeeds, from c of n that did.

    Source: Chen et al. 2021, Evaluating Large Language Models Trained on Code, eq. 1.

    >>> pass_at_k(4, 1, 2)
    0.5
    """
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Return the chance that all of k trials succeed, from c of n that did.

    Source: Yao et al. 2024, tau-bench, section 4 (pass^k).

    >>> pass_hat_k(4, 2, 2)
    0.16666666666666666
    """
    return math.comb(c, k) / math.comb(n, k)


def _draws(clusters: int, seed: int) -> list[Draw]:
    """Return the tasks of each resample, by number."""
    import numpy as np

    if not clusters:
        return []
    rng = random.Random(f"{seed}:bootstrap")
    # 32 random bits modulo the number of tasks: the bias is below one in a hundred thousand.
    words = (np.frombuffer(rng.randbytes(4 * clusters), "<u4") for _ in range(RESAMPLES))
    return [(word % clusters).astype(np.int64) for word in words]


def _mean_intervals(
    columns: Sequence[Sequence[Sequence[float]]], draws: Sequence[Draw]
) -> list[Interval]:
    """Return the interval of each column's mean; a column holds each task's values."""
    import numpy as np

    if not draws:
        return [Interval() for _ in columns]
    tasks = len(draws[0])
    sums = np.array([[math.fsum(values) for values in column] for column in columns]).T
    counts = np.array([[len(values) for values in column] for column in columns], dtype=float).T
    both = np.hstack([sums, counts])
    drawn = np.empty((len(draws), both.shape[1]))
    for row, draw in enumerate(draws):
        drawn[row] = np.bincount(draw, minlength=tasks) @ both
    intervals = []
    for number, column in enumerate(columns):
        values = [value for group in column for value in group]
        total, weight = drawn[:, number], drawn[:, number + len(columns)]
        defined = weight > 0  # a resample may hold no task that the figure is defined for
        intervals.append(
            _interval(math.fsum(values) / len(values), (total[defined] / weight[defined]).tolist())
            if values
            else Interval()
        )
    return intervals


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
        name: _interval(value, [found[name] for found in resampled if name in found])
        for name, value in whole.items()
    }


def _interval(mean: float, resampled: Sequence[float]) -> Interval:
    import numpy as np

    finite = [float(value) for value in resampled if math.isfinite(value)]
    if not finite:
        return Interval(_number(mean))
    low, high = np.quantile(finite, (0.025, 0.975))
    return Interval(_number(mean), float(low), float(high))


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _value(reward: float | None) -> float:
    if reward is None:
        raise ValueError("a scored episode has no reward")
    return reward


def _spread(interval: Interval, values: Sequence[float]) -> Spread:
    ends = (min(values), max(values)) if values else (None, None)
    return Spread(interval.mean, interval.low, interval.high, *ends)


def _totals(usages: Iterable[Mapping[str, float]]) -> dict[str, float]:
    totals: dict[str, float] = {}
    for usage in usages:
        for name, amount in usage.items():
            totals[name] = totals.get(name, 0) + amount
    return totals
