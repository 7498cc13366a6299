"""Draws the literature of a gene and a disease, complete before a word is written.

Articles, years, experiments and the number of persons are drawn before the class is looked at. The
persons, families and controls are then drawn so that the SOP gives the class, under both readings
of replication over time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from gym_clinic.domains.clingen.dossiers import Dossiers, MechanismClass, PairDossier
from gym_clinic.domains.clingen.literature.comparisons import case_control
from gym_clinic.domains.clingen.literature.designs import (
    ExperimentDesign,
    WorldFacts,
    designs_of,
    feasible,
    read_designs,
)
from gym_clinic.domains.clingen.literature.experiments import contradicts, draw_experiment
from gym_clinic.domains.clingen.literature.people import (
    PersonSlot,
    draw_families,
    draw_person,
    rows_for,
)
from gym_clinic.domains.clingen.literature.records import (
    AbstractPlan,
    ArticleKind,
    CaseControl,
    Experiment,
    Family,
    Literature,
    Proband,
    Publication,
    SequenceVariant,
)
from gym_clinic.domains.clingen.literature.scoring import ROWS, score
from gym_clinic.domains.clingen.sop import BANDS, experimental_points
from gym_clinic.errors import TaskError
from gym_clinic.simulate.split import Split

ARTICLES = {4: 45, 5: 35, 6: 20}
"""Articles of a literature -> weight."""

FIRST_YEARS = (2011, 2018)
LAST_YEAR = 2026
EXPERIMENTAL = (1.5, 4.5)
"""Least and most points of experiments, for every class."""

PLAIN = 0.2
"""Share of the experiments whose design is no evidence, whatever they show."""

CONFOUNDED = 0.42
"""Share of the differences that something else than the gene may explain."""

SCORED_YEARS = 5
"""Years between first and last article, at least: more than replication asks."""

FIRST_KINDS: tuple[ArticleKind, ...] = ("cohort", "family")
OTHER_KINDS: tuple[ArticleKind, ...] = (
    "functional", "model", "functional", "model", "review", "case report", "paralogue",
    "sibling disease", "failure to replicate", "failure to replicate",
)  # fmt: skip
_TRIES = 400


@dataclass(frozen=True)
class _Plan:
    """What is drawn without the class."""

    facts: WorldFacts
    articles: tuple[Publication, ...]
    results: tuple[Experiment, ...]
    slots: tuple[PersonSlot, ...]


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
        classification: One of `evidence.CLASSES`.
        split: Whose designs of experiments are used.

    Raises:
        TaskError: If the pair is too young for replication over time, or no draw gives the class.
    """
    rng = Random(f"{seed}:{pair.key}")
    if (pair.earliest_year or 0) > LAST_YEAR - SCORED_YEARS:
        raise TaskError(f"{pair.gene}: no article is plausible before {pair.earliest_year}")
    known = pair.mechanism.name != "unknown" and rng.random() < 0.7
    mechanism: MechanismClass = pair.mechanism.name if known else "unknown"
    facts = WorldFacts(dossiers.genes[pair.gene], pair, mechanism)
    for _ in range(_TRIES):
        plan = _draw_plan(rng, facts, dossiers, split)
        subtypes = [one.subtype for one in plan.results if one.subtype]
        if EXPERIMENTAL[0] <= experimental_points(subtypes) <= EXPERIMENTAL[1]:
            break
    else:
        raise TaskError(f"{pair.gene}: no experiments within {EXPERIMENTAL} points")
    for _ in range(_TRIES):
        literature = _with_people(rng, plan, classification)
        sop = score(literature).sop
        if sop.classification == classification and not (
            {"decimal_gap", "replication_text_and_matrix_disagree"} & {*sop.flags}
        ):
            return literature
    raise TaskError(f"{pair.gene}: no draw of persons gives {classification}")


