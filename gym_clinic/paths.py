"""The only place that knows where task and knowledge files live, and what is made of them."""

from __future__ import annotations

import importlib.util
import os
from functools import lru_cache
from pathlib import Path

from gym_clinic.errors import ConfigError

_CHECKOUT = Path(__file__).resolve().parent.parent


def data_dir(room: str, *, override: str | None = None) -> Path:
    """Return the folder of a data room.

    ``$GYM_CLINIC_DATA/<room>`` comes first, then the installed package
    ``gym_clinic.<room>``, then the checkout root.

    Args:
        room: ``"tasks"`` or ``"kb"``.
        override: Used instead of ``$GYM_CLINIC_DATA`` when given.

    Raises:
        ConfigError: If none of the three holds the room.
    """
    root = override or os.environ.get("GYM_CLINIC_DATA")
    if root:
        folder = Path(root) / room
        if folder.is_dir():
            return folder
        raise ConfigError(f"$GYM_CLINIC_DATA has no folder {room!r}: expected {folder}")
    folder = _installed(room)
    if folder.is_dir():
        return folder
    raise ConfigError(
        f"no folder {room!r} beside gym_clinic or in the installation; "
        "reinstall gym_clinic or point $GYM_CLINIC_DATA at a folder that holds it"
    )


@lru_cache(maxsize=8)
def _installed(room: str) -> Path:
    """The folder of the installed package, or where it is in the checkout."""
    spec = importlib.util.find_spec(f"gym_clinic.{room}")
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return _CHECKOUT / room


def cache_dir() -> Path:
    """Return the folder for what is made once a machine: ``$GYM_CLINIC_CACHE``, or the user's."""
    own = os.environ.get("GYM_CLINIC_CACHE")
    if own:
        return Path(own)
    from platformdirs import user_cache_path

    return user_cache_path("gym_clinic")


def tasks_dir(domain: str) -> Path:
    """Return the task folder of a domain (policy.md, <split>.jsonl, SOURCE.md)."""
    return data_dir("tasks") / domain
