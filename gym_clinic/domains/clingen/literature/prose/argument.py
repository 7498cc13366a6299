"""How an article weighs its records: what speaks for the gene, what against it, what follows.

All of it follows from what the article prints. How a curator reads a result is not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gym_clinic.domains.clingen.literature.experiments import ALPHA
from gym_clinic.domains.clingen.literature.prose.facts import RARE, counted_word, listed
from gym_clinic.domains.clingen.literature.prose.pools import ArticleWriter
from gym_clinic.domains.clingen.literature.records import (
    CaseControl,
    Experiment,
    Literature,
    Proband,
    Publication,
)

_DATA: dict[str, Any] = json.loads(
    (Path(__file__).parent / "argument.json").read_text(encoding="utf-8")
)

FEW = 3
"""Persons up to which an article calls its series small."""

LARGE_LOD = 2.0
"""LOD score from which a family adds to the argument as much as a comparison with controls."""


_LIMITS = (
    "against_few", "against_one", "against_no_people", "against_no_experiment", "against_single",
)  # fmt: skip
_STEPS = {
    "against_other": "step_other",
    "against_common": "step_common",
    "against_untested": "step_untested",
    "against_null": "step_null",
    "against_null_between": "step_null",
    "against_few": "step_few",
    "against_one": "step_few",
    "against_no_people": "step_no_people",
    "against_no_experiment": "step_no_experiment",
    "against_single": "step_single",
}
"""What speaks against a gene -> what would answer it."""

_LOWER: dict[str, str] = {"high": "middle", "middle": "low", "low": "low"}


@dataclass(frozen=True)
class Ground:
    """What speaks for or against a gene: a pool of clauses and what they need.

    Attributes:
        count: How many persons of the article are meant, and how many it has.
    """

    pool: str
    facts: dict[str, str] = field(default_factory=dict)
    count: tuple[int, int] | None = None

    @property
    def minority(self) -> bool:
        """Whether fewer than half of the persons are meant."""
        return self.count is not None and 2 * self.count[0] < self.count[1]


@dataclass(frozen=True)
class Weighing:
    """What an article has for and against its gene.

    Attributes:
        supports: What speaks for it: persons, families, controls, experiments; fewer than half of
            the persons come last.
        objections: What speaks against it or limits it, the gravest first.
        subject: What the conclusion is on: "people" or "lab", laboratory work.
        level: How far it goes: "high", "middle" or "low".
    """

    supports: tuple[Ground, ...]
    objections: tuple[Ground, ...]
    subject: str
    level: str

    def conclusion(
        self, writer: ArticleWriter, *, cautious: bool = False, brief: bool = False
    ) -> str:
        """Write what follows, with the reasons.

        Args:
            writer: The writer of the article.
            cautious: Whether the author goes less far than the records allow.
            brief: Whether one reason suffices.
        """
        people = [one for one in self.supports if one.pool != "for_result"][:1]
        results = [one for one in self.supports if one.pool == "for_result"][:1]
        level = _LOWER[self.level] if cautious else self.level
        objections = self.objections or (Ground("against_single"),) * cautious
        grounds = [one for one in (*people, *results) if not (results and one.minority)]
        if brief and grounds:
            grounds, objections = grounds[:1], () if level == "high" else objections[:1]
        writer.rng.shuffle(grounds)
        said = [writer.tell("plain_for", **{"for": _clause(writer, one)}) for one in grounds[1:]]
        repeated = not grounds and objections[0].pool == "against_again"
        pool = "then_again" if repeated else f"then_{self.subject}_{level}"
        given = {"then": writer.clause(pool)}
        if grounds:
            given["for"] = _clause(writer, grounds[0])
        if objections:
            given["against"] = _clause(writer, objections[0])
        mixed = (self.subject, level) == ("lab", "middle")
        both = "mixed" if mixed else "low" if level == "low" else "both"
        sides = both if len(given) == 3 else "for" if grounds else "against"
        return " ".join([*said, writer.tell(f"weigh_{sides}", **given)])

    @property
    def opening(self) -> tuple[Ground, ...]:
        """The main finding, and what else was found or what qualifies it."""
        return (*self.supports[:1], *self.supports[1:][-1:], *self.objections[:1])[:2]

    def main_finding(self, writer: ArticleWriter) -> str:
        """Write the main finding."""
        return self._opened(writer, "main", self.opening[0])

    def further_finding(self, writer: ArticleWriter) -> str:
        """Write what else was found, or what qualifies the main finding."""
        return self._opened(writer, "further", self.opening[1]) if len(self.opening) > 1 else ""

    def _opened(self, writer: ArticleWriter, pool: str, ground: Ground) -> str:
        side = "for" if ground in self.supports else "against"
        return writer.tell(f"{pool}_{side}", **{side: _clause(writer, ground)})

    def gravest(self, writer: ArticleWriter) -> str:
        """Write the gravest objection that is not on a person, as a clause."""
        limits = [one for one in self.objections if one.pool in _LIMITS]
        return _clause(writer, limits[0]) if limits else ""

    def next_step(self, writer: ArticleWriter) -> str:
        """Write what would answer the gravest objection; empty if there is none to answer."""
        for one in self.objections:
            if one.pool in _STEPS and (step := writer.clause(_STEPS[one.pool])):
                return writer.tell("next_step", step=step)
        return ""

    def of_people(self, writer: ArticleWriter, told: Sequence[Ground]) -> list[str]:
        """Write the arguments from people, one sentence each, without those already told."""
        said = []
        for one in self.supports:
            if one.pool == "for_people" and one not in told:
                pool = "argue_minor" if one.minority else "argue_for"
                said.append(writer.tell(pool, **{"for": _clause(writer, one)}))
        return said + [
            writer.tell("argue_against", against=_clause(writer, one))
            for one in self.objections
            if one.count and one.pool != "against_again" and one not in told
        ]


def weigh(
    literature: Literature,
    article: Publication,
    told: Sequence[tuple[Experiment, dict[str, str]]],
) -> Weighing:
    """Collect what an article has for and against its gene.

    Args:
        literature: The records.
        article: One of its articles.
        told: Its experiments with what sentences on them may use.
    """
    persons = [one for one in literature.persons if one.id in article.persons]
    families = [one for one in literature.families if one.id in article.families]
    about = [one for one in told if expectation(one[0]) != "expect_other"]
    differing = [facts for one, facts in about if one.comparison.p < ALPHA]
    equal = [(one, facts) for one, facts in about if one.comparison.p >= ALPHA]
    clear, doubts = _sorted_persons(literature, article, persons)
    number = len(persons)
    supports, objections = [], []
    if clear:
        supports.append(Ground("for_people", count=(clear, number)))
    for family in families:
        if family.affected_carriers > 1:
            facts = {"family": family.id, "relatives": counted_word(family.affected_carriers)}
            supports.append(Ground("for_family", facts))
    excess = article.case_control is not None and _in_excess(article.case_control)
    if excess:
        supports.append(Ground("for_controls"))
    supports += [Ground("for_result", facts) for facts in differing]
    supports.sort(key=lambda one: one.minority)
    for pool, count in sorted(doubts[:2], key=lambda one: -one[1]):
        if count:
            objections.append(Ground(pool, count=(count, number)))
    if article.case_control and not excess:
        objections.append(Ground("against_controls"))
    objections += [Ground(_null_pool(one, about), facts) for one, facts in equal]
    objections += [
        Ground("against_family", {"family": one.id, "lacking": _relatives(one.phenocopies)})
        for one in families
        if one.phenocopies
    ]
    for pool, count in doubts[2:]:
        if count:
            objections.append(Ground(pool, count=(count, number)))
    if 0 < number <= FEW:
        objections.append(Ground("against_one" if number == 1 else "against_few"))
    if not persons:
        objections.append(Ground("against_no_people"))
    if not article.results:
        objections.append(Ground("against_no_experiment"))
    elif len(article.results) == 1:
        objections.append(Ground("against_single"))
    if not persons:
        level = "low" if not differing else "middle" if equal else "high"
        return Weighing(tuple(supports), tuple(objections), "lab", level)
    linked = sum(one.lod >= LARGE_LOD for one in families) + excess
    weight = clear + 1.5 * linked + 0.75 * len(differing) - 0.5 * len(equal)
    level = "high" if weight >= 4 else "middle" if weight >= 1.5 else "low"
    return Weighing(tuple(supports), tuple(objections), "people", level)


def expectation(result: Experiment) -> str:
    """Return the pool on why an experiment of this kind bears on the gene."""
    rows: list[list[str]] = _DATA["expectations"]
    found = (pool for start, pool in rows if result.design.startswith(start))
    return next(found, "expect_other")


def experiment_argument(
    writer: ArticleWriter, result: Experiment, facts: dict[str, str], *, short: bool
) -> list[str]:
    """Write what an experiment was expected to show and what it showed, in a drawn order."""
    met = result.comparison.p < ALPHA
    pool = expectation(result)
    why, found = writer.tell(pool, **facts), writer.tell("disc_result", **facts)
    if pool == "expect_other":
        said = [why] if short else writer.rng.choice(([why, found], [found, why]))
    else:
        outcome = writer.tell("outcome_met" if met else "outcome_unmet", **facts)
        orders = ([why, outcome], [why, found]) if short else (
            [found, why, outcome], [why, outcome], [why, found],
        )  # fmt: skip
        said = writer.rng.choice(orders)
    if result.confounder:
        said.append(writer.tell("disc_confounder", **facts))
        said.append(writer.tell("confounded_so", **facts))
    return said


def linkage_argument(
    writer: ArticleWriter, literature: Literature, article: Publication
) -> list[str]:
    """Write what families and controls add."""
    families = [one for one in literature.families if one.id in article.families]
    facts = [
        {
            "family": one.id,
            "families": f"{one.id} (LOD score {one.lod:g})",
            "lod": f"{one.lod:g}",
            "relatives": counted_word(one.affected_carriers),
            "phenocopies": counted_word(one.phenocopies) if one.phenocopies else "none",
        }
        for one in families
    ]
    if len(facts) > 1:
        together = {slot: listed([one[slot] for one in facts]) for slot in facts[0]}
        said = [writer.tell("argue_families", **together)]
    else:
        said = [writer.tell("argue_family", **one) for one in facts]
    if found := article.case_control:
        counts = {
            "k1": str(found.case_carriers),
            "n_cases": str(found.cases),
            "k2": str(found.control_carriers),
            "n_controls": str(found.controls),
        }
        read = writer.clause("for_controls" if _in_excess(found) else "against_controls")
        said.append(writer.tell("argue_controls", controls_read=read, **counts))
    return said


def _sorted_persons(
    literature: Literature, article: Publication, persons: Sequence[Proband]
) -> tuple[int, list[tuple[str, int]]]:
    """Count persons without doubt, and those with each doubt, the gravest first."""
    frequent = {one.id for one in literature.variants if one.population_alleles > RARE}
    counts = dict.fromkeys(
        ("against_other", "against_common", "against_untested", "against_again"), 0
    )
    clear = 0
    for one in persons:
        again = one.first_article != article.pmid
        if one.other_cause:
            counts["against_other"] += 1
        elif frequent & {*one.variants}:
            counts["against_common"] += 1
        elif one.origin == "untested":
            counts["against_untested"] += 1
        else:
            clear += not again
        counts["against_again"] += again
    return clear, list(counts.items())


def _null_pool(result: Experiment, told: Sequence[tuple[Experiment, dict[str, str]]]) -> str:
    """Name the groups where another experiment has the same measure."""
    alike = sum(one.measure == result.measure for one, _ in told)
    return "against_null" if alike == 1 else "against_null_between"


def _relatives(number: int) -> str:
    return f"{counted_word(number)} affected relative{'s' * (number != 1)}"


def _in_excess(found: CaseControl) -> bool:
    return found.p < ALPHA and found.odds_ratio > 1


def _clause(writer: ArticleWriter, ground: Ground) -> str:
    if ground.count:
        few, number = ground.count
        pool = "one_person" if number == 1 else "both_people" if number == 2 else "all_people"
        people = writer.clause(
            pool if few == number else "some_people", k=counted_word(few), n=counted_word(number)
        )
        return writer.clause(ground.pool, people=people)
    return writer.clause(ground.pool, **ground.facts)
