"""The passages of findings and guidelines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gym_clinic.facts.passages.form import OFTEN, HandbookPassage, band, compose, leading, own_names
from gym_clinic.facts.passages.sentences import about, inside, listed
from gym_clinic.facts.records.models import BANDS, Disease
from gym_clinic.facts.tables import Facts

FEWEST_DISEASES = 4
"""A finding of so many diseases has a passage."""


def finding_passages(facts: Facts) -> Iterator[HandbookPassage]:
    """Yield a passage of every finding that several diseases share."""
    having: dict[str, list[tuple[int, Disease]]] = {}
    bands = list(BANDS)
    for disease in facts.diseases.values():
        for has in disease.phenotypes:
            how_often = band(has)
            finding = facts.phenotypes[has.phenotype].name.casefold()
            if how_often not in (None, "excluded") and finding not in own_names(disease):
                having.setdefault(has.phenotype, []).append((bands.index(how_often), disease))
    for key, one in facts.phenotypes.items():
        found = sorted(having.get(key, ()), key=lambda pair: (pair[0], pair[1].id))
        if len(found) < FEWEST_DISEASES:
            continue
        often = [inside(disease.name) for rank, disease in found if bands[rank] in OFTEN]
        seldom = [inside(disease.name) for rank, disease in found if bands[rank] not in OFTEN]
        fields = Counter(facts.disciplines[disease.discipline].name for _, disease in found)
        with_it = Counter(
            has.phenotype
            for _, disease in found
            for has in disease.phenotypes
            if has.phenotype != key and band(has) in OFTEN
        )
        companions = sorted(with_it, key=lambda other: (-with_it[other], other))[:4]
        sentences = [
            f"{one.name} is a finding (body system: {one.group}).",
            about("Also called {}.", [f"“{text}”" for text in one.synonyms[:4]]),
            about("It is frequent in {}.", often[:9]),
            about("It may also occur in {}.", seldom[:9]),
            about(
                "In these diseases, ask also about {}.",
                [inside(facts.phenotypes[other].name) for other in companions],
            ),
            f"The {len(found)} diseases with {inside(one.name)} in this handbook come mainly from "
            f"{listed([inside(field) for field, _ in fields.most_common(3)])}.",
        ]
        yield compose(
            f"finding-{key.replace(':', '-').lower()}",
            f"{one.name}: meaning and causes",
            "finding",
            one.name,
            one,
            sentences,
        )


def guideline_passages(facts: Facts) -> Iterator[HandbookPassage]:
    """Yield the steps of every guideline, and the diseases that it chooses between."""
    for key, one in facts.guidelines.items():
        yield compose(
            f"guideline-{key}",
            f"{one.topic}: approach, step by step" if one.diseases else one.topic,
            "guideline",
            one.topic,
            one,
            [
                f"{one.topic}.",
                one.summary,
                *one.steps,
                about("Red flags: {}.", one.red_flags),
            ],
        )
        # With a single disease there is nothing to choose between.
        if len(one.diseases) > 1:
            yield compose(
                f"guideline-{key}-causes",
                f"{one.topic}: differential diagnosis",
                "guideline",
                one.topic,
                one,
                [
                    f"Differential diagnosis of “{inside(one.topic)}”:",
                    *(_clues(facts, facts.diseases[other]) for other in one.diseases),
                    about("Red flags, whatever the cause: {}.", one.red_flags),
                ],
            )


def _clues(facts: Facts, one: Disease) -> str:
    clues = (
        about("look for {}", leading(facts, one, OFTEN, 4)),
        about("first test: {}", one.tests[:1]),
    )
    return f"{one.name}: {'; '.join(filter(None, clues)) or 'consider it'}."
