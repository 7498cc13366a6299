"""Arguments that a tool's JSON schema allows: drawn at random, or all of them."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

_DEPTH = 6  # deeper values are the smallest that are valid
_FORMATS = {
    "time": lambda draw: f"{draw.randrange(24):02d}:{draw.randrange(60):02d}:00Z",
    "duration": lambda draw: f"P{draw.randrange(1, 30)}D",
    "date": lambda draw: _day(draw),
    "date-time": lambda draw: f"{_day(draw)}T{draw.randrange(24):02d}:00:00Z",
    "uuid": lambda draw: f"{draw.getrandbits(32):08x}-0000-4000-8000-{draw.getrandbits(48):012x}",
    "email": lambda draw: f"ward{draw.randrange(100)}@example.org",
    "uri": lambda draw: f"https://example.org/{draw.randrange(1000)}",
}


def _day(draw: random.Random) -> str:
    return f"{draw.randrange(1950, 2030)}-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}"


def sample(parameters: Schema, draw: random.Random, words: Sequence[str]) -> dict[str, Any]:
    """Draw arguments that a tool accepts.

    Args:
        parameters: The ``parameters`` of an OpenAI function schema.
        draw: The source of randomness.
        words: Strings to draw from, such as the words of the ticket.

    Returns:
        Arguments by name. They fit the schema, except for a ``pattern`` that no word matches.
    """
    drawn: dict[str, Any] = _draw(parameters, parameters, draw, words or ("unknown",), 0)
    return drawn


def every(parameters: Schema, limit: int = 64) -> list[dict[str, Any]]:
    """Return every combination of the required arguments, if the schema lists their values.

    Args:
        parameters: The ``parameters`` of an OpenAI function schema.
        limit: Maximum number of combinations.

    Returns:
        The combinations in the order of the schema; none if an argument is open, such as a string.
    """
    names = list(parameters.get("required", ()))
    values = [_listed(parameters["properties"][name], parameters) for name in names]
    if not all(values):
        return []
    chosen = itertools.islice(itertools.product(*values), limit)
    return [dict(zip(names, choice, strict=True)) for choice in chosen]


def _listed(schema: Schema, root: Schema) -> list[Any]:
    schema = _resolve(schema, root)
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    if schema.get("type") == "boolean":
        return [False, True]
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        listed = [_listed(option, root) for option in options]
        return [value for part in listed for value in part] if all(listed) else []
    return [None] if schema.get("type") == "null" else []


def _resolve(schema: Schema, root: Schema) -> Schema:
    for _ in range(20):  # a chain of references; a circle ends here
        if "$ref" in schema:
            target: Any = root
            for part in str(schema["$ref"]).lstrip("#/").split("/"):
                target = target[part]
            schema = target
        elif len(schema.get("allOf", ())) == 1:
            schema = {**schema["allOf"][0], **{k: v for k, v in schema.items() if k != "allOf"}}
        else:
            break
    return schema


def _draw(
    schema: Schema, root: Schema, draw: random.Random, words: Sequence[str], depth: int
) -> Any:
    schema = _resolve(schema, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return draw.choice(list(schema["enum"]))
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        if depth >= _DEPTH:
            plain = [one for one in options if not _nests(_resolve(one, root))]
            options = plain or options
        return _draw(draw.choice(list(options)), root, draw, words, depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = draw.choice(kind)
    if kind == "object":
        return dict(_object(schema, root, draw, words, depth))
    if kind == "array":
        return _array(schema, root, draw, words, depth)
    if kind == "integer":
        return _integer(schema, draw)
    if kind == "number":
        low, high = _bounds(schema, 0.0, 100.0)
        return round(low + (high - low) * (0.01 + 0.98 * draw.random()), 6)
    if kind == "boolean":
        return draw.random() < 0.5
    return None if kind == "null" else _string(schema, draw, words)


def _nests(schema: Schema) -> bool:
    return schema.get("type") in ("object", "array") or "properties" in schema


def _object(
    schema: Schema, root: Schema, draw: random.Random, words: Sequence[str], depth: int
) -> Iterator[tuple[str, Any]]:
    required = set(schema.get("required", ()))
    for name, field in schema.get("properties", {}).items():
        if name in required or (depth < _DEPTH and draw.random() < 0.5):
            yield name, _draw(field, root, draw, words, depth + 1)
    extra = schema.get("additionalProperties")
    if isinstance(extra, Mapping) and depth < _DEPTH:
        for _ in range(draw.randrange(3)):
            yield draw.choice(words), _draw(extra, root, draw, words, depth + 1)


def _array(
    schema: Schema, root: Schema, draw: random.Random, words: Sequence[str], depth: int
) -> list[Any]:
    fixed = [_draw(item, root, draw, words, depth + 1) for item in schema.get("prefixItems", ())]
    low = int(schema.get("minItems", 0 if depth >= _DEPTH else 1))
    high = max(low, min(int(schema.get("maxItems", low + 2)), low if depth >= _DEPTH else low + 2))
    items = schema.get("items", {"type": "string"})
    if fixed or not isinstance(items, Mapping):
        return fixed
    wanted = draw.randint(low, high)
    drawn = (_draw(items, root, draw, words, depth + 1) for _ in range(wanted * 8))
    found: list[Any] = []
    for value in drawn:
        if len(found) == wanted:
            break
        if not (schema.get("uniqueItems") and value in found):
            found.append(value)
    return found


def _integer(schema: Schema, draw: random.Random) -> int:
    low, high = _bounds(schema, 0, 100)
    first, last = math.ceil(low), math.floor(high)
    if schema.get("exclusiveMinimum") == first:
        first += 1
    if schema.get("exclusiveMaximum") == last:
        last -= 1
    step = int(schema.get("multipleOf", 1)) or 1
    first = -(-first // step) * step
    return draw.randrange(first, max(first, last) + 1, step)


def _bounds(schema: Schema, low: float, high: float) -> tuple[float, float]:
    """Return the bounds of a number; a missing bound has the default distance from the other."""
    lows = [schema[key] for key in ("minimum", "exclusiveMinimum") if key in schema]
    highs = [schema[key] for key in ("maximum", "exclusiveMaximum") if key in schema]
    if lows and not highs:
        return max(lows), max(lows) + (high - low)
    if highs and not lows:
        return min(min(highs) - (high - low), low) if min(highs) < high else low, min(highs)
    return (max(lows), min(highs)) if lows else (low, high)


def _string(schema: Schema, draw: random.Random, words: Sequence[str]) -> str:
    made = _FORMATS.get(str(schema.get("format")))
    if made is not None:
        return made(draw)
    pattern = schema.get("pattern")
    if pattern is not None:
        digits = [f"{draw.randrange(10**size):0{size}d}" for size in range(1, 11)]
        fits = [word for word in (*words, *digits) if re.search(str(pattern), word)]
        if fits:
            return draw.choice(fits)
    text = draw.choice(words)
    while len(text) < int(schema.get("minLength", 0)):
        text += " " + draw.choice(words)
    return text[: int(schema.get("maxLength", len(text)))]