def _draw_plan(rng: Random, facts: WorldFacts, dossiers: Dossiers, split: Split) -> _Plan:
    """Articles, years, experiments and slots for persons."""
    number = rng.choices(list(ARTICLES), weights=list(ARTICLES.values()))[0]
    kinds = [rng.choice(FIRST_KINDS) for _ in range(3)]
    kinds += [rng.choice(("functional", "model"))]
    kinds += [rng.choice(OTHER_KINDS) for _ in range(number - 4)]
    tail = kinds[1:]
    rng.shuffle(tail)
    kinds[1:] = tail
    years = _years(rng, number, facts.pair.earliest_year or 0)
    pmids = [f"SIM{one}" for one in rng.sample(range(10_000_000, 100_000_000), number)]
    slots = _slots(
        rng, facts.pair, [pmids[i] for i, kind in enumerate(kinds) if kind in FIRST_KINDS]
    )
    pinned = [one for one in slots if one.pinned]
    results: list[Experiment] = []
    articles: list[Publication] = []
    used: set[str] = set()
    for place, kind in enumerate(kinds):
        gene, disease = _subject(rng, kind, facts, dossiers)
        if (kind == "paralogue" and gene == facts.gene.gene) or (
            kind == "sibling disease" and disease == facts.pair.disease
        ):
            kind = "review"
        mine: list[Experiment] = []
        early = [
            one for one in results if one.reading == "positive" and one.gene == facts.gene.gene
        ]
        if kind == "failure to replicate":
            if early:
                mine.append(_repeat(rng, rng.choice(early), f"R{len(results) + 1}", facts))
            else:
                kind = "review"
        elif kind not in ("review", "case report"):
            for _ in range(rng.randint(0, 1) if kind in FIRST_KINDS else rng.randint(2, 3)):
                design = _design(rng, facts, kind, used, split)
                used.add(design.id)
                key = f"R{len(results) + len(mine) + 1}"
                found = _experiment(rng, key, design, facts, gene, pinned)
                if disease != facts.pair.disease and found.reading in ("positive", "confounded"):
                    found = replace(found, reading="other disease", subtype=None)
                mine.append(found)
        for later in mine:
            results = [
                replace(one, reading="contradicted", subtype=None)
                if one.reading == "positive" and contradicts(later, one)
                else one
                for one in results
            ]
        results += mine
        named = {one.person for one in mine if one.person}
        persons = [
            one.id
            for one in slots
            if one.article == pmids[place] or (one.id in named and kind != "review")
        ]
        if kind == "case report":
            persons = [slots[0].id]
        seen = rng.sample(pmids[:place], min(place, rng.randint(1, 3))) if place else []
        if kind == "failure to replicate" or named or kind == "case report":
            seen = [*seen, *(one.pmid for one in articles if _told(one, mine, persons))]
        told = [one.id for one in mine]
        articles.append(
            Publication(
                pmids[place],
                pmids[place].replace("SIM", "SIMC"),
                years[place],
                kind,
                gene,
                disease,
                tuple(persons),
                (),
                None,
                tuple(told),
                tuple(one for one in pmids[:place] if one in seen),
                rng.random() < 0.25,
                _abstract(rng, told),
            )
        )
    return _Plan(facts, tuple(articles), tuple(results), slots)


def _with_people(rng: Random, plan: _Plan, classification: str) -> Literature:
    """Add persons, families and controls, drawn towards the class."""
    facts = plan.facts
    pair, gene = facts.pair, facts.gene
    bearers = list(dict.fromkeys(one.article for one in plan.slots))
    years = {one.pmid: one.year for one in plan.articles}
    open_articles = bearers
    if classification == "Strong":
        recent = [one for one in bearers if years[one] >= max(years.values()) - 2]
        open_articles = recent if len(recent) > 1 and rng.random() < 0.5 else [rng.choice(bearers)]
    subtypes = [one.subtype for one in plan.results if one.subtype]
    experimental = experimental_points(subtypes)
    low, high = BANDS[classification]
    target = (max(0.5, low - experimental), min(high - experimental, 12.0))
    order = [one for one in plan.slots if one.article in open_articles]
    rng.shuffle(order)
    if classification == "Definitive":  # one scored person in each article
        first = {one.article: one.id for one in reversed(order)}
        order.sort(key=lambda one: first[one.article] != one.id)
    rows: dict[str, str] = {}
    total, aim = 0.0, rng.uniform(target[0], min(target[0] + 3, target[1]) if low < 12 else 12)
    for slot in order if high else ():
        open_rows = rows_for(pair, slot)
        row = open_rows[0] if low >= 12 and rng.random() < 0.7 else rng.choice(open_rows)
        if total >= aim and total >= target[0]:
            break
        if total + ROWS[row][0] <= target[1] or classification in ("Strong", "Definitive"):
            rows[slot.id] = row
            total += ROWS[row][0]
    persons: list[Proband] = []
    variants: list[SequenceVariant] = []
    for slot in plan.slots:
        row = rows.get(slot.id) or rng.choice(rows_for(pair, slot))
        person, mine = draw_person(rng, pair, slot, row, scored=slot.id in rows)
        persons.append(person)
        variants += mine
    families: list[Family] = []
    articles = []
    for article in plan.articles:
        mine_families: tuple[Family, ...] = ()
        control: CaseControl | None = None
        if article.kind == "family":
            ids = list(dict.fromkeys(one.id.split("-")[0] for one in plan.slots
                                     if one.article == article.pmid))[:2]  # fmt: skip
            mine_families = draw_families(rng, pair, ids)
        elif article.kind == "cohort" and rng.random() < 0.5:
            control = _controls(rng)
        families += mine_families
        articles.append(
            replace(article, families=tuple(one.id for one in mine_families), case_control=control)
        )
    return Literature(
        pair.gene, pair.hgnc_id, pair.disease, pair.mondo_id, pair.inheritance, facts.mechanism,
        gene.product, gene.does, gene.pathway, gene.family, gene.partners or (), pair.tissues,
        tuple(one.name for one in pair.phenotypes), tuple(variants), tuple(persons),
        tuple(families), plan.results, tuple(articles),
    )  # fmt: skip


