"""Persons, families and case-control counts in words."""

from __future__ import annotations

from collections.abc import Sequence

from gym_clinic.domains.clingen.literature.prose.facts import (
    RARE,
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
    Family,
    Literature,
    Proband,
    Publication,
)


def people_paragraphs(
    writer: ArticleWriter,
    literature: Literature,
    article: Publication,
    style: AuthorStyle,
    *,
    table: bool,
) -> list[list[str]]:
    """Write the paragraphs on persons, families and counts of an article.

    Args:
        writer: The writer of the article.
        literature: The records.
        article: The article.
        style: How its author writes numbers.
        table: Whether there is a table of persons.
    """
    persons = [one for one in literature.persons if one.id in article.persons]
    parts: list[list[str]] = []
    if persons:
        count = counted_word(len(persons))
        ids = listed([one.id for one in persons])
        if len(persons) > 1:
            lead = {"count": count, "persons": ids}
            lead |= {"table": "Table 1"} if table else {}
            parts.append([writer.tell("people_lead", **lead)])
        else:
            parts.append([writer.tell("people_single", persons=ids)])
        told = [_person(writer, literature, article, one, style) for one in persons]
        size = writer.rng.choice((1, 2, 3))
        parts += [
            [sentence for one in told[start : start + size] for sentence in one]
            for start in range(0, len(told), size)
        ]
    for family in literature.families:
        if family.id in article.families:
            parts.append([writer.tell(family_pool("family", literature), **family_facts(family))])
    if article.case_control:
        parts.append(
            [writer.tell("case_control", **case_control_facts(article.case_control, style))]
        )
    return parts


def family_pool(pool: str, literature: Literature) -> str:
    """Return the pool for families; recessive disease has its own, with carriers of one variant."""
    if literature.inheritance != "AR":
        return pool
    return f"{pool.removeprefix('abs_')}_recessive"


def family_facts(family: Family) -> dict[str, str]:
    """Return what sentences on a family may use."""
    return {
        "family": family.id,
        "carriers": _counted(family.affected_carriers),
        "phenocopies": _counted(family.phenocopies),
        "unaffected": _counted(family.unaffected_carriers),
        "non_carriers": _persons(family.phenocopies, "affected non-carrier"),
        "well_carriers": _persons(family.unaffected_carriers, "unaffected carrier"),
        "lod": f"{family.lod:g}",
    }


def _persons(number: int, noun: str) -> str:
    return f"{counted_word(number)} {noun}{'s' * (number != 1)}"


def _counted(number: int) -> str:
    return counted_word(number) if number else "none"


def _person(
    writer: ArticleWriter,
    literature: Literature,
    article: Publication,
    person: Proband,
    style: AuthorStyle,
) -> list[str]:
    age = age_text(person.onset_months)
    facts = {
        "person": person.id,
        "sex": sex_text(person),
        "age": age,
        "age_up": age,
        "signs": listed([sign(one) for one in person.present] or ["the disease"]),
        "variants": variants_of(literature, person, style),
        "origin": writer.clause(*_origin(person)),
    }
    if person.origin in ("mother", "father"):
        facts["origin"] = writer.clause("origin_parent", parent=person.origin)
    if article.short:
        said = [writer.tell("person_brief", **facts)]
    else:
        said = [writer.tell("person", **facts), writer.tell("person_variant", **facts)]
    if person.absent and not article.short:
        absent = [sign(one) for one in person.absent]
        said.append(
            writer.tell("person_absent", absent=listed(absent), absent_or=listed(absent, "or"))
        )
    seen = [
        f"{one.population_alleles}/{style.count(one.population_total)} ({one.id})"
        for one in literature.variants
        if one.id in person.variants and one.population_alleles
    ]
    if seen and (writer.rng.random() < 0.6 or _common(literature, person)):
        said.append(writer.tell("person_population", seen=listed(seen)))
    if person.other_cause:
        said.append(
            writer.tell(
                "person_other_cause", other_cause=person.other_cause.removesuffix(", found later")
            )
        )
    if person.first_article != article.pmid and person.first_article in article.cites:
        said.append(writer.tell("person_before", before=f"({person.first_article})", **facts))
    return said


def _common(literature: Literature, person: Proband) -> bool:
    return any(
        one.population_alleles > RARE for one in literature.variants if one.id in person.variants
    )


def _origin(person: Proband) -> tuple[str]:
    if len(set(person.variants)) < len(person.variants):
        return ("origin_homozygous",)
    pools = {"de novo": "origin_de_novo", "both parents": "origin_both"}
    return (pools.get(person.origin, "origin_untested"),)


def variants_of(literature: Literature, person: Proband, style: AuthorStyle) -> str:
    """Write the variants of a person."""
    by_id = {one.id: one for one in literature.variants}
    texts = [variant_text(by_id[one], style) for one in dict.fromkeys(person.variants)]
    if len(person.variants) == 2 and len(texts) == 1:
        return f"{texts[0]} in the homozygous state"
    return listed(texts)


def people_table(writer: ArticleWriter, literature: Literature, persons: Sequence[Proband]) -> str:
    """Write the table of persons."""
    columns = ("person", "origin", "signs")
    rows = [
        f"Table 1. {writer.tell('table_people')}",
        f"| {' | '.join(writer.clause(f'head_{one}') for one in columns)} |",
        "|---|---|---|",
    ]
    for one in persons:
        onset = age_text(one.onset_months).removeprefix("at ")
        onset = onset.replace(" months", " mo").replace(" years", " y")
        signs = "; ".join(sign(name) for name in one.present)
        rows.append(f"| {one.id} ({one.sex[0].upper()}, {onset}) | {one.origin} | {signs} |")
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
