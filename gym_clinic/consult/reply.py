"""The reply of an OpenAI-compatible chat server: text, tool calls, token usage."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    Field,
    NonNegativeInt,
    StrictStr,
    ValidationError,
)

from gym_clinic.endpoint import error_text


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
        mine, theirs = self.as_dict(), other.as_dict()
        return Usage(**{kind: mine[kind] + theirs[kind] for kind in mine})

    def as_dict(self) -> dict[str, int]:
        """The account as plain JSON."""
        return asdict(self)


@dataclass(frozen=True)
class NativeCall:
    """One entry of the reply's `tool_calls`.

    Attributes:
        id: The server's id of the call, "" if it gave none.
        name: Name of the function.
        arguments: The arguments as the JSON text the model wrote. It may be broken JSON.
            That is a mistake of the model, not of the server; the environment handles it.
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


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _count_or_none(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _json_text(value: Any) -> str:
    # Some servers send the object itself, or "" for a tool without parameters.
    text = value if isinstance(value, str) else json.dumps(value or {}, ensure_ascii=False)
    return text.strip() or "{}"


OptionalText = Annotated[str | None, BeforeValidator(_text_or_none)]
OptionalCount = Annotated[NonNegativeInt | None, BeforeValidator(_count_or_none)]


class _ContentPart(BaseModel):
    text: StrictStr


class _Function(BaseModel):
    name: StrictStr
    arguments: Annotated[str, BeforeValidator(_json_text)] = "{}"


class _ToolCall(BaseModel):
    id: OptionalText = None
    function: _Function


class _Message(BaseModel):
    content: StrictStr | list[_ContentPart] | None = None
    refusal: OptionalText = None
    tool_calls: list[_ToolCall] | None = None
    reasoning: OptionalText = Field(
        None, validation_alias=AliasChoices("reasoning_content", "reasoning")
    )


class _Choice(BaseModel):
    message: _Message
    finish_reason: OptionalText = None


class _Usage(BaseModel):
    prompt_tokens: OptionalCount = None
    completion_tokens: OptionalCount = None
    total_tokens: OptionalCount = None


class _Completion(BaseModel):
    choices: Annotated[list[_Choice], Field(min_length=1)]
    usage: Annotated[
        _Usage, BeforeValidator(lambda value: value if isinstance(value, dict) else {})
    ] = _Usage()


def read_reply(content: bytes) -> Reply:
    """Read the body of a chat completion.

    Args:
        content: The body as received.

    Raises:
        ValueError: It is not JSON, or JSON of another form; the message says where.
    """
    try:  # not pydantic's own JSON parser: it refuses a lone surrogate in a model's text
        body = _Completion.model_validate(json.loads(content))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(f"the body is not JSON: {error_text(content)}") from None
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(map(str, problem["loc"])) or "the body"
        # Some gateways answer 200 with {"error": …}; the message shows its text.
        raise ValueError(f"{where}: {problem['msg']}: {error_text(content)}") from None
    choice = body.choices[0]
    said = choice.message
    text = (said.refusal or "") if said.content is None else said.content
    if isinstance(text, list):  # the multi-part form: [{"type": "text", "text": …}]
        text = "".join(part.text for part in text)
    return Reply(
        text=text,
        tool_calls=tuple(
            NativeCall(call.id or "", call.function.name, call.function.arguments)
            for call in said.tool_calls or ()
        ),
        usage=_account(body.usage),
        finish_reason=choice.finish_reason,
        reasoning=said.reasoning,
    )


def _account(counted: _Usage) -> Usage:
    prompt, completion = counted.prompt_tokens, counted.completion_tokens
    total = counted.total_tokens
    if total is None:
        total = (prompt or 0) + (completion or 0)
    reported = prompt is not None and completion is not None
    return Usage(prompt or 0, completion or 0, total, replies=1, unreported=int(not reported))
