"""What holds over many drawn literatures: shares, years, and how often evidence stands first."""

from __future__ import annotations

from collections import Counter
from statistics import mean, pstdev

import pytest
from drawn_literature import PAIRS, drawn

from gym_clinic.domains.clingen.build import CURATIONS, read_pairs
from gym_clinic.domains.clingen.dossiers import read_dossiers
from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.domains.clingen.genetic_table import LEAST_LOD
from gym_clinic.domains.clingen.literature.articles import LATE_YEAR
from gym_clinic.domains.clingen.literature.records import Literature
from gym_clinic.domains.clingen.literature.scoring import family_id, row_of
from gym_clinic.domains.clingen.literature.world import LATE_SHARE
from gym_clinic.paths import tasks_dir


def test_evidence_stands_first_as_often_as_last(some):
    places = Counter()
    for place in some(range(0, 160, 2)):
        world = drawn(place, "Moderate")
        results = {one.id: one for one in world.results}
        for article in world.articles:
            kinds = [results[one].subtype is not None for one in article.results]
            if article.kind in ("cohort", "family") and sum(kinds) == 1 and len(kinds) == 2:
                places[kinds.index(True)] += 1
    assert min(places[0], places[1]) > 0.35 * places.total() > 5


@pytest.mark.population
def test_classes_share_articles_persons_and_unknown_mechanisms(some):
    """The same pairs under every class differ in none of these by a quarter of their spread."""
    keys = some(PAIRS)[:150]
    rows = {label: [features(drawn(PAIRS.index(key), label)) for key in keys] for label in CLASSES}
    for place, name in enumerate(features(drawn(0, "Limited"))):
        columns = {label: [row[name] for row in mine] for label, mine in rows.items()}
        spread = pstdev([one for column in columns.values() for one in column]) or 1
        means = [mean(column) for column in columns.values()]
        allowed = max(0.25, 4 / len(keys) ** 0.5)
        assert max(means) - min(means) <= allowed * spread, (place, name, means)


@pytest.mark.population
def test_as_many_literatures_of_each_published_class_begin_late(some):
    """Pairs that were described lately have late literatures; others make up for it."""
    dossiers = read_dossiers()
    starts: dict[str, list[bool]] = {}
    for one in read_pairs(tasks_dir("clingen") / CURATIONS):
        if pair := dossiers.pairs.get((one.gene, one.mondo_id, one.inheritance)):
            starts.setdefault(one.classification, []).append((pair.earliest_year or 0) >= LATE_YEAR)
    for label, young in starts.items():
        share = mean(young) + (1 - mean(young)) * LATE_SHARE[label]
        assert 0.2 <= share <= 0.28, label
    old = some(PAIRS)[:150]
    late = [drawn(PAIRS.index(key), "Definitive").articles[0].year >= LATE_YEAR for key in old]
    assert abs(mean(late) - LATE_SHARE["Definitive"]) <= 1.3 / len(old) ** 0.5


def features(world: Literature) -> dict[str, float]:
    kinds = Counter(one.kind for one in world.articles)
    return {
        "articles": len(world.articles),
        "persons": len(world.persons),
        "results": len(world.results),
        "evidence": sum(one.subtype is not None for one in world.results),
        "unknown mechanism": world.mechanism == "unknown",
        "phenotypes": len(world.phenotypes),
        **{kind: kinds[kind] for kind in ("cohort", "family", "review", "model", "functional")},
    }


@pytest.mark.population
def test_second_diagnoses_and_phenocopies_are_rare(some):
    worlds = [drawn(PAIRS.index(key), "Limited") for key in some(PAIRS)[:120]]
    persons = [one for world in worlds for one in world.persons]
    families = [one for world in worlds for one in world.families]
    assert mean(bool(one.other_cause) for one in persons) <= 0.05
    assert mean(one.phenocopies > 0 for one in families) <= 0.1


def test_a_family_counts_only_with_a_person_who_earns_points():
    for place in range(200):
        world = drawn(place, "Moderate")
        scored = {family_id(one) for one in world.persons if row_of(one, world)}
        assert {one.id for one in world.families if one.lod >= LEAST_LOD} <= scored
