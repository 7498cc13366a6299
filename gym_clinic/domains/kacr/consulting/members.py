"""The recorded members of a panel, its debater and its judge: how they answer, round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, Field

from gym_clinic.consult import (
    DiscussionSummary,
    Opinion,
    Question,
    Rules,
    majority,
    opinions_text,
)
from gym_clinic.consult.discussion import Round
from gym_clinic.consult.voting import best_of
from gym_clinic.domains.kacr.consulting.findings import decides
from gym_clinic.domains.kacr.consulting.speech import later, names_in_words
from gym_clinic.facts import load
from gym_clinic.facts.passages.sentences import inside

DECISIVE = 2
"""Findings that hold and decide for an option before an open member is moved by an argument."""

FIRST_DRIFT = 3
"""Round from which open members follow the most senior, and the debater leans to the consensus."""

LAST_STAND = 5
"""Round in which those who are firm give way, if they ever do."""


class PanelOpinion(BaseModel):
    """A reply in a consultation."""

    choice: str = Field(description="the letter of the option you choose")
    confidence: float = Field(description="how sure you are, from 0 to 1", ge=0.0, le=1.0)
    findings: list[str] = Field(description="names of the findings on which you rest it")
    explanation: str = Field(description="why, step by step, in a few sentences")


class Argument(NamedTuple):
    """The strongest argument that was heard.

    Attributes:
        choice: The option it is for.
        findings: Names of its findings that hold in the patient and decide for the option.
    """

    choice: str
    findings: tuple[str, ...]


def recorded_member(question: Question[Any], case: Any) -> dict[str, Any]:
    """Answer as a member of the panel that was recorded for this case."""
    member, record = question.role, case["opinions"][question.role]
    first = {name: record[name] for name in ("choice", "confidence", "findings", "explanation")}
    first["findings"] = list(first["findings"])
    if assigned := question.values.get("argue_for"):
        return {
            **first,
            "choice": assigned,
            "explanation": _said("keeps", question, case, assigned),
        }
    heard = [opinion for opinion in question.opinions if opinion.choice is not None]
    if question.round == 1 or not heard:
        return first
    own = next((opinion for opinion in heard if opinion.member == member), None)
    held = own.choice if own is not None and own.choice is not None else record["choice"]
    argument = strongest(heard, case)
    senior = _senior(member, heard, case)
    open_to_reasons = record["temper"] == "open"
    if open_to_reasons and argument is not None and argument.choice != held:
        said = _said("persuaded", question, case, argument.choice,
                     findings=names_in_words(argument.findings))  # fmt: skip
        return {**first, "choice": argument.choice, "findings": list(argument.findings),
                "explanation": said}  # fmt: skip
    follows = record["temper"] == "follower" or (
        open_to_reasons and question.round >= FIRST_DRIFT and argument is None
    )
    if record["temper"] == "firm":
        follows = bool(record["yields"]) and question.round >= LAST_STAND
    if follows and senior is not None and senior.choice != held:
        other = load().disciplines[senior.member].name
        said = _said("follows", question, case, senior.choice or held, other=other)
        return {**first, "choice": senior.choice, "findings": [], "explanation": said}
    said = _said("keeps", question, case, held)
    return {**first, "choice": held, "findings": [], "explanation": said}


def recorded_debater(question: Question[Any], case: Any) -> dict[str, Any]:
    """Revise the answer of a member as the recorded debater does.

    A strong argument revises the answers of those who are open to it; from the second round of
    discussion on, the answers of all who are not firm are revised to the leading one.
    """
    member, answer = question.values["member"], question.values["answer"]
    temper = case["opinions"][member]["temper"]
    argument = strongest(question.opinions, case)
    if argument is not None and temper == "open":
        choice, findings = argument
        if choice != answer:
            said = _said("persuaded", question, case, choice, findings=names_in_words(findings))
            return _reply(choice, list(findings), said)
    elif question.round >= FIRST_DRIFT and temper != "firm" and argument is None:
        leading = _leading(question.opinions)
        if leading is not None and leading != answer:
            return _reply(leading, [], _said("revised", question, case, leading))
    if answer not in case["options"]:
        answer = next(iter(case["options"]))
    return _reply(answer, [], _said("upheld", question, case, answer))


def recorded_judge(question: Question[Any], case: Any) -> dict[str, Any]:
    """Decide as a judge without knowledge: for the most confident reply."""
    sure = max(question.opinions, key=lambda opinion: opinion.confidence)
    choice = sure.choice or next(iter(case["options"]))
    return _reply(choice, findings_of(sure), _said("upheld", question, case, choice))


def recorded_summary(question: Question[Any], case: Any) -> DiscussionSummary:
    """Sum a round up by its replies."""
    return DiscussionSummary(summary=opinions_text(question.opinions))


MEMBER, DEBATER, JUDGE = Rules(recorded_member), Rules(recorded_debater), Rules(recorded_judge)
SUMMARISER = Rules(recorded_summary)


def strongest(opinions: Sequence[Opinion[Any]], case: Mapping[str, Any]) -> Argument | None:
    """Return the argument with most findings that hold and decide, if it has enough of them.

    The recorded first opinions move nobody: every member knows them, and they left the panel
    divided.
    """
    best: Argument | None = None
    for opinion in opinions:
        recorded = case["opinions"].get(opinion.member, {}).get("explanation")
        new = getattr(opinion.reply, "explanation", None) != recorded
        if new and opinion.choice is not None and opinion.choice in case["options"]:
            findings = decisive(opinion.choice, findings_of(opinion), case)
            if len(findings) >= DECISIVE and (best is None or len(findings) > len(best.findings)):
                best = Argument(opinion.choice, findings)
    return best


def decisive(choice: str, names: Sequence[str], case: Mapping[str, Any]) -> tuple[str, ...]:
    """Return those of some findings that the patient has and that decide for an option.

    Args:
        choice: The letter of the option.
        names: Names of findings, in any case of letters.
        case: The case.
    """
    facts, options = load(), case["option_ids"]
    holds = {name for seen in case["examinations"].values() for name in seen}
    holds.update(facts.phenotypes[key].name for key in case["told"])
    by_name = {name.casefold(): name for name in holds}
    held = dict.fromkeys(by_name.get(name.casefold().strip(), "") for name in names)
    return tuple(
        name
        for name in held
        if name and decides(facts.finding_ids[name], options[choice], tuple(options.values()))
    )


def findings_of(opinion: Opinion[Any]) -> list[str]:
    """Return the names of the findings of an opinion; none for a viewpoint without reasons."""
    return list(getattr(opinion.reply, "findings", ()))


def _senior(member: str, heard: Sequence[Opinion[Any]], case: Any) -> Opinion[Any] | None:
    """Return the opinion of the most senior member heard; None if it is the member itself."""
    by_name = {opinion.member: opinion for opinion in heard}
    for name in case["seniority"]:
        if name in by_name:
            return None if name == member else by_name[name]
    return None


def _leading(opinions: Sequence[Opinion[Any]]) -> str | None:
    scores = majority([Round(tuple(opinions))])
    tied = best_of(scores, sorted(scores))
    return tied[0] if len(tied) == 1 else None


def _reply(choice: str, findings: list[str], said: str) -> dict[str, Any]:
    return {"choice": choice, "confidence": 0.5, "findings": findings, "explanation": said}


def _said(pool: str, question: Question[Any], case: Any, choice: str, **facts: str) -> str:
    member = question.values.get("member", question.role)
    seed = f"{case['question']}:{member}:{question.round}:{pool}:{choice}"
    return later(pool, case["phrases"], seed, {"choice": inside(case["options"][choice]), **facts})
