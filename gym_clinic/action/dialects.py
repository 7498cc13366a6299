"""Action text -> what the agent asked for. A dialect is a way of writing calls as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from gym_clinic import strict_json
from gym_clinic.errors import ConfigError

_OPEN_THINK, _CLOSE_THINK = "<think>", "</think>"
_OPEN_CALL, _CLOSE_CALL = "<tool_call>", "</tool_call>"
_OPENED, _CLOSED = len(_OPEN_CALL), len(_CLOSE_CALL)
_SIMPLE = frozenset((str, int, bool, type(None)))
_CALL_FORM = '{"name": "<tool>", "arguments": {…}}'


@dataclass(slots=True)
class Request:
    """One call block of an action: a call, or the reason why it is none.

    Attributes:
        name: Tool name as written; empty when unreadable.
        arguments: Arguments as written; empty when unreadable.
        fault: Why the block could not be read; None when it could.
        id: The caller's name for the call; empty for calls read from text.
    """

    name: str
    arguments: dict[str, Any]
    fault: str | None = None
    id: str = ""


@dataclass(slots=True)
class ActionReading:
    """What one action says.

    Attributes:
        requests: Its call blocks, in order.
        text: What it says outside thoughts and call blocks, stripped.
    """

    requests: list[Request]
    text: str


class Dialect(Protocol):
    """How calls are written and answered in text.

    Attributes:
        name: Its name.
        stops: Strings at which a model should stop generating; a call that one of them would
            have closed counts as closed at the end of the action.
        inline: Whether the answer continues the assistant's own message, in its middle, instead
            of standing in a message of its own.
    """

    name: str
    stops: tuple[str, ...]
    inline: bool

    def parse(self, action: str) -> ActionReading:
        """Read an action; never raises, in time linear in its length."""

    def write(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
        """Return the action text that makes these calls."""

    def wrap(self, name: str, response: str) -> str:
        """Return the observation text of one answered call."""

    def explain(self, tools: Sequence[Mapping[str, Any]]) -> str:
        """Return the part of the prompt that lists the tools and how to call them."""


def read_call(block: str) -> Request:
    """Read one JSON call; "args" is read as "arguments".

    Returns:
        The request, with ``fault`` set when the block is not one call.
    """
    try:
        message = orjson.loads(block)
        name, arguments = message["name"], message["arguments"]
    except (ValueError, KeyError, TypeError):
        return _read_strictly(block)
    # The usual form: as many colons as keys, so that none is a duplicate and no object is
    # within another, and no value that could be beyond what is read. All else is read strictly.
    if (
        type(name) is str
        and name
        and type(arguments) is dict
        and len(message) == 2
        and block.count(":") == len(arguments) + 2
    ):
        for value in arguments.values():
            if type(value) is not str and type(value) not in _SIMPLE:
                return _read_strictly(block)
        return Request(name, arguments)
    return _read_strictly(block)


def _read_strictly(block: str) -> Request:
    try:
        return _as_request(strict_json.loads(block))
    except ValueError as error:
        return _fault(str(error))


def as_request(call: Any) -> Request:
    """Read one structured call.

    The same is refused as in a text: NaN, lone surrogates, nesting beyond 64 levels.

    Args:
        call: ``{"id": …, "name": …, "arguments": …}``, or OpenAI's form with ``"function"``;
            arguments are an object, which is copied, or its JSON text.

    Returns:
        The request, with ``fault`` set where the model's part of it is no call: anything but an
        object, too, since a model's own JSON may hold anything.

    Raises:
        TypeError: If it is what no model can have written: no JSON, or an id that is no text.
    """
    if not isinstance(call, Mapping):
        _check_json(f"a call is an object (dict), {_CALL_FORM}", call)
        return _fault(f"a call is a JSON object, not {_json_type(call)}")
    call_id = call.get("id") or ""
    if not isinstance(call_id, str):
        raise TypeError(f"the id of a call is a text, got {type(call_id).__name__}")
    within = call.get("function")
    message = dict(within) if isinstance(within, Mapping) else dict(call)
    try:
        for key in ("arguments", "args"):
            given = message.get(key)
            if isinstance(given, str):
                message[key] = strict_json.loads(given)
            elif isinstance(given, Mapping):
                message[key] = strict_json.plain_copy(given)  # the caller may change its own later
            else:
                _check_json("the arguments of a call are an object (dict)", given)
        if isinstance(name := message.get("name"), str):
            message["name"] = strict_json.plain_copy(name)
        else:
            _check_json("the name of a call is text", name)
    except ValueError as error:
        return Request("", {}, f"Unreadable arguments: {error}.", call_id)
    request = _as_request(message)
    request.id = call_id
    return request


def _check_json(what: str, value: Any) -> None:
    """Raise TypeError for a value that has no JSON form: the caller's mistake, not a model's."""
    if value is not None and not isinstance(value, str | int | float | list | tuple | Mapping):
        raise TypeError(f"{what}, got {type(value).__name__}")


def _as_request(message: Any) -> Request:
    if type(message) is not dict:
        return _fault(f"a call is a JSON object, not {_json_type(message)}")
    name = message.get("name")
    if type(name) is not str or not name:
        return _fault('"name" is missing or not a string')
    arguments = message.get("arguments")
    if type(arguments) is dict and "args" not in message:
        return Request(name, arguments)
    if arguments is None and "arguments" not in message:
        arguments = message.get("args")
    elif "args" in message:
        return _fault('give "arguments" or "args", not both')
    if type(arguments) is not dict:
        if "arguments" not in message and "args" not in message:
            return _fault('"arguments" is missing')
        return _fault(f'"arguments" is a JSON object, not {_json_type(arguments)}')
    return Request(name, arguments)


def no_request() -> Request:
    """Return what stands for a batch without any call."""
    return _fault("no call")


def _fault(reason: str) -> Request:
    return Request("", {}, f"Unreadable call: {reason}. Expected {_CALL_FORM}.")


def _end_of_prompt_thought(action: str) -> int:
    """Return where a thought that was begun in the prompt ends; 0 if there is none.

    A ``</think>`` that nothing opened ends one, unless it stands inside a call's argument.
    """
    close = action.find(_CLOSE_THINK)
    if close < 0 or action.find(_OPEN_THINK, 0, close) >= 0:
        return 0
    call = action.rfind(_OPEN_CALL, 0, close)
    if call >= 0 and action.find(_CLOSE_CALL, call, close) < 0:
        end = action.find(_CLOSE_CALL, close)
        if end >= 0 and read_call(action[call + len(_OPEN_CALL) : end]).fault is None:
            return 0
    return close + len(_CLOSE_THINK)


def without_thoughts(action: str) -> str:
    """Return an action without its thoughts; one that nothing closes runs to the end."""
    if "think>" not in action:
        return action
    start = _end_of_prompt_thought(action)
    said: list[str] = []
    while (think := action.find(_OPEN_THINK, start)) >= 0:
        said.append(action[start:think])
        end = action.find(_CLOSE_THINK, think)
        if end < 0:
            return "".join(said)
        start = end + len(_CLOSE_THINK)
    return "".join([*said, action[start:]])


def _json_type(value: Any) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}
    return "null" if value is None else names.get(type(value), "a number")


def _dump(name: str, arguments: Mapping[str, Any]) -> str:
    # "<\\/" is "</" in JSON, and closes no tag around it.
    written = strict_json.dumps({"name": name, "arguments": dict(arguments)})
    return written.replace("</", "<\\/")


class Hermes:
    """``<think>…</think>`` and any number of ``<tool_call>{…}</tool_call>`` blocks."""

    name = "hermes"
    stops: tuple[str, ...] = ()
    inline = False

    def parse(self, action: str) -> ActionReading:
        """Read every block outside thoughts; a call cut short is a fault.

        Scanned once from left to right: whichever of ``<think>`` and ``<tool_call>`` opens
        first holds until it closes, so that calls inside thoughts and thoughts inside calls
        are content. A thought that nothing closes runs to the end.
        """
        if action.startswith(_OPEN_CALL) and action.find(_CLOSE_CALL) == len(action) - _CLOSED:
            request = read_call(action[_OPENED:-_CLOSED])
            if request.fault is None:  # one call and nothing else, the usual form
                return ActionReading([request], "")
        requests: list[Request] = []
        text: list[str] = []
        start, think = 0, -1
        if "think>" in action:
            start = _end_of_prompt_thought(action)
            think = action.find(_OPEN_THINK, start)
        call = action.find(_OPEN_CALL, start)
        while call >= 0 or think >= 0:
            if think < 0 or 0 <= call < think:
                if call > start:
                    text.append(action[start:call])
                begin = call + len(_OPEN_CALL)
                end = action.find(_CLOSE_CALL, begin)
                if end < 0:
                    requests.append(_fault(f"{_OPEN_CALL} without {_CLOSE_CALL}"))
                    start = len(action)
                    break
                requests.append(read_call(action[begin:end]))
                start = end + len(_CLOSE_CALL)
            else:
                text.append(action[start:think])
                end = action.find(_CLOSE_THINK, think)
                if end < 0:
                    start = len(action)
                    break
                start = end + len(_CLOSE_THINK)
            # Only a tag that was passed is looked for again: this keeps the scan linear.
            if 0 <= call < start:
                call = action.find(_OPEN_CALL, start)
            if 0 <= think < start:
                think = action.find(_OPEN_THINK, start)
        if start < len(action):
            text.append(action[start:])
        return ActionReading(requests, "".join(text).strip() if text else "")

    def write(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
        """Return one block for each call."""
        return "\n".join(
            f"{_OPEN_CALL}\n{_dump(name, arguments)}\n{_CLOSE_CALL}" for name, arguments in calls
        )

    def wrap(self, name: str, response: str) -> str:
        """Return the response between ``<tool_response>`` tags."""
        return f"<tool_response>\n{response}\n</tool_response>"

    def explain(self, tools: Sequence[Mapping[str, Any]]) -> str:
        """Return the tool list in the form Hermes and Qwen models are trained on."""
        lines = "\n".join(orjson.dumps(tool).decode() for tool in tools)
        return (
            "# Tools\n\n"
            f"You may call these functions:\n<tools>\n{lines}\n</tools>\n\n"
            "Write each call as a JSON object between tool_call tags; several calls in one "
            "message are answered together:\n"
            f'{_OPEN_CALL}\n{{"name": <function name>, "arguments": <object>}}\n{_CLOSE_CALL}\n'
            f"You may think first, between {_OPEN_THINK} and {_CLOSE_THINK}; "
            "nothing inside is read."
        )


class BareJson:
    """One bare JSON call, or an array of them, after any thoughts; all else is text."""

    name = "json"
    stops: tuple[str, ...] = ()
    inline = False

    def parse(self, action: str) -> ActionReading:
        """Read the action as one call if it is an object with a name, else as text."""
        if action[:1] == "{":
            request = read_call(action)
            if request.fault is None:  # one call and nothing else, the usual form
                return ActionReading([request], "")
        text = action.strip()
        opens = text[:1]
        if opens != "{" and opens != "[":
            text = without_thoughts(action).strip()
            opens = text[:1]
        if opens == "[":
            return _read_array(text)
        if opens != "{":
            return ActionReading([], text)
        request = read_call(text)
        if request.fault and '"name"' not in text:
            return ActionReading([], text)  # an object that is no call, such as a structured answer
        return ActionReading([request], "")

    def write(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
        """Return the one call, or the array of several.

        Raises:
            ConfigError: If there is none.
        """
        if not calls:
            raise ConfigError("dialect 'json' writes one call or more, got none")
        written = [_dump(name, arguments) for name, arguments in calls]
        return written[0] if len(written) == 1 else f"[{','.join(written)}]"

    def wrap(self, name: str, response: str) -> str:
        """Return the response as it is."""
        return response

    def explain(self, tools: Sequence[Mapping[str, Any]]) -> str:
        """Return the tool list and the form of a call."""
        lines = "\n".join(orjson.dumps(tool).decode() for tool in tools)
        return (
            f"# Tools\n\nYou may call these functions:\n{lines}\n\n"
            f"To call one, answer with nothing but one JSON object: {_CALL_FORM}\n"
            "Several calls, as an array of such objects, are answered together."
        )


def _read_array(text: str) -> ActionReading:
    try:
        messages = strict_json.loads(text)
    except ValueError as error:
        return ActionReading([_fault(str(error))], "")
    return ActionReading([_as_request(message) for message in messages] or [no_request()], "")


DIALECTS: Mapping[str, Dialect] = {"hermes": Hermes(), "json": BareJson()}
"""The dialects that need no data of a domain; a domain may bring its own, such as Tags."""
