"""Pools of phrases divided between train, dev and test.

At least three in ten phrases of a pool never occur in train, so that a model that has learned the
phrases of train has learned nothing about those of test. The division depends on a hash of the pool
and of the skeleton of the phrase: what is left of it without slots, so that phrases that differ in
their slots alone go together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Literal

Split = Literal["train", "dev", "test"]

HELD_OUT = 0.3
"""Least share of the phrases of a pool that is not in train."""

_SLOT = re.compile(r"\{\w+\}")
_WORD = re.compile(r"[^\W_]+")


def skeleton(phrase: str) -> str:
    """Return the words of a phrase without its slots.

    >>> skeleton("{i}'ve had {it} since {when}.")
    've had since'
    """
    text = _SLOT.sub(" ", phrase).casefold()
    return " ".join(("'" if text[max(one.start() - 1, 0)] == "'" else "") + one[0]
                    for one in _WORD.finditer(text))  # fmt: skip


def held_out(pool: str, phrases: Sequence[str]) -> dict[str, Split | None]:
    """Return the phrases of a pool that train does not have.

    Args:
        pool: Name of the pool.
        phrases: Its phrases.

    Returns:
        Phrase -> the split that alone has it; None if dev and test both have it, because the pool
        is too small for one each.
    """
    alike: dict[str, list[str]] = {}
    for one in phrases:
        alike.setdefault(skeleton(one), []).append(one)
    ranked = sorted(alike, key=lambda one: hashlib.blake2b(f"{pool}\n{one}".encode()).digest())
    own: list[str] = []
    while len(own) < len(ranked) - 1 and sum(len(alike[one]) for one in own) < HELD_OUT * len(
        phrases
    ):
        own.append(ranked[len(own)])
    found: dict[str, Split | None] = {}
    for number, key in enumerate(own):
        owner: Split | None = None if len(own) == 1 else ("dev", "test")[number % 2]
        found |= dict.fromkeys(alike[key], owner)
    return found


def of_split(pool: str, phrases: Sequence[str], split: Split | None) -> list[str]:
    """Return what a split draws from: in dev and test, half of it is not in train.

    Args:
        pool: Name of the pool.
        phrases: Its phrases.
        split: "train", "dev" or "test"; None for all phrases.

    Raises:
        ValueError: If there is no such split.
    """
    if split is None:
        return list(phrases)
    if split not in ("train", "dev", "test"):
        raise ValueError(f"split is 'train', 'dev' or 'test', not {split!r}")
    held = held_out(pool, phrases)
    seen = [one for one in phrases if one not in held]
    if split == "train":
        return seen
    own = [one for one in phrases if one in held and held[one] in (None, split)]
    return seen + own * max(round(len(seen) / len(own)), 1) if own else seen
