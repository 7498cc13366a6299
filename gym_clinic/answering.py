"""What comes back to one action: its calls answered in order, or its text taken as the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from gym_clinic.action import DIALECTS, ActionReading, Dialect, Request
from gym_clinic.case import Case
from gym_clinic.domain import Domain
from gym_clinic.episode import Call, Episode, Turn
from gym_clinic.errors import ConfigError, ToolError
from gym_clinic.images import MARK, Illustrated, content_parts, plain
from gym_clinic.toolbox import Toolbox, to_text

ACTION_LIMIT = 500_000
"""Characters of one action that are read."""

OBSERVATION_LIMIT = 4_000_000
"""Characters of one observation."""

CALL_LIMIT = 128
"""Calls of one action that are run; further ones are recorded as failed."""

Message = dict[str, Any]

_IDS = tuple(f"call_{number}" for number in range(256))  # a look-up costs less than a format


class Clinic(Protocol):
    """What answering draws on; the environment is one.

    Attributes:
        domain: Its ``read_answer`` takes answers in text.
        toolbox: The domain's tools, by name.
        dialect: Writes the answers as text.
        response_limit: Characters of one response before it is cut in the middle.
        max_calls: Calls of one episode that are run; None for no limit.
    """

    domain: Domain
    toolbox: Toolbox
    dialect: Dialect
    response_limit: int
    max_calls: int | None


def too_long(action: str) -> ActionReading:
    """Return the reading of an action beyond the limit: one call that cannot be read."""
    fault = f"Unreadable action: {len(action):,} characters; expected at most {ACTION_LIMIT:,}."
    return ActionReading([Request("", {}, fault)], "")


def answer_calls(
    clinic: Clinic, requests: list[Request], turn: Turn, episode: Episode
) -> list[Message]:
    """Answer the calls of one action in order, and record them in its turn.

    Returns:
        The chat messages of the answers.
    """
    if not turn.same_message:
        episode.case.begin_message()
    several = len(requests) > 1 and sum(_submits(clinic, one) for one in requests) > 1
    limit = CALL_LIMIT
    if clinic.max_calls is not None:
        limit = min(limit, clinic.max_calls - episode.calls_used)
    calls: list[Call] = []
    faults: list[str] = []
    messages: list[Message] = []
    texts: list[str] = []
    number = episode.calls_used
    for request in requests:
        call_id = request.id or (_IDS[number] if number < len(_IDS) else f"call_{number}")
        number += 1
        call = Call(request.name, request.arguments, False, "", None, call_id)
        if request.fault is not None:
            faults.append(request.fault)
            call.name, call.response = "unreadable", plain(request.fault)
        else:
            calls.append(call)
            if len(messages) >= limit:
                call.response = f"Error: not run, past the first {limit} calls."
            elif several and _submits(clinic, request):
                call.response = "Error: not run, give one answer and no second."
            elif turn.answer is not None:
                call.response = "Error: not run, the answer before it is final."
            else:
                _run(clinic, call, turn, episode.case)
        if len(messages) < limit:
            text = call.response
            content: Any = text
            if call.images:
                turn.images += call.images
                content = content_parts(text, call.images)
            elif len(text) > clinic.response_limit:
                content = text = cut(text, clinic.response_limit)
            texts.append(clinic.dialect.wrap(call.name, text))
            messages.append(
                {"role": "tool", "tool_call_id": call_id, "name": call.name, "content": content}
            )
    if len(requests) > limit:
        late = f"Not run: {len(requests) - limit} calls past the first {limit}."
        texts.append(late)
        messages.append({"role": "user", "content": late})
    turn.calls = tuple(calls)
    if faults:
        turn.faults, turn.malformed = tuple(faults), len(faults)
    observation = texts[0] if len(texts) == 1 else "\n".join(texts)
    turn.observation = observation if len(observation) <= OBSERVATION_LIMIT else fit(observation)
    return messages


def _form(dialect: Dialect) -> str:
    """Return how a call is written in text; nothing for a dialect that a domain brings."""
    if DIALECTS.get(dialect.name) is not dialect:
        return ""
    return f" In text a call is written: {dialect.write([('<tool>', {'<argument>': '<value>'})])}"


def answer_text(clinic: Clinic, text: str, turn: Turn) -> list[Message]:
    """Accept a text as the answer, or say what was expected.

    Returns:
        The chat message that says so.
    """
    try:
        if clinic.domain.read_answer is None:
            names = ", ".join(one.name for one in clinic.toolbox)
            raise ToolError(f"Expected a call of one of: {names}.{_form(clinic.dialect)}")
        turn.answer = clinic.domain.read_answer(text)
        if turn.answer is None:
            raise TypeError("read_answer returned None; return the answer or raise ToolError")
        turn.observation = "Answer recorded."
    except ToolError as error:
        turn.faults = (str(error),)
        turn.observation = plain(f"Error: {error}")
    return [{"role": "user", "content": turn.observation}]


def _submits(clinic: Clinic, request: Request) -> bool:
    found = clinic.toolbox.get(request.name)
    return found is not None and found.submits


def _run(clinic: Clinic, call: Call, turn: Turn, case: Case) -> None:
    found = clinic.toolbox.get(call.name)
    if found is None:
        call.response = plain(f"Error: {clinic.toolbox.unknown(call.name)}")
        return
    case.writable = found.writes
    try:
        result = found.call(call.arguments, case)
    except ToolError as error:
        call.response = plain(f"Error: {error}")
        return
    call.ok = True
    call.result = result
    if found.submits:
        turn.answer = found.checked(call.arguments) if result is None else result
        call.response = "Answer recorded."
    elif type(result) is str:
        call.response = plain(result) if MARK in result else result
    elif isinstance(result, Illustrated):
        call.response, call.images = result.text, result.images
    else:
        call.response = plain(to_text(result))


def written_out(dialect: Dialect, requests: Sequence[Request], text: str) -> str:
    """Write structured calls as an agent would have, for the record."""
    calls = [(one.name, one.arguments) for one in requests if one.fault is None]
    faults = [one.fault for one in requests if one.fault is not None]
    try:
        written = dialect.write(calls) if calls else ""
    except ConfigError:  # a dialect of tags may not be able to write this call
        written = DIALECTS["hermes"].write(calls)
    return "\n".join(part for part in (text, written, *faults) if part)


def cut(text: str, limit: int) -> str:
    """Cut the middle out of a long response, counting characters as verl does."""
    half = limit // 2
    return f"{text[:half]}...(truncated)...{text[len(text) - half :]}"


def fit(text: str) -> str:
    """Keep an observation inside its space."""
    return text if len(text) <= OBSERVATION_LIMIT else cut(text, OBSERVATION_LIMIT - 100)
