"""The rules baseline: an investigator that reads what it retrieves.

It matches the findings of the case, weighs the diseases of the references by how much of the case
each reference explains, looks up the best candidates, weighs them by the guideline's phenotypes,
and searches for what is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from gym_clinic.domain import CallSpec
from gym_clinic.domains.dxsearch.reading import (
    Environment,
    Investigator,
    first_diseases,
    one_line,
    present_in,
    profiles,
    references,
)
from gym_clinic.domains.dxsearch.tools import (
    lookup_guidelines,
    match_patients,
    search_literature,
    submit_diagnoses,
)

CANDIDATES, SEARCHED, ANSWERED = 10, 3, 5
GUIDE_WEIGHT = 1.5
"""Weight of the share of the case that a guideline names, beside that of the references."""


def rules(env: Environment, *, reads: bool = True) -> Callable[[int], Investigator]:
    """Make the baseline.

    Args:
        env: The environment.
        reads: Whether it reads references and guidelines; if not, it takes the order of the
            references, to measure what reading is worth.
    """

    def plan(ticket: str) -> Iterator[CallSpec]:
        findings = present_in(ticket) or ["Fatigue"]
        matched = yield match_patients.name, {"phenotypes": one_line(findings)}
        candidates = (
            _ranked(matched, set(findings)) if reads else first_diseases(matched, CANDIDATES)
        )
        guide = yield lookup_guidelines.name, {"diseases": one_line(candidates[:CANDIDATES])}
        if reads:
            candidates = _reranked(matched, guide, set(findings))
        searched = one_line(candidates[:SEARCHED]) or ["differential diagnosis"]
        yield search_literature.name, {"source": "WIKI", "queries": searched}
        yield submit_diagnoses.name, {"diagnoses": candidates[:ANSWERED] or ["unknown"]}

    return lambda seed: Investigator(plan, env.dialect)


def _support(matched: str, findings: set[str]) -> Counter[str]:
    """Disease -> how much of the case its references explain, the best reference first."""
    known = {name.casefold() for name in findings}
    support: Counter[str] = Counter()
    for rank, (phenotypes, disease) in enumerate(references(matched)):
        shared = {name.casefold() for name in phenotypes} & known
        support[disease] += (len(shared) / max(len(known), 1)) / (1 + rank / 5)
    return support


def _ranked(matched: str, findings: set[str]) -> list[str]:
    return [disease for disease, _ in _support(matched, findings).most_common()]


def _reranked(matched: str, guide: str, findings: set[str]) -> list[str]:
    known = {name.casefold() for name in findings}
    support = _support(matched, findings)
    for disease, phenotypes in profiles(guide).items():
        named = [name.casefold() in known for name in phenotypes]
        if disease in support:
            support[disease] += GUIDE_WEIGHT * sum(named) / max(len(known), 1)
    return [disease for disease, _ in support.most_common()]
