"""One simulated patient of a disease: the person, what he or she has, and what was not found.

A person is drawn from the disease's epidemiology. Each finding of the disease that this person can
have is drawn by itself, with the share of patients that a source states, or else with the middle
of its frequency band; a finding of unknown frequency with :data:`UNKNOWN`. A finding of one sex or
age is as frequent among those who can have it as the table says. That independence, and these
shares, are choices of the simulation and no clinical claim. A patient in whom too few findings
came out gets the most frequent of the others.

Noise has two causes. Some patients have findings of a look-alike that a person of this age and sex
may have, and some have a second, common problem with a few findings of its own. What was looked
for and not found is drawn from the disease's other findings and those of its look-alikes.

A finding that names the disease is never drawn (:mod:`gym_clinic.facts.restating`), nor one that
the disease excludes, nor one with its opposite (:mod:`gym_clinic.facts.opposites`). Of a finding
and a more special one a patient has the special one, which implies the other
(:mod:`gym_clinic.facts.hierarchy`).
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random

from gym_clinic.facts import (
    BANDS,
    Disease,
    Epidemiology,
    Facts,
    Frequency,
    Person,
    most_specific,
    restates_diagnosis,
    with_ancestors,
)
from gym_clinic.facts.epidemiology import AgeBand, Sex

UNKNOWN = 0.5
"""Probability of a finding whose frequency is unknown."""

FEWEST = 5
"""Findings of the disease in a patient at least, where the person can have as many."""

ALIKE = (0.35, 0.4, 0.25)
"""Probabilities of no, one and two findings of look-alikes."""

SECOND = ((40, 0.5), (65, 0.7), (float("inf"), 0.85))
"""Below an age in years -> the probability of a second problem."""

SECOND_FINDINGS = (2, 4)
"""Findings of a second problem, from and to."""

SECOND_TRIES = 40
"""Common diseases that are tried as a second problem, until one fits the person."""

UNEXAMINED = 0.12
"""Share of patients of whom nothing is recorded as not found, but for what the disease excludes."""

NOT_FOUND = (3, 32, 14)
"""Findings that were looked for and not found in the others: fewest, most and most usual."""

WEIGHTS = {"very_common": 16.0, "common": 8.0, "uncommon": 4.0, "rare": 2.0, "very_rare": 1.0}
"""Class of incidence -> weight. A class is ten times the next in life and twice here, so that
rare diseases keep some patients."""

ANYONE = Epidemiology(ages=(AgeBand(18, 90, 1),), female=0.5, incidence="uncommon")
"""The epidemiology of a disease without one."""


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


def probability(frequency: Frequency) -> float:
    """Return the probability with which a finding is drawn, 0 to 1."""
    if frequency.absent:
        return 0.0
    if frequency.value is not None:
        return frequency.value
    if frequency.band is not None:
        _, low, high = BANDS[frequency.band]
        return (low + high) / 2
    return UNKNOWN


def epidemiology_of(disease: Disease) -> Epidemiology:
    """Return the epidemiology of a disease; :data:`ANYONE`'s where the table has none."""
    return disease.epidemiology or ANYONE


def draw_person(epidemiology: Epidemiology, random: Random) -> Person:
    """Draw a patient's age and sex."""
    (band,) = random.choices(epidemiology.ages, weights=[one.weight for one in epidemiology.ages])
    age = random.uniform(band.low, band.high)
    sex: Sex = "female" if random.random() < epidemiology.female else "male"
    return Person(age, sex, epidemiology.pregnancy)


def duration(age: float) -> str:
    """Return an age in years as an ISO 8601 duration, as charts give it.

    >>> [duration(age) for age in (0.02, 0.5, 1.9, 2, 34.8)]
    ['P7D', 'P6M', 'P22M', 'P2Y', 'P34Y']
    """
    if age >= 2:
        return f"P{int(age)}Y"
    return f"P{int(12 * age)}M" if age >= 2 / 12 else f"P{int(365.25 * age)}D"


