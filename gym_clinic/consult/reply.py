"""What an OpenAI-compatible chat server answers, read strictly: text, tool calls, token usage."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any


@dataclass(frozen=True)
class Usage:
    """Tokens as the server counted them; nothing is estimated.

    Attributes:
        prompt_tokens: Tokens read by the model.
        completion_tokens: Tokens written by the model, reasoning included.
        total_tokens: The server's total, or the sum of the two when it gives none.
        replies: Replies these figures cover.
        unreported: Replies among them whose usage was missing or unreadable in part; the
            missing figures count as 0, so with `unreported` > 0 the sums are lower bounds.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    replies: int = 0
    unreported: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Sum two accounts field by field."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.total_tokens + other.total_tokens,
            self.replies + other.replies,
            self.unreported + other.unreported,
        )

    def as_dict(self) -> dict[str, int]:
        """The account as plain JSON."""
        return asdict(self)


@dataclass(frozen=True)
class NativeCall:
    """One entry of the reply's `tool_calls`.

    Attributes:
        id: The server's id of the call, "" if it gave none.
        name: Name of the function.
        arguments: The arguments as the JSON text the model wrote. It may be broken JSON: that
            is the model's mistake, not the server's, and is left for the environment to judge.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Reply:
    """One reply of a chat model.

    Attributes:
        text: The visible text, "" if the reply holds tool calls only.
        tool_calls: Native tool calls, in order.
        usage: Token account of this reply.
        finish_reason: "stop", "length", "tool_calls", … as the server gives it.
        reasoning: The separate reasoning text of a reasoning server, or None.
    """

    text: str
    tool_calls: tuple[NativeCall, ...]
    usage: Usage
    finish_reason: str | None
    reasoning: str | None = None


def read_reply(content: bytes) -> Reply:
    """Read the body of a chat completion.

    Args:
        content: The body as it came.

    Raises:
        ValueError: It is not JSON, or JSON of another shape; the text says where.
    """
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError(f"the body is not JSON: {_start(content)}") from None
    if not isinstance(body, dict):
        raise ValueError(f"expected a JSON object, got {type(body).__name__}")
    if not isinstance(choices := body.get("choices"), list) or not choices:
        # Some gateways answer 200 with {"error": …}; its text is the best clue there is.
        raise ValueError(f"'choices' must be a non-empty list: {_start(content)}")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise ValueError(f"'choices[0].message' must be an object: {_start(content)}")
    reason = choice.get("finish_reason")
    return Reply(
        text=_text(message),
        tool_calls=_tool_calls(message.get("tool_calls")),
        usage=_usage(body.get("usage")),
        finish_reason=reason if isinstance(reason, str) else None,
        reasoning=_reasoning(message),
    )


def error_text(content: bytes) -> str:
    """The server's own words in the body of a failure, in one line.

    Reads `{"error": {"message": …}}`, `{"error": …}`, `{"message": …}` and `{"detail": …}`;
    anything else is quoted as it is.
    """
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    said: Any = None
    if isinstance(body, dict):
        said = body.get("error") or body.get("message") or body.get("detail")
        if isinstance(said, dict):
            said = said.get("message")
    text = said if isinstance(said, str) else content.decode("utf-8", "replace")
    return " ".join(text.split())


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds to wait as a Retry-After header asks, or None if it asks nothing readable.

    Source: RFC 9110, section 10.2.3 (seconds or an HTTP date).

    Args:
        value: The header, if there was one.
        now: Seconds since the epoch, for the date form.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
            # A date without a zone is in UTC, as HTTP dates are.
            seconds = (when if when.tzinfo else when.replace(tzinfo=timezone.utc)).timestamp() - now
        except (ValueError, TypeError, OverflowError, IndexError):
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)


def _start(content: bytes) -> str:
    text = error_text(content)
    return text or "(empty)"


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if content is None:
        refusal = message.get("refusal")
        return refusal if isinstance(refusal, str) else ""
    if isinstance(content, list):  # the multi-part form: [{"type": "text", "text": …}]
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        if len(parts) == len(content) and all(isinstance(part, str) for part in parts):
            return "".join(str(part) for part in parts)
    raise ValueError("'message.content' must be a text, a list of text parts or null")


def _tool_calls(entries: Any) -> tuple[NativeCall, ...]:
    if entries is None:
        return ()
    if not isinstance(entries, list):
        raise ValueError("'message.tool_calls' must be a list")
    calls = []
    for number, entry in enumerate(entries):
        function = entry.get("function") if isinstance(entry, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise ValueError(f"'message.tool_calls[{number}].function.name' must be a text")
        arguments = function.get("arguments")
        if arguments is None:
            arguments = "{}"
        elif not isinstance(arguments, str):  # some servers send the object itself
            arguments = json.dumps(arguments, ensure_ascii=False)
        name = entry.get("id")
        call_id = name if isinstance(name, str) else ""
        # A tool without parameters often comes with "" for its arguments.
        calls.append(NativeCall(call_id, function["name"], arguments.strip() or "{}"))
    return tuple(calls)


def _reasoning(message: dict[str, Any]) -> str | None:
    for key in ("reasoning_content", "reasoning"):
        value = message.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return None


def _usage(block: Any) -> Usage:
    counts = {}
    for key in ("prompt_tokens", "completion_tokens", "total_tokens"):
        value = block.get(key) if isinstance(block, dict) else None
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            counts[key] = value
    whole = "prompt_tokens" in counts and "completion_tokens" in counts
    counts.setdefault(
        "total_tokens", counts.get("prompt_tokens", 0) + counts.get("completion_tokens", 0)
    )
    return Usage(**counts, replies=1, unreported=0 if whole else 1)
