"""Simulated patients from the disease profiles of the fact tables.

Each feature of a disease is drawn by itself, with the share of patients that a source states, or
else with the middle of its frequency band; a feature of unknown frequency with :data:`UNKNOWN`.
That independence, and these shares, are choices of the simulation and no clinical claim. A
feature that the disease does not have is never drawn; it is recorded as absent. A patient in
whom too few features came out gets the most frequent of the others. Some have in addition a
feature of a look-alike, as patients have more than one trouble. A feature that names the disease
is never drawn (:mod:`gym_clinic.facts.restating`). Of a finding and a more special one a patient
has the special one, which implies the other (:mod:`gym_clinic.facts.hierarchy`).

The tables say nothing of age or sex, so neither do the patients; but no patient has findings that
only women have together with such that only men have. A patient depends on the seed and its own
id alone: a new disease changes no patient of another.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import filterfalse
from random import Random
from typing import Any, Protocol

from gym_clinic import strict_json
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import (
    BANDS,
    Disease,
    Facts,
    Frequency,
    load,
    most_specific,
    restates_diagnosis,
    with_ancestors,
)
from gym_clinic.files import numbered_lines
from gym_clinic.names import at_least_one
from gym_clinic.paths import data_dir

COUNT = 5_000
"""Patients of the embedded database."""

UNKNOWN = 0.5
"""Probability of a feature whose frequency is unknown."""

FEWEST = 3
"""Features of a patient at least, where the disease has as many."""

NOISE = (0.6, 0.3, 0.1)
"""Probabilities of no, one and two features of look-alikes."""

NEAR = 0.8
"""Share of common phenotypes (Jaccard) from which two patients are near-duplicates."""

ONLY = {
    "female": re.compile(
        r"\b(vagin|vulv|uter(us|ine)|ovar|menstrua|a?menorrh|oligomenorrh|dysmenorrh|placenta|"
        r"pre-?eclampsia|gravidarum|pregnan|childbirth|post-?partum|antepartum|postmenopausal|"
        r"postcoital|cervical motion|spontaneous abortion|loss of contractions)",
        re.IGNORECASE,
    ),
    "male": re.compile(
        r"\b(test(is|es|icular)\b|scrot|penis|penile|prostat|erectile|ejaculat|priapism|male inf|"
        r"macroorchid|cryptorchid|orchitis|varicocele|gynecomastia|hypospadias|phimosis)",
        re.IGNORECASE,
    ),
}
"""Sex -> the names of findings that the other does not have."""

TRIES = 20
"""Patients that are drawn for each one wanted, before a disease counts as spent."""


class Known(Protocol):
    """A patient to be kept out: what has phenotypes, as names or ids."""

    @property
    def phenotypes(self) -> Sequence[str]:
        """Names or ids of what the patient has."""


@dataclass(frozen=True)
class SimulatedPatient:
    """A simulated patient; it has the fields of a case of a patient database.

    Attributes:
        id: "sim-" and a hash, which tells nothing of the disease.
        diagnosis: Name of the disease.
        phenotypes: Names of what the patient has, in the order of the profile, noise last.
        provenance: "synthetic".
        absent: Names of what the disease never has.
        codes: Ids of the disease, with their prefixes.
        disease: Id of the disease in the fact tables.
        features: Ids of what the patient has, in the order of ``phenotypes``.
        noise: Ids of those features that are of look-alikes.
    """

    id: str
    diagnosis: str
    phenotypes: tuple[str, ...]
    provenance: str
    absent: tuple[str, ...]
    codes: tuple[str, ...]
    disease: str
    features: tuple[str, ...]
    noise: tuple[str, ...]


@dataclass(frozen=True)
class TaskPatient:
    """A patient of an evaluation task.

    Attributes:
        phenotypes: Names or ids of what the patient has.
    """

    phenotypes: tuple[str, ...]


EVALUATION = ("dev.jsonl", "test.jsonl")
"""Files of ``tasks/`` and the folders in it that hold evaluation tasks, one a line."""


def evaluation_patients() -> list[TaskPatient]:
    """Return the patients of the evaluation tasks: whatever in them has `phenotypes`.

    Raises:
        TaskError: If a task is no JSON, or its phenotypes are no list of names or ids; the text
            names file and line.
    """
    found: list[TaskPatient] = []
    for file in sorted(data_dir("tasks").rglob("*.jsonl")):
        if file.name not in EVALUATION:
            continue
        for number, line in numbered_lines(file):
            if b'"phenotypes"' in line:
                try:
                    found += _patients_in(strict_json.loads(line.decode()))
                except ValueError as error:
                    raise TaskError(f"{file} line {number}: {error}") from None
    return found


def _patients_in(value: Any) -> Iterator[TaskPatient]:
    if isinstance(value, dict):
        if "phenotypes" in value:
            has = value["phenotypes"]
            if not isinstance(has, list) or not all(isinstance(name, str) for name in has):
                raise ValueError(f"phenotypes {has!r:.80}; expected a list of names or ids")
            yield TaskPatient(tuple(has))
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _patients_in(part)


def embedded_patients(keep_out: Iterable[str | Known] = ()) -> list[SimulatedPatient]:
    """Return the patients of the embedded database: of the embedded facts, seed 0.

    The patients of the evaluation tasks, and all near-duplicates of them, are kept out.

    Args:
        keep_out: Others to be kept out, as for :func:`simulate_patients`.

    Raises:
        TaskError: If a file of facts or tasks is broken.
    """
    return simulate_patients(load(), keep_out=[*evaluation_patients(), *keep_out])


def probability(frequency: Frequency) -> float:
    """Return the probability with which a feature is drawn, 0 to 1."""
    if frequency.absent:
        return 0.0
    if frequency.value is not None:
        return frequency.value
    if frequency.band is not None:
        _, low, high = BANDS[frequency.band]
        return (low + high) / 2
    return UNKNOWN


def simulate_patients(
    facts: Facts,
    count: int = COUNT,
    seed: int = 0,
    *,
    keep_out: Iterable[str | Known] = (),
    near: float = NEAR,
) -> list[SimulatedPatient]:
    """Simulate patients, as many of each disease, as far as what is kept out leaves any.

    Args:
        facts: The fact tables.
        count: Number of patients.
        seed: The same seed gives the same patients.
        keep_out: Patients of evaluation tasks: their ids, or the patients themselves; then every
            near-duplicate is kept out as well. Another is drawn in the place of each.
        near: Jaccard similarity of phenotypes from which a patient is a near-duplicate, above 0.

    Returns:
        Patients, sorted by id.

    Raises:
        ConfigError: If an option is out of range, or so much is kept out that too few are left.
    """
    at_least_one("count", count)
    if not 0 < near <= 1:
        raise ConfigError(f"near is above 0 and at most 1, not {near!r}")
    above = facts.above
    found = [_Profile(facts, one, above) for _, one in sorted(facts.diseases.items())]
    profiles = [one for one in found if any(one.chances.values())]
    if not profiles:
        raise ConfigError("no disease of the fact tables has a feature; there is none to simulate")
    out = _KeptOut(facts, keep_out, near)
    most = TRIES * (count // len(profiles) + 1)
    streams = [
        filterfalse(out.__contains__, itertools.islice(one.patients(seed), most))
        for one in profiles
    ]
    patients: list[SimulatedPatient] = []
    while streams and len(patients) < count:
        # One of each disease at a time; a disease that has no more leaves its share to the others.
        drawn = [(stream, next(stream, None)) for stream in streams[: count - len(patients)]]
        patients += [patient for _, patient in drawn if patient is not None]
        spent = {id(stream) for stream, patient in drawn if patient is None}
        streams = [stream for stream in streams if id(stream) not in spent]
    if len(patients) < count:
        raise ConfigError(
            f"{len(patients):,} patients of {count:,} are unlike those kept out; ask for fewer, "
            f"or raise near above {near}"
        )
    return sorted(patients, key=lambda patient: patient.id)


class _Profile:
    """What the patients of one disease are drawn from."""

    def __init__(self, facts: Facts, disease: Disease, above: Mapping[str, frozenset[str]]) -> None:
        codes = disease.codes
        self.disease = disease
        self.above = above
        self.codes = (*codes.omim, *codes.orpha, *codes.mondo)
        self.chances = {
            one.phenotype: probability(one.frequency)
            for one in disease.phenotypes
            if one.frequency.absent
            or not restates_diagnosis(disease, facts.phenotypes[one.phenotype])
        }
        own = {one.phenotype for one in disease.phenotypes}
        lacking = {one.phenotype for one in disease.phenotypes if one.frequency.absent}
        alike = {
            one.phenotype
            for name in disease.look_alikes
            for one in facts.diseases[name].phenotypes
            if not one.frequency.absent
        }
        self.foreign = [
            key
            for key in sorted(alike - own)
            if not restates_diagnosis(disease, facts.phenotypes[key]) and not above[key] & lacking
        ]
        self.names = {key: facts.phenotypes[key].name for key in (*self.chances, *self.foreign)}
        self.absent = tuple(self.names[key] for key, chance in self.chances.items() if not chance)
        self.sexes = self._sexes()
        self.of_sex = {sex: self._of_sex(sex) for sex in self.sexes}

    def patients(self, seed: int) -> Iterator[SimulatedPatient]:
        """Yield patients, one after another."""
        for number in itertools.count():
            digest = hashlib.sha256(f"{seed}:{self.disease.id}:{number}".encode()).hexdigest()
            key = f"sim-{digest[:12]}"
            yield self.patient(key, Random(f"{seed}:{key}"))

    def patient(self, key: str, random: Random) -> SimulatedPatient:
        """Draw a patient."""
        chances, foreign = self.of_sex[random.choice(self.sexes)]
        drawn = {feature for feature, chance in chances.items() if random.random() < chance}
        # Those of one frequency in another order for each patient, or all would get the same.
        others = [feature for feature, chance in chances.items() if chance and feature not in drawn]
        random.shuffle(others)
        others.sort(key=lambda feature: -chances[feature])
        drawn = most_specific(drawn, self.above)
        for feature in others:
            if len(drawn) < FEWEST and not self._related(feature, drawn):
                drawn.add(feature)
        (amount,) = random.choices(range(len(NOISE)), weights=NOISE)
        foreign = [feature for feature in foreign if not self._related(feature, drawn)]
        sampled = random.sample(foreign, min(amount, len(foreign)))
        special = most_specific(sampled, self.above)
        noise = [feature for feature in sampled if feature in special]
        features = (*(feature for feature in chances if feature in drawn), *noise)
        return SimulatedPatient(
            id=key,
            diagnosis=self.disease.name,
            phenotypes=tuple(self.names[feature] for feature in features),
            provenance="synthetic",
            absent=self.absent,
            codes=self.codes,
            disease=self.disease.id,
            features=features,
            noise=tuple(noise),
        )

    def _related(self, feature: str, drawn: Collection[str]) -> bool:
        """Whether a feature is one of those drawn, or more general or more special than one."""
        return feature in with_ancestors(drawn, self.above) or not self.above[feature].isdisjoint(
            drawn
        )

    def _sexes(self) -> tuple[str, ...]:
        """Who may have the disease: one sex, if only that one has some of its features."""
        had = [self.disease.name, *(self.names[key] for key in self.chances if self.chances[key])]
        told = tuple(sex for sex, only in ONLY.items() if any(map(only.search, had)))
        return told or tuple(ONLY)

    def _of_sex(self, sex: str) -> tuple[dict[str, float], list[str]]:
        """Chances and foreign features of one sex, without those of the other.

        What only one sex has is as frequent among all patients as the table says.
        """
        (other,) = (only for name, only in ONLY.items() if name != sex)
        share = 1 / len(self.sexes)
        chances = {
            key: min(1.0, chance / share) if ONLY[sex].search(self.names[key]) else chance
            for key, chance in self.chances.items()
            if not other.search(self.names[key])
        }
        return chances, [key for key in self.foreign if not other.search(self.names[key])]


class _KeptOut:
    """What no simulated patient may be, or be too near to."""

    def __init__(self, facts: Facts, keep_out: Iterable[str | Known], near: float) -> None:
        ids = {one.name.casefold(): key for key, one in facts.phenotypes.items()}
        self.near = near
        self.ids: set[str] = set()
        self.patients: list[frozenset[str]] = []
        self.having: dict[str, list[int]] = {}
        for one in keep_out:
            if isinstance(one, str):
                self.ids.add(one)
                continue
            features = frozenset(ids.get(name.casefold(), name) for name in one.phenotypes)
            for feature in features:
                self.having.setdefault(feature, []).append(len(self.patients))
            self.patients.append(features)

    def __contains__(self, patient: SimulatedPatient) -> bool:
        if patient.id in self.ids:
            return True
        features = frozenset(patient.features)
        # Only those that share a phenotype can be near.
        sharing = {place for one in features for place in self.having.get(one, ())}
        return any(
            len(features & self.patients[place]) >= self.near * len(features | self.patients[place])
            for place in sharing
        )
