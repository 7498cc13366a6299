"""What the earlier articles of the same world held, and how an article stands to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from gym_clinic.domains.clingen.literature.experiments import ALPHA
from gym_clinic.domains.clingen.literature.prose.argument import expectation
from gym_clinic.domains.clingen.literature.prose.facts import counted_word
from gym_clinic.domains.clingen.literature.prose.labels import measure_text, short_measure
from gym_clinic.domains.clingen.literature.prose.pools import ArticleWriter
from gym_clinic.domains.clingen.literature.records import Experiment, Literature, Publication

_MISSING: dict[str, str] = json.loads(
    (Path(__file__).parent / "argument.json").read_text(encoding="utf-8")
)["missing"]


class EarlierWork:
    """The articles that an article cites.

    Args:
        literature: The records.
        article: The article that cites them.
        writer: Its writer.
    """

    def __init__(self, literature: Literature, article: Publication, writer: ArticleWriter) -> None:
        self.literature, self.article, self.writer = literature, article, writer
        self.cited = [one for one in literature.articles if one.pmid in article.cites]

    def results(self, article: Publication) -> list[Experiment]:
        """Return the experiments that an article reports."""
        if article.kind == "review":
            return []
        return [one for one in self.literature.results if one.id in article.results]

    def facts(
        self,
        earlier: Publication,
        only: Experiment | None = None,
        what: Literal["all", "people", "results"] = "all",
    ) -> dict[str, str]:
        """Say what an earlier article held, without its values.

        Args:
            earlier: The article.
            only: The experiment to tell of; the first one if none is given.
            what: Whether to tell of people, experiments or both.
        """
        results = [only] if only else self.results(earlier)[:1]
        said = []
        if earlier.kind != "review" and earlier.persons and only is None:
            facts = {"held_people": _people(len(earlier.persons)), "gene": earlier.gene}
            said.append(self.writer.clause("held_people", **facts))
        if results and said and what != "all":
            said, results = (said, []) if what == "people" else ([], results)
        said += [self.outcome(one) for one in results]
        held = " and ".join(said) or self.writer.clause("held_review", gene=earlier.gene)
        self.writer.facts["gene"] = self.article.gene
        return {
            "held": held,
            "cite": f"({earlier.pmid})",
            "study": earlier.pmid,
            "year": str(earlier.year),
        }

    def outcome(self, result: Experiment) -> str:
        """Say whether an earlier experiment found a difference, as what its authors did."""
        pool = "held_difference" if result.comparison.p < ALPHA else "held_null"
        measure = short_measure(measure_text(result.measure))
        if result.gene != self.article.gene and result.gene not in measure:
            measure += f" in work on {result.gene}"
        return self.writer.clause(pool, held_measure=measure)

    def known_before(self) -> list[str]:
        """Write what was known, and what was not, for an introduction."""
        tell = self.writer.tell
        if not self.cited:
            return [tell("gap_first")]
        latest = self.cited[-2:] if self.article.short else self.cited
        said = [tell("earlier_finding", **self.facts(one)) for one in latest]
        measured = {one.measure for earlier in self.cited for one in self.results(earlier)}
        own = [one for one in self.results(self.article) if one.measure not in measured]
        if not measured:
            said.append(tell("gap_no_experiment"))
        elif not any(one.persons and one.kind != "review" for one in self.cited):
            said.append(tell("gap_no_people"))
        else:
            said.append(tell("gap_unrepeated"))
        if measured and own and not self.article.short:
            said.append(tell("gap_measure", measure=measure_text(own[0].measure)))
        return said

    def compared(self, told: Sequence[tuple[Experiment, dict[str, str]]]) -> list[str]:
        """Write how the article agrees with the earlier ones, for a discussion.

        Args:
            told: Its experiments with what sentences on them may use.
        """
        relations = [self._relation(earlier, told) for earlier in self.cited]
        others = [facts for pool, facts in relations if pool == "earlier_other"]
        if len(others) == 1:
            others = []
        said = [self.writer.tell(pool, **facts) for pool, facts in relations if facts not in others]
        if others:
            held = "; ".join(f"{one['study']} {one['held']}" for one in others)
            said.append(self.writer.tell("earlier_others", held_list=held))
        return said

    def _relation(
        self, earlier: Publication, told: Sequence[tuple[Experiment, dict[str, str]]]
    ) -> tuple[str, dict[str, str]]:
        for one, facts in told:
            for first in self.results(earlier):
                kinds = {expectation(first), expectation(one)}
                if first.gene != one.gene or len(kinds) > 1 or "expect_other" in kinds:
                    continue
                shared = facts | self.facts(earlier, first)
                if self.article.kind == "failure to replicate" and first.design == one.design:
                    return "earlier_repeated", shared
                alike = (first.comparison.p < ALPHA) == (one.comparison.p < ALPHA)
                return "earlier_agrees" if alike else "earlier_disagrees", shared
        own = {
            one.id for one in self.literature.persons if one.first_article == self.article.pmid
        } & {*self.article.persons}
        if len(own) > 1 and earlier.persons and earlier.kind != "review":
            facts = self.facts(earlier, what="people")
            facts["own_people"] = _people(len(own))
            facts["all_people"] = _people(len(own | {*earlier.persons}))
            return "earlier_people", facts
        return "earlier_other", self.facts(earlier, what="results")

    def counts(self) -> list[str]:
        """Write what the cited articles hold together, for a review."""
        tell = self.writer.tell
        with_people = [one for one in self.cited if one.persons and one.kind != "review"]
        results = [one for earlier in self.cited for one in self.results(earlier)]
        working = sum(bool(self.results(one)) for one in self.cited)
        number = len(self.cited)
        said = [
            tell("review_single")
            if number == 1
            else tell(
                "review_counts",
                articles=f"{counted_word(number)} articles",
                with_people=_counted(len(with_people)),
                with_experiments=_counted(working),
            )
        ]
        if with_people:
            persons = {person for one in with_people for person in one.persons}
            said.append(tell("review_people_counts", all_people=_people(len(persons))))
        if len(results) > 2:
            differing = sum(one.comparison.p < ALPHA for one in results)
            facts = {"experiments": f"{counted_word(len(results))} experiments"}
            facts["differences"] = _counted(differing)
            said.append(tell("review_experiment_counts", **facts))
        return said

    def open_questions(self, most: int = 2) -> list[str]:
        """Write which kinds of work no cited article contains, for a review."""
        results = [one for earlier in self.cited for one in self.results(earlier)]
        shown = {expectation(one) for one in results}
        missing = [pool for pool, kind in _MISSING.items() if kind not in shown]
        designs = [one.design for one in results]
        if len(designs) == len({*designs}):
            missing.insert(0, "missing_repetition")
        return [
            self.writer.tell("review_open", missing=self.writer.clause(pool))
            for pool in missing[:most]
        ]


def _people(number: int) -> str:
    return "one person" if number == 1 else f"{counted_word(number)} people"


def _counted(number: int) -> str:
    return counted_word(number) if number else "none"
