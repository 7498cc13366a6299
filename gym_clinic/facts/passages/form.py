"""The form of a handbook passage, and the findings of a disease by how frequent they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from gym_clinic.facts.passages.sentences import american_spellings, british_drugs, inside
from gym_clinic.facts.records.models import BandName, Disease, Feature, Record, band_of
from gym_clinic.facts.tables import Facts

COLLECTION = "handbook"
"""The collection of the passages."""

LICENCE = "Apache-2.0"
"""The licence of the passages."""

MOST_SPELLINGS = 8
"""American spellings named at the end of a passage, at most."""

MOST_WORDS, FEWEST_WORDS = 175, 35
"""Words of a passage that is packed from sentences, before its American spellings."""

OFTEN: tuple[BandName, ...] = ("obligate", "very_frequent", "frequent")
"""Bands of the findings that a patient is likely to have."""


@dataclass(frozen=True)
class HandbookPassage:
    """A passage that was composed from a record of the fact tables.

    Attributes:
        id: Its id.
        title: Title.
        text: The text.
        category: Kind of text, such as ``presentation``.
        topic: Name of the record.
        record: The record.
    """

    id: str
    title: str
    text: str
    category: str
    topic: str
    record: Record


def compose(
    key: str, title: str, category: str, topic: str, record: Record, sentences: Iterable[str]
) -> HandbookPassage:
    """Return a passage of sentences.

    Args:
        key: Its id.
        title: Its title.
        category: Its kind.
        topic: Name of the record that it is about.
        record: The record.
        sentences: Its text; empty ones are left out.
    """
    text = " ".join(filter(None, sentences))
    # Search compares words as they are spelt: a query for anemia must find anaemia.
    also = american_spellings(f"{title} {text}")[:MOST_SPELLINGS]
    named = [f"{one} for {british_drugs()[one]}" if one in british_drugs() else one for one in also]
    text = f"{text} American spelling: {', '.join(named)}." if also else text
    return HandbookPassage(key, title, text, category, topic, record)


def packed(sentences: Iterable[str]) -> list[list[str]]:
    """Return sentences in groups of at most ``MOST_WORDS`` words, in their order.

    Where the last group would be too short for a passage, it takes sentences of the one before.
    """
    groups: list[list[str]] = [[]]
    for sentence in filter(None, sentences):
        if _length([*groups[-1], sentence]) > MOST_WORDS and groups[-1]:
            groups.append([])
        groups[-1].append(sentence)
    while len(groups) > 1 and _length(groups[-1]) < FEWEST_WORDS and len(groups[-2]) > 1:
        groups[-1].insert(0, groups[-2].pop())
    return groups


def _length(sentences: Iterable[str]) -> int:
    return sum(len(sentence.split()) for sentence in sentences)


def band(feature: Feature) -> BandName | None:
    """Return how frequent a finding is; None where nobody knows."""
    frequency = feature.frequency
    return frequency.band if frequency.value is None else band_of(frequency.value)


def own_names(disease: Disease) -> set[str]:
    """Return the names of a disease in small letters."""
    return {text.casefold() for text in (disease.name, *disease.synonyms)}


def named(
    facts: Facts,
    disease: Disease,
    bands: Sequence[BandName],
    wanted: Collection[str] | None = None,
) -> list[str]:
    """Return the names of a disease's findings, as they stand inside a sentence.

    A finding with the name of the disease is left out.

    Args:
        facts: The fact tables.
        disease: The disease.
        bands: How frequent they are; those of the first band come first.
        wanted: Ids of the findings to name; all by default.
    """
    keys = _ordered(facts, disease, bands)
    return [_name(facts, key) for key in keys if wanted is None or key in wanted]


def leading(facts: Facts, disease: Disease, bands: Sequence[BandName], count: int) -> list[str]:
    """Return the names of a disease's first findings, none a form of another one of them.

    Args:
        facts: The fact tables.
        disease: The disease.
        bands: As for :func:`named`.
        count: How many, at most.
    """
    chosen: list[str] = []
    for key in _ordered(facts, disease, bands):
        related = (one in facts.above[key] or key in facts.above[one] for one in chosen)
        if len(chosen) < count and not any(related):
            chosen.append(key)
    return [_name(facts, key) for key in chosen]


def _name(facts: Facts, key: str) -> str:
    return inside(facts.phenotypes[key].name)


def _ordered(facts: Facts, disease: Disease, bands: Sequence[BandName]) -> list[str]:
    """Ids of the findings of some bands, but for those with the disease's name."""
    own = own_names(disease)
    found: dict[BandName, list[str]] = {one: [] for one in bands}
    for has in disease.phenotypes:
        how_often = band(has)
        if how_often in found and facts.phenotypes[has.phenotype].name.casefold() not in own:
            found[how_often].append(has.phenotype)
    return [key for one in bands for key in found[one]]
