"""Tool-call blocks in a supervisor's text: which calls were made, how many were malformed.

Source:
    The supervisor paper, section 4.2: a block is what stands between `<tool_call>` and
    `</tool_call>`; it is malformed if it is not valid JSON or lacks pmid, pmcid, gene or disease.
    That a null or blank argument counts as missing, and an unterminated block as one malformed,
    is a choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from gym_clinic.action import DIALECTS
from gym_clinic.errors import ConfigError

AgentCall: TypeAlias = tuple[str, str, str, str, str]
"""(agent, pmid, pmcid, gene, disease)."""

ARGUMENTS = ("pmid", "pmcid", "gene", "disease")
"""The arguments that every sub-agent requires."""


def parse_tool_blocks(text: str) -> tuple[list[AgentCall], int]:
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
    if not isinstance(text, str):
        raise ConfigError(f"text is {type(text).__name__}; expected a string")
    requests = DIALECTS["hermes"].parse(text).requests
    calls = [
        call
        for request in requests
        if request.fault is None and (call := as_call(request.name, request.arguments))
    ]
    return calls, len(requests) - len(calls)


def as_call(name: str, arguments: Mapping[str, Any]) -> AgentCall | None:
    """Return a call as a tuple; None if it lacks a name or an argument, and so is malformed."""
    values = []
    for argument in ARGUMENTS:
        value = arguments.get(argument)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            return None
        values.append(value)
    pmid, pmcid, gene, disease = values
    return (name, pmid, pmcid, gene, disease) if name.strip() else None
