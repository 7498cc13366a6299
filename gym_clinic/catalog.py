"""Finds clinic environments by id, opens them on any split, and gives their data sheets."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from gym_clinic.domain import Domain, load
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.names import import_module, nearest
from gym_clinic.registration import IDS
from gym_clinic.taskset import SEEDS, size_of

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
    clinic = env.unwrapped if isinstance(env, gym.Env) else None
    if not isinstance(clinic, ClinicEnv):
        raise ConfigError(f"{env!r} is no ClinicEnv")
    return clinic


def domain_name(env_id: str) -> str:
    """Return the name of the domain of a registered id."""
    return str(gym.spec(env_id).kwargs.get("domain", "?"))


def open_env(env_id: str, split: str | None = None, **options: Any) -> ClinicEnv:
    """Make an environment on a split, or on the first of train, test and any other that it has.

    Args:
        env_id: As for :func:`find`.
        split: The split; None for the first that holds tasks.
        options: Arguments of the environment.

    Raises:
        ConfigError: If the id, the split or an option is unknown, or there is no task at all.
    """
    if split is None:
        split = _first_split({**gym.spec(find(env_id)).kwargs, **options})
    return unwrap(make(env_id, split=split, **options))


def open_domain(name: str, split: str | None = None, **options: Any) -> ClinicEnv:
    """Make an environment of a domain that needs no id; otherwise as :func:`open_env`."""
    split = split or _first_split({"domain": name, **options})
    return ClinicEnv(name, split=split, **options)


def _load(arguments: Mapping[str, Any]) -> Domain:
    """Return the domain of the arguments of an environment."""
    own = env_arguments()
    options = {key: arguments[key] for key in arguments if key not in own}
    return load(arguments["domain"], options)


def _first_split(arguments: Mapping[str, Any]) -> str:
    tasks = _load(arguments).tasks
    for split in dict.fromkeys(("train", "test", *tasks)):
        if split in tasks and size_of(tasks, split):
            return split
    raise ConfigError(f"domain {arguments['domain']!r} has no tasks")


def smallest_split(env_id: str) -> str:
    """Return the split of a registered id that is the quickest to open.

    Raises:
        ConfigError: If there is no such id, or it has no task.
    """
    arguments = gym.spec(find(env_id)).kwargs
    tasks = _load(arguments).tasks
    filled = {split: size for split in tasks if (size := size_of(tasks, split))}
    if not filled:
        raise ConfigError(f"domain {arguments['domain']!r} has no tasks")
    return min(filled, key=lambda split: filled[split])


def sizes(domain: Domain) -> str:
    """Return the splits of a domain with their numbers of tasks, such as ``"train 5, test 8"``."""
    numbers = ((split, size_of(domain.tasks, split)) for split in domain.tasks)
    return ", ".join(
        f"{split} without end" if size == SEEDS else f"{split} {size:,}" for split, size in numbers
    )


def data_sheet(domain: str) -> str:
    """Return the docstring of a loaded domain: of its maker if that is a whole data sheet."""
    module, maker = _home(domain)
    own = inspect.getdoc(maker) if callable(maker) else None
    sheet = inspect.getdoc(module) or "no data sheet"
    if own and "Task:" in own:
        return own
    # The settings of one module share its data sheet; each adds a line of its own.
    return f"{sheet}\n\nThis setting: {own.splitlines()[0]}" if own else sheet


def env_arguments(domain: str | None = None) -> dict[str, inspect.Parameter]:
    """Return the arguments of an environment, and the options of a loaded domain."""
    found = dict(inspect.signature(ClinicEnv.__init__).parameters)
    found = {name: one for name, one in found.items() if name not in ("self", "options")}
    maker = _home(domain)[1] if domain else None
    return {**found, **inspect.signature(maker).parameters} if maker else found


def _home(domain: str) -> tuple[Any, Any]:
    """Return the module of a loaded domain, and the function that makes it or None."""
    name, _, attribute = domain.partition(":")
    module = sys.modules.get(f"gym_clinic.domains.{name}") or importlib.import_module(name)
    maker = getattr(module, attribute or "domain", None)
    return module, maker if inspect.isfunction(maker) else None
