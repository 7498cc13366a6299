"""A patient of the database: the person, what he or she has, and what was not found.

Person, findings and second problem are drawn as those of every simulated patient
(:mod:`gym_clinic.simulate.disease`); body and course are left out. A patient in whom too few
findings came out gets the most frequent of the others.

Noise has two causes. Some patients have findings of a look-alike that a person of this age and sex
may have, and some have a few findings of a second problem. What was looked for and not found is
drawn from the disease's other findings and those of its look-alikes.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from random import Random

from gym_clinic.facts import Disease, Facts, Person, with_ancestors
from gym_clinic.simulate.disease.findings import (
    draw_findings,
    draw_variant,
    foreign,
    possible,
    shares,
    unrelated,
)
from gym_clinic.simulate.disease.persons import draw_person, epidemiology_of
from gym_clinic.simulate.disease.second import common_problems, draw_second, likely_besides

FEWEST = 5
"""Findings of the disease in a patient at least, where the person can have as many."""

ALIKE = (0.35, 0.4, 0.25)
"""Probabilities of no, one and two findings of look-alikes."""

SECOND = ((40, 0.5), (65, 0.7), (float("inf"), 0.85))
"""Below an age in years -> the probability of a second problem."""

SECOND_FINDINGS = (2, 4)
"""Findings of a second problem, from and to."""

UNEXAMINED = 0.12
"""Share of patients of whom nothing is recorded as not found, but for what the disease excludes."""

NOT_FOUND = (3, 32, 14)
"""Findings that were looked for and not found in the others: fewest, most and most usual."""

WEIGHTS = {"very_common": 16.0, "common": 8.0, "uncommon": 4.0, "rare": 2.0, "very_rare": 1.0}
"""Class of incidence -> weight. A class is ten times the next in life and twice here, so that
rare diseases keep some patients."""

_AGE = re.compile(r"P(\d+)([YMD])")
_YEARS = {"Y": 1.0, "M": 1 / 12, "D": 1 / 365.25}


@dataclass(frozen=True)
class SimulatedPatient:
    """A simulated patient; it has the fields of a case of a patient database.

    Attributes:
        id: "sim-" and a hash, which tells nothing of the disease.
        diagnosis: Name of the disease.
        phenotypes: Names of what the patient has, in the order of the profile, noise last.
        provenance: "synthetic".
        absent: Names of what the patient does not have: what the disease never has first, then
            what was looked for.
        codes: Ids of the disease, with their prefixes.
        age: Age as an ISO 8601 duration: years from two years on, below that months or days.
        sex: "female" or "male".
        disease: Id of the disease in the fact tables.
        features: Ids of what the patient has, in the order of ``phenotypes``.
        noise: Ids of those features that are not of the disease.
    """

    id: str
    diagnosis: str
    phenotypes: tuple[str, ...]
    provenance: str
    absent: tuple[str, ...]
    codes: tuple[str, ...]
    age: str
    sex: str
    disease: str
    features: tuple[str, ...]
    noise: tuple[str, ...]


def duration(age: float) -> str:
    """Return an age in years as an ISO 8601 duration, as charts give it.

    >>> [duration(age) for age in (0.02, 0.5, 1.9, 2, 34.8)]
    ['P7D', 'P6M', 'P22M', 'P2Y', 'P34Y']
    """
    if age >= 2:
        return f"P{int(age)}Y"
    return f"P{int(12 * age)}M" if age >= 2 / 12 else f"P{int(365.25 * age)}D"


def age_of(patient: SimulatedPatient) -> tuple[int, str]:
    """Return the age of a patient as a number and its unit: Y, M or D."""
    amount, unit = _AGE.fullmatch(patient.age).groups()  # type: ignore[union-attr]
    return int(amount), unit


def person_of(patient: SimulatedPatient) -> Person:
    """Return the person that a patient is."""
    amount, unit = age_of(patient)
    return Person(amount * _YEARS[unit], "female" if patient.sex == "female" else "male")


class Presentations:
    """The patients of all diseases of the fact tables.

    Attributes:
        facts: The fact tables.
        shares: Disease, and form of its condition -> the shares of its findings.
        diseases: The diseases that have a finding to be drawn, by id.
        likely_besides: Person -> the second problems and their weights.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.shares = cache(partial(shares, facts))
        self.diseases = {
            key: one
            for key, one in sorted(facts.diseases.items())
            if any(self.shares(key).values())
        }
        common = [key for key in common_problems(facts) if key in self.diseases]
        self.likely_besides = cache(partial(likely_besides, facts, among=common))

    def patients(self, disease: Disease, seed: int) -> Iterator[SimulatedPatient]:
        """Yield patients of a disease, one after another, without end."""
        presentation = _Presentation(self, disease)
        for number in itertools.count():
            digest = hashlib.sha256(f"{seed}:{disease.id}:{number}".encode()).hexdigest()
            key = f"sim-{digest[:12]}"
            yield presentation.patient(key, Random(f"{seed}:{key}"))

    def of_form(self, disease: str, random: Random) -> dict[str, float]:
        """Return the shares of the form of a disease that a patient has."""
        condition = self.facts.conditions.get(disease)
        return self.shares(disease, draw_variant(condition, random) if condition else None)


