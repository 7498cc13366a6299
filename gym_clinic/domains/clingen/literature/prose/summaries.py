"""What a curator notes of an article: its experiments of a category and its human genetics.

A note tells what was done, in what system, with which values and control, and who was described
with which variants. It gives no points and does not judge.
"""

from __future__ import annotations

from gym_clinic.domains.clingen.evidence import SUBTYPES
from gym_clinic.domains.clingen.literature.prose.facts import (
    RARE,
    experiment_facts,
    listed,
    sex_text,
)
from gym_clinic.domains.clingen.literature.prose.people import case_control_facts, family_pool
from gym_clinic.domains.clingen.literature.prose.pools import ArticleWriter
from gym_clinic.domains.clingen.literature.prose.style import AuthorStyle, draw_style
from gym_clinic.domains.clingen.literature.records import Literature, Proband, Publication
from gym_clinic.simulate.split import Split


def summary(literature: Literature, article: Publication, category: str, split: Split) -> str:
    """Write what an article shows for a category of experimental evidence.

    Args:
        literature: The records.
        article: One of its articles.
        category: Key of `evidence.CATEGORIES`.
        split: Whose phrases are used.

    Returns:
        A few sentences with the numbers of the experiments that count for the category, at most
        900 characters; empty without any.
    """
    writer, style = _writer(article, category, split)
    told = []
    for one in literature.results if article.kind != "review" else ():
        if one.id in article.results and one.subtype and SUBTYPES[one.subtype].category == category:
            facts = experiment_facts(one, style, "")
            facts["note_more"] = facts.get("more", "")
            told.append(writer.tell("note_experiment", **facts))
            if facts["note_more"]:
                told.append(writer.tell("note_more", **facts))
    return style.finish(" ".join(told))


def genetics_summary(literature: Literature, article: Publication, split: Split) -> str:
    """Write the human genetics of an article: persons, segregation, cases and controls.

    Args:
        literature: The records.
        article: One of its articles.
        split: Whose phrases are used.

    Returns:
        One sentence or two a person, family and comparison; empty for an article without any.
    """
    if article.kind == "review":
        return ""
    writer, style = _writer(article, "genetics", split)
    told = [
        writer.tell("note_person", **_person_facts(writer, literature, article, one))
        for one in literature.persons
        if one.id in article.persons
    ]
    told += [
        writer.tell(
            family_pool("note_family", literature),
            family=one.id,
            carriers=str(one.affected_carriers),
            phenocopies=str(one.phenocopies),
            unaffected=str(one.unaffected_carriers),
            lod=f"{one.lod:g}",
        )
        for one in literature.families
        if one.id in article.families
    ]
    if article.case_control:
        told.append(
            writer.tell("note_case_control", **case_control_facts(article.case_control, style))
        )
    return style.finish(" ".join(told))


def _writer(article: Publication, part: str, split: Split) -> tuple[ArticleWriter, AuthorStyle]:
    writer = ArticleWriter(split, f"{article.pmid} note {part}", {"gene": article.gene})
    return writer, draw_style(writer.rng)


def _person_facts(
    writer: ArticleWriter, literature: Literature, article: Publication, person: Proband
) -> dict[str, str]:
    variants = []
    homozygous = len(set(person.variants)) < len(person.variants)
    state = "homozygous " if homozygous else ""
    for one in literature.variants:
        if one.id in person.variants:
            seen = f"; {one.population_alleles}/{one.population_total} alleles"
            text = f"{one.id} ({state}{one.kind}{seen if one.population_alleles > RARE else ''})"
            variants.append(text)
    pools = {"de novo": "note_de_novo", "both parents": "note_both", "untested": "note_untested"}
    pool = "note_homozygous" if homozygous else pools.get(person.origin)
    aside = f"; {person.other_cause}" if person.other_cause else ""
    if person.first_article != article.pmid:
        aside += f"; reported before in {person.first_article}"
    return {
        "person": person.id,
        "sex": sex_text(person),
        "variants": listed(variants),
        "origin": writer.clause(pool) if pool else f"inherited from the {person.origin}",
        "aside": aside,
    }
