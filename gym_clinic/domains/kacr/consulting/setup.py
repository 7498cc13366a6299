"""Who takes part in a consultation, and how it is played: the options as a panel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from gym_clinic.case import Case
from gym_clinic.consult import (
    Assessor,
    Awaited,
    Consultant,
    Member,
    OpenDiscussion,
    Panel,
    Prompt,
    Question,
    read_prompt,
    self_reported,
    weighted_by_confidence,
)
from gym_clinic.domains.kacr.consulting.findings import fields
from gym_clinic.domains.kacr.consulting.members import DEBATER, MEMBER, PanelOpinion
from gym_clinic.domains.kacr.consulting.references import Reference
from gym_clinic.episode import Task
from gym_clinic.facts import load

Role = Literal["agent", "debater", "all", "nobody"]
"""Whom a policy plays; nobody where a panel only is to be heard."""

DEBATER_NAME = "debater"

STATED = 0.9
"""Confidence that the oracle states."""


@lru_cache(maxsize=1)
def prompts() -> Mapping[str, Prompt]:
    """Return the prompts P_g, P_m and P_d (KACR, appendix B) in our words."""
    folder = Path(__file__).with_name("prompts")
    return {path.stem: read_prompt(path) for path in sorted(folder.glob("*.md"))}


@dataclass(frozen=True)
class Setup:
    """The options of the consultation.

    Attributes:
        role: Whom the policy plays.
        confidence: How sure a member is of its reply.
        graph: Whether there are references.
        rounds: Rounds of discussion at most (R).
        reasoning: Iterations of step I behind the references (N).
        k: Members at most (K).
        members: The consultant behind the members that the policy does not play.
        debater: The consultant behind the debater.
    """

    role: Role
    confidence: Assessor = self_reported
    graph: bool = True
    rounds: int = 3
    reasoning: int = 3
    k: int = 5
    members: Consultant = MEMBER
    debater: Consultant = DEBATER

    def names(self, case: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the members that take part, in their order."""
        return tuple(case["panel"])[: self.k]

    def seat(self, case: Mapping[str, Any]) -> str:
        """Return the member that an agent plays."""
        names = self.names(case)
        seat: str = case["seat"]
        return seat if seat in names else names[0]

    def played(self, case: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the members whom the policy plays."""
        if self.role == "all":
            return self.names(case)
        return (self.seat(case),) if self.role == "agent" else ()

    def panel(self, case: Mapping[str, Any]) -> Panel[PanelOpinion]:
        """Return the panel of a case."""
        played, awaited = self.played(case), Awaited()
        members = [
            Member(
                name,
                awaited if name in played else self.members,
                values={
                    "discipline": load().disciplines[name].name,
                    "references": self._references(case, name),
                    "examination": "; ".join(case["examinations"].get(name, ())) or "nothing new",
                },
            )
            for name in self.names(case)
        ]
        revises = awaited if self.role in ("debater", "all") else self.debater
        return Panel(
            members,
            rounds=1 + self.rounds,
            vote=weighted_by_confidence,
            confidence=self.confidence,
            debater=Member(DEBATER_NAME, revises, prompt=prompts()["debate"]),
        )

    def question(self, case: Mapping[str, Any]) -> Question[PanelOpinion]:
        """Return the question to the members (P_g, and P_m as its follow-up)."""
        return Question(
            "consultation",
            prompts()["diagnose"],
            {"question": f"{case['question']} {case['note']}", "options": options_text(case)},
            PanelOpinion,
            follow_up=prompts()["discuss"],
        )

    def open(self, case: Case) -> OpenDiscussion[PanelOpinion]:
        """Return a discussion of a case that has begun; the first replies are in."""
        panel = self.panel(case)
        return panel.advance(panel.open(self.question(case), list(case["options"])), case)

    def _references(self, case: Mapping[str, Any], name: str) -> Any:
        """Return the references of a member; written when a prompt asks for them."""
        if not self.graph:
            return "No references."
        read = {key: case[key] for key in ("option_ids", "linked")}
        return Reference(read, name, self.reasoning)


def options_text(case: Mapping[str, Any]) -> str:
    """Return the options, one a line."""
    return "\n".join(f"{letter}. {name}" for letter, name in case["options"].items())


def panel_text(setup: Setup, case: Mapping[str, Any]) -> str:
    """Return the members and what each examines, one a line."""
    disciplines = load().disciplines
    return "\n".join(
        f"- {name} ({disciplines[name].name}): examines {', '.join(fields()[name])}"
        for name in setup.names(case)
    )


def plays_out(setup: Setup, task: Task) -> str | None:
    """Return the panel's answer if the policy always gives the gold with the oracle's argument."""
    case = Case(task.record)
    talk, panel = setup.open(case), setup.panel(case)
    while talk.pending:
        reply = oracle_reply(task)
        panel.advance(talk, case, dict.fromkeys(talk.pending, reply))
    return panel.result(talk).choice


def oracle_reply(task: Task) -> PanelOpinion:
    """Return the reply that argues best for the right answer."""
    return PanelOpinion(
        choice=task.gold["answer"],
        confidence=STATED,
        findings=list(task.gold["findings"]),
        explanation="These findings hold, and they decide between the options.",
    )
