"""Simulated patients from the disease records of the fact tables, as a database to match with.

:mod:`gym_clinic.simulate.presentation` draws one patient of a disease. Here it is decided how many
patients a disease has, and which patients are kept out. A disease has the more patients the more
common it is; every disease has some. A patient depends on the seed and its own id, on the record of
its disease, those of the look-alikes and those of common diseases.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import filterfalse
from typing import Any, Protocol

from gym_clinic import strict_json
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import Facts, load
from gym_clinic.names import at_least_one
from gym_clinic.paths import data_dir
from gym_clinic.reading import numbered_lines
from gym_clinic.simulate.disease.persons import epidemiology_of
from gym_clinic.simulate.presentation import WEIGHTS, Presentations, SimulatedPatient

COUNT = 5_000
"""Patients of the embedded database."""

NEAR = 0.8
"""Share of common phenotypes (Jaccard) from which two patients are near-duplicates."""

TRIES = 20
"""Patients that are drawn for each one wanted, before a disease counts as spent."""


class Known(Protocol):
    """A patient to be kept out: what has phenotypes, as names or ids."""

    @property
    def phenotypes(self) -> Sequence[str]:
        """Names or ids of what the patient has."""


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


def simulate_patients(
    facts: Facts,
    count: int = COUNT,
    seed: int = 0,
    *,
    keep_out: Iterable[str | Known] = (),
    near: float = NEAR,
) -> list[SimulatedPatient]:
    """Simulate patients, the more of a disease the more common it is.

    Every disease has one before any has two. Beyond that they are in proportion to
    :data:`~gym_clinic.simulate.presentation.WEIGHTS` of its class of incidence, as far as what is
    kept out leaves any. A larger database of the same seed holds the smaller.

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
    presentations = Presentations(facts)
    diseases = list(presentations.diseases.values())
    if not diseases:
        raise ConfigError("no disease of the fact tables has a feature; there is none to simulate")
    out = _KeptOut(facts, keep_out, near)
    weights = [WEIGHTS[epidemiology_of(one).incidence] for one in diseases]
    # The next patient is of the disease with the greatest weight for each patient that it has
    # (the method of Webster); the place in the list breaks ties.
    due = [(0.0, -weight, place) for place, weight in enumerate(weights)]
    heapq.heapify(due)
    streams: dict[int, Iterator[SimulatedPatient]] = {}
    held = [0] * len(diseases)
    patients: list[SimulatedPatient] = []
    while due and len(patients) < count:
        _, _, place = heapq.heappop(due)
        if place not in streams:
            most = TRIES * (1 + round(count * weights[place] / min(weights) / len(diseases)))
            drawn = itertools.islice(presentations.patients(diseases[place], seed), most)
            streams[place] = filterfalse(out.__contains__, drawn)
        patient = next(streams[place], None)
        if patient is not None:  # else the disease is spent and leaves its share to the others
            patients.append(patient)
            held[place] += 1
            share = (held[place] + 0.5) / weights[place]
            heapq.heappush(due, (share, -weights[place], place))
    if len(patients) < count:
        raise ConfigError(
            f"{len(patients):,} patients of {count:,} are unlike those kept out; ask for fewer, "
            f"or raise near above {near}"
        )
    return sorted(patients, key=lambda patient: patient.id)


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
