"""Draws the literature of a gene and a disease, complete before a word is written.

Articles, years, experiments and the number of persons are drawn before the class is looked at. It
is then settled who earns points, so that the SOP gives the class with a point to spare at every
threshold; the persons, families and controls follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from random import Random

from gym_clinic.domains.clingen.dossiers import Dossiers, MechanismClass, PairDossier
from gym_clinic.domains.clingen.genetic_table import FAMILIES_AGAINST, ROWS
from gym_clinic.domains.clingen.literature.articles import (
    LAST_YEAR,
    LATE_YEAR,
    ArticlePlan,
    draw_articles,
)
from gym_clinic.domains.clingen.literature.comparisons import case_control
from gym_clinic.domains.clingen.literature.designs import WorldFacts
from gym_clinic.domains.clingen.literature.people import (
    PersonPlan,
    PersonSlot,
    course_of,
    draw_family,
    draw_person,
    draw_spoil,
    rows_for,
)
from gym_clinic.domains.clingen.literature.records import (
    CaseControl,
    Family,
    Literature,
    Proband,
    SequenceVariant,
)
from gym_clinic.domains.clingen.literature.scoring import (
    LEAST_GENETIC,
    MOST_CONTROLS,
    STEADY,
    case_control_points,
    is_steady,
    score,
    segregation_points,
)
from gym_clinic.domains.clingen.literature.signs import defining_signs
from gym_clinic.domains.clingen.sop import GENETIC_CAP, experimental_points
from gym_clinic.errors import TaskError
from gym_clinic.simulate.split import Split

UNKNOWN_MECHANISM = 0.25
"""Share of literatures whose articles do not know the mechanism, in every class."""

PLAUSIBLE: Mapping[str, Mapping[MechanismClass, int]] = {
    "AR": {"loss of function": 1},
    "XL": {"loss of function": 1},
    "SD": {"loss of function": 1},
    "AD": {"haploinsufficiency": 55, "gain of function": 28, "dominant negative": 17},
    "UD": {"haploinsufficiency": 55, "gain of function": 28, "dominant negative": 17},
}
"""Inheritance -> mechanisms to draw from where the dossier knows none, with weights."""

LATE_SHARE: Mapping[str, float] = {
    "Definitive": 0.22, "Strong": 0.02, "Moderate": 0.16, "Limited": 0.15,
    "No Known Disease Relationship": 0.22,
}  # fmt: skip
"""Class -> how many of its older pairs get a late literature, so that as many of each class have
one: pairs first described from 2022 on have no other."""

SCORED_YEARS = 4
"""Years from the first article with genetics to the last that replication over time needs."""

CONVINCING = 0.6
"""Share of literatures whose failures to replicate take the first result back."""

CONTRADICTED = 0.5
"""Share of Strong literatures in which families speak against the relationship, where there are
enough."""

PHENOTYPES = (3, 4)
"""Findings of the disease that the articles use; most pairs of every class have as many."""

_PLANS, _SETTLEMENTS = 40, 60


@dataclass(frozen=True)
class _Settlement:
    """Who earns points: persons by id, with families and controls by article."""

    persons: Mapping[str, PersonPlan]
    families: Mapping[str, tuple[Family, ...]]
    controls: Mapping[str, CaseControl]


def draw_literature(
    seed: str,
    pair: PairDossier,
    dossiers: Dossiers,
    classification: str,
    split: Split = "train",
) -> Literature:
    """Draw the literature of a pair with a published class.

    Args:
        seed: With the pair it decides everything.
        pair: The dossier of the pair.
        dossiers: All dossiers.
        classification: One of `evidence.CLASSES`.
        split: Whose designs of experiments are used.

    Raises:
        TaskError: If no draw gives the class, as where a pair is too young for Definitive.
    """
    rng = Random(f"{seed}:{pair.key}")
    earliest = pair.earliest_year or 0
    if classification == "Definitive" and earliest > LAST_YEAR - SCORED_YEARS:
        raise TaskError(f"{pair.gene}: described in {earliest}, too late for Definitive")
    mechanism = pair.mechanism.name
    if mechanism == "unknown":
        found = PLAUSIBLE[pair.inheritance]
        mechanism = rng.choices(list(found), weights=list(found.values()))[0]
    told: MechanismClass = "unknown" if rng.random() < UNKNOWN_MECHANISM else mechanism
    facts = WorldFacts(dossiers.genes[pair.gene], pair, told)
    names = _draw_names(rng, pair)
    late = earliest >= LATE_YEAR or rng.random() < LATE_SHARE[classification]
    for _ in range(_PLANS):
        convincing = rng.random() < CONVINCING
        plan = draw_articles(
            rng, facts, mechanism, dossiers, split, late=late, convincing=convincing
        )
        if not _bearers_have_evidence(plan):
            continue
        for _ in range(_SETTLEMENTS):
            settled = _settle(rng, plan, classification)
            if settled is None:
                continue
            literature = _with_people(rng, plan, settled, names)
            if score(literature).sop.classification == classification and is_steady(literature):
                return literature
    raise TaskError(f"{pair.gene}: no draw gives {classification}")


def _bearers_have_evidence(plan: ArticlePlan) -> bool:
    """Whether each article with new persons is one that a curator of experiments opens."""
    evidence = {one.id for one in plan.results if one.subtype}
    return all(
        evidence & {*article.results} for article in plan.articles if article.pmid in plan.bearers
    )


def _settle(rng: Random, plan: ArticlePlan, classification: str) -> _Settlement | None:
    """Decide who earns points; none if the points miss the class."""
    pair = plan.facts.pair
    experimental = experimental_points([one.subtype for one in plan.results if one.subtype])
    low, high = STEADY[classification]
    against = _families_against(rng, plan, classification)
    allowed = [*plan.bearers] if against else _open_articles(rng, plan, classification)
    excess = {
        pmid: rng.choice((2.0, 4.0)) if pmid in allowed and rng.random() < 0.35 else 0.0
        for pmid in plan.controlled
    }
    fixed = sum(excess.values())
    least = max(LEAST_GENETIC, low - experimental) - fixed
    most = high - experimental - fixed
    scored: dict[str, str] = {}
    if high:
        if most < 0:
            return None
        if (
            high == STEADY["Definitive"][1]
        ):  # further persons of the highest classes are cut by the maximum
            most = inf
        aim = max(0.0, least) + rng.uniform(0.0, 12.0 if most == inf else min(3.0, most - least))
        scored = _scored_rows(rng, plan, allowed, aim, most)
    persons = {}
    taken = [*scored.values()]
    for slot in plan.slots:
        row = scored.get(slot.id)
        spoil = "" if row else draw_spoil(rng, pair, slot)
        row = row or _unscored_row(rng, plan, slot, spoil, taken)
        taken.append(row)
        persons[slot.id] = PersonPlan(row, spoil)
    controls = {
        pmid: draw_control(rng, points, _rare_carriers(plan, pmid, persons))
        for pmid, points in excess.items()
    }
    families: dict[str, tuple[Family, ...]] = {}
    for slot in plan.slots:
        if slot.familial:
            lacking = slot.phenocopy or slot.id in against
            family = draw_family(rng, pair, slot.family, scored=slot.id in scored, against=lacking)
            families[slot.article] = (*families.get(slot.article, ()), family)
    counting = [one for mine in families.values() for one in mine]
    genetic = _case_points(scored) + segregation_points(counting, pair.inheritance) + fixed
    total = min(genetic, GENETIC_CAP) + experimental
    if high and not (low <= total <= high and genetic >= LEAST_GENETIC):
        return None
    if not high and genetic:
        return None
    return _Settlement(persons, families, controls)


def _unscored_row(
    rng: Random, plan: ArticlePlan, slot: PersonSlot, spoil: str, taken: list[str]
) -> str:
    """A row of a person without points; a common variant is neither de novo nor a null."""
    rows = rows_for(plan.facts.pair, plan.mechanism, slot, taken)
    if spoil == "common":
        return rows[-1]
    return _row(rng, plan.facts.pair, rows)


def _row(rng: Random, pair: PairDossier, rows: list[str]) -> str:
    """Draw a row; de novo variants are rare where the disease begins late."""
    readily = course_of(pair).de_novo
    return rng.choices(rows, weights=[readily if one == "de novo" else 1 for one in rows])[0]


def _families_against(rng: Random, plan: ArticlePlan, classification: str) -> list[str]:
    """Persons in whose families an affected member lacks the variant; none if that is chance."""
    familial = [one.id for one in plan.slots if one.familial]
    enough = len(familial) >= FAMILIES_AGAINST
    if classification != "Strong" or not enough or rng.random() >= CONTRADICTED:
        return []
    return rng.sample(familial, FAMILIES_AGAINST)


def _open_articles(rng: Random, plan: ArticlePlan, classification: str) -> list[str]:
    """Articles whose persons may earn points: few or recent ones for Strong, else all."""
    if classification != "Strong":
        return [*plan.bearers]
    years = {one.pmid: one.year for one in plan.articles}
    recent = [one for one in plan.bearers if years[one] >= max(years.values()) - 2]
    if len(recent) > 2 or (recent and rng.random() < 0.4):
        return recent
    sizes = {one: sum(slot.article == one for slot in plan.slots) for one in plan.bearers}
    return [max(plan.bearers, key=lambda one: sizes[one])]


def _scored_rows(
    rng: Random, plan: ArticlePlan, allowed: list[str], aim: float, most: float
) -> dict[str, str]:
    """Choose persons and rows until the aim is reached; each article gives one person first."""
    order = [one for one in plan.slots if one.article in allowed]
    rng.shuffle(order)
    order.sort(key=lambda one: not one.pinned)
    first = {one.article: one.id for one in reversed(order)}
    if aim > GENETIC_CAP / 2:
        order.sort(key=lambda one: first[one.article] != one.id)
    scored: dict[str, str] = {}
    total = 0.0
    for place, slot in enumerate(order):
        if total >= aim:
            break
        rows = rows_for(plan.facts.pair, plan.mechanism, slot, [*scored.values()])
        rows = [one for one in rows if total + ROWS[one][0] <= most] or []
        if not rows:
            continue
        needed = (aim - total) / (len(order) - place)
        best = max(rows, key=lambda one: ROWS[one][0])
        row = best if needed > 0.75 * ROWS[best][0] else _row(rng, plan.facts.pair, rows)
        scored[slot.id] = row
        total = _case_points(scored)
    return scored


def _case_points(scored: Mapping[str, str]) -> float:
    """Points of persons under the maxima of the rows."""
    rows = [*scored.values()]
    return sum(min(ROWS[row][0] * rows.count(row), ROWS[row][1]) for row in {*rows})


def _rare_carriers(plan: ArticlePlan, pmid: str, persons: Mapping[str, PersonPlan]) -> int:
    """How many persons of a cohort have rare variants."""
    mine = [persons[one.id] for one in plan.slots if one.article == pmid]
    return sum(one.spoil != "common" for one in mine)


def draw_control(rng: Random, points: float, carriers: int) -> CaseControl:
    """Draw a case-control study of rare variants whose p value is not near a threshold.

    Args:
        rng: Source of randomness.
        points: What it earns.
        carriers: Persons with rare variants whom the same article describes, all of them cases.
    """
    while True:
        study = case_control(
            max(1, carriers + rng.randint(0, 6 if points else 1)),
            rng.randint(400, 2500),
            rng.randint(0, MOST_CONTROLS),
            rng.randint(1500, 6000),
        )
        clear = study.p < 0.0005 or 0.003 < study.p < 0.035 or study.p > 0.1
        if clear and case_control_points(study) == points:
            return study


def _draw_names(rng: Random, pair: PairDossier) -> tuple[str, ...]:
    """Draw the findings that the articles tell, among them those that define the disease."""
    signs = [one.name for one in pair.phenotypes]
    sure = defining_signs(pair.disease, signs)
    others = [one for one in signs if one not in sure]
    number = max(0, rng.choice(PHENOTYPES) - len(sure))
    kept = {*sure, *rng.sample(others, min(number, len(others)))}
    return tuple(one for one in signs if one in kept)


def _with_people(
    rng: Random, plan: ArticlePlan, settled: _Settlement, names: tuple[str, ...]
) -> Literature:
    """Draw the persons as settled and put all records together."""
    facts, pair, gene = plan.facts, plan.facts.pair, plan.facts.gene
    persons: list[Proband] = []
    variants: list[SequenceVariant] = []
    for slot in plan.slots:
        person, mine = draw_person(rng, pair, plan.mechanism, slot, settled.persons[slot.id], names)
        persons.append(person)
        variants += mine
    articles = tuple(
        replace(
            article,
            families=tuple(one.id for one in settled.families.get(article.pmid, ())),
            case_control=settled.controls.get(article.pmid),
        )
        for article in plan.articles
    )
    families = tuple(one for mine in settled.families.values() for one in mine)
    return Literature(
        pair.gene, pair.hgnc_id, pair.disease, pair.mondo_id, pair.inheritance, facts.mechanism,
        gene.product, gene.does, gene.pathway, gene.family, gene.partners or (), pair.tissues[:1],
        names, tuple(variants), tuple(persons), families, plan.results, articles,
    )  # fmt: skip
