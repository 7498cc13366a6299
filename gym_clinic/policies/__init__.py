"""What acts in an environment: anything with ``act(observation, info) -> str``.

A maker, ``maker(seed) -> Policy``, gives one policy for one episode; what it fits or connects
to is shared. ``load`` finds a maker by name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.names import call_with_options, check_options, import_named, suggest


class Policy(Protocol):
    """An agent for one episode."""

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next action.

        Args:
            observation: What ``reset`` or the last ``step`` returned.
            info: Its info; the one of ``reset`` holds ``task_id``, ``tools`` and ``messages``.
        """


def ask(policy: Policy, observation: str, info: dict[str, Any]) -> str:
    """Return a policy's next action.

    Raises:
        ConfigError: If it is not text.
    """
    action = policy.act(observation, info)
    if not isinstance(action, str):
        kind = type(action).__name__
        raise ConfigError(f"the policy's act returned {kind}; an action is text")
    return action


Maker = Callable[[int], Policy]
"""Makes the policy of one episode from that episode's seed."""

POLICIES: Mapping[str, str] = {
    "oracle": "gym_clinic.policies.oracle:oracle",
    "random": "gym_clinic.policies.baselines:random_calls",
    "rules": "gym_clinic.policies.baselines:rules",
    "prior": "gym_clinic.policies.baselines:prior",
    "human": "gym_clinic.policies.human:human",
    "chat": "gym_clinic.policies.chat:chat",
    "silent": "gym_clinic.policies.adversaries:silent",
    "every-tool": "gym_clinic.policies.adversaries:every_tool",
    "every-option": "gym_clinic.policies.adversaries:every_option",
    "repeater": "gym_clinic.policies.adversaries:repeater",
    "echo": "gym_clinic.policies.adversaries:echo",
    "rambler": "gym_clinic.policies.adversaries:rambler",
    "malformed": "gym_clinic.policies.adversaries:malformed",
    "forger": "gym_clinic.policies.adversaries:forger",
    "snoop": "gym_clinic.policies.adversaries:snoop",
}
"""Name -> where its builder, ``(env, **options) -> Maker``, lives."""

ADVERSARIES = (
    "silent", "prior", "every-tool", "every-option", "repeater", "echo", "rambler",
    "malformed", "forger", "snoop",
)  # fmt: skip
"""The policies that must never be worth playing."""


def load(name: str, env: ClinicEnv, options: Mapping[str, Any] | None = None) -> Maker:
    """Find a policy by name and prepare it for an environment.

    Args:
        name: One of :data:`POLICIES`, or ``"package.module:NAME"`` for anyone's: a class or
            function that takes no argument (or ``seed``) and returns something with ``act``.
        env: The environment it will act in.
        options: Options of the policy, such as ``url`` and ``model`` of ``"chat"``.

    Raises:
        ConfigError: If there is no such policy, or it does not take these options.
    """
    chosen = dict(options or {})
    who = f"policy {name!r}"
    own = env.domain.baselines.get(name)
    if own is not None:
        made: Maker = call_with_options(own, chosen, who, env.domain, env.dialect)
        return made
    if name not in POLICIES and ":" not in name:
        advice = suggest(name, POLICIES)
        raise ConfigError(f"no policy {name!r}; {advice} Or name your own: 'package.module:NAME'")
    builder = import_named(POLICIES.get(name, name), "policy")
    if not callable(builder):
        raise ConfigError(f"{who} is a {type(builder).__name__}; expected a class or function")
    if name in POLICIES:
        built: Maker = call_with_options(builder, chosen, who, env)
        return built
    seeded = "seed" in inspect.signature(builder).parameters
    check_options(builder, {**chosen, "seed": 0} if seeded else chosen, who)
    return lambda seed: _own_policy(builder, {**chosen, "seed": seed} if seeded else chosen, who)


def _own_policy(builder: Callable[..., Any], options: Mapping[str, Any], who: str) -> Policy:
    policy: Policy = builder(**options)
    if not callable(getattr(policy, "act", None)):
        raise ConfigError(f"{who} has no act(observation, info) -> str")
    return policy
