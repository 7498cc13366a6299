"""Structured calls of a caller: read, or refused in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from gym_clinic.action import ActionReading, Request, as_request, no_request

ACTION_LIMIT = 500_000
"""Characters of one action that are read."""


def read_calls(calls: object, text: object, same_message: object, more: object) -> list[Request]:
    """Read the arguments of :meth:`gym_clinic.ClinicEnv.step_calls`.

    Raises:
        TypeError: If they are of another type; the error says what is right.
    """
    if not isinstance(calls, Sequence) or isinstance(calls, str | bytes | bytearray):
        raise TypeError(
            'step_calls takes a list of call objects, [{"name": …, "arguments": {…}}], got '
            f"{type(calls).__name__}; step takes text"
        )
    if not isinstance(text, str):
        raise TypeError(f"the text beside the calls is text (str), got {type(text).__name__}")
    for name, flag in (("same_message", same_message), ("more", more)):
        if not isinstance(flag, bool):
            raise TypeError(f"{name} is True or False, got {type(flag).__name__}")
    return [as_request(call) for call in calls] or [no_request()]


def too_long(action: str) -> ActionReading:
    """Return the reading of an action that is longer than is read."""
    fault = f"Unreadable action: {len(action):,} characters; expected at most {ACTION_LIMIT:,}."
    return ActionReading([Request("", {}, fault)], "")
