"""Persons, families and case-control counts in words."""

from __future__ import annotations

from collections.abc import Sequence

from gym_clinic.domains.clingen.literature.prose.facts import (
    age_text,
    counted_word,
    listed,
    sex_text,
    sign,
    variant_text,
)
from gym_clinic.domains.clingen.literature.prose.pools import ArticleWriter
from gym_clinic.domains.clingen.literature.prose.style import AuthorStyle
from gym_clinic.domains.clingen.literature.records import (
    CaseControl,
    Literature,
    Proband,
    Publication,
)


def people_paragraphs(
    writer: ArticleWriter, literature: Literature, article: Publication, style: AuthorStyle
) -> list[list[str]]:
    """Write the paragraphs on persons, families and counts of an article."""
    persons = [one for one in literature.persons if one.id in article.persons]
    parts: list[list[str]] = []
    if persons:
        count = counted_word(len(persons))
        ids = listed([one.id for one in persons])
        if len(persons) > 1:
            parts.append([writer.tell("people_lead", count=count, persons=ids, table="Table 1")])
        for place, person in enumerate(persons):
            full = place < (2 if article.short else 5)
            parts.append(_person(writer, literature, article, person, full))
    for family in literature.families:
        if family.id in article.families:
            facts = {
                "family": family.id,
                "carriers": _counted(family.affected_carriers),
                "phenocopies": _counted(family.phenocopies),
                "unaffected": _counted(family.unaffected_carriers),
                "lod": f"{family.lod:g}",
            }
            parts.append([writer.tell("family", **facts)])
    if article.case_control:
        parts.append(
            [writer.tell("case_control", **case_control_facts(article.case_control, style))]
        )
    return parts


def _counted(number: int) -> str:
    return counted_word(number) if number else "none"


def _person(
    writer: ArticleWriter, literature: Literature, article: Publication, person: Proband, full: bool
) -> list[str]:
    age = age_text(person.onset_months)
    facts = {
        "person": person.id,
        "sex": sex_text(person),
        "age": age,
        "age_up": age,
        "signs": listed([sign(one) for one in person.present] or ["the disease"]),
        "variants": variants_of(literature, person),
        "origin": writer.clause(*_origin(person)),
    }
    if person.origin in ("mother", "father"):
        facts["origin"] = writer.clause("origin_parent", parent=person.origin)
    said = [writer.tell("person", **facts), writer.tell("person_variant", **facts)]
    if person.absent and full:
        absent = [sign(one) for one in person.absent]
        said.append(
            writer.tell("person_absent", absent=listed(absent), absent_or=listed(absent, "or"))
        )
    for variant in literature.variants:
        if variant.id in person.variants and variant.population_alleles:
            alleles = f"{variant.population_alleles} of {variant.population_total}"
            said.append(writer.tell("person_population", variant=variant.id, alleles=alleles))
    if person.other_cause:
        said.append(
            writer.tell(
                "person_other_cause", other_cause=person.other_cause.removesuffix(", found later")
            )
        )
    if person.first_article != article.pmid and person.first_article in article.cites:
        said.append(writer.tell("person_before", before=f"({person.first_article})", **facts))
    return said


def _origin(person: Proband) -> tuple[str]:
    pools = {"de novo": "origin_de_novo", "both parents": "origin_both"}
    return (pools.get(person.origin, "origin_untested"),)


def variants_of(literature: Literature, person: Proband) -> str:
    """Write the variants of a person."""
    by_id = {one.id: one for one in literature.variants}
    return listed([variant_text(by_id[one]) for one in person.variants])


def people_table(writer: ArticleWriter, literature: Literature, persons: Sequence[Proband]) -> str:
    """Write the table of persons."""
    columns = ("person", "sex", "onset", "variant", "origin", "signs")
    rows = [
        f"Table 1. {writer.tell('table_people')}",
        f"| {' | '.join(writer.clause(f'head_{one}') for one in columns)} |",
        "|---|---|---|---|---|---|",
    ]
    for one in persons:
        onset = age_text(one.onset_months).removeprefix("at ")
        signs = "; ".join(sign(name) for name in one.present)
        rows.append(
            f"| {one.id} | {one.sex} | {onset} | {', '.join(one.variants)} | "
            f"{one.origin} | {signs} |"
        )
    return "\n".join(rows)


def case_control_facts(found: CaseControl, style: AuthorStyle) -> dict[str, str]:
    """Return what sentences on cases and controls may use."""
    return {
        "k1": str(found.case_carriers),
        "n1": str(found.cases),
        "k2": str(found.control_carriers),
        "n2": str(found.controls),
        "effect": f"odds ratio {found.odds_ratio:g}, {style.interval(found.low, found.high)}",
        "p": style.p_value(found.p),
    }
