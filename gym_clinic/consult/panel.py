"""A panel: several consultants reply to one question, discuss their replies, and vote."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, Field

from gym_clinic.case import Case
from gym_clinic.consult.consultant import Awaited, Consultant
from gym_clinic.consult.discussion import Discussion, OpenDiscussion, Round, agreed
from gym_clinic.consult.question import Opinion, Prompt, Question
from gym_clinic.consult.visibility import Visibility
from gym_clinic.consult.voting import Scoring, best_of, checked_confidence, majority
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.names import at_least_one

R = TypeVar("R", bound=BaseModel)


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
        consultant: The consultant that replies; ``Awaited()`` where the caller does.
        prompt: Its own role prompt; None keeps that of the question.
        values: Its own values for the prompt; they replace those of the question.
    """

    name: str
    consultant: Consultant
    prompt: Prompt | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


class Assessor(Protocol):
    """Says how likely a reply is to be right, as the critic of KACR does."""

    def __call__(self, question: Question[Any], reply: Any) -> float:
        """Return the confidence in a reply, from 0 to 1; the role is that of the question."""


def self_reported(question: Question[Any], reply: Any) -> float:
    """Return the confidence that a reply states, 1 where it states none."""
    stated: float = getattr(reply, "confidence", 1.0)
    return stated


