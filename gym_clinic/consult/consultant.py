"""Consultants: recorded replies, rules, or a chat model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from gym_clinic.case import Case
from gym_clinic.consult.chat import ChatClient
from gym_clinic.consult.question import Question
from gym_clinic.errors import ConfigError, ServiceError, TaskError
from gym_clinic.names import at_least_one, call_with_options

R = TypeVar("R", bound=BaseModel)

Answerer = Callable[[Question[Any], Any], object]
"""Question and case -> the reply, as an instance of the reply model or as its JSON value."""


class Consultant(Protocol):
    """Replies to the questions of a tool."""

    def ask(self, question: Question[R], case: Case) -> R:
        """Return the reply to a question; its tokens are charged to the case.

        Raises:
            ServiceError: The consultant is an outside service that failed.
        """


class Recorded:
    """Gives recorded replies.

    Args:
        replies: Role -> its reply, or a list of its replies round by round, of which the last
            holds for all later rounds; or a function that finds the reply to a question in a
            case and returns None if there is none.
    """

    def __init__(self, replies: Mapping[str, object] | Answerer) -> None:
        self._find = replies if callable(replies) else _finder(replies)

    def ask(self, question: Question[R], case: Case) -> R:
        """Return the recorded reply.

        Raises:
            TaskError: There is none, or it does not fit the reply model.
        """
        found = self._find(question, case)
        if found is None:
            raise TaskError(f"{question.role}: no reply is recorded for round {question.round}")
        try:
            return question.check(found)
        except ValueError as error:
            raise TaskError(f"{question.role}: the recorded reply is wrong: {error}") from None


class Rules:
    """Replies by a function of the question and the case.

    Args:
        answer: The function. Its exceptions reach the caller.
    """

    def __init__(self, answer: Answerer) -> None:
        self._answer = answer

    def ask(self, question: Question[R], case: Case) -> R:
        """Return the reply of the function.

        Raises:
            TypeError: Its result does not fit the reply model.
        """
        try:
            return question.check(self._answer(question, case))
        except ValueError as error:
            raise TypeError(f"{question.role}: the rules gave no reply: {error}") from error


class Chat:
    """Asks a chat model. After an unreadable reply it sends the error and asks again.

    Args:
        client: The server and its options.
        attempts: Maximum number of replies to one question.
    """

    def __init__(self, client: ChatClient, *, attempts: int = 2) -> None:
        self.client = client
        self.attempts = at_least_one("attempts", attempts)

    def ask(self, question: Question[R], case: Case) -> R:
        """Return what the model replies.

        Raises:
            ServiceError: The server failed, or no reply could be read.
        """
        import tenacity

        messages = question.messages()
        asking = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_UnreadableError),
            stop=tenacity.stop_after_attempt(self.attempts),
            reraise=True,
        )

        def ask_once() -> R:
            said = self.client.complete(messages)
            case.charge(said.usage.as_dict())
            try:
                return question.read(said.text)
            except ValueError as error:
                messages.append({"role": "assistant", "content": said.text})
                messages.append(
                    {"role": "user", "content": f"Not readable: {error}. Answer again."}
                )
                raise _UnreadableError(str(error)) from None

        try:
            reply: R = asking(ask_once)
            return reply
        except _UnreadableError as error:
            raise ServiceError(
                f"{question.role}: no readable reply in {self.attempts} attempts: {error}"
            ) from None


class Awaited:
    """The place of a member for whom the caller of a panel replies: a policy, or a person."""

    def ask(self, question: Question[R], case: Case) -> R:
        """Raise an error: the panel pauses for such a member and never asks it.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError(f"{question.role} is awaited: use Panel.open and Panel.advance")


class _UnreadableError(Exception):
    """The text of a chat model does not fit the reply model."""


def make_consultant(
    option: str | Mapping[str, Any], offline: Mapping[str, Consultant]
) -> Consultant:
    """Make a consultant from a plain-JSON option of a domain.

    Args:
        option: A name in `offline`, or ``{"kind": "chat", "url": …, "model": …}`` with further
            options of :class:`gym_clinic.consult.chat.ChatClient`.
        offline: The consultants of the domain that need no server, such as ``"recorded"``.

    Raises:
        ConfigError: The option is neither, or holds an API key.
    """
    if isinstance(option, str) and option in offline:
        return offline[option]
    if isinstance(option, Mapping) and option.get("kind") == "chat":
        options = {key: value for key, value in option.items() if key != "kind"}
        if "api_key" in options:
            raise ConfigError("an api_key would be written into env.spec; give api_key_env instead")
        return Chat(call_with_options(ChatClient, options, "consultant of kind 'chat'"))
    names = ", ".join(map(repr, offline))
    raise ConfigError(
        f"consultant must be {names} or {{'kind': 'chat', 'url': …, 'model': …}}, not {option!r}"
    )


def _finder(replies: Mapping[str, object]) -> Answerer:
    def find(question: Question[Any], case: Any) -> object:
        found = replies.get(question.role)
        if isinstance(found, Sequence) and not isinstance(found, str):
            return found[min(question.round, len(found)) - 1] if found else None
        return found

    return find
