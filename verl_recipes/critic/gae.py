"""Generalised advantages over turns."""

from __future__ import annotations

from collections.abc import Sequence

from gym_clinic import ConfigError


def turn_advantages(
    rewards: Sequence[float], values: Sequence[float], *, gamma: float, lam: float
) -> tuple[list[float], list[float]]:
    """Return the advantage of each turn, and what its value is to be.

    A turn is one action: all its tokens have its advantage, and time is discounted by turns. After
    the last turn the value is 0.

    Args:
        rewards: Of each turn (T,).
        values: Of the state before each turn (T,).
        gamma: Discount a turn.
        lam: Decay of the advantage a turn.

    Returns:
        Advantages (T,), and the discounted rewards from each turn on (T,), which the critic fits.

    Raises:
        ConfigError: If the lengths differ.

    Source: KACR paper, eq. 4, and the text below eq. 3.
    """
    if len(rewards) != len(values):
        raise ConfigError(f"{len(rewards)} rewards and {len(values)} values; one of each a turn")
    advantages, returns = [0.0] * len(rewards), [0.0] * len(rewards)
    advantage = following = total = 0.0
    for turn in reversed(range(len(rewards))):
        advantage = rewards[turn] + gamma * following - values[turn] + gamma * lam * advantage
        total = rewards[turn] + gamma * total
        following = values[turn]
        advantages[turn], returns[turn] = advantage, total
    return advantages, returns
