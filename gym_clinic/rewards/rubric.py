"""A rubric scores an episode: named rewards, their weights, and adjustments in order."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gym_clinic.episode import Episode
from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest

Reward = Callable[[Episode], float]
Adjustment = Callable[[Episode, float], float]
Range = tuple[float, float]


WEIGHT_LIMIT = 1e6
"""Largest absolute weight, so that sums and ranges stay finite."""


@dataclass(frozen=True)
class Score:
    """The score of an episode.

    Attributes:
        total: The reward.
        rewards: Every named reward, also those of weight 0.
        changes: What each adjustment and the clip added to the weighted sum, by name; those that
            changed nothing are left out. Weighted sum and changes add up to the total.
    """

    total: float
    rewards: dict[str, float]
    changes: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Rubric:
    """A weighted sum of named rewards, then adjustments in order.

    Attributes:
        rewards: Name -> ``Episode -> float``. All are reported, whatever their weight.
        weights: Name -> weight; a reward left out weighs 0.
        range: Declared lowest and highest value of each reward: one pair for all, or one pair
            a name. A reward may fall below it, such as an unfloored penalty; it is reported
            unchanged.
        adjust: ``(episode, total) -> total``, applied in order.
        total_range: Declared lowest and highest total; by default the sum of the weighted
            ranges. The total is clipped to it after the last adjustment.

    Raises:
        ConfigError: If a weight names no reward or is not finite, or a range is missing.
    """

    rewards: Mapping[str, Reward]
    weights: Mapping[str, float]
    range: Range | Mapping[str, Range] = (0.0, 1.0)
    adjust: tuple[Adjustment, ...] = ()
    total_range: Range | None = None
    ranges: Mapping[str, Range] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = sorted(self.rewards)
        if not isinstance(self.weights, Mapping):
            raise ConfigError(f"weights must be an object, {{name: weight}}, not {self.weights!r}")
        if unknown := sorted(set(self.weights) - set(names)):
            raise ConfigError(
                f"weights name unknown rewards {unknown}; {suggest(str(unknown[0]), names)}"
            )
        for name, weight in self.weights.items():
            if isinstance(weight, bool) or not isinstance(weight, int | float):
                raise ConfigError(f"the weight of {name!r} must be a number, got {weight!r}")
            if not -WEIGHT_LIMIT <= weight <= WEIGHT_LIMIT:
                raise ConfigError(
                    f"the weight of {name!r} must be from -{WEIGHT_LIMIT:g} to {WEIGHT_LIMIT:g}, "
                    f"got {weight!r:.40}"
                )
        ranges = self.range if isinstance(self.range, Mapping) else dict.fromkeys(names, self.range)
        if missing := sorted(set(names) - set(ranges)):
            raise ConfigError(f"range lacks the rewards {missing}")
        if unknown := sorted(set(ranges) - set(names)):
            raise ConfigError(f"range names unknown rewards {unknown}; choose from {names}")
        for name, (low, high) in ranges.items():
            if not low <= high:
                raise ConfigError(
                    f"the range of {name!r} must run from low to high, not {low}..{high}"
                )
        if self.total_range is not None and not self.total_range[0] <= self.total_range[1]:
            low, high = self.total_range
            raise ConfigError(f"total_range must run from low to high, not {low}..{high}")
        object.__setattr__(self, "ranges", ranges)
        object.__setattr__(self, "weights", dict(self.weights))  # the caller may change its own

    @property
    def reward_range(self) -> Range:
        """The lowest and the highest possible total."""
        if self.total_range is not None:
            return float(self.total_range[0]), float(self.total_range[1])
        ends = [
            sorted((weight * self.ranges[name][0], weight * self.ranges[name][1]))
            for name, weight in self.weights.items()
        ]
        return float(sum(low for low, _ in ends)), float(sum(high for _, high in ends))

    def with_weights(self, weights: Mapping[str, float]) -> Rubric:
        """Return this rubric with other weights.

        A declared range of the total stays, and so does the clip to it; one that was not declared
        follows from the new weights.
        """
        return replace(self, weights=weights)

    def score(self, episode: Episode) -> Score:
        """Score an episode.

        Raises:
            ValueError: If the total is not a number.
        """
        parts = {name: float(reward(episode)) for name, reward in self.rewards.items()}
        total = float(sum(weight * parts[name] for name, weight in self.weights.items()))
        changes = []
        for adjust in self.adjust:
            before, total = total, float(adjust(episode, total))
            changes.append((name_of(adjust), total - before))
        if total != total:
            raise ValueError(f"the reward is nan: the sum of {parts}")
        low, high = self.reward_range
        clipped = min(max(total, low), high)
        changes.append((f"clipped to {low:g} to {high:g}", clipped - total))
        return Score(clipped, parts, tuple(change for change in changes if change[1]))


def name_of(adjust: Adjustment) -> str:
    """Return what an adjustment is called: the first line of its docstring, or its name."""
    text = (inspect.getdoc(adjust) or "").partition("\n")[0].rstrip(".")
    named: str = getattr(adjust, "__name__", type(adjust).__name__)
    return text or named.replace("_", " ")


def scale(reward: float, limits: Range) -> float:
    """Clip a reward to its declared range and map it to 0..1."""
    low, high = limits
    if high <= low:
        return 0.0
    return (min(max(reward, low), high) - low) / (high - low)
