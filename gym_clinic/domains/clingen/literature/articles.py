"""Draws the articles and the experiments of a literature without looking at the class.

Kinds, years, numbers of persons and results are the same for all classes. Each cohort or family
article that reports new persons also holds an experiment that is evidence. Whether a failure to
replicate takes the first result back is told by its group sizes only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from gym_clinic.domains.clingen.dossiers import Dossiers, MechanismClass
from gym_clinic.domains.clingen.evidence import SUBTYPES
from gym_clinic.domains.clingen.literature.designs import (
    ExperimentDesign,
    WorldFacts,
    designs_of,
    feasible,
    read_designs,
)
from gym_clinic.domains.clingen.literature.experiments import contradicts, draw_experiment
from gym_clinic.domains.clingen.literature.people import PHENOCOPIES, PersonSlot, course_of
from gym_clinic.domains.clingen.literature.records import (
    AbstractPlan,
    ArticleKind,
    Experiment,
    Publication,
)
from gym_clinic.domains.clingen.sop import experimental_points
from gym_clinic.simulate.split import Split

ARTICLES = {3: 8, 4: 22, 5: 28, 6: 22, 7: 12, 8: 8}
"""Articles of a literature -> weight."""

FIRST_YEARS = (2017, 2021)
LATE_YEAR, LAST_YEAR = 2022, 2026
"""First year of a late literature, and the last year of all."""

MOST_EXPERIMENTAL = 4.0
"""Most experimental points of a literature."""

CONTROLLED = 0.4
"""Share of cohorts of a dominant disease that are compared with controls."""

LONG_ARTICLES = 4
"""Full texts of usual length in a literature; further articles are short reports."""

OTHER_KINDS: Mapping[ArticleKind, int] = {
    "functional": 3, "model": 3, "review": 2, "case report": 3, "cohort": 1, "paralogue": 3,
    "sibling disease": 2, "failure to replicate": 5,
}  # fmt: skip
"""Kinds of the articles without new persons -> weight."""

EFFECT = 0.8
"""Share of the experiments that find a difference, as far as points are left."""

PLAIN = 0.2
"""Share of the experiments whose design is no evidence, whatever they show."""

DOUBTFUL = 0.6
"""Share of the differences that the gene need not explain; all where no points are left."""

CONTROL_TELLS = 0.75
"""Share of doubtful differences that the control group shows too."""

_TRIES, _REPEATS = 60, 12


@dataclass(frozen=True)
class ArticlePlan:
    """What is drawn without the class.

    Attributes:
        mechanism: How variants cause the disease, also where the articles do not know it.
        slots: Persons to be drawn, in the order of their articles.
        bearers: Articles that report new persons.
        controlled: Those of them that count carriers among cases and controls.
    """

    facts: WorldFacts
    mechanism: MechanismClass
    articles: tuple[Publication, ...]
    results: tuple[Experiment, ...]
    slots: tuple[PersonSlot, ...]
    bearers: tuple[str, ...]
    controlled: tuple[str, ...]


def draw_articles(
    rng: Random, facts: WorldFacts, mechanism: MechanismClass, dossiers: Dossiers,
    split: Split, *, late: bool, convincing: bool,
) -> ArticlePlan:  # fmt: skip
    """Draw articles, years, experiments and places for persons.

    Args:
        rng: Source of randomness.
        facts: Of the gene and the disease, with the mechanism as far as the articles know it.
        mechanism: How variants cause the disease.
        dossiers: For paralogues and other diseases of the gene.
        split: Whose designs of experiments are used.
        late: Whether the first article is of the last five years.
        convincing: Whether failures to replicate are large enough to exclude the first finding.
    """
    return _ArticleDraw(rng, facts, mechanism, dossiers, split, convincing).draw(late)


class _ArticleDraw:
    """The state of one draw."""

    def __init__(
        self, rng: Random, facts: WorldFacts, mechanism: MechanismClass, dossiers: Dossiers,
        split: Split, convincing: bool,
    ) -> None:  # fmt: skip
        self.rng, self.facts, self.mechanism = rng, facts, mechanism
        self.convincing, self.gene = convincing, facts.gene.gene
        pairs = [one for one in dossiers.pairs.values() if one.gene == self.gene]
        self.diseases = {one.disease: one for one in pairs} | {facts.pair.disease: facts.pair}
        self.fit = [one for one in designs_of(split) if feasible(one, facts)]
        self.results: list[Experiment] = []
        self.used: set[str] = set()
        self.evidence_of_bearers: list[list[str]] = []

    def draw(self, late: bool) -> ArticlePlan:
        """Return the plan."""
        rng = self.rng
        number = rng.choices(list(ARTICLES), weights=list(ARTICLES.values()))[0]
        new = 4 if number > 4 and rng.random() < 0.3 else 3
        # Where de novo variants are rare, families are what is reported.
        inherited = course_of(self.facts.pair).de_novo < 0.5
        bearing: ArticleKind = "family" if inherited else "cohort"
        kinds: list[tuple[ArticleKind, bool]] = [
            (rng.choice(("cohort", "family", bearing)), True) for _ in range(new)
        ]
        kinds[rng.randrange(new)] = ("cohort", True)
        others = rng.choices([*OTHER_KINDS], weights=[*OTHER_KINDS.values()], k=number - new)
        kinds += [(kind, False) for kind in others]
        tail = kinds[1:]
        rng.shuffle(tail)
        if rng.random() < 0.7:  # a repetition needs something to repeat
            tail.sort(key=lambda one: one[0] == "failure to replicate")
        kinds[1:] = tail
        years = self.years(number, late)
        pmids = [f"SIM{one}" for one in rng.sample(range(10_000_000, 100_000_000), number)]
        bearers = tuple(pmids[place] for place, (_, bears) in enumerate(kinds) if bears)
        slots = self.slots([(pmids[i], kind) for i, (kind, bears) in enumerate(kinds) if bears])
        self.pinned = [one for one in slots if one.pinned]
        left, long = len(bearers), 0
        articles: list[Publication] = []
        for place, (kind, bears) in enumerate(kinds):
            left -= bears
            gene, disease = self.subject(kind)
            if (kind == "paralogue" and gene == self.gene) or (
                kind == "sibling disease" and disease == self.facts.pair.disease
            ):
                kind = "review"
            told = {one.pmid for one in articles}
            known = [one for one in slots if one.article in told]
            if kind in ("case report", "cohort") and not bears and not known:
                kind = "review"
            mine: list[Experiment] = []
            if kind == "failure to replicate":
                mine = self.failed()
                kind = kind if mine else "review"
            elif bears:
                mine = self.evidence(left)
            elif kind not in ("review", "case report", "cohort"):
                mine = self.experiments(gene, disease, left, kind=kind)
                if not mine:  # nothing can be done without the persons of this gene and disease
                    kind, (gene, disease) = "review", self.subject("review")
            self.store(mine, bears)
            named = {one.person for one in mine if one.person}
            persons = {one.id for one in slots if one.article == pmids[place]} | named
            if kind in ("case report", "cohort") and not bears:
                again = min(len(known), 1 if kind == "case report" else rng.randint(2, 4))
                persons |= {one.id for one in rng.sample(known, again)}
            elif bears and kind == "cohort" and known and rng.random() < 0.35:
                persons |= {one.id for one in rng.sample(known, min(len(known), rng.randint(1, 2)))}
            seen = set(rng.sample(pmids[:place], min(place, rng.randint(1, 3)))) if place else set()
            firsts = {one.article for one in slots if one.id in persons}
            seen |= {one.pmid for one in articles if one.pmid in firsts}
            if kind == "failure to replicate":
                same = {one.id for one in self.results if one.design == mine[0].design}
                seen |= {one.pmid for one in articles if same & {*one.results}}
            short = rng.random() < 0.25 or long >= LONG_ARTICLES
            long += not short
            articles.append(
                Publication(
                    pmids[place], pmids[place].replace("SIM", "SIMC"), years[place], kind, gene,
                    disease, tuple(one.id for one in slots if one.id in persons), (), None,
                    tuple(one.id for one in mine),
                    tuple(one for one in pmids[:place] if one in seen),
                    short, self.abstract([one.id for one in mine], kind),
                )
            )  # fmt: skip
        controlled = tuple(
            one.pmid
            for one in articles
            if one.pmid in bearers
            and one.kind == "cohort"
            and self.facts.pair.inheritance in ("AD", "SD", "UD")
            and rng.random() < CONTROLLED
        )
        plan = (self.facts, self.mechanism, tuple(articles), tuple(self.results))
        return ArticlePlan(*plan, slots, bearers, controlled)

    def years(self, number: int, late: bool) -> list[int]:
        """Years of the articles in order; replication over time is always possible."""
        earliest = self.facts.pair.earliest_year or 0
        if late or earliest >= LATE_YEAR:
            first, last = max(LATE_YEAR, earliest), LAST_YEAR
        else:
            first = max(self.rng.randint(*FIRST_YEARS), min(earliest, FIRST_YEARS[1]))
            last = self.rng.randint(first + 4, min(LAST_YEAR, first + 8))
        return sorted([first, last, *(self.rng.randint(first, last) for _ in range(number - 2))])

    def slots(self, bearers: Sequence[tuple[str, ArticleKind]]) -> tuple[PersonSlot, ...]:
        """Places for persons: one large cohort, smaller ones, and families."""
        rng = self.rng
        hits = 2 if self.facts.pair.inheritance == "AR" else 1
        cohorts = [pmid for pmid, kind in bearers if kind == "cohort"]
        large = rng.choice(cohorts)
        sizes = [
            rng.randint(2, 3)
            if kind == "family"
            else rng.randint(6, 7)
            if pmid == large
            else rng.randint(3, 4)
            for pmid, kind in bearers
        ]
        numbers = rng.sample(range(1, 10_000_000), hits * sum(sizes))
        found: list[PersonSlot] = []
        for (pmid, kind), size in zip(bearers, sizes, strict=True):
            for place in range(size):
                mine = tuple(f"SIMVAR-{numbers.pop():07d}" for _ in range(hits))
                person = f"F{len(found) + 1}-{rng.choice(('II', 'III'))}-{rng.randint(1, 4)}"
                pinned = pmid == bearers[0][0] and place < 2
                family = kind == "family"
                chance = family and rng.random() < PHENOCOPIES
                found.append(PersonSlot(person, pmid, mine, pinned, family, chance))
        return tuple(found)

    def subject(self, kind: ArticleKind) -> tuple[str, str]:
        """Gene and disease of an article: a paralogue or a sibling disease if it is on one."""
        gene, pair = self.facts.gene, self.facts.pair
        if kind == "paralogue" and gene.paralogues:
            return self.rng.choice(gene.paralogues), pair.disease
        others = [disease for disease in self.diseases if disease != pair.disease]
        if kind == "sibling disease" and others:
            return gene.gene, self.rng.choice(others)
        return gene.gene, pair.disease

    def evidence(self, left: int) -> list[Experiment]:
        """One or two experiments of an article with new persons, at least one of them evidence."""
        first = self.positive(left)
        found = [first] if first else []
        if self.rng.random() < 0.85:
            gene, disease = self.gene, self.facts.pair.disease
            found += self.experiments(gene, disease, left, 1, found)
        return self.rng.sample(found, len(found))

    def positive(self, left: int) -> Experiment | None:
        """An experiment that is evidence and leaves points for what is to come."""
        for _ in range(_TRIES):
            design = self.design(self.fit, plain=False)
            if design is None or self.exceeds(design, left, ()):
                continue
            self.used.add(design.id)
            found = self.experiment(design, self.gene, 0, effect=True, facts=self.facts, doubt=0.0)
            if found.subtype:
                return found
        return None

    def experiments(
        self, gene: str, disease: str, left: int, number: int = 0,
        told: Sequence[Experiment] = (), kind: ArticleKind = "functional",
    ) -> list[Experiment]:  # fmt: skip
        """Experiments with and without effect, on whatever gene and disease the article is on."""
        found: list[Experiment] = []
        own = gene == self.gene and disease == self.facts.pair.disease
        facts = self.facts._replace(pair=self.diseases[disease])
        fit = [one for one in self.fit if own or (feasible(one, facts) and not one.of_carriers)]
        for _ in range(number or self.rng.randint(1, 2)):
            shown = {one.subtype for one in (*told, *found)}
            pool = [one for one in fit if one.subtype is None or one.subtype not in shown]
            if kind == "model":
                animals = [one for one in pool if any("organism" in word for word in one.when)]
                pool = [one for one in animals if one.id not in self.used] or pool
            plain = self.rng.random() < PLAIN and kind != "model"
            design = self.design(pool, plain=plain)
            if design is None:
                continue
            self.used.add(design.id)
            effect = self.rng.random() < EFFECT
            full = own and self.exceeds(design, left, (*told, *found))
            mine = self.experiment(
                design, gene, len(told) + len(found), effect=effect, facts=facts,
                doubt=1.0 if full else DOUBTFUL,
            )  # fmt: skip
            if disease != self.facts.pair.disease and mine.reading != "negative":
                mine = replace(mine, reading="other disease", subtype=None)
            found.append(mine)
        return found

    def failed(self) -> list[Experiment]:
        """The repetition of an earlier positive experiment, without a difference."""
        spare = {key for keys in self.evidence_of_bearers if len(keys) > 1 for key in keys}
        lone = {key for keys in self.evidence_of_bearers for key in keys} - spare
        early = [
            one
            for one in self.results
            if one.reading == "positive" and one.gene == self.gene and one.id not in lone
        ]
        for first in self.rng.sample(early, len(early)):
            design = read_designs().designs[first.design]
            low, high = design.n
            sizes = (high, 2 * high) if self.convincing else (3, max(4, low // 2))
            slots = ("gene", "partner", "person", "variant")
            names = {slot: getattr(first, slot) or "" for slot in slots}
            names["tissue"] = self.facts.pair.tissues[0]
            for _ in range(_REPEATS):
                found = draw_experiment(
                    self.rng, self.key(), replace(design, n=sizes), self.facts, names,
                    effect=False, noise=1.0 if self.convincing else self.rng.uniform(1.5, 2.2),
                )  # fmt: skip
                if contradicts(found, first) == self.convincing:
                    return [found]
        return []

    def store(self, mine: Sequence[Experiment], bears: bool) -> None:
        """Add the results of an article; what they contradict is evidence no more."""
        for later in mine:
            self.results = [
                replace(one, reading="contradicted", subtype=None)
                if one.reading == "positive" and contradicts(later, one)
                else one
                for one in self.results
            ]
        self.results += mine
        if bears:
            self.evidence_of_bearers.append([one.id for one in mine if one.subtype])

    def design(self, pool: Sequence[ExperimentDesign], *, plain: bool) -> ExperimentDesign | None:
        """A design that was not used, with or without evidence to give."""
        pool = [one for one in pool if (one.subtype is None) == plain and one.id not in self.used]
        if not pool:
            return None
        subtype = self.rng.choice(sorted({one.subtype or "" for one in pool}))
        return self.rng.choice([one for one in pool if (one.subtype or "") == subtype])

    def exceeds(self, design: ExperimentDesign, left: int, mine: Sequence[Experiment]) -> bool:
        """Whether a positive result would leave too few points for the articles to come."""
        if design.subtype is None:
            return False
        found = [one.subtype for one in (*self.results, *mine) if one.subtype]
        points = experimental_points([*found, design.subtype])
        room = MOST_EXPERIMENTAL - left * SUBTYPES["biochemical_function_a"].points
        return points > room

    def experiment(
        self, design: ExperimentDesign, gene: str, place: int, *, effect: bool,
        facts: WorldFacts, doubt: float,
    ) -> Experiment:  # fmt: skip
        slot = self.rng.choice(self.pinned)
        partners = [one for one in facts.gene.partners or ("",) if one != gene]
        names = {
            "gene": gene,
            "partner": self.rng.choice(partners or [self.gene]),
            "person": slot.id,
            "variant": slot.variants[0],
            "tissue": facts.pair.tissues[0],
        }
        doubtful = effect and self.rng.random() < doubt
        told = bool(design.control) and (not design.confounder or self.rng.random() < CONTROL_TELLS)
        found = draw_experiment(
            self.rng, self.key(place), design, facts, names, gene=gene, effect=effect,
            confounded=doubtful and not told, specific=not (doubtful and told),
        )  # fmt: skip
        if gene != self.gene and effect:
            return replace(found, reading="other gene", subtype=None)
        return found

    def key(self, place: int = 0) -> str:
        return f"R{len(self.results) + place + 1}"

    def abstract(self, told: Sequence[str], kind: ArticleKind) -> AbstractPlan:
        """Leave out, hedge or overstate some results; a failure to replicate is told plainly."""
        if kind == "failure to replicate":
            return AbstractPlan()
        modes = {
            one: self.rng.choices(("", "omit", "hedge", "over"), weights=(70, 10, 10, 10))[0]
            for one in told
        }
        return AbstractPlan(
            *(
                tuple(one for one in told if modes[one] == mode)
                for mode in ("omit", "hedge", "over")
            )
        )
