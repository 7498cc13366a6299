"""The patient of a case: what is told of a drawn patient, and what is not.

Findings are drawn as for every simulated patient (:mod:`gym_clinic.simulate.presentation`), which
leaves out what contradicts disease, age or sex. Few of them are told, rather those that many
diseases share, beside findings of a second problem or of a look-alike that the patient has too. A
finding that restates the diagnosis is never told.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from random import Random
from typing import Literal

from gym_clinic.facts import Disease, load, with_ancestors
from gym_clinic.facts.naming import tokens
from gym_clinic.simulate.clinic.finding_lists import shown_by_tests
from gym_clinic.simulate.disease.findings import possible
from gym_clinic.simulate.presentation import Presentations, SimulatedPatient, person_of
from gym_clinic.simulate.told.consistency import (
    never_absent,
    never_told,
    not_absent_beside,
)
from gym_clinic.simulate.told.kinds import SMALL_WORDS, from_age, kind_of, overlaps

Style = Literal["main", "vocabulary", "sparse"]

OWN = {"main": (3, 6), "vocabulary": (3, 6), "sparse": (3, 4)}
"""Findings of the disease that are told, from and to."""

BESIDE = {"main": (1, 4), "vocabulary": (1, 4), "sparse": (0, 1)}
"""Irrelevant findings that are told, from and to, as far as the patient has any."""

FEWEST = 4
"""Findings of a case at least."""

MOST_ABSENT = {"main": 5, "vocabulary": 5, "sparse": 2}
"""Absent findings that are told at most."""

PATIENTS, SELECTIONS = 8, 3
"""Patients drawn for the case of one seed, and selections of the findings of each."""

NOT_BESIDE = ("exposure and poisoning", "infection", "antibodies and inflammation markers")
"""Groups of findings that are never irrelevant: each has a cause of its own."""


@dataclass(frozen=True)
class ToldFindings:
    """What a case tells of its patient.

    Attributes:
        patient: The patient.
        findings: Ids of the findings told, those of the disease first.
        absent: Names of absent findings told.
    """

    patient: SimulatedPatient
    findings: tuple[str, ...]
    absent: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def presentations() -> Presentations:
    """Return the patients of all diseases of the fact tables."""
    return Presentations(load())


def draw_told(disease: Disease, seed: str, style: Style) -> Iterator[ToldFindings]:
    """Draw patients of a disease, and findings that a case may tell of each.

    Args:
        disease: The disease.
        seed: The same seed gives the same patients and findings.
        style: How much a site tells.
    """
    room, random = presentations(), Random(f"dxsearch:{seed}:{disease.id}")
    number = int.from_bytes(hashlib.sha256(f"{seed}:{disease.id}".encode()).digest()[:4], "big")
    for patient in islice(room.patients(disease, number + 1), PATIENTS):  # seed 0: the database
        tellable = [key for key in patient.features if _tellable(disease, patient, key)]
        beside = set(patient.noise)
        own = [key for key in tellable if key not in beside]
        irrelevant = [key for key in tellable if key in beside and _irrelevant(key)]
        if len(own) < OWN[style][0]:
            continue
        for _ in range(SELECTIONS):
            kept = _widely_shared(own, random.randint(*OWN[style]), random)
            extra = min(len(irrelevant), random.randint(*BESIDE[style]))
            findings = (*kept, *random.sample(irrelevant, extra))
            if len(findings) >= FEWEST:
                yield ToldFindings(patient, findings)


def pertinent_absences(
    told: ToldFindings, others: Iterable[Sequence[str]], typical: Collection[str], style: Style,
    random: Random,
) -> tuple[str, ...]:  # fmt: skip
    """Draw the absent findings that a case tells: what speaks against other diseases.

    None is implied by what the patient has, means the same as it, shares a word with what is
    told, or is impossible in such a person.

    Args:
        told: The patient and the findings told.
        others: Ids of the typical findings of each disease that could be thought of.
        typical: Ids of the typical findings of the right disease, never told as absent here.
        style: How much a site tells.
        random: The source of randomness.

    Returns:
        Names; for each of the others at most one that no other absence speaks against already,
        and at times one that the disease could have had.
    """
    room = presentations()
    facts, patient = room.facts, told.patient
    disease = room.diseases[patient.disease]
    able = _Absences(told)
    chosen: list[str] = []
    for profile in others:
        if len(chosen) >= MOST_ABSENT[style]:
            break
        if any(key in chosen for key in profile):
            continue
        left = [key for key in profile if key not in typical and not overlaps(disease, _name(key))]
        random.shuffle(left)
        fitting = next((key for key in left if able.fits(key, chosen)), None)
        if fitting is not None:
            chosen.append(fitting)
    looked_for = [facts.finding_ids[name] for name in patient.absent]
    own = next((key for key in looked_for if key in typical and able.fits(key, chosen)), None)
    if own is not None and len(chosen) < MOST_ABSENT[style] and random.random() < 1 / 4:
        chosen.append(own)
    random.shuffle(chosen)
    return tuple(_name(key) for key in chosen)


class _Absences:
    """Decides what may be told as absent of a patient."""

    def __init__(self, told: ToldFindings) -> None:
        facts = presentations().facts
        self.facts, self.person = facts, person_of(told.patient)
        self.has = with_ancestors(told.patient.features, facts.above)
        names = [facts.phenotypes[key].name for key in self.has]
        self.meant = not_absent_beside(names)
        self.words = set(tokens(" ".join(map(_name, told.findings)))) - SMALL_WORDS

    def fits(self, key: str, chosen: Sequence[str]) -> bool:
        name = _name(key)
        words = set(tokens(name)) - SMALL_WORDS
        beside = set(tokens(" ".join(map(_name, chosen))))
        return (
            key not in self.has
            and name not in self.meant
            and not never_absent(name)
            and kind_of(name) != "known"
            and from_age(name) <= self.person.age
            and not words & (self.words | beside)
            and bool(possible(self.facts, [key], self.person))
        )


def restates(disease: Disease, finding: str) -> bool:
    """Whether a finding names the disease, or half of its name."""
    return overlaps(disease, _name(finding))


def _tellable(disease: Disease, patient: SimulatedPatient, key: str) -> bool:
    able = from_age(_name(key)) <= person_of(patient).age and not never_told(_name(key))
    return able and not restates(disease, key)


def _irrelevant(key: str) -> bool:
    finding = presentations().facts.phenotypes[key]
    return finding.group not in NOT_BESIDE and finding.name not in shown_by_tests()


def _widely_shared(own: Sequence[str], amount: int, random: Random) -> list[str]:
    """Return some findings, those mostly that many diseases have."""
    keys = {key: random.random() ** (1 / _having()[key]) for key in own}
    return sorted(own, key=lambda key: (-keys[key], key))[:amount]


@lru_cache(maxsize=1)
def _having() -> Counter[str]:
    """Finding -> how many diseases have it."""
    room = presentations()
    return Counter(
        finding for key in room.diseases for finding, share in room.shares(key).items() if share
    )


def _name(key: str) -> str:
    return presentations().facts.phenotypes[key].name
