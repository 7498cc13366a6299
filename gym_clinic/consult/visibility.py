"""What the members of a panel hear of each other: everything, their group, or a summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from gym_clinic.case import Case
from gym_clinic.consult.consultant import Consultant
from gym_clinic.consult.discussion import OpenDiscussion
from gym_clinic.consult.question import Opinion, Prompt, Question, read_prompt
from gym_clinic.errors import ConfigError, ServiceError

_PROMPTS = Path(__file__).with_name("prompts")
_THIRD = read_prompt(_PROMPTS / "third.md")


class Viewpoint(BaseModel):
    """What members of other groups hear of a reply: the choice without its reasons."""

    choice: str | None = Field(description="the option chosen")


class DiscussionSummary(BaseModel):
    """A round of a discussion in short."""

    summary: str = Field(description="who holds what, and why, in a few sentences")


@dataclass(frozen=True)
class Visibility:
    """What members hear before a later round.

    Attributes:
        groups: Number of groups; members of other groups are heard without their reasons.
        summariser: Sums up each round; members hear the summary in place of the replies.
        follow_up: What members are asked after what they heard; see :class:`.Question`.
        asked_of_third: What debater, judge and summariser are asked after the replies.
    """

    groups: int = 1
    summariser: Consultant | None = None
    follow_up: Prompt | None = None
    asked_of_third: Prompt | None = _THIRD

    def __post_init__(self) -> None:
        if not isinstance(self.groups, int) or self.groups < 1:
            raise ConfigError(f"groups is a whole number from 1, not {self.groups!r}")

    def of(
        self,
        name: str,
        members: Sequence[str],
        heard: Sequence[Opinion[Any]],
        summary: Opinion[Any] | None,
    ) -> tuple[Opinion[Any], ...]:
        """Return what a member hears: its own opinion, and those of the others or a summary."""
        if summary is not None:
            own = [opinion for opinion in heard if opinion.member == name]
            return (*own, summary)
        if self.groups == 1:
            return tuple(heard)
        group = {member: place % self.groups for place, member in enumerate(members)}
        return tuple(
            opinion
            if group.get(opinion.member) == group[name]
            else replace(opinion, reply=Viewpoint(choice=opinion.choice), confidence=0.0)
            for opinion in heard
        )

    def summarise(self, talk: OpenDiscussion[Any], case: Case) -> Opinion[Any] | None:
        """Return the summary of the last round; None without a summariser, or if it failed."""
        if self.summariser is None:
            return None
        question = Question(
            "summariser",
            read_prompt(_PROMPTS / "summarise.md"),
            talk.question.values,
            DiscussionSummary,
            len(talk.rounds),
            talk.rounds[-1].final,
            self.asked_of_third,
        )
        before = dict(case.usage)
        try:
            reply = self.summariser.ask(question, case)
        except ServiceError:
            return None  # the members then hear the replies themselves
        spent = {kind: amount - before.get(kind, 0) for kind, amount in case.usage.items()}
        return Opinion("summary", len(talk.rounds), reply, None, 0.0, spent)
