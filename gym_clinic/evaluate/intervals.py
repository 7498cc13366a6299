"""Estimators of a run: means with bootstrap intervals over tasks, pass@k and pass^k."""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Draw = NDArray[np.int64]

Column = Sequence[Sequence[float]]
"""The values of one figure: for each task one value per trial."""

RESAMPLES = 2_000
"""Bootstrap resamples of every mean."""


@dataclass(frozen=True)
class Interval:
    """A mean and its 95% interval; None without values."""

    mean: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Spread(Interval):
    """An interval, and the lowest and highest single value."""

    min: float | None = None
    max: float | None = None


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


def resamples(tasks: int, seed: int) -> list[Draw]:
    """Return the task numbers of each of the 2,000 bootstrap resamples."""
    import numpy as np

    if not tasks:
        return []
    rng = random.Random(f"{seed}:bootstrap")
    # 32 random bits modulo the number of tasks: the bias is below one in a hundred thousand.
    words = (np.frombuffer(rng.randbytes(4 * tasks), "<u4") for _ in range(RESAMPLES))
    return [(word % tasks).astype(np.int64) for word in words]


def mean_intervals(
    columns: Sequence[Column], draws: Sequence[Draw], classes: Sequence[Hashable] | None = None
) -> list[Interval]:
    """Return the interval of each column's mean.

    Args:
        columns: For each figure and each task, the values of its trials.
        draws: Resamples from :func:`resamples`.
        classes: The class of each task; the mean is then taken over the means of the classes,
            with equal weights. A resample without tasks of a class leaves that class out.
    """
    import numpy as np

    if not draws:
        return [Interval() for _ in columns]
    labels = [None] * len(draws[0]) if classes is None else list(classes)
    members = [[n for n, one in enumerate(labels) if one == label] for label in _unique(labels)]
    sums = np.array([[math.fsum(values) for values in column] for column in columns]).T
    counts = np.array([[len(values) for values in column] for column in columns], dtype=float).T
    both = np.hstack([sums, counts])
    parts = [both[numbers] for numbers in members]
    drawn = np.empty((len(members), len(draws), both.shape[1]))
    for row, draw in enumerate(draws):
        weights = np.bincount(draw, minlength=len(labels))
        for place, (numbers, part) in enumerate(zip(members, parts, strict=True)):
            drawn[place, row] = weights[numbers] @ part
    intervals = []
    for number, column in enumerate(columns):
        groups = [[v for n in numbers for v in column[n]] for numbers in members]
        means = [math.fsum(values) / len(values) for values in groups if values]
        if not means:
            intervals.append(Interval())
            continue
        totals, weight = drawn[:, :, number], drawn[:, :, number + len(columns)]
        # A resample may hold no task of a class, or no task for which the figure is defined.
        held = weight > 0
        some = held.any(axis=0)
        ratios = np.where(held, totals / np.where(held, weight, 1.0), 0.0)
        resampled = ratios.sum(axis=0)[some] / held.sum(axis=0)[some]
        intervals.append(interval(math.fsum(means) / len(means), resampled.tolist()))
    return intervals


def interval(mean: float, resampled: Sequence[float]) -> Interval:
    """Return a mean with the percentiles of its resampled values."""
    import numpy as np

    finite = [float(value) for value in resampled if math.isfinite(value)]
    if not finite:
        return Interval(_number(mean))
    low, high = np.quantile(finite, (0.025, 0.975))
    return Interval(_number(mean), float(low), float(high))


def spread(found: Interval, values: Sequence[float]) -> Spread:
    """Return an interval with the extremes of the single values."""
    ends = (min(values), max(values)) if values else (None, None)
    return Spread(found.mean, found.low, found.high, *ends)


def _unique(labels: Sequence[Hashable]) -> list[Hashable]:
    return list(dict.fromkeys(labels))


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
