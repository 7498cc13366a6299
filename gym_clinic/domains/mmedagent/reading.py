"""What agents without a model read of a ticket: options, opinions and the question."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gym_clinic.images import text_of

_OPINION = re.compile(r"^Answer from (.+) \d+: ([A-Z])\. ", re.MULTILINE)
_OPTION = re.compile(r"^([A-Z])\. (.+)$", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class ReadTicket:
    """A ticket, read.

    Attributes:
        question: What is asked.
        options: Label -> text.
        votes: The label that each specialist answers.
        text: All of it.
    """

    question: str
    options: Mapping[str, str]
    votes: tuple[str, ...]
    text: str


def read_ticket(text: str) -> ReadTicket:
    """Read the text of a ticket, or of one with the reply of a department after it."""
    asked = _QUESTION.search(text)
    return ReadTicket(
        asked[1] if asked else "",
        dict(_OPTION.findall(text.partition("Options:\n")[2])),
        tuple(label for _, label in _OPINION.findall(text)),
        text,
    )


def write_answer(label: str, thought: str | None = "I decide by what is before me.") -> str:
    """Return a reply in the paper's format; without a thought, the answer alone."""
    thoughts = "" if thought is None else f"<think>{thought}</think>"
    return f"{thoughts}<answer>{label}</answer>"


Decide = Callable[[ReadTicket, Mapping[str, Any]], str]
"""The ticket and the last info -> the label."""


@dataclass
class Decider:
    """A policy for one episode: asks as planned, then answers what it decides.

    Args:
        decide: Returns the label.
        before: Ticket -> actions that come first, such as a referral.
        thought: What it writes as its thought; None for none.
    """

    decide: Decide
    before: Callable[[ReadTicket, Mapping[str, Any]], list[str]] = lambda ticket, info: []
    thought: str | None = "I decide by what is before me."
    _text: str = field(default="", repr=False)
    _plan: list[str] = field(default_factory=list, repr=False)
    _info: dict[str, Any] = field(default_factory=dict, repr=False)

    def act(self, observation: str, info: Mapping[str, Any]) -> str:
        """Return the next action."""
        if "task_id" in info:
            self._text = text_of(info["messages"][-1]["content"])
            self._info = dict(info)
            self._plan = self.before(read_ticket(self._text), info)
        else:
            self._text = f"{observation}\n{self._text}"
            self._info |= info
        if self._plan:
            return self._plan.pop(0)
        return write_answer(self.decide(read_ticket(self._text), self._info), self.thought)
