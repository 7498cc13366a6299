"""The patient of a case: what is told of a drawn patient, and what is not.

Findings are drawn as for every simulated patient (:mod:`gym_clinic.simulate.presentation`), which
leaves out what contradicts disease, age or sex. Told are 4 to 12 of them, with some that were
looked for and are absent. A finding that restates the diagnosis is never told.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Literal

from gym_clinic.domains.dxsearch.matching import tokens
from gym_clinic.facts import Disease, load
from gym_clinic.simulate.clinic.finding_lists import not_felt, shown_by_tests
from gym_clinic.simulate.clinic.telling.lay_words import lay_words
from gym_clinic.simulate.presentation import Presentations, SimulatedPatient

Style = Literal["main", "vocabulary", "sparse"]

Kind = Literal["complaint", "sign", "test", "known"]

FEWEST = 4
"""Findings of the disease that a case tells at least."""

MOST_TOLD = {"main": 10, "vocabulary": 10, "sparse": 5}
"""Findings of the disease that are told at most."""

MOST_BESIDE = {"main": 2, "vocabulary": 2, "sparse": 0}
"""Irrelevant findings that are told at most."""

MOST_ABSENT = {"main": 5, "vocabulary": 5, "sparse": 0}
"""Absent findings that are told at most."""

NOT_BESIDE = ("exposure and poisoning", "infection", "antibodies and inflammation markers")
"""Groups of findings that are never irrelevant: each has a cause of its own."""

SMALL_WORDS = frozenset({"of", "and", "the", "in", "with", "to", "a", "by", "due", "type"})
GENERIC = frozenset({"disease", "syndrome", "disorder", "deficiency", "acute", "chronic"})


@dataclass(frozen=True)
class Told:
    """What a case tells of its patient.

    Attributes:
        patient: The patient.
        findings: Ids of the findings told, those of the disease first.
        absent: Names of absent findings told.
    """

    patient: SimulatedPatient
    findings: tuple[str, ...]
    absent: tuple[str, ...]


@lru_cache(maxsize=1)
def presentations() -> Presentations:
    """Return the patients of all diseases of the fact tables."""
    return Presentations(load())


def draw_case(disease: Disease, seed: str, style: Style) -> Told | None:
    """Draw the patient of a case and what is told of it.

    Args:
        disease: The disease.
        seed: The same seed gives the same case.
        style: How much a site tells.

    Returns:
        The case; None if too little can be told of such a patient.
    """
    room = presentations()
    random = Random(f"dxsearch:{seed}:{disease.id}")
    number = int.from_bytes(hashlib.sha256(f"{seed}:{disease.id}".encode()).digest()[:4], "big")
    (patient,) = islice(room.patients(disease, number + 1), 1)  # seed 0 is the database
    beside = set(patient.noise)
    own = [key for key in patient.features if key not in beside and not restates(disease, key)]
    if len(own) < FEWEST:
        return None
    kept = random.sample(own, min(len(own), random.randint(FEWEST, MOST_TOLD[style])))
    facts = room.facts
    irrelevant = [
        key
        for key in patient.noise
        if facts.phenotypes[key].group not in NOT_BESIDE
        and facts.phenotypes[key].name not in shown_by_tests()
        and not restates(disease, key)
    ]
    extra = random.sample(irrelevant, min(len(irrelevant), random.randint(0, MOST_BESIDE[style])))
    told = {word for key in (*kept, *extra) for word in tokens(facts.phenotypes[key].name)}
    # Only complaints: nobody denies a sign. None shares a word with what the patient has.
    absent = [
        name
        for name in patient.absent
        if kind_of(name) == "complaint"
        and not _overlaps(disease, name)
        and not told & (set(tokens(name)) - SMALL_WORDS)
    ]
    told_absent = absent[: random.randint(0, MOST_ABSENT[style])] if style != "sparse" else []
    return Told(patient, (*kept, *extra), tuple(told_absent))


def restates(disease: Disease, finding: str) -> bool:
    """Whether a finding names the disease, or half of its name."""
    return _overlaps(disease, presentations().facts.phenotypes[finding].name)


def _overlaps(disease: Disease, name: str) -> bool:
    words = set(tokens(name)) - SMALL_WORDS - GENERIC
    for known in (disease.name, *disease.synonyms):
        wanted = set(tokens(known)) - SMALL_WORDS - GENERIC
        if wanted and len(words & wanted) * 2 >= len(wanted) and len(words & wanted) > 0:
            return True
    return False


def kind_of(name: str) -> Kind:
    """Return where a finding is told: complained of, seen, found by a test, or known of before."""
    if name in shown_by_tests() or name in _measured():
        return "test"
    if name in not_felt():
        return "sign"
    return "complaint" if name in lay_words() else "known"


@lru_cache(maxsize=1)
def _measured() -> frozenset[str]:
    """Findings whose name says that a laboratory or a study gives them."""
    file = Path(__file__).with_name("shown_by_tests.json")
    pattern = re.compile("|".join(json.loads(file.read_text(encoding="utf-8"))))
    names = (finding.name for finding in load().phenotypes.values())
    return frozenset(name for name in names if name not in lay_words() and pattern.search(name))
