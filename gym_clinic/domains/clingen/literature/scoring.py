"""From the records of a literature to its gold: evidence, genetic points and class.

Genetic points follow `genetic_table`. A person counts once, in the article that tells of the person
first; publications are the articles with genetics that count, as a union.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gym_clinic.domains.clingen import genetic_table
from gym_clinic.domains.clingen.genetic_table import (
    LEAST_LOD,
    ROWS,
    PersonGenetics,
    case_level_points,
    row_of_person,
)
from gym_clinic.domains.clingen.literature.records import (
    CaseControl,
    Family,
    Literature,
    Proband,
    Publication,
)
from gym_clinic.domains.clingen.sop import GENETIC_CAP, SopResult, classify

LEAST_GENETIC = 1.5
"""Fewest genetic points of a drawn literature whose class is not the lowest."""

MOST_CONTROLS = 3
"""Most carriers of rare variants among thousands of controls."""

STEADY: Mapping[str, tuple[float, float]] = {
    "No Known Disease Relationship": (0.0, 0.0),
    "Limited": (LEAST_GENETIC, 6.0),
    "Moderate": (8.0, 11.0),
    "Strong": (13.0, 18.0),
    "Definitive": (13.0, 18.0),
}
"""Points within which a class does not hang on a single point."""


class LiteratureGold(NamedTuple):
    """What a curator concludes from all articles.

    Attributes:
        evidence: Article, result and subtype of each piece of experimental evidence.
        genetic: Article -> points of the persons, families and controls that it reports first,
            before the maxima of the rows.
        genetic_points: Their sum under the maxima.
        publications: Articles with genetics that count.
        first_year: Year of the first of them.
    """

    evidence: tuple[tuple[str, str, str], ...]
    genetic: Mapping[str, float]
    genetic_points: float
    publications: int
    first_year: int | None
    contradictory: bool
    sop: SopResult


def score(literature: Literature) -> LiteratureGold:
    """Return the gold of a literature."""
    rows: Counter[str] = Counter()
    genetic: dict[str, float] = defaultdict(float)
    for person in literature.persons:
        if row := row_of(person, literature):
            rows[row] += 1
            genetic[person.first_article] += ROWS[row][0]
    total = case_level_points(rows)
    first = first_articles(literature)
    counted = [
        one for one in literature.families if lod_of(one, literature.inheritance) >= LEAST_LOD
    ]
    if points := segregation_points(counted, literature.inheritance):
        total += points
        for one in counted:
            genetic[first[one.id]] += points / len(counted)
    for article in literature.articles:
        if article.case_control and (earned := case_control_points(article.case_control)):
            total += earned
            genetic[article.pmid] += earned
    evidence = evidence_of(literature)
    years = {one.pmid: one.year for one in literature.articles}
    first_year = min((years[pmid] for pmid in genetic), default=None)
    capped = min(total, GENETIC_CAP)
    disputed = contradictory(literature)
    sop = classify(
        [subtype for _, _, subtype in evidence],
        genetic_points=capped,
        publications=len(genetic),
        years_since_first=max(years.values()) - first_year if first_year else 0,
        contradictory=disputed,
    )
    return LiteratureGold(evidence, dict(genetic), capped, len(genetic), first_year, disputed, sop)


def row_of(person: Proband, literature: Literature) -> str | None:
    """The row of the case-level table that a person belongs to; none if the person earns none."""
    known = {one.id: one for one in literature.variants}
    variants = [known[one] for one in person.variants]
    found = PersonGenetics(
        hits=len(variants),
        null=any(one.null for one in variants),
        de_novo=person.origin == "de novo" and person.parents_tested,
        in_trans=person.in_trans,
        common=max((one.population_alleles / one.population_total for one in variants), default=0),
        other_cause=bool(person.other_cause),
    )
    return row_of_person(found, literature.inheritance, literature.mechanism)


def family_id(person: Proband) -> str:
    """The number of a person's family: "F1" of "F1-II-2"."""
    return person.id.split("-")[0]


def is_steady(literature: Literature) -> bool:
    """Whether the class stands a point away from every threshold.

    Points of a class end one point from the next one: Limited at 6 with 1.5 genetic points or more,
    Moderate at 8 to 11, Strong and Definitive at 13.
    """
    gold = score(literature)
    low, high = STEADY[gold.sop.classification]
    doubtful = {"decimal_gap", "replication_text_and_matrix_disagree"}
    return (
        not doubtful & {*gold.sop.flags}
        and (low <= gold.sop.points <= high if high else gold.genetic_points == 0)
        and (gold.sop.classification != "Limited" or gold.genetic_points >= LEAST_GENETIC)
    )


def lod_of(family: Family, inheritance: str) -> float:
    """The LOD score of a family by its counts; 0 where an affected person carries no variant.

    A dominant or X-linked family gives log10(2) for each affected carrier after the first, a
    recessive one log10(4).
    """
    if family.phenocopies or family.affected_carriers < 2:
        return 0.0
    later = family.affected_carriers - 1
    return round(later * (0.60206 if inheritance == "AR" else 0.30103), 2)


def segregation_points(families: Iterable[Family], inheritance: str) -> float:
    """Points of the summed LOD scores of families."""
    return genetic_table.segregation_points(lod_of(one, inheritance) for one in families)


def case_control_points(study: CaseControl) -> float:
    """Points of a case-control study."""
    return genetic_table.case_control_points(study.odds_ratio, study.p)


def evidence_of(literature: Literature) -> tuple[tuple[str, str, str], ...]:
    """Article, result and subtype of each piece of evidence; a result counts where it is first."""
    results = {one.id: one for one in literature.results}
    found, seen = [], set[str]()
    for article in literature.articles:
        for key in article.results:
            subtype = results[key].subtype
            if subtype and key not in seen:
                found.append((article.pmid, key, subtype))
            seen.add(key)
    return tuple(found)


def contradictory(literature: Literature) -> bool:
    """Whether families contradict the relationship; a failed repetition of a result does not."""
    return genetic_table.contradicted(
        lod_of(one, literature.inheritance) for one in literature.families
    )


def first_articles(literature: Literature) -> dict[str, str]:
    """Family -> the first article that reports it."""
    found: dict[str, str] = {}
    for article in literature.articles:
        _add(found, article)
    return found


def _add(found: dict[str, str], article: Publication) -> None:
    for family in article.families:
        found.setdefault(family, article.pmid)
