"""The rules baseline: an investigator that reads what it retrieves.

It matches the findings that the case states, weighs the disease of each reference by what the
reference shares with the case and by what it has that the case denies, looks up the best
candidates, weighs them by the phenotypes of their guidelines in the same way, and searches for what
is left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass

from gym_clinic.domain import CallSpec
from gym_clinic.domains.dxsearch.reading import (
    DialectHolder,
    Investigator,
    first_diseases,
    one_line,
    profiles,
    references,
    stated_in,
)
from gym_clinic.domains.dxsearch.tools import (
    lookup_guidelines,
    match_patients,
    search_literature,
    submit_diagnoses,
)

CANDIDATES, SEARCHED, ANSWERED = 10, 3, 5

GUIDE_WEIGHT = 1.5
"""Weight of the share of the case that a guideline names, beside that of the best reference."""

DENIED_WEIGHT = 0.7
"""What a typical phenotype that the case denies, or an excluded one that it has, counts against."""


def rules(env: DialectHolder, *, reads: bool = True) -> Callable[[int], Investigator]:
    """Make the baseline.

    Args:
        env: The environment.
        reads: Whether it reads references and guidelines; if not, it takes the order of the
            references, to measure what reading is worth.
    """

    def plan(ticket: str) -> Generator[CallSpec, str, None]:
        present, absent = stated_in(ticket)
        evidence = _StatedFindings.of(present, absent)
        asked = one_line(present) or ["Fatigue"]
        matched = yield match_patients.name, {"phenotypes": asked}
        support = evidence.from_references(matched)
        candidates = _ordered(support) if reads else first_diseases(matched, CANDIDATES)
        guide = yield lookup_guidelines.name, {"diseases": one_line(candidates[:CANDIDATES])}
        if reads:
            candidates = _ordered(evidence.with_guidelines(guide, support))
        searched = one_line(candidates[:SEARCHED]) or ["differential diagnosis"]
        yield search_literature.name, {"source": "WIKI", "queries": searched}
        yield submit_diagnoses.name, {"diagnoses": candidates[:ANSWERED] or ["unknown"]}

    return lambda seed: Investigator(plan, env.dialect)


def without_reading(env: DialectHolder) -> Callable[[int], Investigator]:
    """Make the same investigator, taking the order of the references."""
    return rules(env, reads=False)


@dataclass(frozen=True)
class _StatedFindings:
    """The findings that a case states as present and as absent, case-folded."""

    present: frozenset[str]
    absent: frozenset[str]

    @classmethod
    def of(cls, present: Collection[str], absent: Collection[str]) -> _StatedFindings:
        return cls(_folded(present), _folded(absent))

    def share(self, names: Collection[str]) -> float:
        """Return the share of what the case states as present that names have."""
        return len(_folded(names) & self.present) / max(len(self.present), 1)

    def from_references(self, matched: str) -> dict[str, float]:
        """Disease -> what its best reference shares with the case, less what the case denies."""
        support: dict[str, float] = {}
        for phenotypes, disease in references(matched):
            denied = len(_folded(phenotypes) & self.absent) / max(len(self.present), 1)
            value = self.share(phenotypes) - denied
            support[disease] = max(support.get(disease, value), value)
        return support

    def with_guidelines(self, guide: str, support: dict[str, float]) -> dict[str, float]:
        """Return the support with what the guidelines name as typical and as excluded."""
        weighed = dict(support)
        for disease, (typical, excluded) in profiles(guide).items():
            if disease in weighed:
                against = _folded(typical) & self.absent | _folded(excluded) & self.present
                weighed[disease] += GUIDE_WEIGHT * self.share(typical)
                weighed[disease] -= DENIED_WEIGHT * len(against)
        return weighed


def _folded(names: Collection[str]) -> frozenset[str]:
    return frozenset(name.casefold() for name in names)


def _ordered(support: dict[str, float]) -> list[str]:
    """Return diseases, those with most support first; equals in the order of the references."""
    return sorted(support, key=lambda disease: -support[disease])