class Panel(Generic[R]):
    """Consultants reply to the same question, see each other's replies, and vote.

    In each round after the first, every member sees its own reply and those of the others from
    the round before; then the debater, if there is one, may revise the answer of each. The
    discussion ends early once all members agree, also when they do before any discussion. Equal
    scores (within 1e-9 of the highest, relatively) are a tie: the first of the tied choices wins,
    in the order of the options, or in that of the members if no options are given.

    A member whose service fails abstains in that round.

    Args:
        members: The members; their names must differ.
        rounds: Maximum number of rounds, the first replies included; 1 is a vote without
            discussion.
        vote: Function that scores the choices.
        choice: Function of a reply that returns the vote; None abstains.
        confidence: Function of question and reply that returns the confidence in it, a number of
            at least 0: what the reply states, or the estimate of a critic.
        debater: Revises the answer of each member in every round after the first. Its questions
            have the values ``member``, ``answer`` and ``opinions`` in addition.
        judge: Decides at the end in place of the vote.
        visibility: What members hear of each other.
        agreement: Share of the members that must agree to end early; see :func:`.agreed`.
        keep: Members that stay from the third round on, the most confident first.
        early_stop: Whether the discussion ends once the members agree.
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
        vote: Scoring = majority,
        choice: Callable[[Any], str | None] = lambda reply: reply.choice,
        confidence: Assessor = self_reported,
        debater: Member | None = None,
        judge: Member | None = None,
        visibility: Visibility | None = None,
        agreement: float = 1.0,
        keep: int | None = None,
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
        if not 0 < agreement <= 1:
            raise ConfigError(f"agreement is a share above 0 and at most 1, not {agreement!r}")
        self.members = tuple(members)
        self.rounds = at_least_one("rounds", rounds)
        self.vote, self.quorum, self.early_stop = vote, quorum, early_stop
        self.debater, self.judge, self.visibility = debater, judge, visibility or Visibility()
        self.agreement = agreement
        self.keep = len(names) if keep is None else at_least_one("keep", keep)
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
            ConfigError: A member is awaited.
            ServiceError: Fewer members than the quorum replied in some round.
        """
        talk = self.advance(self.open(question, options), case)
        if talk.pending:
            raise ConfigError(f"{sorted(talk.pending)} are awaited: use open and advance")
        return self.result(talk)

    def open(self, question: Question[R], options: Sequence[str] = ()) -> OpenDiscussion[R]:
        """Return a discussion that has not begun; arguments as for :meth:`discuss`."""
        names = tuple(member.name for member in self.members)
        return OpenDiscussion(question, tuple(options), names)

    def advance(
        self, talk: OpenDiscussion[R], case: Case, replies: Mapping[str, R] | None = None
    ) -> OpenDiscussion[R]:
        """Go on with a discussion until it is over or waits for the caller.

        Args:
            talk: The discussion; changed, and returned.
            case: The case; the tokens of all replies are charged to it.
            replies: Member -> the caller's reply to a question of ``talk.pending``.

        Raises:
            ConfigError: There is a reply to no such question.
            ServiceError: Fewer members than the quorum replied in some round.
        """
        for name, reply in (replies or {}).items():
            if name not in talk.pending:
                raise ConfigError(f"no question to {name!r} is open, only {sorted(talk.pending)}")
            question = talk.pending.pop(name)
            opinion = self._read(question, reply, talk.options, {}, name)
            (talk.debated if talk.stage == "debate" else talk.opinions)[name] = opinion
            if talk.stage == "judge":
                talk.verdict = talk.opinions.pop(name)
        while not talk.pending and not talk.over:
            getattr(self, f"_{talk.stage}")(talk, case)
        return talk

    def result(self, talk: OpenDiscussion[R]) -> Discussion[R]:
        """Return the outcome of a discussion as it stands after its last round."""
        scores = dict(self.vote(talk.rounds)) if talk.rounds else {}
        tied = best_of(scores, talk.options or scores)
        choice = tied[0] if tied else None
        if talk.verdict is not None and talk.verdict.choice is not None:
            choice = talk.verdict.choice
        several = tied if len(tied) > 1 else ()
        return Discussion(tuple(talk.rounds), scores, choice, several, talk.verdict)

    def _reply(self, talk: OpenDiscussion[R], case: Case) -> None:
        """Ask the members that have not replied in this round."""
        heard = talk.rounds[-1].final if talk.rounds else talk.question.opinions
        values = {
            **talk.question.values,
            "consensus": (talk.rounds[-1].consensus if talk.rounds else None) or "none yet",
        }
        questions: dict[str, tuple[Member, Question[R]]] = {}
        for member in self._active(talk):
            if member.name not in talk.opinions:
                own = {"history": "\n".join(talk.history.get(member.name, ())) or "(none)"}
                question = replace(
                    talk.question,
                    role=member.name,
                    round=talk.number,
                    prompt=member.prompt or talk.question.prompt,
                    values={**values, **own, **member.values},
                    opinions=self.visibility.of(member.name, talk.active, heard, talk.summary),
                    follow_up=self.visibility.follow_up or talk.question.follow_up,
                )
                questions[member.name] = member, question
        talk.opinions |= self._ask(questions, talk, case)
        if talk.pending:
            return
        self._check_quorum(talk)
        later = len(talk.rounds) > 0
        talk.stage = "debate" if self.debater is not None and later else "reply"
        if talk.stage == "reply":
            self._close(talk, case)

    def _debate(self, talk: OpenDiscussion[R], case: Case) -> None:
        """Let the debater revise the answers that it has not yet revised."""
        assert self.debater is not None
        debater = self.debater
        opinions = tuple(talk.opinions[name] for name in talk.active)
        questions = {}
        for name in talk.active:
            if name not in talk.debated:
                answer = talk.opinions[name].choice
                about = {"member": name, "answer": answer or "none"}
                question = self._of_role(debater, talk, opinions, about)
                questions[name] = debater, question
        talk.debated |= self._ask(questions, talk, case)
        if not talk.pending:
            for name in talk.active:
                if talk.debated[name].failure:  # what the debater did not revise stays as it was
                    talk.debated[name] = talk.opinions[name]
                said = getattr(talk.debated[name].reply, "explanation", "")
                talk.history.setdefault(name, []).append(said)
            self._close(talk, case)

    def _judge(self, talk: OpenDiscussion[R], case: Case) -> None:
        assert self.judge is not None
        if talk.verdict is None:
            question = self._of_role(self.judge, talk, talk.rounds[-1].final, {})
            answered = self._ask({self.judge.name: (self.judge, question)}, talk, case)
            talk.verdict = answered.get(self.judge.name)
        if not talk.pending:
            talk.stage = "over"

    def _of_role(
        self,
        member: Member,
        talk: OpenDiscussion[R],
        opinions: tuple[Opinion[R], ...],
        about: Mapping[str, str],
    ) -> Question[R]:
        """Return a question to the debater or the judge."""
        return replace(
            talk.question,
            role=member.name,
            round=talk.number,
            prompt=member.prompt or talk.question.prompt,
            values={**talk.question.values, **about, **member.values},
            opinions=opinions,
            follow_up=self.visibility.asked_of_third,
        )

    def _close(self, talk: OpenDiscussion[R], case: Case) -> None:
        """End the open round: vote, stop, or open the next one."""
        opinions = tuple(talk.opinions[name] for name in talk.active)
        debated = tuple(talk.debated[name] for name in talk.active) if talk.debated else ()
        played = Round(opinions, debated)
        talk.rounds.append(played)
        tied = best_of(scores := self.vote(talk.rounds), talk.options or scores)
        talk.rounds[-1] = replace(played, consensus=tied[0] if tied else None)
        talk.opinions, talk.debated = {}, {}
        stopped = self.early_stop and agreed(played.final, self.agreement)
        if stopped or len(talk.rounds) == self.rounds:
            talk.stage = "over" if self.judge is None else "judge"
            return
        talk.stage = "reply"
        if len(talk.rounds) > 1 and self.keep < len(talk.active):
            ranked = sorted(played.opinions, key=lambda opinion: -opinion.confidence)
            kept = {opinion.member for opinion in ranked[: self.keep]}
            talk.active = tuple(name for name in talk.active if name in kept)
        talk.summary = self.visibility.summarise(talk, case)

    def _active(self, talk: OpenDiscussion[R]) -> Iterable[Member]:
        return (member for member in self.members if member.name in talk.active)

    def _ask(
        self,
        questions: Mapping[str, tuple[Member, Question[R]]],
        talk: OpenDiscussion[R],
        case: Case,
    ) -> dict[str, Opinion[R]]:
        """Ask questions; those to whom the caller speaks become pending."""
        awaited = {name for name, (member, _) in questions.items()
                   if isinstance(member.consultant, Awaited)}  # fmt: skip
        talk.pending = {name: questions[name][1] for name in questions if name in awaited}
        asked = {name: pair for name, pair in questions.items() if name not in awaited}

        def ask(name: str) -> Opinion[R]:
            member, question = asked[name]
            account = copy.copy(case)  # the same record, with its own token account
            account.usage = {}
            try:
                reply = member.consultant.ask(question, account)
            except ServiceError as error:
                return Opinion(name, question.round, None, None, 0.0, account.usage, str(error))
            return self._read(question, reply, talk.options, account.usage, name)

        if self.workers == 1 or len(asked) < 2:
            opinions = dict(zip(asked, map(ask, asked), strict=True))
        else:
            with ThreadPoolExecutor(self.workers) as pool:
                opinions = dict(zip(asked, pool.map(ask, asked), strict=True))
        for opinion in opinions.values():
            case.charge(opinion.tokens)
        return opinions

    def _read(
        self,
        question: Question[R],
        reply: R,
        options: Sequence[str],
        tokens: Mapping[str, int],
        name: str,
    ) -> Opinion[R]:
        """Return the opinion that a reply is, under the name of the member whose answer it is."""
        confidence = checked_confidence(self._confidence(question, reply), name)
        choice = self._choice(reply)
        if options and choice not in options:
            choice = None
        return Opinion(name, question.round, reply, choice, confidence, tokens)

    def _check_quorum(self, talk: OpenDiscussion[R]) -> None:
        opinions = talk.opinions.values()
        failures = {opinion.member: opinion.failure for opinion in opinions if opinion.failure}
        replied = len(opinions) - len(failures)
        if replied < min(self.quorum, len(talk.active)):
            raise ServiceError(
                f"{talk.question.role}: {replied} of {len(opinions)} members "
                f"replied in round {talk.number}, the quorum is {self.quorum}: {failures}"
            )
