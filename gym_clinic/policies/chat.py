"""A chat model as a policy: any OpenAI-compatible server, by URL and model name."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gym_clinic import strict_json
from gym_clinic.action import DIALECTS
from gym_clinic.consult.chat import ChatClient, NativeCall, Reply, Usage
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.images import content_parts
from gym_clinic.policies.playing import Action, Maker

Message = dict[str, Any]

CONTINUE = {"continue_final_message": True, "add_generation_prompt": False}
"""Fields of a request that continues the assistant's own message, as vLLM and SGLang take them."""

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # what servers take as a function's name
_THINK_TAG = re.compile(r"<(/?think>)", re.IGNORECASE)


def chat(env: ClinicEnv, *, url: str, model: str, **options: Any) -> Maker:
    """Prepare a chat model for an environment; every episode shares one client.

    Args:
        env: The environment it will act in.
        url: Root of the server.
        model: The model's name on that server.
        options: Further options of `ChatPolicy`.

    Raises:
        ConfigError: An option is unknown or unusable, or the chat extra is not installed.
    """
    first = ChatPolicy(url, model, **{"thoughts": env.dialect.name in DIALECTS, **options})
    return lambda seed: first.clone()


class ChatPolicy:
    """Plays one episode at a time by asking a chat model for each action.

    A new conversation begins with the `info` of a reset, which has `task_id`. A ServiceError of
    the client reaches the caller and leaves the conversation unchanged, so that the same step can
    be repeated.

    With `tools="text"` the conversation begins with `info["prompt"]`, which explains the tools
    in the environment's dialect; the model writes calls as text, and each
    observation is a user message. Stop strings of the dialect are sent as `stop`; a closing tag
    that stopped the model is put back. Where the dialect is inline, the observation continues the
    assistant's own message: the growing message is sent as the last one, with
    `continue_final_message: true` and `add_generation_prompt: false` (vLLM, SGLang).

    With `tools="native"` the schemas are sent as `tools`, the model's calls are returned with
    their ids, for `env.step_calls`, and the answers go back as tool messages. Native calls that a
    server reads from the text are treated likewise. Images are sent as OpenAI content parts.

    Args:
        url: Root of the server.
        model: The model's name on that server.
        tools: "text" or "native".
        thoughts: Write a server's separate reasoning into the action, as a `<think>` block; off
            where the dialect does not skip thoughts.
        options: Further options of `gym_clinic.consult.chat.ChatClient`.

    Raises:
        ConfigError: An option is unknown or unusable, or the chat extra is not installed.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        tools: str = "text",
        thoughts: bool = True,
        **options: Any,
    ) -> None:
        if tools not in ("text", "native"):
            raise ConfigError(f"tools must be 'text' or 'native'; got {tools!r}")
        known = sorted(set(inspect.signature(ChatClient).parameters) - {"url", "model"})
        if unknown := sorted(options.keys() - set(known)):
            known = sorted([*known, "tools", "thoughts"])
            raise ConfigError(f"unknown options {unknown}; choose from {known}")
        self.tools, self.thoughts = tools, thoughts
        self.client = ChatClient(url, model, **options)
        self._begin({})

    def __repr__(self) -> str:
        return f"ChatPolicy({self.client!r}, tools={self.tools!r})"

    def clone(self) -> ChatPolicy:
        """Return an independent conversation that shares the client, its limit and its account."""
        twin = copy.copy(self)
        twin._begin({})
        return twin

    @property
    def usage(self) -> Usage:
        """Tokens of the current conversation."""
        return self._usage

    @property
    def messages(self) -> list[Message]:
        """A copy of the current conversation, as it is sent."""
        return copy.deepcopy(self._messages)

    def act(self, observation: str, info: Mapping[str, Any]) -> Action:
        """The model's next action: text, or its native calls.

        Args:
            observation: The environment's text.
            info: The environment's info of the reset or step just made.

        Raises:
            ServiceError: The server gave no usable reply.
            ConfigError: No episode has begun.
        """
        conversation = self._next(observation, info)
        return self._accept(
            conversation, self.client.complete(conversation, **self._request(conversation))
        )

    async def aact(self, observation: str, info: Mapping[str, Any]) -> Action:
        """As `act`, without blocking the running event loop."""
        conversation = self._next(observation, info)
        reply = await self.client.acomplete(conversation, **self._request(conversation))
        return self._accept(conversation, reply)

    def _begin(self, info: Mapping[str, Any], observation: str = "") -> None:
        self._messages: list[Message] = []
        self._schemas: list[Message] = copy.deepcopy(list(info.get("tools", ())))
        self._stops: list[str] = list(info.get("stop_strings", ()))
        self._inline = bool(info.get("inline"))
        self._prompt = observation
        self._open: list[str] = []  # ids of the last reply's calls, not yet answered
        self._usage = Usage()

    def _request(self, conversation: Sequence[Message]) -> dict[str, Any]:
        if self.tools == "native":
            return {"tools": self._schemas}
        continues = conversation[-1]["role"] == "assistant"
        return {"stop": self._stops, "fields": CONTINUE if continues else None}

    def _next(self, observation: str, info: Mapping[str, Any]) -> list[Message]:
        """The conversation, with the last observation added."""
        if "task_id" in info:
            self._begin(info, observation)
            begun = info.get("messages" if self.tools == "native" else "prompt")
            return copy.deepcopy(list(begun)) if begun else [_user(observation, info)]
        if not self._messages:
            raise ConfigError(
                "no episode has begun: act first on the observation and info of reset, "
                "whose info has 'task_id'"
            )
        if self._open:
            return [*self._messages, *self._answers(info.get("messages", ()))]
        if self._prompt and observation.startswith(self._prompt):  # a transcript: all in one
            return [_user(observation, info)]
        last = self._messages[-1]
        if self._inline and self.tools == "text" and not info.get("images"):
            return [*self._messages[:-1], {**last, "content": last["content"] + observation}]
        return [*self._messages, _user(observation, info)]

    def _answers(self, news: Sequence[Message]) -> list[Message]:
        """The answers as tool messages, one for every open call, as servers require."""
        given = {one["tool_call_id"]: one for one in news if one["role"] == "tool"}
        missing = {"role": "tool", "content": "(not run)"}
        answers = [{**given.get(i, missing), "tool_call_id": i} for i in self._open]
        return answers + [dict(message) for message in news if message["role"] != "tool"]

    def _accept(self, conversation: list[Message], reply: Reply) -> Action:
        self._usage += reply.usage
        # Reasoning is not sent back: servers drop or refuse it.
        if reply.tool_calls:
            calls = _with_ids(reply.tool_calls, len(conversation))
            sendable = all(map(_sendable, reply.tool_calls))
            self._open = [call["id"] for call in calls] if sendable else []
            said = _native(reply.text, calls) if sendable else _as_text(reply)
            self._messages = [*conversation, said]
            return calls
        text = _closed(reply, self._stops) if self.tools == "text" else reply.text
        self._open = []
        if conversation[-1]["role"] == "assistant":
            head = conversation[-1]["content"]
            self._messages = [*conversation[:-1], {"role": "assistant", "content": head + text}]
        else:
            self._messages = [*conversation, {"role": "assistant", "content": text}]
        if not (self.thoughts and reply.reasoning):
            return text
        # A tag inside the reasoning would end the thought early, and the rest would act.
        thought = _THINK_TAG.sub(r"< \1", reply.reasoning.strip())
        return f"<think>\n{thought}\n</think>\n\n{text}"


def _user(observation: str, info: Mapping[str, Any]) -> Message:
    images = info.get("images")
    return {
        "role": "user",
        "content": content_parts(observation, images) if images else observation,
    }


def _closed(reply: Reply, stops: Sequence[str]) -> str:
    """The text with the closing tag that stopped the model, since servers leave it out."""
    if reply.finish_reason != "length":
        for stop in stops:
            opening = f"<{stop[2:]}" if stop.startswith("</") else ""
            if opening and reply.text.rfind(opening) > reply.text.rfind(stop):
                return reply.text + stop
    return reply.text


def _sendable(call: NativeCall) -> bool:
    """Whether servers accept the call as history; a broken call is sent as text instead."""
    try:
        arguments = strict_json.loads(call.arguments)
    except ValueError:
        return False
    return isinstance(arguments, dict) and _NAME.fullmatch(call.name) is not None


def _with_ids(calls: Sequence[NativeCall], turn: int) -> list[dict[str, Any]]:
    """The calls in the form of the environment, each with a unique id."""
    given = [call.id for call in calls]
    unique = all(given) and len(set(given)) == len(given)
    return [
        {
            "id": call.id if unique else f"call_{turn}_{number}",
            "name": call.name,
            "arguments": call.arguments,
        }
        for number, call in enumerate(calls)
    ]


def _native(text: str, calls: Sequence[Mapping[str, Any]]) -> Message:
    entries = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": call["arguments"]},
        }
        for call in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": entries}


def _as_text(reply: Reply) -> Message:
    calls = [f"{call.name} {call.arguments}" for call in reply.tool_calls]
    return {
        "role": "assistant",
        "content": "\n".join(part for part in (reply.text, *calls) if part),
    }
