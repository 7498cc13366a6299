"""Tools, answers and results as a person reads them at a terminal of any width."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gym_clinic import strict_json
from gym_clinic.toolbox import Tool

LEAST_WIDTH = 20
"""Columns below which nothing is wrapped more closely."""

STACKED = 70
"""Columns below which the columns of a table stand below one another."""

FILLED = 60
"""Characters of a line from which on it was wrapped by hand."""

_PLAIN_ITEM = re.compile(r"[A-Za-z](?:[\w .:/%()-]*[\w.%)])?", re.ASCII)
_PLAIN_TEXT = re.compile(r"[A-Za-z](?:[\w .,;:/%()-]*[\w.%)])?", re.ASCII)
"""Texts that are read back though they stand without quotes: in a list, and of a name."""

_MARK = re.compile(r"(?:[-*>]|\d+\.) +")
_BEGINS = re.compile(r"\s*(?:[-*>#|{\[]|\d+\. )")

WIDEST_NAME, WIDEST_KIND = 32, 36
"""Columns of a table of tools for names and for what is taken."""


def wrap(text: str, width: int | None) -> str:
    """Return a text with long lines wrapped at words, further lines indented as the first.

    Args:
        text: The text.
        width: Columns; None leaves it as it is.
    """
    if width is None:
        return text
    return "\n".join(line for row in text.split("\n") for line in _wrapped(row, width))


def reflow(text: str) -> str:
    r"""Return Markdown with the lines of a paragraph joined, where they were wrapped by hand.

    >>> reflow("- " + "word " * 14 + "\n  further\n- item").count("\n")
    1
    """
    lines: list[str] = []
    before = ""
    for line in text.split("\n"):
        goes_on = len(before) >= FILLED and before[0] != "#" and before[-1] != ":"
        if goes_on and line.strip() and not _BEGINS.match(line):
            lines[-1] = f"{lines[-1].rstrip()} {line.strip()}"
        else:
            lines.append(line)
        before = line.rstrip()
    return "\n".join(lines)


def _wrapped(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    body = line.lstrip()
    indent = line[: len(line) - len(body)][: width // 2]
    mark = _MARK.match(body)
    return _hung(body, width, indent, indent + " " * (mark.end() if mark else 0))


def _hung(text: str, width: int, first: str, further: str) -> list[str]:
    """Wrap a text with an indent of its first line and one of the others."""
    return textwrap.wrap(
        text, max(width, LEAST_WIDTH), initial_indent=first, subsequent_indent=further,
        break_on_hyphens=False, break_long_words=False,
    )  # fmt: skip


def columns(rows: Sequence[Sequence[str]], width: int, indent: str = "") -> Iterator[str]:
    """Yield the lines of a table without a head; on a narrow terminal its cells in a row.

    Args:
        rows: The cells; the last column takes the width that is left.
        width: Columns of the terminal.
        indent: Before each line.
    """
    if not rows:
        return
    if width < STACKED:
        for row in rows:
            yield from _hung(" · ".join(filter(None, row)), width, indent, indent + "    ")
        return
    most = (WIDEST_NAME, min(WIDEST_KIND, width // 3))
    fixed = list(zip(*rows, strict=True))[:-1]
    widths = [min(max(map(len, cells)), limit) for cells, limit in zip(fixed, most, strict=False)]
    last = max(width - sum(widths) - 2 * len(widths) - len(indent), LEAST_WIDTH)
    for row in rows:
        cells = [textwrap.wrap(text, size, break_on_hyphens=False) or [""]
                 for text, size in zip(row, (*widths, last), strict=True)]  # fmt: skip
        for number in range(max(map(len, cells))):
            parts = [cell[number] if number < len(cell) else "" for cell in cells]
            padded = (f"{part:<{size}}" for part, size in zip(parts, (*widths, 0), strict=True))
            yield f"{indent}{'  '.join(padded)}".rstrip()


def tool_table(tools: Iterable[Tool], width: int | None) -> str:
    """Return tools with their arguments and the values that these take.

    Args:
        tools: The tools.
        width: Columns of the terminal; None for those of a file.
    """
    return "\n".join(line for tool in tools for line in _tool_lines(tool, width or 100))


def _tool_lines(tool: Tool, width: int) -> Iterator[str]:
    function = tool.schema["function"]
    parameters = function["parameters"]
    yield tool.name
    yield from _hung(function["description"], width, "  ", "  ")
    rows = []
    for name, schema in parameters["properties"].items():
        kind = kind_of(schema, parameters.get("$defs", {}))
        needed = name in parameters.get("required", ())
        about = schema.get("description", "")
        rows.append((name, kind, about if needed else f"(optional) {about}"))
    yield from columns(rows, width, "    ")


def kind_of(schema: Mapping[str, Any], defined: Mapping[str, Any]) -> str:
    """Return what a schema takes, in words: allowed values, a range, or a kind.

    >>> kind_of({"type": "integer", "minimum": 1, "maximum": 5}, {})
    'whole number 1 to 5'
    """
    if "$ref" in schema:
        return kind_of(defined[schema["$ref"].rpartition("/")[2]], defined)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(
            kind_of(option, defined) for option in schema["anyOf"] if option.get("type") != "null"
        ))  # fmt: skip
    if "enum" in schema or "const" in schema:
        return " | ".join(map(_literal, schema.get("enum") or [schema["const"]]))
    kind = schema.get("type")
    if kind == "array":
        return f"[{kind_of(schema.get('items', {}), defined)}, …]"
    if kind == "object":
        needed = schema.get("required", ())
        fields = (f"{name}{'' if name in needed else '?'}: {kind_of(inner, defined)}"
                  for name, inner in schema.get("properties", {}).items())  # fmt: skip
        return "{" + ", ".join(fields) + "}"
    names = {"string": "text", "integer": "whole number", "number": "number",
             "boolean": "true | false", "null": "null"}  # fmt: skip
    return names.get(str(kind), "any value") + _range(schema)


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f" {low:g} to {high:g}"
    parts = [f" {word} {value:g}" for word, value in
             (("from", low), ("above", above), ("to", high), ("below", below))
             if value is not None]  # fmt: skip
    return "".join(parts)


def _literal(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def call_line(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as a person types it.

    >>> call_line("submit", {"level": 2, "cited": [{"finding": "chest pain", "present": True}]})
    'submit level=2 cited=[{finding: chest pain, present: true}]'
    """
    return " ".join(
        [name, *(f"{key}={_typed(value, _PLAIN_TEXT)}" for key, value in arguments.items())]
    )


