"""The reward of the right calls."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from gym_clinic.episode import Episode


def call_f1(episode: Episode) -> float:
    """Return the F1 of the calls made against ``gold["calls"]``, as sets of name and arguments.

    Every well-formed call counts as made. Only an answered call can match, so that calling
    everything lowers the reward.

    Source:
        "Process-Supervised Multi-Agent Reinforcement Learning for Reliable Clinical
        Reasoning", eq. 7.
    """
    gold = {signature(call["name"], call["arguments"]) for call in episode.task.gold["calls"]}
    made = {(signature(call.name, call.arguments), call.ok) for call in episode.calls}
    matched = {key for key, ok in made if ok} & gold
    tried = {key for key, _ in made}
    if not gold and not tried:
        return 1.0
    return 2 * len(matched) / (len(gold) + len(tried))


def signature(name: str, arguments: Any) -> Hashable:
    """Return a hashable form of a call, equal for equal JSON."""
    return name, _hashable(arguments)


def _hashable(value: Any) -> Hashable:
    if value.__class__ is str:  # most arguments
        return "str", value
    if isinstance(value, dict):
        return tuple(sorted((key, _hashable(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return tuple(_hashable(item) for item in value)
    return type(value).__name__, value