def _years(rng: Random, number: int, earliest: int) -> list[int]:
    first = max(rng.randint(*FIRST_YEARS), earliest)
    last = min(LAST_YEAR, first + rng.randint(SCORED_YEARS, SCORED_YEARS + 4))
    return sorted([first, last, *(rng.randint(first, last) for _ in range(number - 2))])


def _slots(rng: Random, pair: PairDossier, bearers: Sequence[str]) -> tuple[PersonSlot, ...]:
    """Five to seven persons for each article that describes new ones."""
    hits = 2 if pair.inheritance == "AR" else 1
    sizes = [rng.randint(5, 7) for _ in bearers]
    numbers = rng.sample(range(1, 10_000_000), hits * sum(sizes))
    found: list[PersonSlot] = []
    for pmid, size in zip(bearers, sizes, strict=True):
        for place in range(size):
            mine = tuple(f"SIMVAR-{numbers.pop():07d}" for _ in range(hits))
            person = f"F{len(found) + 1}-{rng.choice(('II', 'III'))}-{rng.randint(1, 4)}"
            found.append(PersonSlot(person, pmid, mine, pmid == bearers[0] and place < 2))
    return tuple(found)


def _subject(
    rng: Random, kind: ArticleKind, facts: WorldFacts, dossiers: Dossiers
) -> tuple[str, str]:
    """The gene and the disease of an article: a paralogue or a sibling disease if it is on one."""
    gene, disease = facts.gene.gene, facts.pair.disease
    if kind == "paralogue" and facts.gene.paralogues:
        return rng.choice(facts.gene.paralogues), disease
    if kind == "sibling disease":
        family = [one.disease for one in dossiers.pairs.values() if one.gene == gene]
        others = [one for one in family if one != disease]
        if others:
            return gene, rng.choice(others)
    return gene, disease


def _design(
    rng: Random, facts: WorldFacts, kind: ArticleKind, used: set[str], split: Split
) -> ExperimentDesign:
    """A feasible design of the split that was not used: animals for a model; some give nothing."""
    fit = [one for one in designs_of(split) if feasible(one, facts)]
    plain = rng.random() < PLAIN
    pool = [one for one in fit if (one.subtype is None) == plain and one.id not in used] or fit
    if kind == "model":
        pool = [one for one in pool if any("organism" in word for word in one.when)] or pool
    subtype = rng.choice(sorted({one.subtype or "" for one in pool}))
    return rng.choice([one for one in pool if (one.subtype or "") == subtype])


def _experiment(
    rng: Random,
    key: str,
    design: ExperimentDesign,
    facts: WorldFacts,
    gene: str,
    pinned: Sequence[PersonSlot],
) -> Experiment:
    slot = rng.choice(pinned)
    names = {
        "gene": gene,
        "partner": rng.choice(facts.gene.partners or ("",)),
        "person": slot.id,
        "variant": slot.variants[0],
        "tissue": facts.pair.tissues[0],
    }
    effect = rng.random() < 0.65
    other = gene if gene != facts.gene.gene else None
    confounded = effect and bool(design.confounder) and rng.random() < CONFOUNDED
    found = draw_experiment(
        rng, key, design, facts, names, effect=effect, confounded=confounded, gene=gene
    )
    return replace(found, reading="other gene", subtype=None) if other and effect else found


def _repeat(rng: Random, earlier: Experiment, key: str, facts: WorldFacts) -> Experiment:
    """The same experiment in other hands, without a difference; its size decides what it says."""
    design = read_designs().designs[earlier.design]
    names = {
        "gene": earlier.gene,
        "partner": earlier.partner or "",
        "person": earlier.person or "",
        "variant": earlier.variant or "",
        "tissue": facts.pair.tissues[0],
    }
    if rng.random() < 0.4:
        design = replace(design, n=(3, 4))
    return draw_experiment(rng, key, design, facts, names, effect=False)


def _told(article: Publication, mine: Sequence[Experiment], persons: Sequence[str]) -> bool:
    return bool({*article.persons} & {*persons}) or bool(mine and article.results)


def _abstract(rng: Random, told: Sequence[str]) -> AbstractPlan:
    modes = {
        one: rng.choices(("", "omit", "hedge", "over"), weights=(60, 20, 10, 10))[0] for one in told
    }
    return AbstractPlan(
        *(tuple(one for one in told if modes[one] == mode) for mode in ("omit", "hedge", "over"))
    )


def _controls(rng: Random) -> CaseControl:
    cases, controls = rng.randint(400, 1500), rng.randint(1200, 4000)
    share = rng.uniform(0.002, 0.006)
    ratio = rng.choice((1.0, 1.0, 3.5))
    carriers = [
        max(0, round(rng.gauss(size * bound, (size * bound) ** 0.5)))
        for bound, size in ((share * ratio, cases), (share, controls))
    ]
    return case_control(carriers[0], cases, carriers[1], controls)
