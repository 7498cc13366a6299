"""JSON that cannot be changed, so that one task serves any number of episodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

Made = TypeVar("Made")

_PLAIN = frozenset((str, int, float, bool, type(None)))
"""Kinds of values that are neither objects nor arrays: most of a record, told apart at once."""

_OBJECTS, _ARRAYS = (dict, Mapping), (list, tuple)
"""Kinds of objects and arrays, the usual one first: it is told without asking an abstract class."""


class Frozen(dict[str, Any]):
    """A JSON object that cannot be changed; ``thaw`` gives a copy that can.

    What was found to follow from it is kept beside its fields, see `once`.
    """

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("a case record is read-only; use case.edit(key) to change it")

    __setitem__ = __delitem__ = _refuse
    clear = pop = popitem = setdefault = update = __ior__ = _refuse  # type-compatible: all refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return freeze, (dict(self),)

    def __deepcopy__(self, memo: dict[int, Any]) -> Frozen:
        return self


def once(value: Mapping[str, Any], key: str, make: Callable[[], Made]) -> Made:
    """Return what follows from a JSON object alone, under a name; made once if it is frozen."""
    if not isinstance(value, Frozen):
        return make()
    kept = vars(value)
    if key not in kept:
        kept[key] = make()
    found: Made = kept[key]
    return found


def freeze(value: Any) -> Any:
    """Return a read-only copy of a JSON value: objects become Frozen, arrays tuples."""
    if value.__class__ in _PLAIN or isinstance(value, Frozen):
        return value
    if isinstance(value, _OBJECTS):
        return Frozen({
            key: item if item.__class__ in _PLAIN else freeze(item) for key, item in value.items()
        })  # fmt: skip
    if isinstance(value, _ARRAYS):
        return tuple(freeze(item) for item in value)
    return value


def thaw(value: Any) -> Any:
    """Return a changeable copy of a frozen JSON value."""
    if value.__class__ in _PLAIN:
        return value
    if isinstance(value, _OBJECTS):
        return {
            key: item if item.__class__ in _PLAIN else thaw(item) for key, item in value.items()
        }
    if isinstance(value, _ARRAYS):
        return [thaw(item) for item in value]
    return value
