"""The objects that can be reached from an object, through attributes, items and closures."""

from __future__ import annotations

import gc
import types
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_LEAVES = (str, bytes, bytearray, int, float, complex, type(None), type)


def reachable(roots: Iterable[tuple[str, Any]], limit: int = 20_000) -> Iterator[tuple[str, Any]]:
    """Yield the objects that can be reached, nearest first, each once.

    Follows items, keys, attributes, slots, closures, defaults, globals, frames, bound objects
    and all other references that the garbage collector knows. A class is not entered, because
    the whole process can be reached from any class. A function or module is entered: who has a
    function has its module.

    Args:
        roots: Path and object of everything handed out.
        limit: Maximum number of objects visited.

    Yields:
        Path and object.
    """
    waiting = deque(roots)
    kept: dict[int, Any] = {}  # keeps every object alive, so that no id is used twice
    while waiting and len(kept) < limit:
        path, item = waiting.popleft()
        if id(item) in kept:
            continue
        kept[id(item)] = item
        yield path, item
        waiting.extend(_held(path, item))


def _held(path: str, item: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(item, Mapping):
        for key, value in list(item.items()):
            yield f"{path}[{key!r}]"[:400], value
            if not isinstance(key, _LEAVES):
                yield f"{path}.key", key
    elif isinstance(item, list | tuple | set | frozenset):
        for index, value in enumerate(list(item)):
            yield f"{path}[{index}]"[:400], value
    if type(item) in _LEAVES or isinstance(item, type):
        return
    attributes = getattr(item, "__dict__", None)
    if isinstance(attributes, dict):
        for name, value in list(attributes.items()):
            yield f"{path}.{name}"[:400], value
    for kind in type(item).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            value = getattr(item, name, None)
            if value is not None:
                yield f"{path}.{name}"[:400], value
    if isinstance(item, types.GeneratorType) and item.gi_frame is not None:
        yield f"{path}.frame", item.gi_frame.f_locals
    for value in gc.get_referents(item):
        yield f"{path}.<held>", value
