"""The abstract of an article: background, methods, results and conclusions.

It tells who was described with which variants, what was measured and the values. It may leave out,
hedge or overstate an experiment, as the records say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gym_clinic.domains.clingen.literature.prose.argument import weigh
from gym_clinic.domains.clingen.literature.prose.earlier import EarlierWork
from gym_clinic.domains.clingen.literature.prose.experiments import without_figures
from gym_clinic.domains.clingen.literature.prose.facts import (
    age_text,
    counted_word,
    genotype_text,
    is_plural,
    listed,
    sex_text,
    sign,
    signs_of,
)
from gym_clinic.domains.clingen.literature.prose.labels import shorten
from gym_clinic.domains.clingen.literature.prose.people import (
    case_control_facts,
    family_facts,
    family_pool,
)
from gym_clinic.domains.clingen.literature.prose.pools import ArticleWriter
from gym_clinic.domains.clingen.literature.prose.style import AuthorStyle
from gym_clinic.domains.clingen.literature.records import (
    Experiment,
    Literature,
    Proband,
    Publication,
)

HEADINGS = (
    ("Background", "Methods", "Results", "Conclusions"),
    ("Background", "Methods", "Results", "Conclusion"),
    ("Purpose", "Methods", "Results", "Conclusion"),
    ("Objective", "Methods", "Results", "Conclusions"),
    ("Introduction", "Methods", "Results", "Discussion"),
)

"""What the parts of an abstract are called."""

AIM_ALONE = ("Purpose", "Objective")
"""Headings under which the aim stands alone."""

BRIEF = 0.4
"""Share of the conclusions that give one reason."""

AT_ONCE = 0.4
"""Share of the abstracts without headings that do not say how several persons were examined."""


def write_abstract(
    writer: ArticleWriter,
    literature: Literature,
    article: Publication,
    style: AuthorStyle,
    told: Sequence[tuple[Experiment, dict[str, str]]],
    aim: str,
) -> str:
    """Write an abstract, with headings or without.

    Args:
        writer: The writer of the article.
        literature: The records.
        article: The article.
        style: How its author writes numbers.
        told: Its experiments with what sentences on them may use.
        aim: What the article does, as a sentence.
    """
    rng = writer.rng
    persons = [one for one in literature.persons if one.id in article.persons]
    persons = persons if article.kind != "review" else []
    shown = [one for one in told if one[0].id not in article.abstract.omits]
    names = signs_of(literature)
    some = rng.sample(names, min(len(names), rng.choice((2, 3, 3))))
    if "features" in writer.facts:
        writer.facts["few"] = listed(some)
    heads = rng.choice(HEADINGS) if rng.random() < 0.6 else None
    background = []
    if heads is None or heads[0] not in AIM_ALONE or article.kind == "review":
        background.append(writer.tell("abs_background"))
        if rng.random() < 0.7 or not (persons or shown):
            background.append(writer.tell("abs_gap"))
    background.append(aim if background else writer.tell("aim_alone"))
    if article.kind == "review":
        earlier = EarlierWork(literature, article, writer)
        said = [*background, writer.tell("review_scope"), *earlier.counts()]
        said += [*earlier.open_questions(1), writer.tell("review_message")]
        return " ".join(filter(None, said))
    methods = [writer.tell("abs_assay_methods", **facts) for _, facts in shown]
    told_at_once = heads is None and (len(persons) == 1 or rng.random() < AT_ONCE)
    if len(persons) == 1 and not told_at_once:
        methods.insert(0, writer.tell("abs_person_methods"))
    elif persons and not told_at_once:
        methods.insert(0, writer.tell("abs_people_methods", count=counted_word(len(persons))))
    results = _people(writer, literature, persons, style)
    for family in literature.families:
        if family.id in article.families:
            results.append(
                writer.tell(family_pool("abs_family", literature), **family_facts(family))
            )
    if article.case_control:
        results.append(
            writer.tell("case_control", **case_control_facts(article.case_control, style))
        )
    for result, facts in shown:
        pool = "counts_main" if result.arms[0].count is not None else "abs_result"
        one = without_figures(writer, pool, facts)
        results.append(shorten(one, [result], " ".join(methods), groups=False))
        if "control" in facts:
            results.append(writer.tell("abs_control", **facts))
    if len(shown) < len(told):
        results.append(writer.tell("abs_other_result"))
    conclusions = [
        shorten(one, [result for result, _ in shown], " ".join([*methods, *results]))
        for one in _conclusions(writer, literature, article, shown)
    ]
    parts = [" ".join(filter(None, part)) for part in (background, methods, results, conclusions)]
    if heads is None or not parts[1]:
        return " ".join(filter(None, parts))
    return "\n".join(f"{head}: {one}" for head, one in zip(heads, parts, strict=True) if one)


def _people(
    writer: ArticleWriter,
    literature: Literature,
    persons: Sequence[Proband],
    style: AuthorStyle,
) -> list[str]:
    """Who was described, and who has which variants."""
    if not persons:
        return []
    by_id = {one.id: one for one in literature.variants}
    told = [
        f"{one.id} ({genotype_text(one, [by_id[key] for key in one.variants], style)})"
        for one in persons
    ]
    genotypes = writer.tell("abs_genotypes", genotypes=listed(told))
    if len(persons) == 1:
        one = persons[0]
        sex = sex_text(one)
        return [
            writer.tell(
                "abs_person",
                who=f"a {sex} ({one.id})",
                ages=age_text(one.onset_months),
                few_signs=listed([sign(name) for name in one.present] or ["the disease"]),
            ),
            genotypes,
        ]
    return [writer.tell("abs_people", **_group_facts(persons)), genotypes]


def _group_facts(persons: Sequence[Proband]) -> dict[str, str]:
    """What can be said of several persons together."""
    number = len(persons)
    women = sum(one.sex == "female" for one in persons)
    sexes = [
        f"{counted_word(count)} {name}"
        for count, name in ((women, "female"), (number - women, "male"))
        if count
    ]
    onsets = sorted(one.onset_months for one in persons)
    first, last = (age_text(one).removeprefix("at ") for one in (onsets[0], onsets[-1]))
    signs = Counter(name for one in persons for name in one.present)
    name, times = (signs or Counter({"typical findings": number})).most_common(1)[0]
    every = "both" if number == 2 else "all"
    return {
        "count": counted_word(number),
        "sexes": f"{every} {sexes[0].split()[1]}" if len(sexes) == 1 else " and ".join(sexes),
        "ages": f"from {first} to {last}",
        "sign_top": sign(name),
        "sign_was": "were" if is_plural(name) else "was",
        "sign_k": every if times == number else counted_word(times),
        "sign_of": _of(times, number),
    }


def _of(some: int, number: int) -> str:
    """Say how many of several persons are meant.

    >>> _of(2, 2), _of(4, 4), _of(3, 5)
    ('both', 'all four', 'three of five')
    """
    if some == number:
        return "both" if number == 2 else f"all {counted_word(number)}"
    return f"{counted_word(some)} of {counted_word(number)}"


def _conclusions(
    writer: ArticleWriter,
    literature: Literature,
    article: Publication,
    shown: Sequence[tuple[Experiment, dict[str, str]]],
) -> list[str]:
    """What follows from the results; the plan may hold it back or let it go too far."""
    plan = article.abstract
    weighing = weigh(literature, article, shown)
    cautious = bool(plan.hedges) and not plan.overstates
    brief = writer.rng.random() < BRIEF
    said = [weighing.conclusion(writer, cautious=cautious, brief=brief)]
    if plan.overstates:
        said = [weighing.main_finding(writer), writer.tell("overstate")]
    elif cautious:
        said.append(writer.tell("hedged", hedge="may"))
    following = writer.rng.random()
    if following < 0.35:
        said.append(weighing.next_step(writer))
    elif following < 0.7:
        said.append(writer.tell("abs_conclusion"))
    return said
