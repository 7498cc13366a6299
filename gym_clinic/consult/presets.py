"""The panels of the literature as settings of one engine, and a single agent at equal tokens.

The settings lie in ``panel_presets.json``, each with its source and with what was left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import cycle
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from pydantic import BaseModel

from gym_clinic import strict_json
from gym_clinic.case import Case
from gym_clinic.consult.consultant import Consultant
from gym_clinic.consult.discussion import Discussion, OpenDiscussion, Round
from gym_clinic.consult.panel import Assessor, Member, Panel, self_reported
from gym_clinic.consult.question import Opinion, Question
from gym_clinic.consult.visibility import Visibility
from gym_clinic.consult.voting import SCORINGS, best_of, majority
from gym_clinic.errors import ConfigError
from gym_clinic.names import at_least_one, suggest

R = TypeVar("R", bound=BaseModel)

MOST_REPLIES = 64
"""Replies of a single agent at most, where a server reports too few tokens to compare."""


@dataclass(frozen=True)
class Preset:
    """How a panel of the literature talks and decides.

    Attributes:
        about: What it does.
        source: The paper.
        rounds: Most rounds, the first replies included.
        scoring: Name of the vote.
        debater: Whether a debater revises each answer.
        judge: When a judge decides: never, where the vote is tied, or always.
        summariser: Whether members hear a summary in place of the replies.
        groups: Groups; members of other groups are heard without their reasons.
        agreement: Share of the members that ends the discussion.
        keep: Members that stay from the third round on; None for all.
        early_stop: Whether agreement ends the discussion.
        stances: Instructions given to the members in turn, as the value ``stance``.
        assigned: Whether each member argues for an option that it is assigned, as the value
            ``argue_for``.
        members: Most members; None for all.
        complexity: Level -> fields that differ there.
        simplified: What differs from the paper.
    """

    about: str
    source: str
    rounds: int
    scoring: str
    debater: bool = False
    judge: Literal["never", "tie", "always"] = "never"
    summariser: bool = False
    groups: int = 1
    agreement: float = 1.0
    keep: int | None = None
    early_stop: bool = True
    stances: tuple[str, ...] = ()
    assigned: bool = False
    members: int | None = None
    complexity: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    simplified: str = ""

    def at(self, level: str) -> Preset:
        """Return the preset for a case of this complexity.

        Raises:
            ConfigError: The preset knows no such level.
        """
        if level not in self.complexity:
            raise ConfigError(f"no complexity {level!r}; {suggest(level, self.complexity)}")
        return replace(self, **self.complexity[level])

    def panel(
        self,
        members: Sequence[Member],
        *,
        options: Sequence[str] = (),
        debater: Member | None = None,
        judge: Member | None = None,
        summariser: Consultant | None = None,
        confidence: Assessor = self_reported,
        **settings: Any,
    ) -> Panel[Any]:
        """Make the panel.

        Args:
            members: The members.
            options: The valid choices; needed where members are assigned one.
            debater: Needed where the preset has a debater.
            judge: Needed where a judge may decide.
            summariser: Needed where the preset has one.
            confidence: How sure a member is of its reply.
            settings: Further arguments of :class:`.Panel`; they replace those of the preset.

        Raises:
            ConfigError: Somebody whom the preset needs is missing.
        """
        needs = {"debater": (self.debater, debater), "judge": (self.judge != "never", judge),
                 "summariser": (self.summariser, summariser),
                 "options": (self.assigned, options)}  # fmt: skip
        if missing := [name for name, (needed, given) in needs.items() if needed and not given]:
            raise ConfigError(f"this panel needs {', '.join(missing)}; see {self.source}")
        panel = _TieBreaking if self.judge == "tie" else Panel
        chosen = {
            "rounds": self.rounds,
            "vote": SCORINGS[self.scoring],
            "confidence": confidence,
            "debater": debater if self.debater else None,
            "judge": judge if self.judge != "never" else None,
            "visibility": Visibility(self.groups, summariser if self.summariser else None),
            "agreement": self.agreement,
            "keep": self.keep,
            "early_stop": self.early_stop,
        }
        return panel(self._instructed(members[: self.members], options), **{**chosen, **settings})

    def _instructed(self, members: Sequence[Member], options: Sequence[str]) -> list[Member]:
        """Return the members with their stances and assigned options as values."""
        stances, assigned = cycle(self.stances or ("",)), cycle(options or ("",))
        instructed = []
        for member in members:
            values = {"stance": next(stances), **member.values}
            if self.assigned:
                values["argue_for"] = next(assigned)
            instructed.append(replace(member, values=values))
        return instructed


class _TieBreaking(Panel[R]):
    """A panel whose judge is asked only where the vote is tied."""

    def _judge(self, talk: OpenDiscussion[R], case: Case) -> None:
        if self.result(talk).tied:
            super()._judge(talk, case)
        else:
            talk.stage = "over"


@lru_cache(maxsize=1)
def presets() -> Mapping[str, Preset]:
    """Return the presets by name."""
    file = Path(__file__).with_name("panel_presets.json")
    table: dict[str, dict[str, Any]] = strict_json.loads(file.read_text(encoding="utf-8"))
    return MappingProxyType({
        name: Preset(**{**fields, "stances": tuple(fields.get("stances", ()))})
        for name, fields in table.items()
    })  # fmt: skip


def single_agent(
    member: Member,
    question: Question[R],
    case: Case,
    options: Sequence[str],
    *,
    tokens: int | None = None,
    replies: int | None = None,
) -> Discussion[R]:
    """Ask one agent again and again, without discussion, and take the majority.

    It is the baseline at equal cost: give it what a panel has spent.

    Args:
        member: The agent.
        question: The question.
        case: The case; the tokens of all replies are charged to it.
        options: The valid choices, in the order that decides ties.
        tokens: Total tokens to spend at least; the last reply may exceed them.
        replies: Replies to ask for, where no tokens are reported (recorded replies and rules).

    Raises:
        ConfigError: Neither tokens nor replies are given, or both.
        ServiceError: The agent failed.
    """
    if (tokens is None) == (replies is None):
        raise ConfigError("give the tokens or the number of replies to spend, and not both")
    amount = at_least_one("replies", replies if replies is not None else MOST_REPLIES)
    limit = at_least_one("tokens", tokens) if tokens is not None else None
    panel: Panel[R] = Panel([member])
    opinions: list[Opinion[R]] = []
    spent = 0
    while len(opinions) < amount and (limit is None or spent < limit):
        asked = replace(question, round=question.round + len(opinions))
        (opinion,) = panel.discuss(asked, case, options).opinions
        spent += opinion.tokens.get("total_tokens", 0)
        opinions.append(replace(opinion, round=1))
    played = (Round(tuple(opinions)),)
    scores = majority(played)
    tied = best_of(scores, options or scores)
    return Discussion(played, scores, tied[0] if tied else None, tied if len(tied) > 1 else ())
