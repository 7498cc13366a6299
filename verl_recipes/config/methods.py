"""Methods of anybody's own: a mapping of settings in a module, in place of a file of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gym_clinic import ConfigError
from gym_clinic.names import import_named

CONTROL = "grpo"
"""The method that a mapping without ``defaults`` changes."""


def own_method(name: str) -> tuple[str, dict[str, Any]]:
    """Return the method of ours that ``module:NAME`` begins with, and the settings it changes.

    The mapping holds what a file of ``config/method`` holds. ``defaults`` is a list with the
    method that it changes, ``grpo`` if it is left out.

    Raises:
        ConfigError: If there is no such mapping.
    """
    try:
        found = import_named(name, "method")
    except ImportError as error:
        raise ConfigError(f"method {name!r} cannot be imported: {error}") from error
    if not isinstance(found, Mapping):
        raise ConfigError(
            f"method {name!r} is a {type(found).__name__}; expected a mapping of settings, as a "
            "file of verl_recipes/config/method holds them"
        )
    defaults = found.get("defaults", [CONTROL])
    if not isinstance(defaults, list | tuple) or len(defaults) != 1:
        raise ConfigError(
            f"method {name!r}: defaults is a list with one method, such as ['ttopd'], not "
            f"{defaults!r}"
        )
    return str(defaults[0]), {key: value for key, value in found.items() if key != "defaults"}
