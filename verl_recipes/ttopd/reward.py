"""What a trajectory is paid: the modes, and the cosine length reward of TT-OPD."""

from __future__ import annotations

import math
from collections.abc import Mapping

from gym_clinic import ConfigError
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
    ``l_max``. A truncated trajectory is paid ``r_penalty``, correct or not. With the defaults
    every correct answer is worth more than 0, every wrong one 0 or less and more than a truncated
    one.

    ``r_min`` below 0 is allowed, since the paper's value is lost, and is a trap: a correct answer
    past some length is then paid less than a wrong one of no length.

    Args:
        correct: Whether the environment calls the outcome a success.
        length: Tokens that the policy wrote; what tools returned is not counted.
        truncated: Whether the trajectory was cut off by a budget.
        l_max: Tokens at which the cosine ends.
        r_max: Of a correct answer of length 0.
        r_min: Of a correct answer of ``l_max`` tokens; its size is also the most that ``paper``
            takes from a wrong one.
        r_penalty: Of a truncated trajectory, and where ``yeo`` starts.
        wrong_mode: ``paper``: a wrong answer falls from 0 to ``-abs(r_min)`` with its length.
            ``yeo``: it rises from ``r_penalty`` to 0, as in the source the paper cites.
            ``flat``: 0.

    Raises:
        ConfigError: If a value is out of its range or the mode is unknown.

    Source: TT-OPD paper, eq. 3; the three rewards are reconstructed.
    """
    _check(length, l_max, {"r_max": r_max, "r_min": r_min, "r_penalty": r_penalty}, wrong_mode)
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
    return cosine_reward(
        bool(record["success"]),
        int(record["policy_tokens"]),
        bool(record["truncated"]),
        l_max=choice.l_max,
        r_max=choice.r_max,
        r_min=choice.r_min,
        r_penalty=choice.r_penalty,
        wrong_mode=choice.wrong_mode,
    )


def env_plus_length(record: Mapping[str, float], choice: RewardSettings) -> float:
    """Return the environment's own reward and R_cos, added."""
    return env(record, choice) + cosine(record, choice)


def _check(length: int, l_max: int, rewards: dict[str, float], wrong_mode: str) -> None:
    # Written so that nan fails it too.
    if not 0 <= length < math.inf:
        raise ConfigError(f"length is {length}: give the number of policy tokens, 0 or more")
    if not 1 <= l_max < math.inf:
        raise ConfigError(f"l_max is {l_max}: give a number of tokens, 1 or more")
    for name, value in rewards.items():
        if not math.isfinite(value):
            raise ConfigError(f"{name} is {value}: give a finite number")
    if rewards["r_max"] < rewards["r_min"]:
        raise ConfigError(
            f"r_max {rewards['r_max']} is below r_min {rewards['r_min']}: the shortest correct "
            "answer must be paid at least what the longest is"
        )
    WRONG_MODES.check(wrong_mode)
