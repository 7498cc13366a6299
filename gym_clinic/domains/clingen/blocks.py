"""Tool-call blocks in a supervisor's text: which calls were made, how many were malformed.

Source:
    Paper 000, section 4.2: a block is what stands between `<tool_call>` and `</tool_call>`; it
    is malformed if it is not valid JSON or lacks pmid, pmcid, gene or disease. That a null or
    blank argument counts as missing, and an unterminated block as one malformed, is a choice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn, TypeAlias

from gym_clinic.errors import ConfigError

Call: TypeAlias = tuple[str, str, str, str, str]
"""(agent, pmid, pmcid, gene, disease)."""

ARGUMENTS = ("pmid", "pmcid", "gene", "disease")
"""The arguments that every sub-agent requires."""

MAX_DEPTH = 64
"""Deepest nesting of a readable block; a call needs 2."""

MAX_DIGITS = 1000
"""Longest readable number: reading an integer takes time quadratic in its digits."""


def parse_tool_blocks(text: str) -> tuple[list[Call], int]:
    """Read the calls of one action.

    Args:
        text: What the supervisor wrote, thoughts included.

    Returns:
        The well-formed calls in order, duplicates kept, and the number of malformed blocks. A
        well-formed block is a JSON object (strict: no duplicate keys, no NaN, no raw control
        characters) with a `name` and an object `arguments` (or `args`, not both), in which
        pmid, pmcid, gene and disease are strings that are not blank, or integers.

    Raises:
        ConfigError: If `text` is not a string. No string raises, and the time is linear in its
            length.
    """
    calls: list[Call] = []
    malformed = 0
    for block in split_blocks(text):
        call = None if block is None else read_block(block)
        if call is None:
            malformed += 1
        else:
            calls.append(call)
    return calls, malformed


def split_blocks(text: str) -> list[str | None]:
    """The contents of the tool-call blocks outside thoughts, in order.

    Whichever of `<think>` and `<tool_call>` opens first holds until it closes, so a tag inside
    the other's content is content. A `</think>` that nothing opened closes a thought that
    began in the prompt; a `<think>` that nothing closes runs to the end.

    Args:
        text: What the supervisor wrote.

    Returns:
        The raw content of each block; None, in last place, for one that is never closed.

    Raises:
        ConfigError: If `text` is not a string.
    """
    if not isinstance(text, str):
        raise ConfigError(f"text is {type(text).__name__}; expected a string")
    blocks: list[str | None] = []
    start = 0
    closed = text.find("</think>")
    if closed >= 0 and text.find("<think>", 0, closed) < 0:
        start = closed + len("</think>")
    call, think = text.find("<tool_call>", start), text.find("<think>", start)
    while call >= 0:
        if 0 <= think < call:
            end = text.find("</think>", think)
            if end < 0:
                break
            start = end + len("</think>")
        else:
            begin = call + len("<tool_call>")
            end = text.find("</tool_call>", begin)
            if end < 0:
                blocks.append(None)
                break
            blocks.append(text[begin:end])
            start = end + len("</tool_call>")
        # Only a tag that was passed is looked for again: this keeps the scan linear.
        if call < start:
            call = text.find("<tool_call>", start)
        if 0 <= think < start:
            think = text.find("<think>", start)
    return blocks


def read_block(block: str) -> Call | None:
    """The call that one block makes, None if the block is malformed."""
    try:
        message = strict_json(block)
    except ValueError:
        return None
    if not isinstance(message, dict) or ("arguments" in message) == ("args" in message):
        return None
    name = message.get("name")
    arguments = message["arguments" if "arguments" in message else "args"]
    if not isinstance(name, str) or not name.strip() or not isinstance(arguments, dict):
        return None
    values = []
    for argument in ARGUMENTS:
        value = arguments.get(argument)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            return None
        values.append(value)
    pmid, pmcid, gene, disease = values
    return name, pmid, pmcid, gene, disease


def strict_json(text: str) -> Any:
    """Read one JSON value, refusing whatever lenient readers let through.

    Refused are duplicate keys, NaN and Infinity, raw control characters, lone surrogates,
    nesting beyond `MAX_DEPTH` and integers beyond `MAX_DIGITS`.

    Args:
        text: The JSON text.

    Returns:
        The value.

    Raises:
        ValueError: With what was wrong.
    """
    try:
        text.encode()
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer
        )
        json.dumps(value, ensure_ascii=False).encode()  # an escaped lone surrogate fails here
    except RecursionError:
        raise ValueError("nested too deeply") from None
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [item for item in level if isinstance(item, (dict, list))]
        if not level:
            return value
        level = [child for item in level for child in _children(item)]
    raise ValueError(f"nested more than {MAX_DEPTH} deep")


def _children(item: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return item.values() if isinstance(item, dict) else item


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"an integer has more than {MAX_DIGITS} digits")
    return int(digits)
