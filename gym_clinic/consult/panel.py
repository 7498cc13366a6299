"""A panel: several consultants reply to one question, discuss their replies, and vote."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, Field

from gym_clinic.case import Case
from gym_clinic.consult.consultant import Consultant
from gym_clinic.consult.question import Opinion, Prompt, Question
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.names import at_least_one

R = TypeVar("R", bound=BaseModel)


Rounds: TypeAlias = Sequence[Sequence[Opinion[Any]]]
"""The opinions of a discussion, round by round, in the order of the members."""

Vote: TypeAlias = Callable[[Rounds], Mapping[str, float]]
"""The opinions -> the score of each choice. A choice without a score cannot win."""


def majority(rounds: Rounds) -> dict[str, float]:
    """Score each choice by the number of members that make it in the last round."""
    return _tally((one.choice, 1.0) for one in rounds[-1])


def weighted_by_confidence(rounds: Rounds) -> dict[str, float]:
    """Score each choice of the last round by the sum of its members' confidence in that round."""
    return _tally((one.choice, one.confidence) for one in rounds[-1])


def weighted_by_first_confidence(rounds: Rounds) -> dict[str, float]:
    """Score each choice of the last round by its members' confidence before the discussion.

    That is the confidence in the first round in which a member replied.

    Source:
        KACR, eq. 7, as printed: the choice after the debate, the confidence before it.
    """
    first: dict[str, float] = {}
    for opinions in rounds:
        for one in opinions:
            if not one.failure:
                first.setdefault(one.member, one.confidence)
    return _tally((one.choice, first.get(one.member, 0.0)) for one in rounds[-1])


def _tally(ballots: Iterable[tuple[str | None, float]]) -> dict[str, float]:
    weights: dict[str, list[float]] = {}
    for choice, weight in ballots:
        if choice is not None:
            weights.setdefault(choice, []).append(weight)
    # fsum is exact, so the order of the members does not matter.
    return {choice: math.fsum(found) for choice, found in weights.items()}


class Ballot(BaseModel):
    """The default reply model of a panel; questions may use models with further fields."""

    choice: str | None = Field(description="the option you choose; null if you cannot decide")
    confidence: float = Field(description="how sure you are, from 0 to 1", ge=0.0, le=1.0)
    explanation: str = Field(description="why, in two or three sentences")


@dataclass(frozen=True)
class Member:
    """One consultant of a panel.

    Attributes:
        name: Its name, which is its role in the questions.
        consultant: The consultant that replies.
        prompt: Its own role prompt; None keeps that of the question.
        values: Its own values for the prompt; they replace those of the question.
    """

    name: str
    consultant: Consultant
    prompt: Prompt | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Discussion(Generic[R]):
    """The opinions and the decision of a panel.

    Attributes:
        rounds: The opinions, round by round, in the order of the members.
        scores: The score of each choice that got a vote.
        choice: The choice with the highest score; None if all abstained.
        tied: The choices that share the highest score, if there are several. The first of them
            is the choice.
    """

    rounds: tuple[tuple[Opinion[R], ...], ...]
    scores: Mapping[str, float]
    choice: str | None
    tied: tuple[str, ...] = ()

    @property
    def opinions(self) -> tuple[Opinion[R], ...]:
        """The opinions of the last round."""
        return self.rounds[-1]

    @property
    def reply(self) -> R | None:
        """The most confident reply for the choice (the first of equals), or None."""
        if self.choice is None:
            return None
        supporters = [one for one in self.opinions if one.choice == self.choice]
        return max(supporters, key=lambda one: one.confidence).reply if supporters else None

    @property
    def tokens(self) -> dict[str, int]:
        """The tokens of all replies, by kind."""
        account = Case({})
        for opinions in self.rounds:
            for one in opinions:
                account.charge(one.tokens)
        return account.usage


