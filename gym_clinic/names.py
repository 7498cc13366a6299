"""Names and options of callers: what they mean, or what would have been right."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from gym_clinic.errors import ConfigError

LONGEST = 80
"""Characters of an unknown name that are compared and shown."""

NEAR = 60.0
"""Least likeness of a name that is suggested: twice the common letters, as % of both lengths."""


@lru_cache(maxsize=1024)
def nearest(name: str, names: tuple[str, ...]) -> str | None:
    """Return the one of ``names`` that ``name`` most likely means, None if none is near."""
    from rapidfuzz import fuzz, process  # here, since importing it takes 20 ms

    folded = [known.casefold() for known in names]
    query = name[:LONGEST].casefold()
    found = process.extractOne(query, folded, scorer=fuzz.ratio, score_cutoff=NEAR)
    return names[found[2]] if found else None


def suggest(name: str, names: Iterable[str]) -> str:
    """Return the advice for an unknown name: the nearest known one, or all of them."""
    known = tuple(names)
    near = nearest(name, known)
    return f"did you mean {near!r}?" if near else f"choose from {list(known)}"


def import_named(path: str, what: str) -> Any:
    """Import what ``"package.module:NAME"`` names.

    Args:
        path: Module and attribute.
        what: What it should be, for the error.

    Raises:
        ConfigError: If there is no such module or attribute. A module that is there but lacks
            something it needs raises its own ImportError.
    """
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise ConfigError(f"{path!r} names no {what}; expected 'package.module:NAME'")
    module = import_module(module_name, what)
    if not hasattr(module, attribute):
        public = [name for name in vars(module) if not name.startswith("_")]
        near = nearest(attribute, tuple(public))
        hint = f"; did you mean {near!r}?" if near else ""
        raise ConfigError(f"{module_name} has no {what} {attribute!r}{hint}")
    return getattr(module, attribute)


def import_module(name: str, what: str) -> Any:
    """Import a module that a caller named; errors as for :func:`import_named`."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise ConfigError(f"{name!r} is no module's name; expected 'package.module' for a {what}")
    try:
        return importlib.import_module(name)
    except SyntaxError as error:
        raise ConfigError(f"module {name!r} cannot be read: {error}") from error
    except ModuleNotFoundError as error:
        if error.name and not f"{name}.".startswith(f"{error.name}."):
            raise  # the module is there; something it needs is not
        raise ConfigError(f"no module {name!r} for a {what}") from None


def check_options(
    function: Callable[..., Any],
    options: Mapping[str, Any],
    who: str,
    *,
    given: int = 0,
    also: Sequence[str] = (),
) -> None:
    """Check that a maker takes a caller's options, and has all it needs.

    Args:
        function: The maker.
        options: The caller's options.
        who: Who takes them, for the error.
        given: How many leading parameters are not the caller's.
        also: Further names to suggest for an unknown option.

    Raises:
        ConfigError: If an option is unknown, or one that is needed is missing.
    """
    parameters = list(inspect.signature(function).parameters.values())[given:]
    named = [one for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    takes = [one.name for one in named]
    if not any(one.kind is one.VAR_KEYWORD for one in parameters):
        for option in options:
            if option not in takes:
                known = [*takes, *also]
                advice = suggest(option, known) if known else "it takes none"
                raise ConfigError(f"{who} takes no option {option!r}; {advice}")
    missing = [one.name for one in named if one.default is one.empty and one.name not in options]
    if missing:
        raise ConfigError(f"{who} needs the option{'s' * (len(missing) > 1)} {missing}")


def call_with_options(
    function: Callable[..., Any],
    options: Mapping[str, Any],
    who: str,
    *given: Any,
    also: Sequence[str] = (),
) -> Any:
    """Call a maker with a caller's options, after :func:`check_options`."""
    check_options(function, options, who, given=len(given), also=also)
    return function(*given, **options)


def at_least_one(name: str, value: int) -> int:
    """Return an option that is a count.

    Raises:
        ConfigError: If it is no whole number from 1.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{name} is a whole number from 1, not {value!r}")
    return value


def checked_number(
    name: str, value: float, *, least: float, above: bool = False, whole: bool = False
) -> None:
    """Check a numeric option; with `above`, `least` itself is not allowed.

    Raises:
        ConfigError: It is no finite number in that range, or with `whole` no integer.
    """
    good = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or value < least or (above and value == least):
        kind = f"a {'whole ' * whole}number {'above' if above else 'of at least'} {least:g}"
        raise ConfigError(f"{name} must be {kind}; got {value!r}")
