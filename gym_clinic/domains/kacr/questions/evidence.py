"""What findings say for diseases and disciplines: naive Bayes over the shares of the fact tables.

It is used to draw questions that have an answer, and for the hidden record; no agent sees it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gym_clinic.facts import Facts, Person, load
from gym_clinic.simulate.disease.persons import frequency
from gym_clinic.simulate.presentation import Presentations

LEAK = 0.015
"""Chance of a finding that a disease does not name, from other causes."""

MOST_CERTAIN = 0.97
"""Greatest chance of a finding, so that none that is absent rules a disease out."""

PRIOR_POWER = 0.4
"""Frequencies of diseases are raised to it: rare diseases keep some weight."""


@lru_cache(maxsize=1)
def presentations() -> Presentations:
    """Return the patients of all diseases of the fact tables."""
    return Presentations(load())


class DiseaseEvidence:
    """The chances of findings in all diseases, as arrays.

    Attributes:
        diseases: Ids, sorted.
        findings: Finding -> its column.
        present: Logarithm of the chance of a finding, shape (diseases, findings); that of its
            special forms counts for the finding.
        absent: Logarithm of the chance of its absence, likewise.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        room = presentations()
        self.diseases = tuple(room.diseases)
        self.findings = {key: place for place, key in enumerate(facts.phenotypes)}
        chance = np.full((len(self.diseases), len(self.findings)), LEAK, dtype=np.float64)
        for row, disease in enumerate(self.diseases):
            for key, share in room.shares(disease).items():
                for implied in (key, *facts.above[key]):
                    place = self.findings[implied]
                    chance[row, place] = max(chance[row, place], min(share, MOST_CERTAIN))
        self.present: NDArray[np.float64] = np.log(chance)
        self.absent: NDArray[np.float64] = np.log1p(-chance)

    def posterior(
        self, person: Person, present: Collection[str], absent: Collection[str] = ()
    ) -> dict[str, float]:
        """Return disease -> its probability given what is told, the likelier ones first."""
        log = self.prior(person)
        log = log + self.present[:, [self.findings[key] for key in present]].sum(axis=1)
        log = log + self.absent[:, [self.findings[key] for key in absent]].sum(axis=1)
        weight = np.exp(log - log.max())
        weight /= weight.sum()
        order = np.argsort(-weight, kind="stable")[:40]
        return {self.diseases[place]: float(weight[place]) for place in order}

    def prior(self, person: Person) -> NDArray[np.float64]:
        """Return the logarithms of the weights of all diseases in a person."""
        return _prior(person._replace(age=round(person.age, 2)))

    def disciplines(self, posterior: Mapping[str, float]) -> dict[str, float]:
        """Return discipline -> its share of the probability, the likelier ones first."""
        total: dict[str, float] = {}
        for disease, share in posterior.items():
            discipline = self.facts.diseases[disease].discipline
            total[discipline] = total.get(discipline, 0.0) + share
        return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))


@lru_cache(maxsize=1)
def evidence() -> DiseaseEvidence:
    """Return the evidence of the embedded fact tables."""
    return DiseaseEvidence(load())


@lru_cache(maxsize=1024)
def _prior(person: Person) -> NDArray[np.float64]:
    found = evidence()
    rates = [frequency(found.facts, key, person) for key in found.diseases]
    return np.array([PRIOR_POWER * math.log(max(rate, 1e-3)) for rate in rates])
