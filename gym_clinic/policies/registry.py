"""Policies by name: built-in ones, those of a domain, and those of other packages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym

from gym_clinic.catalog import make, unwrap
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.names import call_with_options, check_options, import_named, suggest
from gym_clinic.policies.fitted.constants import ConstantSearch, fitted
from gym_clinic.policies.identity import PolicyCode, code_of
from gym_clinic.policies.playing import Maker, Policy

POLICIES: Mapping[str, str] = {
    "oracle": "gym_clinic.policies.baselines:oracle",
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
    "linear": "gym_clinic.policies.fitted.linear:linear",
    "call-search": "gym_clinic.policies.fitted.call_search:call_search",
}
"""Name -> path of its builder, ``(env, **options) -> Maker``."""

ADVERSARIES = (
    "silent", "prior", "every-tool", "every-option", "repeater", "echo", "rambler",
    "malformed", "forger", "snoop",
)  # fmt: skip
"""The built-in policies that must earn little; see :func:`adversaries_of`."""

CONNECTION = frozenset(
    {"concurrency", "api_key", "api_key_env", "timeout", "retries", "backoff", "max_wait"}
)
"""Options of the chat policy that decide how its server is reached, and no result."""

TRAINED = ("linear", "call-search")
"""Adversaries that are fitted to the train split; ``linear`` needs the extra ``adversaries``."""


def adversaries_of(env: str | gym.Env[str, str], **options: Any) -> list[str]:
    """Return the names of all adversaries that apply to an environment.

    These are the built-in ones, the domain's own, and the trained ones; those that are fitted to
    the train split apply where there is one, with an answer that its tickets share.

    Args:
        env: An environment, wrapped or not, or the id of one.
        options: Arguments of the environment, with an id.

    Raises:
        ConfigError: If there is no such id, or it does not take these options.
    """
    clinic = unwrap(make(env, **options) if isinstance(env, str) else env)
    search = fitted(clinic, ConstantSearch)
    names = [name for name in ADVERSARIES if search.labels or name != "prior"]
    names += [name for name in clinic.domain.adversaries if name not in names]
    if search.labels:
        names.append("linear")
        if search.names and not clinic.domain.blocking:
            names.append("call-search")
    return names


def load(name: str, env: ClinicEnv, options: Mapping[str, Any] | None = None) -> Maker:
    """Find a policy by name and prepare it for an environment.

    Args:
        name: One of :data:`POLICIES`, one of the domain's own, or ``"package.module:NAME"``
            of another package: a class or function that takes no argument (or ``seed``) and
            returns an object with ``act``.
        env: The environment that the policy acts in.
        options: Options of the policy, such as ``url`` and ``model`` of ``"chat"``.

    Raises:
        ConfigError: If there is no such policy, or it does not take these options.
    """
    chosen = dict(options or {})
    who = f"policy {name!r}"
    builder = _builder(name, env)
    if name in POLICIES or name in _owned(env):
        made: Maker = call_with_options(builder, chosen, who, env)
        return made
    seeded = "seed" in inspect.signature(builder).parameters
    check_options(builder, {**chosen, "seed": 0} if seeded else chosen, who)
    return lambda seed: _own_policy(builder, {**chosen, "seed": seed} if seeded else chosen, who)


def code_of_policy(name: str, env: ClinicEnv) -> PolicyCode:
    """Return the code of a policy, which is part of the identity of a run.

    Args:
        name: As for :func:`load`.
        env: The environment that the policy acts in.

    Raises:
        ConfigError: If there is no such policy.
    """
    named = name.partition(":")[0] if ":" in name and name not in _owned(env) else None
    return code_of(_builder(name, env), named)


def without_connection(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a policy without those that change no result, such as a timeout."""
    ignored = CONNECTION if name == "chat" else frozenset({"concurrency"})
    return {option: value for option, value in options.items() if option not in ignored}


def _owned(env: ClinicEnv) -> dict[str, Callable[..., Any] | str]:
    return {**env.domain.adversaries, **env.domain.baselines}


def _builder(name: str, env: ClinicEnv) -> Callable[..., Any]:
    """Return the class or function that makes a policy."""
    owned = _owned(env)
    if name in owned:
        own = owned[name]
        found = import_named(own, "policy") if isinstance(own, str) else own
    elif name not in POLICIES and ":" not in name:
        advice = suggest(name, [*POLICIES, *owned])
        raise ConfigError(f"no policy {name!r}; {advice} Or name your own: 'package.module:NAME'")
    else:
        found = import_named(POLICIES.get(name, name), "policy")
    if not callable(found):
        raise ConfigError(
            f"policy {name!r} is a {type(found).__name__}; expected a class or function"
        )
    builder: Callable[..., Any] = found
    return builder


def _own_policy(builder: Callable[..., Any], options: Mapping[str, Any], who: str) -> Policy:
    policy: Policy = builder(**options)
    if not callable(getattr(policy, "act", None)):
        raise ConfigError(f"{who} has no act(observation, info) -> str")
    return policy
