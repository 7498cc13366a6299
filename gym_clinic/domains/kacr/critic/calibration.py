"""How far probabilities are from what came of them: of the critic's p, and of any confidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gym_clinic.errors import ConfigError


class ReliabilityBin(NamedTuple):
    """One point of a reliability curve.

    Attributes:
        chance: Mean probability in the bin.
        outcome: Mean outcome.
        size: How many probabilities it has.
    """

    chance: float
    outcome: float
    size: int


class Calibration(NamedTuple):
    """How well probabilities are calibrated.

    Attributes:
        error: Expected calibration error: the mean distance of chance and outcome over the bins,
            weighted by their sizes.
        brier: Mean squared difference.
        curve: The bins that are not empty, in order.
    """

    error: float
    brier: float
    curve: tuple[ReliabilityBin, ...]


def measure_calibration(
    chances: Sequence[float], outcomes: Sequence[float], bins: int = 10
) -> Calibration:
    """Return how well probabilities are calibrated.

    The critic's p is judged twice: against the share of the payable return that came (its value),
    and against whether the option was right (its use as a confidence). These differ.

    Args:
        chances: Probabilities (N,), from 0 to 1.
        outcomes: What came of each (N,), from 0 to 1.
        bins: Bins of equal width.

    Raises:
        ConfigError: If there are none, or the lengths differ.

    Source: Guo et al., On Calibration of Modern Neural Networks, ICML 2017, section 2.

    >>> measure_calibration([0.9, 0.9, 0.1], [1, 0, 0]).error
    0.3
    """
    if not chances or len(chances) != len(outcomes):
        raise ConfigError(
            f"{len(chances)} probabilities and {len(outcomes)} outcomes; expected as many, not none"
        )
    members: dict[int, list[tuple[float, float]]] = {}
    for chance, outcome in zip(chances, outcomes, strict=True):
        members.setdefault(min(int(chance * bins), bins - 1), []).append((chance, outcome))
    curve = tuple(
        ReliabilityBin(
            sum(chance for chance, _ in pairs) / len(pairs),
            sum(outcome for _, outcome in pairs) / len(pairs),
            len(pairs),
        )
        for _, pairs in sorted(members.items())
    )
    total = len(chances)
    error = sum(point.size / total * abs(point.chance - point.outcome) for point in curve)
    brier = sum((c - o) ** 2 for c, o in zip(chances, outcomes, strict=True)) / total
    return Calibration(error, brier, curve)
