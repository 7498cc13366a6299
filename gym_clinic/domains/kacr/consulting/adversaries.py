"""Cheap tricks on a consultation: whom to believe without looking at the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gym_clinic.domains.kacr.consulting import baseline
from gym_clinic.domains.kacr.consulting.reading import (
    PanelEnvironment,
    PanelReader,
    Plan,
    SpokenOpinion,
    TicketFacts,
    read_opinions,
    read_paths,
    read_ticket,
)

Choice = Callable[[TicketFacts, Sequence[SpokenOpinion]], str]


def most_confident(ticket: TicketFacts, spoken: Sequence[SpokenOpinion]) -> str:
    """Follow the member that is most sure."""
    return max(spoken, key=lambda opinion: opinion.confidence).choice


def majority_vote(ticket: TicketFacts, spoken: Sequence[SpokenOpinion]) -> str:
    """Follow the majority; the first option of equals."""
    count = Counter(opinion.choice for opinion in spoken)
    return max(sorted(count), key=lambda letter: count[letter])


def minority_vote(ticket: TicketFacts, spoken: Sequence[SpokenOpinion]) -> str:
    """Follow the answer that fewest members give; the first option of equals."""
    count = Counter(opinion.choice for opinion in spoken)
    return min(sorted(count), key=lambda letter: count[letter])


def confidence_vote(ticket: TicketFacts, spoken: Sequence[SpokenOpinion]) -> str:
    """Follow the vote weighted by confidence."""
    total: Counter[str] = Counter()
    for opinion in spoken:
        total[opinion.choice] += opinion.confidence  # type: ignore[assignment]
    return max(sorted(total), key=lambda letter: total[letter])


def longest_reason(ticket: TicketFacts, spoken: Sequence[SpokenOpinion]) -> str:
    """Follow the longest explanation."""
    return max(spoken, key=lambda opinion: len(opinion.text)).choice


def first_speaker(ticket: TicketFacts, spoken: Sequence[SpokenOpinion]) -> str:
    """Follow who speaks first."""
    return spoken[0].choice


def last_speaker(ticket: TicketFacts, spoken: Sequence[SpokenOpinion]) -> str:
    """Follow who speaks last."""
    return spoken[-1].choice


def first_option(ticket: TicketFacts, spoken: Sequence[SpokenOpinion]) -> str:
    """Take the first option."""
    return next(iter(ticket.options))


def _adversary(choose: Choice) -> Callable[[PanelEnvironment], Callable[[int], PanelReader]]:
    def plan(text: str) -> Plan:
        ticket = read_ticket(text)
        spoken = read_opinions((yield "hear_panel", {}))
        seen: dict[str, SpokenOpinion] = {}
        for opinion in spoken:
            seen.setdefault(opinion.member, opinion)
        choice = choose(ticket, list(seen.values())) if seen else next(iter(ticket.options))
        yield "submit_diagnosis", {"choice": choice}

    return lambda env: lambda seed: PanelReader(plan, env.dialect)


def _ticket_alone(env: PanelEnvironment) -> Callable[[int], PanelReader]:
    def plan(text: str) -> Plan:
        ticket = read_ticket(text)
        paths = read_paths((yield "read_references", {"options": list(ticket.options)}))
        choice = baseline.best_option(ticket, paths, baseline.believed(ticket, ()))
        yield "submit_diagnosis", {"choice": choice}

    return lambda seed: PanelReader(plan, env.dialect)


ADVERSARIES: Mapping[str, Callable[..., Any]] = {
    choose.__name__.replace("_", "-"): _adversary(choose)
    for choose in (first_option, most_confident, majority_vote, minority_vote, confidence_vote,
                   longest_reason, first_speaker, last_speaker)
}  # fmt: skip
"""Tricks that look at no reason: none earns .1 more than the best constant."""

CEILINGS: Mapping[str, Callable[..., Any]] = {
    "ticket-alone": _ticket_alone,
    "believes-all": baseline.unchecked,
}
"""Published beside the rules: the question with the references but no panel, and the panel
unchecked."""
