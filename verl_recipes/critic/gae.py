"""Generalised advantages over turns."""

from __future__ import annotations

from collections.abc import Sequence


def turn_advantages(
    rewards: Sequence[float], values: Sequence[float], *, gamma: float, lam: float
) -> tuple[list[float], list[float]]:
    """Return the advantages of turns (T,), and the returns (T,) that the critic fits.

    A turn is one action: all its tokens have its advantage, and time is discounted by turns. After
    the last turn the value is 0.

    Args:
        rewards: Of each turn (T,).
        values: Of the state before each turn (T,).
        gamma: Discount a turn.
        lam: Decay of the advantage a turn.

    Source: KACR paper, eq. 4, and the text below eq. 3.
    """
    advantages, returns = [0.0] * len(rewards), [0.0] * len(rewards)
    advantage = following = total = 0.0
    for turn in reversed(range(len(rewards))):
        advantage = rewards[turn] + gamma * following - values[turn] + gamma * lam * advantage
        total = rewards[turn] + gamma * total
        following = values[turn]
        advantages[turn], returns[turn] = advantage, total
    return advantages, returns