def _typed(value: Any, plain: re.Pattern[str] = _PLAIN_ITEM) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_typed(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_typed, value)) + "]"
    if not isinstance(value, str):
        return json.dumps(value)
    kept = plain.fullmatch(value) and value not in (
        "true",
        "false",
        "null",
        "True",
        "False",
        "None",
    )
    return value if kept else json.dumps(value, ensure_ascii=False)


def readable(content: str) -> str:
    """Return a text as it is, and JSON objects and lists as indented lines."""
    if not content.startswith(("{", "[")):
        return content
    try:
        found = strict_json.loads(content)
    except ValueError:
        return content
    return "\n".join(_lines(found, ""))


def _lines(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            if _nested(inner):
                yield f"{indent}{key}:"
                yield from _lines(inner, indent + "  ")
            else:
                yield f"{indent}{key}: {_plain(inner)}"
    elif isinstance(value, list) and value:
        for inner in value:
            if not _nested(inner):
                yield f"{indent}- {_plain(inner)}"
                continue
            first, *rest = _lines(inner, indent + "  ")
            yield f"{indent}- {first.lstrip()}"
            yield from rest
    else:
        yield f"{indent}{_plain(value)}"


def _nested(value: Any) -> bool:
    """Whether a value needs lines of its own."""
    if isinstance(value, dict):
        return bool(value)
    if not isinstance(value, list):
        return False
    return any(isinstance(item, dict | list) for item in value) or len(str(value)) > 60


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value)) if value else "none"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return "none" if value == {} else str(value)
