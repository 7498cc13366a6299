"""What a trajectory is paid: the modes, and the cosine length reward of TT-OPD."""

from __future__ import annotations

import math
from collections.abc import Mapping

from verl_recipes.registry import WRONG_MODES
from verl_recipes.settings import RewardSettings


def cosine_reward(
    correct: bool,
    length: int,
    truncated: bool,
    *,
    l_max: int = 12288,
    r_max: float = 1.2,
    r_min: float = 0.2,
    r_penalty: float = -0.5,
    wrong_mode: str = "paper",
) -> float:
    """Return what a trajectory of this outcome and length is paid.

    A correct answer falls from ``r_max`` to ``r_min`` along half a cosine and stays there past
    ``l_max``. A truncated trajectory is paid ``r_penalty``; it is never called correct. ``r_min``
    below 0 is allowed, since the paper's value is lost, and is a trap: a long correct answer is
    then paid less than a short wrong one.

    Args:
        correct: Whether the environment calls the outcome a success.
        length: Tokens that the policy wrote; what tools returned is not counted.
        truncated: Whether the trajectory was cut off by a budget.
        l_max: And the others: see :class:`verl_recipes.settings.RewardSettings`, which checks them.

    Source: TT-OPD paper, eq. 3; the three rewards are reconstructed.
    """
    if truncated:
        return float(r_penalty)
    # 1 at no length, 0 at l_max and past it.
    left = (1.0 + math.cos(math.pi * min(length, l_max) / l_max)) / 2.0
    if correct:
        return r_min + (r_max - r_min) * left
    return WRONG_MODES[wrong_mode](left, r_min, r_penalty)


def paper(left: float, r_min: float, r_penalty: float) -> float:
    """Return what a wrong answer is paid as printed: from 0 down to ``-abs(r_min)`` by length."""
    return -abs(r_min) * (1.0 - left)


def yeo(left: float, r_min: float, r_penalty: float) -> float:
    """Return what a wrong answer is paid in the source that the paper cites: up to 0 by length."""
    return r_penalty * left


def flat(left: float, r_min: float, r_penalty: float) -> float:
    """Return what a wrong answer is paid whatever its length: 0."""
    return 0.0


def env(record: Mapping[str, float], choice: RewardSettings) -> float:
    """Return the environment's own reward."""
    return record["total"]


def cosine(record: Mapping[str, float], choice: RewardSettings) -> float:
    """Return R_cos of the outcome and the length (TT-OPD paper, eq. 3)."""
    how = {name: value for name, value in vars(choice).items() if name != "mode"}
    correct, truncated = bool(record["success"]), bool(record["truncated"])
    return cosine_reward(correct, int(record["policy_tokens"]), truncated, **how)


def env_plus_length(record: Mapping[str, float], choice: RewardSettings) -> float:
    """Return the environment's own reward and R_cos, added."""
    return env(record, choice) + cosine(record, choice)
