"""A differential diagnosis from the published library: naive Bayes over findings.

It reads the fact tables alone. Each finding counts by itself, with the share of patients that the
table of conditions, or else the profile of the disease, states. It is what a textbook gives: it
knows neither how the patient came to be nor what a test of this patient would show.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from gym_clinic.facts import BANDS, Frequency, Person, load, most_specific, with_ancestors

ELSEWHERE = 0.03
"""Share of patients who have a finding that the table of their disease does not name."""

UNKNOWN = 0.3
"""Share that stands for a frequency that nobody knows."""

DENIED = 0.8
"""How much a denied finding counts: patients forget."""


@dataclass(frozen=True)
class Candidate:
    """A disease of a differential diagnosis.

    Attributes:
        disease: Its id.
        score: Natural logarithm of its likelihood; higher is better.
        fits: Ids of the findings that it explains.
        against: Ids of denied findings that most of its patients have.
    """

    disease: str
    score: float
    fits: tuple[str, ...]
    against: tuple[str, ...]


def differential(
    present: Collection[str], absent: Collection[str] = (), person: Person | None = None
) -> list[Candidate]:
    """Return the presenting diseases of the library, the most likely first.

    Args:
        present: Ids of findings that are there.
        absent: Ids of findings that are not.
        person: Who the patient is: diseases that such a person never has are left out.
    """
    facts = load()
    there = most_specific(present, facts.above)
    found = []
    for disease, rates in finding_rates().items():
        who = facts.diseases[disease].epidemiology
        if person is not None and who is not None and not who.admits(person):
            continue
        score = sum(math.log(max(rates.get(one, 0.0), ELSEWHERE)) for one in there)
        score += sum(math.log(1 - DENIED * min(rates.get(one, 0.0), 0.98)) for one in absent)
        fits = sorted(one for one in there if rates.get(one, 0.0) > ELSEWHERE)
        against = sorted(one for one in absent if rates.get(one, 0.0) >= 0.5)
        found.append(Candidate(disease, score, tuple(fits), tuple(against)))
    return sorted(found, key=lambda one: (-one.score, one.disease))


@lru_cache(maxsize=1)
def finding_rates() -> Mapping[str, Mapping[str, float]]:
    """Return disease -> finding -> share of its patients, for the diseases that bring patients.

    Whoever has a finding has the more general ones, so that these are at least as frequent.
    """
    facts = load()
    found: dict[str, dict[str, float]] = {}
    for key, condition in facts.conditions.items():
        if condition.role == "background":
            continue
        stated = {one.phenotype: _share(one.frequency) for one in facts.diseases[key].phenotypes}
        forms = [(1.0, condition.rates)]
        forms += [(form.share, form.rates) for form in condition.variants.values()]
        for _, rates in forms[:1]:
            stated |= {facts.finding_ids[name]: rate for name, rate in rates.items()}
        for name in {name for _, rates in forms[1:] for name in rates}:
            usual = stated.get(facts.finding_ids[name], 0.0)
            stated[facts.finding_ids[name]] = sum(
                share * rates.get(name, usual) for share, rates in forms[1:]
            )
        whole: dict[str, float] = {}
        for one, rate in stated.items():
            for general in with_ancestors([one], facts.above):
                whole[general] = max(whole.get(general, 0.0), rate)
        found[key] = whole
    return found


def _share(frequency: Frequency) -> float:
    if frequency.absent:
        return 0.0
    if frequency.value is not None:
        return frequency.value
    if frequency.band is None:
        return UNKNOWN
    _, low, high = BANDS[frequency.band]
    return (low + high) / 2
