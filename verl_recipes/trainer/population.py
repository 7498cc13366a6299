"""Rewards of a population: a score that depends on what other trajectories did.

A rubric sees one episode. What depends on many, such as how common a course of action has become,
is an object with a state, which the trainer keeps: it is asked once for the trajectories of a
round of sampling, before groups are compared and advantages are computed, and it is saved and
resumed with the trainer. Evaluations are scored without it.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gym_clinic import ConfigError
from gym_clinic.domains.dxsearch.rewards import total
from gym_clinic.names import call_with_options, checked_number
from verl_recipes.registry import POPULATIONS
from verl_recipes.settings import PopulationSettings

GATED = "metric/broken_rules"
PARTS = {f"reward/{name}": name for name in ("matching", "search", "diagnosis")}
"""Figures of a record that DxSearch's total is made of: the rules that its gate counts, and its
parts."""


@dataclass(frozen=True)
class PopulationRow:
    """A trajectory as a population reward sees it.

    Attributes:
        group: Trajectories of the same prompt share it.
        environment: Its id.
        actions: Names of the calls it made, in order; ``answer`` for an answer in text.
        record: Its figures: ``score`` and ``total`` as paid so far, ``success``, each part
            ``reward/<name>``, each ``metric/<name>``.
        weights: Of the parts in this stage, by name.
    """

    group: str
    environment: str
    actions: tuple[str, ...]
    record: Mapping[str, float]
    weights: Mapping[str, float]


class PopulationReward(Protocol):
    """What ``clinic.population.reward`` names; its options are arguments of its maker."""

    def scores(self, rows: Sequence[PopulationRow]) -> Sequence[float]:
        """Return the score of each row, in the order in which they were drawn."""

    def state_dict(self) -> Mapping[str, Any]:
        """Return what a checkpoint keeps, as plain JSON."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up where :meth:`state_dict` left off."""


class Exploration:
    """The trajectory exploration reward: a score times sigma_div of its course of action.

    sigma_div is 1 - r where r, the share of the last ``window`` trajectories that took the same
    actions in the same order, is above ``threshold``, and 1 elsewhere. The trajectories of a round
    are in the window before any of them is scored. Where a rubric clips its sum, the factor comes
    after the clip.

    Args:
        threshold: tau; the paper's is lost, .25 is chosen.
        window: Trajectories; the paper's "training population" is not bounded, 1,024 is chosen.

    Source: Deep-DxSearch paper, eq. 1 and 3.
    """

    def __init__(self, threshold: float = 0.25, window: int = 1_024) -> None:
        checked_number("threshold", threshold, least=0.0)
        checked_number("window", window, least=1, whole=True)
        self.threshold = threshold
        self.seen: deque[str] = deque(maxlen=window)

    def scores(self, rows: Sequence[PopulationRow]) -> list[float]:
        """Return each score times its sigma_div."""
        factors = zip(rows, self.factors(rows), strict=True)
        return [row.record["score"] * factor for row, factor in factors]

    def factors(self, rows: Sequence[PopulationRow]) -> list[float]:
        """Take rows into the window, and return the sigma_div of each."""
        signatures = [" ".join(row.actions) for row in rows]
        self.seen.extend(signatures)
        counts = Counter(self.seen)
        return [self.factor(counts[signature] / len(self.seen)) for signature in signatures]

    def factor(self, ratio: float) -> float:
        """Return sigma_div of a course of action that has this share of the window."""
        return 1.0 - ratio if ratio > self.threshold else 1.0

    def state_dict(self) -> dict[str, Any]:
        """Return the window."""
        return {"seen": list(self.seen)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up the window."""
        self.seen = deque(state["seen"], maxlen=self.seen.maxlen)


class DxSearchExploration(Exploration):
    """Deep-DxSearch's exploration, before the clip: the total anew from gate, parts and weights.

    Where a sum of parts is above 1, as in stage 3, a common course of action is discounted from
    the sum, not from the 1 that it is clipped to. What ``clinic.reward`` adds to the environment's
    total stays.

    Source: Deep-DxSearch paper, eq. 3.
    """

    def scores(self, rows: Sequence[PopulationRow]) -> list[float]:
        """Return the score of each row with its sigma_div inside the clip.

        Raises:
            ConfigError: If a row is of an environment with other parts.
        """
        found = []
        for row, factor in zip(rows, self.factors(rows), strict=True):
            record = row.record
            if missing := [name for name in (GATED, *PARTS) if name not in record]:
                raise ConfigError(
                    f"clinic.population.reward=exploration_dxsearch: trajectories of "
                    f"{row.environment} have no {missing[0]!r}; it is for clinic/DxSearch-v0, "
                    "'exploration' for others"
                )
            weights = {name: row.weights.get(name, 0.0) for name in PARTS.values()}
            matching, search, diagnosis = (record[name] for name in PARTS)
            gate = float(record[GATED] == 0.0)
            new = total(gate, factor, matching, search, diagnosis, weights)
            found.append(record["score"] - record["total"] + new)
        return found


def make_population(settings: PopulationSettings) -> PopulationReward | None:
    """Return the population reward of a run; None where there is none."""
    if settings.reward is None:
        return None
    maker = POPULATIONS[settings.reward]
    made: PopulationReward = call_with_options(maker, settings.options, "clinic.population")
    return made


def rescored(reward: PopulationReward, rows: Sequence[PopulationRow]) -> list[float]:
    """Return the new scores of rows.

    Raises:
        ConfigError: If they are not one finite number a row.
    """
    found = [float(score) for score in reward.scores(rows)] if rows else []
    if len(found) != len(rows) or not all(map(math.isfinite, found)):
        raise ConfigError(
            f"clinic.population.reward returns {found[:4]} of {len(found)} for {len(rows)} "
            "trajectories; expected one finite number each"
        )
    return found
