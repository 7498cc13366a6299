"""Where a case tells a finding, and who can tell it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

from gym_clinic import strict_json
from gym_clinic.facts import Disease, load
from gym_clinic.facts.naming import tokens
from gym_clinic.simulate.clinic.finding_lists import not_felt, possible_when, shown_by_tests
from gym_clinic.simulate.clinic.telling.lay_words import lay_words

Kind = Literal["complaint", "sign", "test", "known"]

SMALL_WORDS = frozenset({"of", "and", "the", "in", "with", "to", "a", "by", "due", "type"})
GENERIC = frozenset({"disease", "syndrome", "disorder", "deficiency", "acute", "chronic"})

_FROM_AGE = re.compile(r"\bage >= ([\d.]+)")


def kind_of(name: str) -> Kind:
    """Return where a finding is told: complained of, seen, found by a test, or known of before."""
    if name in _stated():
        return _stated()[name]
    if name in shown_by_tests() or name in _measured():
        return "test"
    if name in not_felt():
        return "sign"
    if name in lay_words() or name in _felt():
        return "complaint"
    return "sign" if name in _seen() else "known"


def from_age(name: str) -> float:
    """Return the age in years from which a person can tell of a finding; 0 for any age."""
    stated = _FROM_AGE.search(possible_when().get(name, ""))
    return float(stated[1]) if stated else 0.0


def overlaps(disease: Disease, name: str) -> bool:
    """Whether a name has half of the words of a name of the disease, or more."""
    words = set(tokens(name)) - SMALL_WORDS - GENERIC
    for known in (disease.name, *disease.synonyms):
        wanted = set(tokens(known)) - SMALL_WORDS - GENERIC
        shared = len(words & wanted)
        if shared and shared * 2 >= len(wanted):
            return True
    return False


@lru_cache(maxsize=1)
def _stated() -> Mapping[str, Kind]:
    """Finding -> its kind, where the lists of the simulator and its name do not tell."""
    file = Path(__file__).with_name("kinds.json")
    table: dict[Kind, list[str]] = strict_json.loads(file.read_text(encoding="utf-8"))
    return {name: kind for kind, names in table.items() for name in names}


@lru_cache(maxsize=1)
def _measured() -> frozenset[str]:
    """Findings whose name says that a laboratory or a study gives them."""
    return _named_like("measured.json")


@lru_cache(maxsize=1)
def _seen() -> frozenset[str]:
    """Findings whose name says that an examiner gives them."""
    return _named_like("seen.json")


@lru_cache(maxsize=1)
def _felt() -> frozenset[str]:
    """Findings whose name says that the patient feels or notices them."""
    return _named_like("felt.json")


def _named_like(table: str) -> frozenset[str]:
    file = Path(__file__).with_name(table)
    pattern = re.compile("|".join(strict_json.loads(file.read_text(encoding="utf-8"))))
    names = (finding.name for finding in load().phenotypes.values())
    return frozenset(name for name in names if pattern.search(name))
