"""Plain data: what was asked and what happened."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gym_clinic.frozen import freeze

if TYPE_CHECKING:
    from gym_clinic.case import Case
    from gym_clinic.images import Image


@dataclass(frozen=True)
class Task:
    """One problem: what the agent may learn and, apart from it, what is right.

    Record and gold are frozen, since every episode of the task shares them.

    Attributes:
        id: Opaque identifier; encodes nothing about the content.
        record: The world of the case, as JSON: what ticket and tools draw on.
        gold: What is right, as JSON; read by rubric, success, metrics and oracle only.
        ticket: The text that opens the case; a domain may compose it instead.
        provenance: Where the content comes from, e.g. ``"synthetic"``.
    """

    id: str
    record: Mapping[str, Any]
    gold: Mapping[str, Any] = field(repr=False)
    ticket: str = ""
    provenance: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "record", freeze(self.record))
        object.__setattr__(self, "gold", freeze(self.gold))


@dataclass(slots=True)
class Call:
    """One tool call that could be read, and what came back.

    Attributes:
        name: The tool's name as the agent wrote it.
        arguments: The arguments as the agent gave them.
        ok: Whether the tool answered; a failed call was made, but matches nothing.
        response: The text that came back, before any cut.
        result: What the tool returned; for scoring, never shown.
        id: Names the call in tool messages; unique within the episode.
        images: What came back beside the text, in the order of its ``<image>`` marks.
    """

    name: str
    arguments: dict[str, Any]
    ok: bool = False
    response: str = ""
    result: Any = None
    id: str = ""
    images: tuple[Image, ...] = ()


@dataclass(slots=True)
class Turn:
    """One action of the agent and what the clinic answered.

    Attributes:
        action: The text the agent wrote.
        calls: The calls it held, in order.
        faults: Why parts of it could not be read, one line each.
        malformed: How many call blocks could not be read.
        answer: The answer it gave, if one was accepted.
        observation: The text that was answered.
        images: The images of the observation, in the order of its ``<image>`` marks.
        same_message: Whether its calls belong to the assistant message of the turn before.
    """

    action: str
    calls: tuple[Call, ...] = ()
    faults: tuple[str, ...] = ()
    malformed: int = 0
    answer: Any = None
    observation: str = ""
    images: tuple[Image, ...] = ()
    same_message: bool = False


@dataclass(slots=True)
class Episode:
    """A task, its case and the turns so far.

    Attributes:
        task: The task, with its gold.
        case: The state of the world, as the tools have changed it.
        turns: What happened, in order.
        answer: The accepted answer; None until there is one.
        stop: Why it ended: ``"answered"``, ``"max_turns"``, ``"max_calls"``, ``"text_budget"``,
            or the domain's own reason; None before.
        ticket_images: The images of the ticket.
        shared_turns: Turns whose calls belong to the assistant message of the turn before.
        calls_used: Calls so far, an action without one counting as one: what ``max_calls``
            limits.
        text_used: Characters of all actions and observations so far.
        turn_rewards: Sum of the rewards paid after turns.
    """

    task: Task
    case: Case
    turns: list[Turn] = field(default_factory=list)
    answer: Any = None
    stop: str | None = None
    ticket_images: tuple[Image, ...] = ()
    shared_turns: int = 0
    calls_used: int = 0
    text_used: int = 0
    turn_rewards: float = 0.0

    def fork(self) -> Episode:
        """Return a copy that goes its own way: task and past turns are shared, the case is not."""
        twin = copy.copy(self)
        twin.turns = list(self.turns)
        twin.case = copy.deepcopy(self.case)
        return twin

    @property
    def calls(self) -> list[Call]:
        """Every call made, in order."""
        return [call for turn in self.turns for call in turn.calls]

    @property
    def messages_used(self) -> int:
        """Assistant messages so far: what ``max_turns`` limits."""
        return len(self.turns) - self.shared_turns

    @property
    def images(self) -> list[Image]:
        """Every image shown so far, in order."""
        return [*self.ticket_images, *(image for turn in self.turns for image in turn.images)]

    @property
    def malformed(self) -> int:
        """How many call blocks could not be read."""
        return sum(turn.malformed for turn in self.turns)
