"""What agents without a model read in a consultation: ticket, opinions and references.

They read what any agent is shown, the embedded linker and the fact tables; nothing of the
simulator.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from gym_clinic.action import Dialect
from gym_clinic.domain import CallSpec
from gym_clinic.embedded import linker

_OPTION = re.compile(r"^([A-D])\. (.+)$", re.MULTILINE)
_MEMBER = re.compile(r"^- ([\w-]+) \(.*?\): examines (.+)$", re.MULTILINE)
_EXAMINED = re.compile(r"^- ([\w-]+): (?!no reply)([^\n]+)$", re.MULTILINE)
_OPINION = re.compile(
    r"^- ([\w-]+): ([A-D]) \(confidence ([\d.]+)\)\. (.*?)(?: Rests on: (.*)\.)?$", re.MULTILINE
)
_REFERENCE = re.compile(r"^([A-D])\. .* is related to: (.+)$", re.MULTILINE)

Plan = Generator[CallSpec, str, None]


class SpokenOpinion(NamedTuple):
    """An opinion as it was heard.

    Attributes:
        member: Who gave it.
        choice: The letter.
        confidence: As stated.
        text: The reason in words.
        findings: Names of the findings that it rests on.
    """

    member: str
    choice: str
    confidence: float
    text: str
    findings: tuple[str, ...]


class TicketFacts(NamedTuple):
    """What a ticket says.

    Attributes:
        options: Letter -> disease.
        fields: Member -> the groups of findings that it examines, in one text.
        present: Names of the findings that the ticket states as present.
        absent: Names of those it denies.
        examined: Member -> names of what the agent itself found as that member.
    """

    options: Mapping[str, str]
    fields: Mapping[str, str]
    present: frozenset[str]
    absent: frozenset[str]
    examined: Mapping[str, tuple[str, ...]]


def read_ticket(text: str) -> TicketFacts:
    """Read a ticket."""
    question, _, rest = text.partition("\n\nOptions, ")
    _, _, own = rest.partition("Found on your own examination")
    present, absent = linker().symptoms(question)
    return TicketFacts(
        options=dict(_OPTION.findall(rest)),
        fields=dict(_MEMBER.findall(rest)),
        present=frozenset(symptom.name for symptom in present),
        absent=frozenset(symptom.name for symptom in absent),
        examined={name: tuple(found.split(", ")) for name, found in _EXAMINED.findall(own)},
    )


def read_opinions(text: str) -> list[SpokenOpinion]:
    """Read the opinions that were heard, in order."""
    return [
        SpokenOpinion(member, choice, float(confidence), said,
                      tuple(findings.split("; ")) if findings else ())
        for member, choice, confidence, said, findings in _OPINION.findall(text)
    ]  # fmt: skip


def read_paths(text: str) -> dict[str, frozenset[str]]:
    """Read references: letter -> names of the symptoms of the disease."""
    return {letter: frozenset(names.split(", ")) for letter, names in _REFERENCE.findall(text)}


class PanelEnvironment(Protocol):
    """What such an agent knows of its environment."""

    dialect: Dialect


@dataclass
class PanelReader:
    """A policy for one episode: one call a message, as the plan asks for them.

    Args:
        plan: Ticket -> a generator of calls that is sent the text that each returned.
        dialect: How calls are written.
    """

    plan: Any
    dialect: Dialect
    _running: Any = field(default=None, repr=False)

    def act(self, observation: str, info: Mapping[str, Any]) -> str:
        """Return the next action; nothing where the plan has ended."""
        if "task_id" in info:
            self._running = self.plan(info["messages"][-1]["content"])
            call = next(self._running, None)
        else:
            try:
                call = self._running.send(observation)
            except StopIteration:
                call = None
        return "" if call is None else self.dialect.write([call])
