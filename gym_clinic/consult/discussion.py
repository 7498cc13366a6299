"""What was said in a panel: rounds, the finished discussion, and one that is under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel

from gym_clinic.case import Case
from gym_clinic.consult.question import Opinion, Question

R = TypeVar("R", bound=BaseModel)

Stage = Literal["reply", "debate", "judge", "over"]
"""What a discussion does next: the members reply, the debater revises, the judge decides."""


@dataclass(frozen=True)
class Round(Generic[R]):
    """One round of a discussion.

    Attributes:
        opinions: The opinions of the members, in their order.
        debated: The opinions after the debate, in the same order; empty without a debate.
        consensus: The choice that the panel's vote gives after this round; None if all abstain.
    """

    opinions: tuple[Opinion[R], ...]
    debated: tuple[Opinion[R], ...] = ()
    consensus: str | None = None

    @property
    def final(self) -> tuple[Opinion[R], ...]:
        """The opinions with which the round ended."""
        return self.debated or self.opinions


Rounds: TypeAlias = Sequence[Round[Any]]
"""The rounds of a discussion, in order."""


@dataclass(frozen=True)
class Discussion(Generic[R]):
    """The opinions and the decision of a panel.

    Attributes:
        rounds: The rounds.
        scores: The score of each choice that got a vote.
        choice: The choice with the highest score, or the judge's; None if all abstained.
        tied: The choices that share the highest score, if there are several. The first of them
            is the choice, unless a judge decides.
        verdict: The opinion of the judge, if there is one.
    """

    rounds: tuple[Round[R], ...]
    scores: Mapping[str, float]
    choice: str | None
    tied: tuple[str, ...] = ()
    verdict: Opinion[R] | None = None

    @property
    def opinions(self) -> tuple[Opinion[R], ...]:
        """The opinions with which the last round ended."""
        return self.rounds[-1].final

    @property
    def unanimous(self) -> bool:
        """Whether all members made the same choice in the end."""
        return agreed(self.opinions, 1.0)

    @property
    def reply(self) -> R | None:
        """The judge's reply, or the most confident one for the choice (the first of equals)."""
        if self.choice is None:
            return None
        if self.verdict is not None:
            return self.verdict.reply
        supporters = [opinion for opinion in self.opinions if opinion.choice == self.choice]
        return max(supporters, key=lambda opinion: opinion.confidence).reply if supporters else None

    @property
    def tokens(self) -> dict[str, int]:
        """The tokens of all replies, by kind."""
        account = Case({})
        for played in self.rounds:
            for opinion in (*played.opinions, *played.debated):
                account.charge(opinion.tokens)
        if self.verdict is not None:
            account.charge(self.verdict.tokens)
        return account.usage


@dataclass
class OpenDiscussion(Generic[R]):
    """A discussion under way: plain data, so that it can be copied with the case that holds it.

    Attributes:
        question: The question to all members.
        options: The valid choices.
        active: Names of the members that still take part.
        stage: What comes next.
        rounds: The finished rounds.
        opinions: The opinions of the open round, by member.
        debated: Those after its debate, by member.
        history: What the debater told each member so far.
        summary: What the summariser made of the round before; None without a summariser.
        pending: The questions that the caller must answer before it goes on, by member; in a
            debate, the member whose opinion is revised.
        verdict: The opinion of the judge.
    """

    question: Question[R]
    options: tuple[str, ...]
    active: tuple[str, ...]
    stage: Stage = "reply"
    rounds: list[Round[R]] = field(default_factory=list)
    opinions: dict[str, Opinion[R]] = field(default_factory=dict)
    debated: dict[str, Opinion[R]] = field(default_factory=dict)
    history: dict[str, list[str]] = field(default_factory=dict)
    summary: Opinion[Any] | None = None
    pending: dict[str, Question[R]] = field(default_factory=dict)
    verdict: Opinion[R] | None = None

    @property
    def number(self) -> int:
        """The number of the open round."""
        return self.question.round + len(self.rounds)

    @property
    def over(self) -> bool:
        """Whether the panel has decided."""
        return self.stage == "over"


def agreed(opinions: Sequence[Opinion[Any]], share: float) -> bool:
    """Whether this share of the members makes the same choice.

    A share of 1 means all; below 1 it means more than that share.
    """
    choices = [opinion.choice for opinion in opinions]
    if share >= 1:
        return len(set(choices)) == 1 and choices[0] is not None
    most = max(choices.count(choice) for choice in set(choices) - {None} or {""})
    return most > share * len(choices)
