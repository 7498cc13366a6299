"""Literatures drawn for tests: by the place of a pair and a class, each once a process."""

from __future__ import annotations

from functools import cache

from gym_clinic.domains.clingen.dossiers import read_dossiers
from gym_clinic.domains.clingen.literature.records import Literature
from gym_clinic.domains.clingen.literature.world import draw_literature

PAIRS = [
    key
    for key, pair in sorted(read_dossiers().pairs.items())
    if (pair.earliest_year or 0) <= 2018 and len(pair.phenotypes) >= 4
]


@cache
def drawn(place: int, classification: str) -> Literature:
    dossiers = read_dossiers()
    return draw_literature("rules", dossiers.pairs[PAIRS[place]], dossiers, classification)
