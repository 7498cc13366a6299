"""An article in words: title, abstract, sections with tables and legends.

The same records and split give the same text. Every number comes from a record or is computed
from one.
"""

from __future__ import annotations

from dataclasses import dataclass

from gym_clinic.domains.clingen.literature.prose.abstract import write_abstract
from gym_clinic.domains.clingen.literature.prose.argument import (
    experiment_argument,
    linkage_argument,
    weigh,
)
from gym_clinic.domains.clingen.literature.prose.earlier import EarlierWork
from gym_clinic.domains.clingen.literature.prose.experiments import (
    experiment_paragraph,
    methods_of,
    results_table,
)
from gym_clinic.domains.clingen.literature.prose.facts import (
    article_facts,
    counted_word,
    experiment_facts,
)
from gym_clinic.domains.clingen.literature.prose.labels import measure_text, shorten
from gym_clinic.domains.clingen.literature.prose.people import (
    people_paragraphs,
    people_table,
)
from gym_clinic.domains.clingen.literature.prose.pools import ArticleWriter
from gym_clinic.domains.clingen.literature.prose.style import change_of, draw_style
from gym_clinic.domains.clingen.literature.records import Experiment, Literature, Publication
from gym_clinic.simulate.split import Split

_TITLE_POOLS = {
    "case report": "title_case_report",
    "failure to replicate": "title_replicate",
    "paralogue": "title_other_gene",
    "sibling disease": "title_functional",
}


@dataclass(frozen=True)
class WrittenArticle:
    """A written article.

    Attributes:
        title: One line.
        abstract: Plain or with headings.
        sections: Heading and text, in order.
    """

    title: str
    abstract: str
    sections: tuple[tuple[str, str], ...]

    @property
    def full_text(self) -> str:
        """Sections under their headings, one blank line between."""
        return "\n\n".join(f"{heading}\n{text}" for heading, text in self.sections)


def title_of(literature: Literature, article: Publication, split: Split) -> str:
    """Write the title, the same wherever the article is cited."""
    facts = article_facts(literature, article)
    results = [one for one in literature.results if one.id in article.results]
    if results:
        facts["system"] = results[0].system
        if article.gene not in results[0].measure:
            facts["subject"] = measure_text(results[0].measure)
    pool = _TITLE_POOLS.get(article.kind, f"title_{article.kind}")
    writer = ArticleWriter(split, f"title {article.pmid}", facts)
    return writer.tell(pool).rstrip(".")


def write(literature: Literature, article: Publication, split: Split) -> WrittenArticle:
    """Write an article, byte for byte the same every time.

    Args:
        literature: The records.
        article: One of its articles.
        split: Whose phrases are used.
    """
    return _ArticleAuthor(literature, article, split).written()


