"""A model as consultant: asked until its answer can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gym_clinic.case import Case
from gym_clinic.consult.chat import ChatClient
from gym_clinic.errors import ServiceError

T = TypeVar("T")


class ChatConsultant:
    """Asks a chat model a question and reads its answer, telling it what was wrong if need be.

    Args:
        client: The server and its options.
        attempts: How often the model may answer one question.
    """

    def __init__(self, client: ChatClient, *, attempts: int = 2) -> None:
        self.client = client
        self.attempts = attempts

    def ask(
        self, messages: list[dict[str, str]], read: Callable[[str], T], case: Case, about: str
    ) -> T:
        """Return what the model answers.

        Args:
            messages: The question, as chat messages.
            read: Reads the answer; raises ValueError with what was expected.
            case: The case on whose account the tokens go.
            about: What is asked for, for the error.

        Raises:
            ServiceError: If the server fails, or no answer could be read.
        """
        reason = ""
        for _ in range(self.attempts):
            reply = self.client.complete(messages)
            case.charge(reply.usage.as_dict())
            try:
                return read(reply.text)
            except ValueError as error:
                reason = str(error)
                messages = [
                    *messages,
                    {"role": "assistant", "content": reply.text},
                    {"role": "user", "content": f"Not readable: {reason} Answer again."},
                ]
        raise ServiceError(f"{about}: no readable answer in {self.attempts}: {reason}")
