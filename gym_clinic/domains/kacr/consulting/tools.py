"""The tools of the consultation: hear the panel, read references, speak, revise, close."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, TypedDict

from gym_clinic.case import Case
from gym_clinic.consult import Discussion, OpenDiscussion, Opinion, vote
from gym_clinic.domains.kacr.consulting.members import PanelOpinion, findings_of
from gym_clinic.domains.kacr.consulting.references import paths_of
from gym_clinic.domains.kacr.consulting.setup import Setup
from gym_clinic.episode import Task
from gym_clinic.errors import ToolError
from gym_clinic.facts import load
from gym_clinic.names import suggest
from gym_clinic.toolbox import Kind, tool

UNHEARD = 0.75
"""Weight of an answer that closes a consultation before its member has stated a confidence."""


class Closing(TypedDict):
    """How a consultation was closed.

    Attributes:
        choice: The answer given.
        winner: The panel's vote with it.
        tie: Whether options shared the highest score.
        unanimous: Whether all agree.
    """

    choice: str
    winner: str | None
    tie: bool
    unanimous: bool


class ConsultationCase(Case):
    """One consultation: the record, and the discussion so far under ``talk``.

    Args:
        task: The task.
        setup: The options.
    """

    def __init__(self, task: Task, setup: Setup) -> None:
        super().__init__(task.record)
        self.setup = setup

    def talk(self) -> OpenDiscussion[PanelOpinion]:
        """Return the discussion of this episode; it is opened when it is first asked for."""
        talk: OpenDiscussion[PanelOpinion] | None = self["talk"]
        if talk is None:
            talk = self["talk"] = self.setup.open(self)
        return talk

    def heard(self) -> OpenDiscussion[PanelOpinion]:
        """Return the discussion as it stands; the case is not changed."""
        talk: OpenDiscussion[PanelOpinion] | None = self["talk"]
        return self.setup.open(self) if talk is None else talk

    def result(self) -> Discussion[PanelOpinion] | None:
        """Return the outcome of a discussion that is over; None before."""
        talk: OpenDiscussion[PanelOpinion] | None = self["talk"]
        return self.setup.panel(self).result(talk) if talk is not None and talk.over else None


@tool(kind=Kind.WRITE)
def hear_panel(case: ConsultationCase) -> str:
    """Hear what the panel has said so far: answers, reasons, confidences and votes."""
    return "\n".join(_heard(case, case.talk()))


@tool
def read_references(case: ConsultationCase, options: list[str]) -> str:
    """Read what the clinical graph says about options: discipline and symptoms of the disease.

    Args:
        options: Letters of options, such as ["A", "C"].
    """
    letters = [_letter(case, option) for option in options]
    return "\n".join(paths_of(case, letters, case.setup.reasoning))


@tool(kind=Kind.WRITE)
def give_opinion(
    case: ConsultationCase,
    discipline: str,
    choice: str,
    confidence: float,
    findings: list[str],
    explanation: str,
) -> str:
    """Give the opinion of a member that you play, in this round.

    Args:
        discipline: The member, such as "cardiology".
        choice: The letter of an option.
        confidence: How sure you are, from 0 to 1.
        findings: Names of the findings on which you rest it; open members weigh them.
        explanation: Why, in a few sentences.
    """
    reply = _reply(case, choice, confidence, findings, explanation)
    return _answer(case, discipline, reply, ("reply",))


@tool(kind=Kind.WRITE)
def calibrate_answer(case: ConsultationCase, discipline: str, choice: str, explanation: str) -> str:
    """As the debater, confirm or revise the answer of a member in this round.

    Args:
        discipline: The member whose answer it is.
        choice: The letter of the most proper option.
        explanation: What you tell this member.
    """
    return _answer(case, discipline, _reply(case, choice, 0.5, [], explanation), ("debate",))


@tool(kind=Kind.SUBMIT)
def submit_diagnosis(case: ConsultationCase, choice: str) -> Closing:
    """Close the consultation with your answer: it replaces those of all whom you play or revise.

    Args:
        choice: The letter of an option.
    """
    letter = _letter(case, choice)
    talk = copy.deepcopy(case.heard())
    played = case.setup.played(case)
    latest = list(_latest(talk))
    if case.setup.role == "agent":
        (seat,) = played
        spoken = {opinion.member: opinion for opinion in latest}
        weights = [spoken[name].confidence if name in spoken else UNHEARD for name in talk.active]
        answers = [letter if name == seat else spoken[name].choice for name in talk.active]
    else:
        weights, answers = [1.0] * len(talk.active), [letter] * len(talk.active)
    counted = vote(answers, weights, list(case["options"]))
    return Closing(
        choice=letter, winner=counted.winner, tie=counted.tie, unanimous=counted.unanimous
    )


TOOLS = (hear_panel, read_references, give_opinion, calibrate_answer, submit_diagnosis)


def _latest(talk: OpenDiscussion[Any]) -> Iterator[Opinion[Any]]:
    """Yield the last opinion of each member that has spoken."""
    for name in talk.active:
        before = [opinion for played in talk.rounds for opinion in played.final
                  if opinion.member == name]  # fmt: skip
        now = talk.debated.get(name) or talk.opinions.get(name)
        opinion = now or (before[-1] if before else None)
        if opinion is not None:
            yield opinion


def _letter(case: ConsultationCase, choice: str) -> str:
    options = case["options"]
    given = choice.strip().rstrip(".").casefold()
    for letter, name in options.items():
        if given in (letter.casefold(), name.casefold(), f"{letter}. {name}".casefold()):
            found: str = letter
            return found
    raise ToolError(f"no option {choice!r:.60}; choose from {', '.join(options)}")


def _reply(
    case: ConsultationCase, choice: str, confidence: float, findings: list[str], explanation: str
) -> PanelOpinion:
    if not 0 <= confidence <= 1:
        raise ToolError(f"confidence is a number from 0 to 1, not {confidence:g}")
    return PanelOpinion(choice=_letter(case, choice), confidence=confidence, findings=findings,
                        explanation=explanation)  # fmt: skip


def _answer(
    case: ConsultationCase, discipline: str, reply: PanelOpinion, stages: Sequence[str]
) -> str:
    """Hand a reply to the discussion and return what was said since."""
    talk, panel = case.talk(), case.setup.panel(case)
    if talk.over:
        raise ToolError("the consultation is over")
    name = _member(discipline, case)
    if talk.stage not in stages:
        needed = "give_opinion" if talk.stage == "reply" else "calibrate_answer"
        raise ToolError(f"this is the stage of {needed}, for {', '.join(talk.pending)}")
    if name not in talk.pending:
        raise ToolError(f"{name} is not yours to answer now; open: {', '.join(talk.pending)}")
    before = len(talk.rounds)
    panel.advance(talk, case, {name: reply})
    return "\n".join(_heard(case, talk, since=before))


def _member(discipline: str, case: ConsultationCase) -> str:
    names = case.setup.names(case)
    given = discipline.strip().casefold()
    for name in names:
        if given in (name, load().disciplines[name].name.casefold()):
            return name
    raise ToolError(f"no member {discipline!r:.60}; {suggest(discipline, names)}")


def _heard(
    case: ConsultationCase, talk: OpenDiscussion[PanelOpinion], since: int = 0
) -> Iterator[str]:
    """Yield what was said from a round on, and whose turn it is."""
    for number, played in enumerate(talk.rounds):
        if number < since:
            continue
        yield f"Round {number} ({'first diagnosis' if number == 0 else 'discussion'})"
        yield from map(_line, played.opinions)
        if played.debated:
            yield "After the debate:"
            yield from (_line(opinion, debated=True) for opinion in played.debated)
        yield f"Vote: {played.consensus or 'nobody voted'}"
    if talk.over:
        result = case.setup.panel(case).result(talk)
        agreed = "unanimous" if result.unanimous else "by vote"
        yield f"The consultation is over: {result.choice or 'no answer'} ({agreed})."
        return
    # In an open round, the debater has heard the replies; the members have not.
    if talk.stage == "debate":
        yield f"Round {len(talk.rounds)} (discussion)"
        yield from map(_line, talk.opinions.values())
        yield f"Calibrate the answers of: {', '.join(talk.pending)}"
    else:
        yield f"Round {len(talk.rounds)}: give the opinions of: {', '.join(talk.pending)}"


def _line(opinion: Opinion[PanelOpinion], *, debated: bool = False) -> str:
    if opinion.reply is None:
        return f"- {opinion.member}: no reply ({opinion.failure})"
    if debated:
        return f"- {opinion.member}: {opinion.choice}. {opinion.reply.explanation}"
    findings = "; ".join(findings_of(opinion))
    rests = f" Rests on: {findings}." if findings else ""
    return (
        f"- {opinion.member}: {opinion.choice} (confidence {opinion.confidence:.2f}). "
        f"{opinion.reply.explanation}{rests}"
    )