class _ArticleAuthor:
    """Writes one article."""

    def __init__(self, literature: Literature, article: Publication, split: Split) -> None:
        self.literature, self.article, self.split = literature, article, split
        self.facts = article_facts(literature, article)
        self.writer = ArticleWriter(split, article.pmid, self.facts)
        self.style = draw_style(self.writer.rng)
        experiments = literature.results if article.kind != "review" else ()
        self.results = [one for one in experiments if one.id in article.results]
        self.persons = [one for one in literature.persons if one.id in article.persons]
        self.people_table = len(self.persons) > 2 and (
            article.short or self.writer.rng.random() < 0.4
        )
        self.earlier = EarlierWork(literature, article, self.writer)
        self.told: list[dict[str, str]] = []
        for place, result in enumerate(self.results):
            facts = experiment_facts(result, self.style, change_of(result, self.writer.rng))
            facts["figure"] = f"Figure {place + 1}"
            facts["table"] = f"Table {2 if self.people_table else 1}"
            self.told.append(facts)

    def written(self) -> WrittenArticle:
        """Return the whole article."""
        if self.article.kind == "review":
            sections = [
                ("Introduction", self.introduction()),
                ("Published studies", self.published_studies()),
                ("What the studies show", self.reviewed_findings()),
                ("Open questions", self.open_questions()),
            ]
        else:
            sections = [
                ("Introduction", self.introduction()),
                ("Methods", self.methods()),
                ("Results", self.findings()),
                ("Discussion", self.discussion()),
            ]
        if self.article.cites:
            sections.append(("References", self.references()))
        finish = self.style.finish
        return WrittenArticle(
            title_of(self.literature, self.article, self.split),
            finish(self.abstract()),
            tuple((head, finish(text)) for head, text in sections if text),
        )

    def _some(self, pool: str, most: int, **facts: str) -> str:
        """Write sentences of a pool: half as many in a short report."""
        number = (most + 1) // 2 if self.article.short else most
        return " ".join(filter(None, (self.writer.tell(pool, **facts) for _ in range(number))))

    def _cited(self, pmid: str) -> dict[str, str]:
        """What can be said of an earlier article without repeating it."""
        earlier = next(one for one in self.literature.articles if one.pmid == pmid)
        about = ArticleWriter(
            self.split,
            f"{self.article.pmid} {pmid}",
            article_facts(self.literature, earlier),
        ).clause("about")
        return {"cite": f"({pmid})", "study": pmid, "cited_what": about, "year": str(earlier.year)}

    def abstract(self) -> str:
        """Write the abstract, with phrases drawn apart from those of the text."""
        writer = ArticleWriter(self.split, f"{self.article.pmid} abstract", self.facts)
        told = list(zip(self.results, self.told, strict=True))
        omits = self.article.abstract.omits
        aim = self.aim(
            writer, [facts for one, facts in told if one.id not in omits], "aim_function"
        )
        return write_abstract(writer, self.literature, self.article, self.style, told, aim)

    def aim(
        self, writer: ArticleWriter, told: list[dict[str, str]], experiment: str = "aim_experiment"
    ) -> str:
        """Say what the article does.

        Args:
            writer: Whose phrases are used.
            told: What may be said of its experiments.
            experiment: The pool for the first of them, where persons come before it.
        """
        if self.article.kind == "review":
            aims = [writer.clause("aim_review")]
        else:
            people = "aim_person" if len(self.persons) == 1 else "aim_people"
            aims = [writer.clause(people)] if self.persons else []
            if told:
                pool = experiment if aims else "aim_experiment"
                aims.append(writer.clause(pool, **told[0]))
        text = " and to ".join(aims or [writer.clause("aim_review")])
        return writer.tell("aim", aim=text.replace(" and to ", " and "), aim_inf=text)

    def introduction(self) -> str:
        """Disease, gene, earlier work, aim."""
        gene = self.writer
        known = "verb" if "does_verb" in self.facts else "noun"
        disease = [gene.tell("disease_open"), self._some("disease_more", 2)]
        product = []
        if "product" in self.facts:
            product += [self._some(f"gene_intro_{known}", 1), self._some("gene_more", 2)]
        mech = "mechanism_intro" if "mech" in self.facts else "mechanism_unknown"
        if self.article.gene == self.literature.gene and not self.article.short:
            product.append(gene.tell(mech))
        first = gene.rng.choice(([disease + product], [disease, product], [product, disease]))
        before = [*self.earlier.known_before(), self._some("gap", 2)]
        aim = [self.aim(gene, self.told)]
        return _paragraphs(*first, *gene.rng.choice(([before, aim], [before + aim])))

    def methods(self) -> str:
        """Recruitment, sequencing, assays and statistics."""
        people = []
        if self.persons or self.article.case_control or self.article.families:
            people = [self._some("ethics", 1), self._some("recruitment", 4)]
            people.append(self._some("sequencing", 4))
        parts = [people]
        for result, facts in zip(self.results, self.told, strict=True):
            parts.append([methods_of(self.writer, result, facts, self.article.short)])
        if self.told:
            parts.append([self._some("statistics", 2)])
        return _paragraphs(*parts)

    def findings(self) -> str:
        """Persons, families, counts and experiments with table and legends."""
        parts: list[list[str]] = people_paragraphs(
            self.writer, self.literature, self.article, self.style, table=self.people_table
        )
        for result, facts in zip(self.results, self.told, strict=True):
            parts.append([experiment_paragraph(self.writer, result, facts, self.article.short)])
        if self.people_table:
            parts.append([people_table(self.writer, self.literature, self.persons)])
        if len(self.results) > 1 or any("control" in facts for facts in self.told):
            parts.append(
                [
                    results_table(
                        self.writer, self.results, self.style, 2 if self.people_table else 1
                    )
                ]
            )
        for facts in self.told:
            parts.append([f"{facts['figure']}. {self.writer.tell('legend', **facts)}"])
        return _paragraphs(*parts)

    def published_studies(self) -> str:
        """What the earlier articles were about and held, without their values."""
        parts = []
        for earlier in self.earlier.cited:
            cited = self._cited(earlier.pmid)
            said = [self.writer.tell("review_study", cited_what_up=cited["cited_what"], **cited)]
            if len(earlier.persons) > 1 and earlier.kind != "review":
                count = counted_word(len(earlier.persons))
                said.append(self.writer.tell("review_persons", count=count))
            for one in self.earlier.results(earlier):
                said.append(self.writer.tell("review_experiment", **self._without_values(one)))
                said.append(self.writer.tell("review_outcome", outcome=self.earlier.outcome(one)))
            parts.append(said)
        return _paragraphs(*parts)

    def reviewed_findings(self) -> str:
        """What the reviewed articles hold together."""
        return _paragraphs(self.earlier.counts(), self._mechanism(), [self._some("review_view", 3)])

    def open_questions(self) -> str:
        """What the reviewed articles leave open."""
        said = [*self.earlier.open_questions(), self.writer.tell("review_message")]
        return _paragraphs([*said, self._some("disc_close", 1)])

    def discussion(self) -> str:
        """Argue: the finding, its grounds, earlier work, mechanism, limits, conclusion."""
        tell, short, rng = self.writer.tell, self.article.short, self.writer.rng
        told = list(zip(self.results, self.told, strict=True))
        weighing = weigh(self.literature, self.article, told)
        opening = [weighing.main_finding(self.writer)]
        if not short:
            opening.append(weighing.further_finding(self.writer))
        people = []
        if self.persons:
            people += weighing.of_people(self.writer, weighing.opening[: len(opening)])
            more = (1 if told else 2) * (len(self.persons) > 1)
            people.append(self._some("disc_people", more))
        people += linkage_argument(self.writer, self.literature, self.article)
        experiments = []
        for result, facts in told:
            said = experiment_argument(self.writer, result, facts, short=short)
            more = 0 if short else 1 if len(told) > 1 else 2
            said += [tell("disc_meaning", hedge="may", **facts) for _ in range(more)]
            experiments.append(said)
        rng.shuffle(experiments)
        mechanism = [] if short else self._mechanism()
        earlier = self.earlier.compared(told)
        body = rng.choice(
            (
                [people, *experiments, [*earlier, *mechanism]],
                [people, earlier, *experiments, mechanism],
                [*experiments, people, mechanism, earlier],
                [mechanism, *experiments, people, earlier],
                [earlier, *experiments, mechanism, people],
            )
        )
        parts = [opening, *body]
        units = self.told[0] if self.told else {}
        gravest = weighing.gravest(self.writer)
        limits = tell("disc_bearing", against=gravest) if gravest and not short else ""
        parts.append([limits, self._some("disc_limits", 3, hedge="may", **units)])
        known = weigh(self.literature, self.article, [one for one in told if not one[0].confounder])
        parts.append([known.conclusion(self.writer), known.next_step(self.writer)])
        parts[-1].append(self._some("disc_close", 1))
        full = " ".join(
            f"{facts['measure']}; {facts['arm1']}; {facts['arm2']}" for _, facts in told
        )
        return _paragraphs(*([shorten(one, self.results, full) for one in part] for part in parts))

    def _mechanism(self) -> list[str]:
        """How variants of the gene may lead to the disease, as far as it is known."""
        if self.article.gene != self.literature.gene:
            return []
        pool = "mechanism_view" if "mech" in self.facts else "mechanism_open"
        return [self.writer.tell(pool)]

    def _without_values(self, result: Experiment) -> dict[str, str]:
        facts = experiment_facts(result, self.style, "")
        return {slot: facts[slot] for slot in ("measure", "system", "arm1", "arm2", "gene")}

    def references(self) -> str:
        """List the earlier articles of the same world."""
        earlier = [one for one in self.literature.articles if one.pmid in self.article.cites]
        return "\n".join(
            f"{title_of(self.literature, one, self.split)}. {one.year}. {one.pmid}."
            for one in earlier
        )


def _paragraphs(*parts: list[str]) -> str:
    return "\n\n".join(filter(None, (" ".join(filter(None, part)) for part in parts)))
