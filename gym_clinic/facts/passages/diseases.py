"""The passages of a disease: presentation, look-alikes, urgency and management."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gym_clinic.facts.passages.comparing import Comparing
from gym_clinic.facts.passages.form import OFTEN, HandbookPassage, band, compose, leading, named
from gym_clinic.facts.passages.sentences import about, inside, listed, phrase
from gym_clinic.facts.records.models import BANDS, Disease
from gym_clinic.facts.tables import Facts

PRESENT = tuple(name for name in BANDS if name != "excluded")

COMPARED = 3
"""Look-alikes that a disease is compared with in detail."""

NAMED = 12
"""Findings of one band that a presentation names, at most."""


def disease_passages(
    comparing: Comparing, one: Disease, common: Collection[str]
) -> Iterator[HandbookPassage]:
    """Yield the passages of a disease.

    Args:
        comparing: What compares it with its look-alikes.
        one: The disease.
        common: Ids of findings that too many diseases have to discriminate between them.
    """
    facts = comparing.facts
    discipline = inside(facts.disciplines[one.discipline].name)
    also = [text for text in one.synonyms if text.casefold() != one.name.casefold()]
    # A passage is found by itself, so each of them has the names that people ask by.
    topic = f"{inside(one.name)} ({'; '.join(also[:3])})" if also else inside(one.name)
    others = [inside(facts.diseases[key].name) for key in one.look_alikes]
    for part, title, category, sentences in (
        (
            "presentation",
            "what it is, symptoms and signs",
            "presentation",
            _presentation(facts, one, discipline, also, others),
        ),
        (
            "look-alikes",
            "differential diagnosis, what it is mistaken for",
            "look-alikes",
            _look_alikes(comparing, one, common, others),
        ),
        (
            "urgency",
            "red flags, diagnosis and first tests",
            "red flags",
            _urgency(facts, one, topic, others),
        ),
        (
            "management",
            "management and treatment",
            "management",
            _management(facts, one, topic, discipline),
        ),
    ):
        if part != "look-alikes" or others:
            key = f"disease-{one.id}-{part}"
            yield compose(key, f"{one.name}: {title}", category, one.name, one, sentences)


def _presentation(
    facts: Facts, one: Disease, discipline: str, also: list[str], others: list[str]
) -> Iterator[str]:
    rarity = "a rare disease" if one.rare else "a disease"
    yield f"{one.name} is {rarity} in the field of {discipline}."
    yield f"In short: {inside(one.summary)}"
    yield about("It is also called {}.", also[:4])
    for how_often in BANDS:
        names = named(facts, one, [how_often])[:NAMED]
        yield phrase("findings", how_often, key=f"{one.id} {how_often}", items=names)
    shares = [
        f"{inside(facts.phenotypes[has.phenotype].name)} in {100 * has.frequency.value:.0f} percent"
        for has in one.phenotypes
        if has.frequency.value
    ]
    yield about("Published frequencies: {}.", shares[:5])
    lay = [
        f"“{found.synonyms[0]}”"
        for has in one.phenotypes
        if band(has) in OFTEN and (found := facts.phenotypes[has.phenotype]).synonyms
    ]
    yield about("Patients may say {}.", lay[:4])
    yield about("It may be mistaken for {}.", others[:3])


def _urgency(facts: Facts, one: Disease, topic: str, others: list[str]) -> Iterator[str]:
    yield phrase("red_flags", key=f"{one.id} flags", items=one.red_flags, topic=topic)
    yield phrase("tests", key=f"{one.id} tests", items=one.tests)
    yield about("Suspect it in a patient with {}.", leading(facts, one, OFTEN, 5))
    yield about("Consider also {}.", others[:3])
    yield about("Management begins with {}.", one.treatment[:1])


def _management(facts: Facts, one: Disease, topic: str, discipline: str) -> Iterator[str]:
    yield phrase("treatment", key=f"{one.id} treatment", items=one.treatment, topic=topic)
    yield f"Background: {inside(one.summary)}"
    yield phrase("review", key=f"{one.id} review", items=one.red_flags[:3])
    drugs = [
        f"{inside(drug.name)} (caution: {drug.cautions[0]})" if drug.cautions else inside(drug.name)
        for drug in facts.drugs.values()
        if one.id in drug.uses
    ]
    yield about("Drugs used in it: {}.", drugs[:5])
    topics = [f"“{guide.topic}”" for guide in facts.guidelines.values() if one.id in guide.diseases]
    yield about("For the steps in order see {}.", topics[:3])
    yield f"The specialty is {discipline}."


def _look_alikes(
    comparing: Comparing, one: Disease, common: Collection[str], others: list[str]
) -> Iterator[str]:
    yield f"{one.name} may be mistaken for {listed(others[:COMPARED])}."
    for key in one.look_alikes[:COMPARED]:
        yield from _compared(comparing, one, comparing.facts.diseases[key], common)
    yield about("Further possibilities: {}.", others[COMPARED : COMPARED + 4])
    yield about("Tests that distinguish them: {}.", one.tests[:2])


def _compared(
    comparing: Comparing, one: Disease, other: Disease, common: Collection[str]
) -> Iterator[str]:
    """Yield the findings that two diseases share, and those that favour either.

    The disease itself is "it": with its name in every sentence, a search for it would find this
    passage first.
    """
    facts, found = comparing.facts, comparing.compare(one, other)
    second = inside(other.name)
    # What one has in general and the other in detail is shared in general.
    shared = dict.fromkeys(
        name for disease in (one, other) for name in named(facts, disease, PRESENT, found.shared)
    )
    if shared:
        yield phrase("shared", key=f"{one.id} {other.id}", items=list(shared)[:3], other=second)
    elif not found.alike:
        yield f"With {second} it shares none of the findings described here."
    for disease, only, name in (
        (one, found.for_one, f"it rather than {second}"),
        (other, found.for_other, second),
    ):
        names = named(facts, disease, PRESENT, only - set(common))
        yield about("Findings that point to {name}: {}.", names[:3], name=name)
