"""What all embedded passages share: their form, and the findings of a disease by frequency."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gym_clinic.facts.load import Facts
from gym_clinic.facts.models import BandName, Disease, Feature, Record, band_of
from gym_clinic.facts.wording import american, inside

COLLECTION = "handbook"
"""The collection that the passages are of."""

LICENCE = "Apache-2.0"

MOST_SPELLINGS = 8
"""So many American words are named at the end of a passage at most."""

OFTEN: tuple[BandName, ...] = ("obligate", "very_frequent", "frequent")
"""What a patient is likely to have."""


def row(
    key: str, title: str, category: str, topic: str, record: Record, sentences: Sequence[str]
) -> dict[str, Any]:
    """Return a passage.

    Args:
        key: Its id.
        title: Its title.
        category: Its kind.
        topic: Name of the record that it is about.
        record: The record.
        sentences: Its text.
    """
    text = " ".join(sentences)
    # Search knows words, not spellings: who asks for anemia finds anaemia.
    also = american(f"{title} {text}")[:MOST_SPELLINGS]
    return {
        "id": key,
        "source": COLLECTION,
        "title": title,
        "content": f"{text} Also written: {', '.join(also)}." if also else text,
        "category": category,
        "licence": LICENCE,
        "topic": topic,
        "sources": list(record.sources),
        "date": record.reviewed,
        "provenance": record.provenance,
    }


def band(feature: Feature) -> BandName | None:
    """Return how frequent a finding is; None where nobody knows."""
    frequency = feature.frequency
    return frequency.band if frequency.value is None else band_of(frequency.value)


def own_names(disease: Disease) -> set[str]:
    """Return the names of a disease, folded: as a finding, its own name tells nothing."""
    return {text.casefold() for text in (disease.name, *disease.synonyms)}


def named(
    facts: Facts,
    disease: Disease,
    bands: Sequence[BandName],
    wanted: Collection[str] | None = None,
) -> list[str]:
    """Return the names of a disease's findings, as they stand inside a sentence.

    Args:
        facts: The fact tables.
        disease: The disease.
        bands: How frequent they are; those of the first band come first.
        wanted: Ids that are wanted; all by default.
    """
    own = own_names(disease)
    return [
        inside(name)
        for one in bands
        for has in disease.phenotypes
        if band(has) == one
        and (wanted is None or has.phenotype in wanted)
        and (name := facts.phenotypes[has.phenotype].name).casefold() not in own
    ]