class Presentations:
    """The patients of all diseases of the fact tables.

    Attributes:
        chances: Of each disease, its findings that do not name it, and their probabilities; 0 for
            those that it excludes.
        diseases: The diseases that have a finding to be drawn, by id.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.chances = {key: self._chances(one) for key, one in facts.diseases.items()}
        self.diseases = {
            key: one
            for key, one in sorted(facts.diseases.items())
            if any(self.chances[key].values())
        }

    def patients(self, disease: Disease, seed: int) -> Iterator[SimulatedPatient]:
        """Yield patients of a disease, one after another, without end."""
        presentation = _Presentation(self, disease)
        for number in itertools.count():
            digest = hashlib.sha256(f"{seed}:{disease.id}:{number}".encode()).hexdigest()
            key = f"sim-{digest[:12]}"
            yield presentation.patient(key, Random(f"{seed}:{key}"))

    def possible(self, findings: Iterable[str], person: Person) -> list[str]:
        """Return the findings that a person can have."""
        found = self.facts.phenotypes
        return [key for key in findings if (only := found[key].only) is None or only.admits(person)]

    def second_problem(self, disease: Disease, person: Person, random: Random) -> Disease | None:
        """Draw a common disease that the person may have besides; None if no try fits."""
        common, weights = self._common
        tried = random.choices(common, cum_weights=weights, k=SECOND_TRIES) if common else []
        fit = (one for one in tried if epidemiology_of(one).admits(person))
        return next((one for one in fit if one.id != disease.id), None)

    def unrelated(self, wanted: Iterable[str], amount: int, drawn: Collection[str]) -> list[str]:
        """Return the first findings of those wanted that go together with those drawn.

        None of them is equal to, more general or more special than one drawn or another of them,
        nor its opposite.
        """
        above, opposites = self.facts.above, self.facts.opposites
        taken, implied = set(drawn), with_ancestors(drawn, above)
        added: list[str] = []
        for one in wanted:
            if len(added) >= amount:
                break
            fits = one not in implied and above[one].isdisjoint(taken)
            if fits and opposites[one].isdisjoint(implied):
                added.append(one)
                taken.add(one)
                implied |= above[one] | {one}
        return added

    @cached_property
    def _common(self) -> tuple[list[Disease], list[float]]:
        """The diseases that are common outside pregnancy, and the sums of their weights."""
        common = [
            one
            for one in self.diseases.values()
            if epidemiology_of(one).incidence in ("very_common", "common")
            and epidemiology_of(one).pregnancy is None
        ]
        weights = (WEIGHTS[epidemiology_of(one).incidence] for one in common)
        return common, list(itertools.accumulate(weights))

    def _chances(self, disease: Disease) -> dict[str, float]:
        return {
            one.phenotype: probability(one.frequency)
            for one in disease.phenotypes
            if one.frequency.absent
            or not restates_diagnosis(disease, self.facts.phenotypes[one.phenotype])
        }


class _Presentation:
    """How the patients of one disease present."""

    def __init__(self, room: Presentations, disease: Disease) -> None:
        facts, codes = room.facts, disease.codes
        self.room = room
        self.disease = disease
        self.epidemiology = epidemiology_of(disease)
        self.codes = (*codes.omim, *codes.orpha, *codes.mondo)
        self.chances = room.chances[disease.id]
        self.own = {one.phenotype for one in disease.phenotypes}
        self.lacking = tuple(key for key, chance in self.chances.items() if not chance)
        self.alike = [
            (
                epidemiology_of(facts.diseases[other]),
                {
                    one: chance
                    for one, chance in room.chances[other].items()
                    if chance and self._foreign(one)
                },
            )
            for other in disease.look_alikes
        ]

    def patient(self, key: str, random: Random) -> SimulatedPatient:
        """Draw a patient."""
        room, above = self.room, self.room.facts.above
        person = draw_person(self.epidemiology, random)
        able = set(room.possible(self.chances, person))
        chances = {one: chance for one, chance in self.chances.items() if one in able and chance}
        special = most_specific((one for one in chances if random.random() < chances[one]), above)
        # Of a finding and its opposite the more frequent one is kept.
        drawn = set(room.unrelated(sorted(special, key=lambda one: (-chances[one], one)), 99, ()))
        # Those of one frequency in another order for each patient, or all would get the same.
        others = [one for one in chances if one not in drawn]
        random.shuffle(others)
        others.sort(key=lambda one: -chances[one])
        drawn |= set(room.unrelated(others, FEWEST - len(drawn), drawn))
        alike, weights = self._alike(person)
        (amount,) = random.choices(range(len(ALIKE)), weights=ALIKE)
        noise = room.unrelated(_weighted(weights, random), amount, drawn)
        second = self._of_second(person, random)
        noise += room.unrelated(second, len(second), {*drawn, *noise})
        features = (*(one for one in chances if one in drawn), *noise)
        absent = self._absent({**alike, **chances}, features, random)
        names = room.facts.phenotypes
        return SimulatedPatient(
            id=key,
            diagnosis=self.disease.name,
            phenotypes=tuple(names[one].name for one in features),
            provenance="synthetic",
            absent=tuple(names[one].name for one in absent),
            codes=self.codes,
            age=duration(person.age),
            sex=person.sex,
            disease=self.disease.id,
            features=features,
            noise=tuple(noise),
        )

    def _foreign(self, finding: str) -> bool:
        """Whether a patient may have a finding as noise.

        It neither belongs to the disease nor names it, and implies nothing that it excludes.
        """
        facts = self.room.facts
        return (
            finding not in self.own
            and facts.above[finding].isdisjoint(self.lacking)
            and not restates_diagnosis(self.disease, facts.phenotypes[finding])
        )

    def _alike(self, person: Person) -> tuple[dict[str, float], dict[str, float]]:
        """Return the findings of the look-alikes that the person may have.

        Returns:
            Their chances, and their weights as noise, to which common look-alikes add more.
        """
        chances: dict[str, float] = {}
        weights: dict[str, float] = {}
        for epidemiology, foreign in self.alike:
            if epidemiology.admits(person):
                weight = WEIGHTS[epidemiology.incidence] / max(WEIGHTS.values())
                for one in self.room.possible(foreign, person):
                    chances[one] = max(foreign[one], chances.get(one, 0.0))
                    weights[one] = weights.get(one, 0.0) + weight * foreign[one]
        return chances, weights

    def _of_second(self, person: Person, random: Random) -> list[str]:
        """Draw a few findings of a second problem, if the person has one."""
        chance = next(chance for age, chance in SECOND if person.age < age)
        if random.random() >= chance:
            return []
        second = self.room.second_problem(self.disease, person, random)
        if second is None:
            return []
        chances = self.room.chances[second.id]
        likely = _weighted({one: chance for one, chance in chances.items() if chance}, random)
        foreign = filter(self._foreign, self.room.possible(likely, person))
        return list(itertools.islice(foreign, random.randint(*SECOND_FINDINGS)))

    def _absent(
        self, sought: Mapping[str, float], features: Collection[str], random: Random
    ) -> tuple[str, ...]:
        """Draw what the patient does not have: nothing that a finding of the patient implies."""
        if random.random() < UNEXAMINED:
            return self.lacking
        implied = with_ancestors(features, self.room.facts.above)
        left = {one: chance for one, chance in sought.items() if one not in implied}
        amount = round(random.triangular(*NOT_FOUND))
        sampled = self.room.unrelated(_weighted(left, random), amount, self.lacking)
        return (*self.lacking, *sampled)


def _weighted(chances: Mapping[str, float], random: Random) -> list[str]:
    """Return all findings in a random order, the likelier ones mostly first."""
    keys = {one: random.random() ** (1 / chance) for one, chance in chances.items()}
    return sorted(keys, key=lambda one: -keys[one])
