"""Strict JSON: what an agent meant must be what is read."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import orjson

MAX_DEPTH = 64
"""Levels of nesting that are read; whoever walks the value recursively is safe with these."""


_LARGE = 2.0**63
_NEVER = 1 << 62  # taken from a count, makes it one that no text has


def loads(text: str) -> Any:
    """Read one JSON value, refusing what parsers commonly let through.

    Duplicate keys, NaN and Infinity, raw control characters, lone surrogates and nesting
    beyond :data:`MAX_DEPTH` are refused. Time is linear in the length of ``text``.

    Raises:
        ValueError: With a message for the agent.
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg} at character {error.pos}") from None
    # Every key is followed by a colon, so as many colons as keys means no key is a duplicate;
    # only texts with colons inside strings, or numbers that may be integers beyond 64 bits,
    # take the slower, exact way.
    if text.count(":") != _count_keys(value, MAX_DEPTH):
        value = json.loads(text, object_pairs_hook=_no_duplicates)
    return value


def _count_keys(value: Any, depth: int) -> int:
    count = 0
    if type(value) is dict:
        count = len(value)
        value = value.values()
    elif type(value) is not list:
        value = (value,)
    for item in value:
        kind = type(item)
        if kind is str:
            continue
        if kind is dict or kind is list:
            if depth == 1:
                raise ValueError(f"nested too deeply: more than {MAX_DEPTH} levels")
            count += _count_keys(item, depth - 1)
        elif kind is float and not -_LARGE < item < _LARGE:
            count -= _NEVER
    return count


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        _raise_duplicate(pairs)
    return found


def _raise_duplicate(pairs: list[tuple[str, Any]]) -> NoReturn:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise ValueError(f"duplicate key {key[:80]!r} in one object")
        seen.add(key)
    raise AssertionError("called without a duplicate")
