"""Strict JSON: what an agent meant must be what is read."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import orjson

LONGEST_INTEGER = 14_284
"""Bits of the longest integer that Python reads and writes as text: 4,300 digits."""

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


def dumps(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    """Write a value as orjson does; integers beyond 64 bits, which it refuses, are written too.

    Args:
        value: The value.
        default: Returns plain JSON for a value of any other type, or raises TypeError.

    Raises:
        TypeError: If it holds what has no JSON form.
    """
    try:
        return orjson.dumps(value, default=default).decode()
    except orjson.JSONEncodeError as error:
        if "64-bit" not in str(error):
            raise error.__cause__ or error from None
        return json.dumps(value, default=default, ensure_ascii=False, separators=(",", ":"))


def plain_copy(value: Any, depth: int = MAX_DEPTH) -> Any:
    """Return a copy of a value as plain JSON, refusing what :func:`loads` refuses in a text.

    Args:
        value: Objects, arrays, texts, numbers, true, false and null, as Python has them.
        depth: Levels of nesting that are read.

    Raises:
        ValueError: With a message for the agent: NaN, Infinity, lone surrogates, an integer that
            Python does not write out, or nested too deeply.
        TypeError: If it holds anything else, which is the caller's mistake.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        check_encodable(value)
        return str.__str__(value)  # not a subclass, which may compare as it likes
    if isinstance(value, int):
        if value.bit_length() > LONGEST_INTEGER:
            raise ValueError("an integer of more than 4,300 digits")
        return int.__int__(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no JSON number")
        return float.__float__(value)
    if not isinstance(value, Mapping | list | tuple):
        raise TypeError(f"{type(value).__name__} has no JSON form")
    if depth == 0:
        raise ValueError(f"nested too deeply: more than {MAX_DEPTH} levels")
    if not isinstance(value, Mapping):
        return [plain_copy(item, depth - 1) for item in value]
    if wrong := [key for key in value if not isinstance(key, str)]:
        raise TypeError(f"a key of a JSON object is a text, not {wrong[0]!r:.40}")
    return {plain_copy(key): plain_copy(item, depth - 1) for key, item in value.items()}


def check_encodable(text: str) -> None:
    """Check that a text has a UTF-8 form.

    Raises:
        ValueError: If it holds lone surrogates.
    """
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("lone surrogates have no UTF-8 form") from None


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