class _Presentation:
    """How the patients of one disease present."""

    def __init__(self, room: Presentations, disease: Disease) -> None:
        facts, codes = room.facts, disease.codes
        self.room = room
        self.disease = disease
        self.codes = (*codes.omim, *codes.orpha, *codes.mondo)
        self.lacking = tuple(one.phenotype for one in disease.phenotypes if one.frequency.absent)
        self.alike = [
            (
                epidemiology_of(facts.diseases[other]),
                {one: has[one] for one in foreign(facts, disease, has) if has[one]},
            )
            for other in disease.look_alikes
            for has in [room.shares(other)]
        ]

    def patient(self, key: str, random: Random) -> SimulatedPatient:
        """Draw a patient."""
        facts = self.room.facts
        person = draw_person(epidemiology_of(self.disease), random)
        chances = self.room.of_form(self.disease.id, random)
        own = draw_findings(facts, chances, person, random, fewest=FEWEST)
        alike, weights = self._alike(person)
        (amount,) = random.choices(range(len(ALIKE)), weights=ALIKE)
        noise = unrelated(facts, _weighted(weights, random), own, amount)
        noise += self._of_second(person, [*own, *noise], random)
        features = (*own, *noise)
        left = {one: chances[one] for one in possible(facts, chances, person)}
        absent = self._absent({**alike, **left}, features, random)
        return SimulatedPatient(
            id=key,
            diagnosis=self.disease.name,
            phenotypes=tuple(facts.phenotypes[one].name for one in features),
            provenance="synthetic",
            absent=tuple(facts.phenotypes[one].name for one in absent),
            codes=self.codes,
            age=duration(person.age),
            sex=person.sex,
            disease=self.disease.id,
            features=features,
            noise=tuple(noise),
        )

    def _alike(self, person: Person) -> tuple[dict[str, float], dict[str, float]]:
        """Return the findings of the look-alikes that the person may have.

        Returns:
            Their chances, and their weights as noise, to which common look-alikes add more.
        """
        chances: dict[str, float] = {}
        weights: dict[str, float] = {}
        for epidemiology, others in self.alike:
            if epidemiology.admits(person):
                weight = WEIGHTS[epidemiology.incidence] / max(WEIGHTS.values())
                for one in possible(self.room.facts, others, person):
                    chances[one] = max(others[one], chances.get(one, 0.0))
                    weights[one] = weights.get(one, 0.0) + weight * others[one]
        return chances, weights

    def _of_second(self, person: Person, beside: Collection[str], random: Random) -> list[str]:
        """Draw a few findings of a second problem, if the person has one."""
        chance = next(chance for age, chance in SECOND if person.age < age)
        second = None
        if random.random() < chance:
            second = draw_second(self.room.likely_besides(person), self.disease, random)
        if second is None:
            return []
        facts, (fewest, most) = self.room.facts, SECOND_FINDINGS
        chances = self.room.of_form(second, random)
        drawn = draw_findings(facts, chances, person, random, beside=beside, fewest=fewest)
        drawn = foreign(facts, self.disease, drawn)
        return random.sample(drawn, min(random.randint(fewest, most), len(drawn)))

    def _absent(
        self, sought: Mapping[str, float], features: Collection[str], random: Random
    ) -> tuple[str, ...]:
        """Draw what the patient does not have: nothing that a finding of the patient implies."""
        if random.random() < UNEXAMINED:
            return self.lacking
        implied = with_ancestors(features, self.room.facts.above)
        left = {one: chance for one, chance in sought.items() if chance and one not in implied}
        amount = round(random.triangular(*NOT_FOUND))
        sampled = unrelated(self.room.facts, _weighted(left, random), self.lacking, amount)
        return (*self.lacking, *sampled)


def _weighted(chances: Mapping[str, float], random: Random) -> list[str]:
    """Return all findings in a random order, the likelier ones mostly first."""
    keys = {one: random.random() ** (1 / chance) for one, chance in chances.items()}
    return sorted(keys, key=lambda one: -keys[one])
