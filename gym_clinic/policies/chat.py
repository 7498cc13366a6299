"""A chat model as a policy: any OpenAI-compatible server, by URL and model name."""

from __future__ import annotations

import copy
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gym_clinic import strict_json
from gym_clinic.action import DIALECTS
from gym_clinic.consult.chat import ChatClient, NativeCall, Reply, Usage
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.policies.playing import Maker

Message = dict[str, Any]

# "tags" needs data of its domain; its answers are read from the observation.
_DIALECTS = (*DIALECTS, "tags")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # what servers take as a function's name
_THINK_TAG = re.compile(r"<(/?think>)", re.IGNORECASE)
_TAG_START = re.compile(r"<(?=[/A-Za-z])")


def chat(env: ClinicEnv, *, url: str, model: str, **options: Any) -> Maker:
    """Prepare a chat model for an environment; every episode shares one client.

    Args:
        env: The environment it will act in; its dialect is the policy's unless given.
        url: Root of the server.
        model: The model's name on that server.
        options: Further options of `ChatPolicy`.

    Raises:
        ConfigError: An option is unknown or unusable, or the chat extra is not installed.
    """
    first = ChatPolicy(url, model, **{"dialect": env.dialect.name, **options})
    return lambda seed: first.clone()


class ChatPolicy:
    """Plays one episode at a time by asking a chat model for each action.

    A new conversation begins whenever `info` carries `task_id` and `tools`, as after a reset;
    the messages of each later `info` are added to it. A ServiceError of the client passes
    through and leaves the conversation as it was, so the same step may be asked again.

    Args:
        url: Root of the server.
        model: The model's name on that server.
        tools: "text": the system message describes the tools, the model writes calls as text,
            and answers go back as user messages. "native": the schemas are sent as `tools`, native
            calls are turned into text for the environment, and answers go back as tool messages.
        dialect: The environment's dialect: "hermes", "json" or, with tools="text", "tags".
            A server's separate reasoning becomes a `<think>` block in hermes, the only dialect
            that reads thoughts; the others leave it out.
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
        dialect: str = "hermes",
        **options: Any,
    ) -> None:
        if tools not in ("text", "native"):
            raise ConfigError(f"tools must be 'text' or 'native'; got {tools!r}")
        if dialect not in _DIALECTS:
            raise ConfigError(f"unknown dialect {dialect!r}; choose from {sorted(_DIALECTS)}")
        if tools == "native" and dialect not in DIALECTS:
            raise ConfigError(f"tools='native' works with {sorted(DIALECTS)}; got {dialect!r}")
        known = sorted(set(inspect.signature(ChatClient).parameters) - {"url", "model"})
        if unknown := sorted(options.keys() - set(known)):
            raise ConfigError(f"unknown options {unknown}; choose from {known}")
        self.tools, self.dialect = tools, dialect
        self.client = ChatClient(url, model, **options)
        self._begin([], [])

    def __repr__(self) -> str:
        return f"ChatPolicy({self.client!r}, tools={self.tools!r}, dialect={self.dialect!r})"

    def clone(self) -> ChatPolicy:
        """An independent conversation over the same client: its limit and its account."""
        twin = copy.copy(self)
        twin._begin([], [])
        return twin

    @property
    def usage(self) -> Usage:
        """Tokens of the current conversation."""
        return self._usage

    @property
    def messages(self) -> list[Message]:
        """A copy of the current conversation, as it is sent."""
        return copy.deepcopy(self._messages)

    def act(self, observation: str, info: Mapping[str, Any]) -> str:
        """The model's next action.

        Args:
            observation: The environment's text; used where `info` has no messages.
            info: The environment's info of the reset or step just made.

        Raises:
            ServiceError: The server gave no usable reply.
            ConfigError: No episode has begun.
        """
        conversation = self._next(observation, info)
        return self._accept(conversation, self.client.complete(conversation, tools=self._offered()))

    async def aact(self, observation: str, info: Mapping[str, Any]) -> str:
        """As `act`, without blocking the running event loop."""
        conversation = self._next(observation, info)
        reply = await self.client.acomplete(conversation, tools=self._offered())
        return self._accept(conversation, reply)

    def _begin(self, messages: list[Message], schemas: list[Message]) -> None:
        self._messages = messages
        self._schemas = schemas
        self._open: list[Message] = []  # native calls of the last reply, not yet answered
        self._usage = Usage()

    def _offered(self) -> list[Message] | None:
        return self._schemas if self.tools == "native" else None

    def _next(self, observation: str, info: Mapping[str, Any]) -> list[Message]:
        given = info.get("messages")
        news = [dict(message) for message in given] if given else [_user(observation)]
        if "task_id" in info and "tools" in info:
            self._begin([], copy.deepcopy(list(info["tools"])))
            return self._prompt(observation, news)
        if not self._messages:
            raise ConfigError(
                "no episode has begun: act first on the observation and info of reset, "
                "whose info carries 'task_id' and 'tools'"
            )
        if self.tools == "native":
            return [*self._messages, *self._answers(news)]
        # One user message for the whole answer: many chat templates insist on strict turns.
        if self.dialect in DIALECTS:
            return [*self._messages, _user("\n".join(map(self._as_text, news)))]
        return [*self._messages, _user(observation)]

    def _prompt(self, observation: str, opening: list[Message]) -> list[Message]:
        if self.tools == "native":
            return opening
        if self.dialect not in DIALECTS:
            return [_user(observation)]
        # The messages of reset leave the tools to the chat template; as text they go into the
        # system message, where the prompt for text-only loops has them too.
        how = DIALECTS[self.dialect].explain(self._schemas) if self._schemas else ""
        if not how or any(how in str(message.get("content")) for message in opening):
            return opening
        if opening[0].get("role") != "system":
            return [{"role": "system", "content": how}, *opening]
        policy = str(opening[0].get("content") or "").strip()
        head = "\n\n".join(part for part in (policy, how) if part)
        return [{"role": "system", "content": head}, *opening[1:]]

    def _as_text(self, message: Message) -> str:
        content = str(message.get("content") or "")
        if message.get("role") != "tool":
            return content
        return DIALECTS[self.dialect].wrap(str(message.get("name", "")), content)

    def _answers(self, news: list[Message]) -> list[Message]:
        """The answers as tool messages, one for every open call: servers insist on that."""
        answers = [message for message in news if message.get("role") == "tool"]
        others = [message for message in news if message.get("role") != "tool"]
        whole = len(answers) == len(self._open)  # then order alone tells which is which
        content: dict[str, str] = {}
        for number, answer in enumerate(answers):
            call_id = self._open[number]["id"] if whole else self._match(answer, content)
            if call_id is None:  # a call that the model wrote as text
                others.append(_user(self._as_text(answer)))
            else:
                content[call_id] = str(answer.get("content") or "")
        # A call that the environment could not read is answered by its fault text.
        unanswered = [call for call in self._open if call["id"] not in content]
        if unanswered and others:
            fault = "\n".join(str(message.get("content") or "") for message in others)
            content.update((call["id"], fault) for call in unanswered)
            others = []
        replies = [
            {
                "role": "tool",
                "tool_call_id": call["id"],
                "name": call["function"]["name"],
                "content": content.get(call["id"], "(no answer)"),
            }
            for call in self._open
        ]
        return replies + [_user(str(message.get("content") or "")) for message in others]

    def _match(self, answer: Message, taken: Mapping[str, str]) -> str | None:
        for call in self._open:
            if call["id"] not in taken and call["function"]["name"] == answer.get("name"):
                return str(call["id"])
        return None

    def _accept(self, conversation: list[Message], reply: Reply) -> str:
        calls = [self._write(call) for call in reply.tool_calls]
        spoken = "\n".join(part for part in (reply.text, *calls) if part)
        said: Message = {"role": "assistant", "content": spoken}
        self._open = []
        if self.tools == "native" and calls and all(map(_sendable, reply.tool_calls)):
            turn = sum(message["role"] == "assistant" for message in conversation)
            self._open = _native(reply.tool_calls, turn)
            said = {"role": "assistant", "content": reply.text, "tool_calls": self._open}
        # Reasoning stays out of the conversation: servers drop or refuse it on the way back.
        self._messages = [*conversation, said]
        self._usage += reply.usage
        if self.dialect == "json" and calls:
            return calls[0] if len(calls) == 1 else f"[{','.join(calls)}]"
        if self.dialect == "hermes" and reply.reasoning:
            # A tag inside the reasoning would end the thought early and act on the rest.
            thought = _THINK_TAG.sub(r"< \1", reply.reasoning.strip())
            return f"<think>\n{thought}\n</think>\n\n{spoken}"
        return spoken

    def _write(self, call: NativeCall) -> str:
        try:
            json.loads(call.arguments)
            arguments = call.arguments
        except (ValueError, RecursionError):
            # As a string: put in raw, broken JSON could turn into a call nobody made.
            arguments = json.dumps(call.arguments, ensure_ascii=False)
        text = f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {arguments}}}'
        if self.dialect == "json":
            return text
        # In JSON "<" stands in strings only; escaped, no argument can close the block early.
        text = _TAG_START.sub(r"\\u003c", text)
        return f"<tool_call>\n{text}\n</tool_call>"


def _user(content: str) -> Message:
    return {"role": "user", "content": content}


def _sendable(call: NativeCall) -> bool:
    """Whether servers take the call back as history; broken ones go back as text instead."""
    try:
        arguments = strict_json.loads(call.arguments)
    except ValueError:
        return False
    return isinstance(arguments, dict) and _NAME.fullmatch(call.name) is not None


def _native(calls: Sequence[NativeCall], turn: int) -> list[Message]:
    given = [call.id for call in calls]
    unique = all(given) and len(set(given)) == len(given)
    return [
        {
            "id": call.id if unique else f"call_{turn}_{number}",
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for number, call in enumerate(calls)
    ]
