"""Finds clinic environments by id."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.names import import_module, nearest
from gym_clinic.registration import IDS

ENTRY_POINT = "gym_clinic.env:ClinicEnv"


def ids() -> list[str]:
    """Return the ids of every registered clinic environment, the built-in ones first."""
    others = sorted(
        name
        for name, spec in gym.registry.items()
        if spec.entry_point in (ENTRY_POINT, ClinicEnv) and name not in IDS
    )
    return [*IDS, *others]


def find(env_id: str) -> str:
    """Return the registered id that ``env_id`` names.

    Args:
        env_id: An id, or ``"module:id"`` to import the module that registers it first.

    Raises:
        ConfigError: If there is none, or it is no clinic environment; it names the nearest.
    """
    module, colon, name = env_id.rpartition(":")
    if colon:
        import_module(module, "clinic environment")
    known = ids()
    if name in known:
        return name
    if name in gym.registry:
        raise ConfigError(f"{name!r} is no clinic environment; choose from {known}")
    near = _nearest(name, known)
    hint = f"did you mean {near!r}?" if near else f"choose from {known}"
    raise ConfigError(f"no id {name!r}; {hint}")


def _nearest(name: str, known: list[str]) -> str | None:
    # Most often only the namespace or the version is missing.
    names = {one: one for one in known}
    for one in known:
        bare = one.rpartition("/")[2]
        names.setdefault(bare, one)
        names.setdefault(bare.rpartition("-v")[0], one)
    near = nearest(name, tuple(names))
    return names[near] if near else None


def make(env_id: str, **options: Any) -> gym.Env[str, str]:
    """Make a clinic environment.

    Args:
        env_id: As for :func:`find`.
        options: Arguments of the environment.

    Raises:
        ConfigError: If the id or an option is unknown.
    """
    if reserved := sorted(options.keys() & {"id", "env_id", "disable_env_checker"}):
        raise ConfigError(f"an environment takes no option {reserved}")
    return gym.make(find(env_id), disable_env_checker=True, **options)


def unwrap(env: gym.Env[str, str]) -> ClinicEnv:
    """Return the ClinicEnv inside all wrappers.

    Raises:
        ConfigError: If there is none.
    """
    clinic = env.unwrapped
    if not isinstance(clinic, ClinicEnv):
        raise ConfigError(f"{clinic!r} is no ClinicEnv")
    return clinic
