"""The rules baseline: it checks the reasons of the panel before it believes anybody.

A finding counts if the ticket states it, or if the ticket does not speak of it and it lies in the
field of who says it. Whoever names a finding that the ticket denies, or one outside the own field
that nobody else knows of, is not believed for it. What counts speaks for every option of which the
references say that it is typical, the more, the fewer they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

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
from gym_clinic.facts import load

SEEN = 2.0
"""Weight of a finding of an examination, beside one of the ticket."""


def rules(env: PanelEnvironment, *, checks: bool = True) -> Callable[[int], PanelReader]:
    """Make the baseline.

    Args:
        env: The environment.
        checks: Whether findings are checked; if not, every finding that is named counts, to
            measure what checking is worth.
    """

    def plan(text: str) -> Plan:
        ticket = read_ticket(text)
        paths = read_paths((yield "read_references", {"options": list(ticket.options)}))
        spoken = read_opinions((yield "hear_panel", {}))
        known = believed(ticket, spoken, checks=checks)
        choice = best_option(ticket, paths, known)
        yield "submit_diagnosis", {"choice": choice}

    return lambda seed: PanelReader(plan, env.dialect)


def unchecked(env: PanelEnvironment) -> Callable[[int], PanelReader]:
    """Make the same baseline, which believes everybody."""
    return rules(env, checks=False)


def believed(
    ticket: TicketFacts, spoken: Iterable[SpokenOpinion], *, checks: bool = True
) -> dict[str, float]:
    """Return finding -> its weight, for the findings that count."""
    known = dict.fromkeys(ticket.present, 1.0)
    for found in ticket.examined.values():
        known |= dict.fromkeys(found, SEEN)
    for opinion in spoken:
        for finding in opinion.findings:
            if not checks:
                known[finding] = known.get(finding, 0.0) + 1.0
            elif finding not in ticket.absent and _in_field(ticket, opinion.member, finding):
                known.setdefault(finding, SEEN)
    return known


def best_option(
    ticket: TicketFacts, paths: Mapping[str, frozenset[str]], known: Mapping[str, float]
) -> str:
    """Return the option for which most of what is known speaks."""
    support = dict.fromkeys(ticket.options, 0.0)
    for finding, weight in known.items():
        fitting = [letter for letter, typical in paths.items() if finding in typical]
        for letter in fitting:
            support[letter] += weight / len(fitting) ** 2
    for letter, typical in paths.items():
        support[letter] -= 0.25 * len(typical & ticket.absent)
    return max(support, key=lambda letter: support[letter])


def _in_field(ticket: TicketFacts, member: str, finding: str) -> bool:
    facts = load()
    key = facts.finding_ids.get(finding)
    return key is not None and facts.phenotypes[key].group in ticket.fields.get(member, "")
