"""Policies: anything with ``act(observation, info) -> str``.

A maker, ``maker(seed) -> Policy``, gives one policy for one episode; fitted models and
connections are shared between them. ``load`` finds a maker by name; every builder is
``(env, **options) -> Maker``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gym_clinic.policies.baselines import oracle, prior, random_calls, rules
from gym_clinic.policies.moves import Playbook, ScriptedPolicy, scripted
from gym_clinic.policies.playing import Maker, Outcome, Policy, next_action, play, take
from gym_clinic.policies.registry import (
    ADVERSARIES,
    POLICIES,
    TRAINED,
    adversaries_of,
    code_of_policy,
    load,
)

if TYPE_CHECKING:
    from gym_clinic.policies.chat import ChatPolicy

__all__ = [
    "ADVERSARIES",
    "POLICIES",
    "TRAINED",
    "ChatPolicy",
    "Maker",
    "Outcome",
    "Playbook",
    "Policy",
    "ScriptedPolicy",
    "adversaries_of",
    "code_of_policy",
    "load",
    "next_action",
    "oracle",
    "play",
    "prior",
    "random_calls",
    "rules",
    "scripted",
    "take",
]


def __getattr__(name: str) -> Any:
    if name == "ChatPolicy":  # its client is loaded on first use
        from gym_clinic.policies.chat import ChatPolicy

        return ChatPolicy
    raise AttributeError(f"module 'gym_clinic.policies' has no attribute {name!r}")
