"""The page of the documentation that shows one simulated literature of ClinGen side by side."""

from __future__ import annotations

from collections.abc import Iterator

from gym_clinic.domains.clingen.curation import literature_of
from gym_clinic.domains.clingen.dossiers import PairDossier, read_dossiers
from gym_clinic.domains.clingen.literature.edition import WrittenLiterature
from gym_clinic.domains.clingen.literature.records import Literature, Publication
from gym_clinic.domains.clingen.literature.scoring import score
from gym_clinic.episode import Task
from gym_clinic.paths import tasks_dir
from gym_clinic.taskset import TaskFolder

KINDS = ("cohort", "family", "functional", "model")
"""Kinds of article that the shown literature has."""


def clingen_page() -> str:
    """Return the page: a dossier, the timeline of its articles, and one article whole."""
    task, told = _chosen()
    literature = told.literature
    pair = read_dossiers().pairs[literature.gene, literature.mondo_id, literature.inheritance]
    shown = next(
        one for one in literature.articles if one.results and one.persons and not one.short
    )
    lines = [
        "# One simulated literature",
        "",
        "**A simulation, not for patient care: the articles do not exist.** A task of "
        "`clinic/ClinGen-v0` from the train split: what the dossier says, the records of the "
        "articles, and one article as the agent reads it. This page is made from the task by "
        "`python -m kb.build.pages`; [clingen.md](clingen.md) describes the task.",
        "",
        "## The dossier",
        "",
        *_dossier(pair, literature),
        "",
        "## The timeline",
        "",
        "| year | article | kind | persons | families | what its experiments mean |",
        "|---|---|---|---|---|---|",
        *(_row(literature, one) for one in literature.articles),
        "",
        *_gold(literature),
        "",
        f"## {shown.pmid}, as it is read",
        "",
        f"**{told.article(shown.pmid).title}**",
        "",
        told.article(shown.pmid).abstract,
        "",
    ]
    for heading, text in told.sections(shown.pmid):
        lines += [f"### {heading}", "", text, ""]
    lines += [
        "### What a sub-agent reports of it",
        "",
        *(
            f"- {item['subtype'].replace('_', ' ')}: {item['summary']}"
            for item in task.gold["evidence"]
            if item["pmid"] == shown.pmid
        ),
        *(
            f"- human genetics: {item['summary']}"
            for item in task.gold["genetic"]
            if item["pmid"] == shown.pmid
        ),
    ]
    return "\n".join(lines) + "\n"


def _chosen() -> tuple[Task, WrittenLiterature]:
    """The first train task with several kinds of article, of which one has all that is shown."""
    for task in TaskFolder(tasks_dir("clingen"))["train"]:
        told = literature_of(task.record)
        articles = told.literature.articles
        evidence = {item["pmid"] for item in task.gold["evidence"]}
        whole = any(
            one.results and one.persons and not one.short and one.pmid in evidence
            for one in articles[:3]
        )
        if whole and len({one.kind for one in articles} & {*KINDS}) >= 3:
            return task, told
    raise LookupError("no train task has articles of three kinds")


def _dossier(pair: PairDossier, literature: Literature) -> Iterator[str]:
    gene = read_dossiers().genes[pair.gene]
    yield "| | |"
    yield "|---|---|"
    for name, value in (
        ("gene", f"{pair.gene} ({pair.hgnc_id}), {gene.product}"),
        ("what it does", gene.does),
        ("pathway", gene.pathway or "unknown"),
        ("partners", ", ".join(gene.partners or ()) or "unknown"),
        ("model organisms", ", ".join(gene.models or ()) or "unknown"),
        ("disease", f"{pair.disease} ({pair.mondo_id}), {pair.inheritance}"),
        ("mechanism", f"{pair.mechanism.name}; in this literature {literature.mechanism}"),
        ("tissues", ", ".join(pair.tissues)),
        ("phenotypes", ", ".join(f"{one.name} ({one.id})" for one in pair.phenotypes)),
        ("earliest year", str(pair.earliest_year or "unknown")),
    ):
        yield f"| {name} | {value} |"


def _row(literature: Literature, article: Publication) -> str:
    results = {one.id: one for one in literature.results}
    meant = "; ".join(
        f"{results[key].measure} in {results[key].system}: "
        f"{(results[key].subtype or results[key].reading).replace('_', ' ')}"
        for key in article.results
    )
    persons, families = len(article.persons), len(article.families)
    return (
        f"| {article.year} | {article.pmid} | {article.kind} | {persons} | {families} | {meant} |"
    )


def _gold(literature: Literature) -> Iterator[str]:
    gold = score(literature)
    yield (
        f"Human genetics earns {gold.genetic_points:g} points from {gold.publications} articles "
        f"since {gold.first_year}; with the experiments it is {gold.sop.points:g}: "
        f"**{gold.sop.classification}**."
    )
