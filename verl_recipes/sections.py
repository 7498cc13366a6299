"""Sections of a config read into dataclasses, each value checked by the annotation of its field."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from gym_clinic import ConfigError
from gym_clinic.names import suggest
from verl_recipes.registry import Registry


class Range(NamedTuple):
    """The numbers that a setting may have: ``Annotated[int, Range(1)]``.

    Attributes:
        least: The smallest; with ``above`` it is not allowed itself.
        most: The largest.
        above: Whether the number is above ``least``.
    """

    least: float = -math.inf
    most: float = math.inf
    above: bool = False

    def __str__(self) -> str:
        """Return the range in words, with a space before."""
        text = f" {'above' if self.above else 'from'} {self.least:g}" * math.isfinite(self.least)
        return text + f" to {self.most:g}" * math.isfinite(self.most)

    def holds(self, value: float) -> bool:
        """Return whether a number is in the range."""
        return self.least <= value <= self.most and not (self.above and value == self.least)


def read_section(kind: type[Any], values: Any, where: str) -> Any:
    """Read a section of a config into a dataclass.

    Args:
        kind: The dataclass; its annotations say what each value may be: a type, ``Literal``, a
            tuple or dataclass of such, or ``Annotated`` with a :class:`Range`, a
            :class:`~verl_recipes.registry.Registry` or a description of a text.
        values: Plain data; None for all defaults.
        where: Name of the section, for errors.

    Raises:
        ConfigError: If a key is unknown or missing or a value cannot be; it says what can.
    """
    if not isinstance(values, Mapping | None):
        raise ConfigError(f"{where} is a section of settings, not {values!r}")
    values, known = values or {}, [one.name for one in fields(kind)]
    for name in values:
        if name not in known:
            raise ConfigError(f"{where} has no {name!r}; {suggest(str(name), known)}")
    for one in fields(kind):
        if one.name not in values and one.default is one.default_factory is MISSING:
            raise ConfigError(f"{where} lacks {one.name!r}")
    hints = get_type_hints(kind, include_extras=True)
    return kind(**{k: _read(hints[k], value, f"{where}.{k}") for k, value in values.items()})


def _read(kind: Any, value: Any, where: str, null: str = "") -> Any:
    """Return a value in the form that an annotation asks for."""
    if isinstance(kind, type) and is_dataclass(kind):
        return read_section(kind, value, where)
    extra = getattr(kind, "__metadata__", (None,))[0]
    origin, args = get_origin(kind), get_args(kind)
    if NoneType in args:
        return None if value is None else _read(args[0], value, where, ", or null")
    if origin is tuple:
        if not isinstance(value or (), list | tuple):
            raise ConfigError(f"{where} is a list, not {value!r}")
        return tuple(_read(args[0], one, f"{where}[{n}]") for n, one in enumerate(value or ()))
    if isinstance(extra, Registry):
        extra.check(value)
        return value
    if origin is Literal:
        good, what = value in args, f"one of {[*args]}"
    elif origin is Mapping:
        good, what = isinstance(value, Mapping), "{name: value}"
        if good and args[1] is float:
            value = {name: _read(float, one, f"{where}.{name}") for name, one in value.items()}
    elif kind is bool:
        good, what = isinstance(value, bool), "true or false"
    elif kind is str or isinstance(extra, str):
        good, what = isinstance(value, str) and bool(value.strip()), extra or "a text"
    else:
        limits, whole = extra or Range(), int in (kind, getattr(kind, "__origin__", None))
        good = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        good = good and math.isfinite(value) and limits.holds(value)
        what = f"a {'whole' if whole else 'finite'} number{limits}"
    if not good:
        raise ConfigError(f"{where} is {what}{null}, not {value!r}")
    return value