class Panel(Generic[R]):
    """Consultants reply to the same question, see each other's replies, and vote.

    In each round after the first, every member sees its own reply and those of the others from
    the round before. The discussion ends early once all members make the same choice. Equal scores
    (within 1e-9 of the highest, relatively) are a tie: the first of the tied choices wins, in
    the order of the options, or in that of the members if no options are given.

    A member whose service fails abstains in that round.

    Args:
        members: The members; their names must differ.
        rounds: Maximum number of rounds; 1 is a vote without discussion.
        vote: Function that scores the choices.
        choice: Function of a reply that returns the vote; None abstains.
        confidence: Function of a reply that returns the confidence, a number of at least 0.
        early_stop: Whether the discussion ends once all members agree.
        quorum: Minimum number of members that must reply in every round.
        workers: Number of members asked at the same time, each in its own thread. Useful for
            members that wait for a server. Their consultants must be thread-safe, as those of
            this room are.

    Raises:
        ConfigError: There are no members, two members share a name, or a number is out of range.
    """

    def __init__(
        self,
        members: Sequence[Member],
        *,
        rounds: int = 1,
        vote: Vote = majority,
        choice: Callable[[Any], str | None] = lambda reply: reply.choice,
        confidence: Callable[[Any], float] = lambda reply: getattr(reply, "confidence", 1.0),
        early_stop: bool = True,
        quorum: int = 1,
        workers: int = 1,
    ) -> None:
        names = [member.name for member in members]
        if not names or len(set(names)) < len(names):
            raise ConfigError(f"a panel needs members with different names, not {names}")
        if at_least_one("quorum", quorum) > len(names):
            raise ConfigError(
                f"quorum must be at most {len(names)}, the number of members, not {quorum}"
            )
        self.members = tuple(members)
        self.rounds = at_least_one("rounds", rounds)
        self.vote, self.quorum, self.early_stop = vote, quorum, early_stop
        self.workers = at_least_one("workers", workers)
        self._choice, self._confidence = choice, confidence

    def ask(self, question: Question[R], case: Case) -> R:
        """Return the most confident reply for the choice of the panel: a panel is a consultant.

        Raises:
            ServiceError: Fewer members than the quorum replied, or all abstained.
        """
        reply = self.discuss(question, case).reply
        if reply is None:
            raise ServiceError(f"{question.role}: every member of the panel abstained")
        return reply

    def discuss(
        self, question: Question[R], case: Case, options: Sequence[str] = ()
    ) -> Discussion[R]:
        """Ask the members, let them discuss, and count their votes.

        Args:
            question: The question to all members, each in its role.
            case: The case; the tokens of all replies are charged to it.
            options: The valid choices, in the order that decides ties. A vote for any other
                choice counts as an abstention. Without options every choice is valid.

        Raises:
            ServiceError: Fewer members than the quorum replied in some round.
        """
        rounds: list[tuple[Opinion[R], ...]] = []
        for number in range(question.round, question.round + self.rounds):
            heard = rounds[-1] if rounds else question.opinions
            asked = replace(question, round=number, opinions=heard)
            rounds.append(self._round(asked, case, options))
            votes = {one.choice for one in rounds[-1]}
            if self.early_stop and len(votes) == 1 and None not in votes:
                break
        scores = dict(self.vote(rounds))
        order = [name for name in options or scores if name in scores]
        if not order:
            return Discussion(tuple(rounds), scores, None)
        best = max(scores[name] for name in order)
        tied = tuple(name for name in order if math.isclose(scores[name], best))
        return Discussion(tuple(rounds), scores, tied[0], tied if len(tied) > 1 else ())

    def _round(
        self, question: Question[R], case: Case, options: Sequence[str]
    ) -> tuple[Opinion[R], ...]:
        ask = partial(self._opinion, question, case, frozenset(options))
        if self.workers == 1:
            opinions = tuple(map(ask, self.members))
        else:
            with ThreadPoolExecutor(self.workers) as pool:
                opinions = tuple(pool.map(ask, self.members))
        for one in opinions:
            case.charge(one.tokens)
        failures = {one.member: one.failure for one in opinions if one.failure}
        if len(opinions) - len(failures) < self.quorum:
            raise ServiceError(
                f"{question.role}: {len(opinions) - len(failures)} of {len(opinions)} members "
                f"replied in round {question.round}, the quorum is {self.quorum}: {failures}"
            )
        return opinions

    def _opinion(
        self, question: Question[R], case: Case, options: frozenset[str], member: Member
    ) -> Opinion[R]:
        own = replace(
            question,
            role=member.name,
            prompt=member.prompt or question.prompt,
            values={**question.values, **member.values},
        )
        account = copy.copy(case)  # the same record, with its own token account
        account.usage = {}
        try:
            reply = member.consultant.ask(own, account)
        except ServiceError as error:
            return Opinion(member.name, own.round, None, None, 0.0, account.usage, str(error))
        choice, confidence = self._choice(reply), self._confidence(reply)
        if not (math.isfinite(confidence) and confidence >= 0):
            raise ConfigError(
                f"{member.name}: confidence must be a number of at least 0; got {confidence!r}"
            )
        if options and choice not in options:
            choice = None
        return Opinion(member.name, own.round, reply, choice, confidence, account.usage)
