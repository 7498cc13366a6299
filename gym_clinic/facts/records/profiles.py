"""The phenotype profile of a disease: the features that patients have, and those they lack."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import Field

from gym_clinic.facts.records.models import Codes, Frequency, Slug, Text, Texts
from gym_clinic.facts.tables import Facts
from gym_clinic.facts.typed_json import Strict, read_lines


class ProfileFeature(Strict):
    """A feature of a disease, or one that the disease does not have.

    Attributes:
        id: Id of the phenotype.
        name: Its name; empty where the source gives only the id.
        frequency: How often it occurs; `frequency.absent` marks an absent feature.
        references: Publications and entries of databases that the source cites; those of the
            frequency come first.
        history: Whether it is history or a risk, not a symptom, sign or finding.
    """

    id: Text
    name: str
    frequency: Frequency
    references: Texts = ()
    history: bool = False


class Profile(Strict):
    """A disease with its features.

    Attributes:
        id: Id of the disease.
        name: Preferred name.
        synonyms: Other names.
        codes: Its ids elsewhere.
        icd10: ICD-10 code of the World Health Organization; None if the source gives none.
        severity: 1, the most severe, to 5; None if the source does not say.
        features: Its features, present and absent.
        source: Where it comes from; None for the embedded tables.
    """

    id: Text
    name: Text
    synonyms: Texts = ()
    codes: Codes = Codes()
    icd10: Text | None = None
    severity: int | None = Field(default=None, ge=1, le=5)
    features: tuple[ProfileFeature, ...] = ()
    source: Slug | None = None


def merge(stated: Iterable[ProfileFeature]) -> tuple[ProfileFeature, ...]:
    """Return each feature once, in the order of first mention, with all its references.

    Where statements differ, one is kept: a present feature before an absent one, a share counted
    in more patients before one counted in fewer or in an unknown number, a share before a band,
    and a band before an unknown frequency; of equal ones the first. Nothing is averaged.
    """
    found: dict[str, list[ProfileFeature]] = {}
    for one in stated:
        found.setdefault(one.id, []).append(one)
    return tuple(map(_merged, found.values()))


def _merged(stated: list[ProfileFeature]) -> ProfileFeature:
    best = max(stated, key=strength)
    references = dict.fromkeys(name for one in (best, *stated) for name in one.references)
    return best.model_copy(update={"references": tuple(references)})


def strength(one: ProfileFeature) -> tuple[bool, bool, int, bool]:
    """Return the key by which `merge` orders statements on one feature; the greatest is kept."""
    frequency = one.frequency
    counted = frequency.value is not None
    return not frequency.absent, counted, frequency.patients or 0, frequency.band is not None


def profiles_of(facts: Facts) -> list[Profile]:
    """Return the profiles of all diseases of the fact tables, sorted by id."""
    return [
        Profile(
            id=one.id,
            name=one.name,
            synonyms=one.synonyms,
            codes=one.codes,
            features=tuple(
                ProfileFeature(
                    id=has.phenotype,
                    name=facts.phenotypes[has.phenotype].name,
                    frequency=has.frequency,
                    references=has.references,
                )
                for has in one.phenotypes
            ),
        )
        for one in facts.diseases.values()
    ]


def read_profiles(path: str | os.PathLike[str]) -> Iterator[Profile]:
    """Read profiles from JSON Lines, as ``gym-clinic kb import`` writes them.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a broken line; the text names file, line and field.
    """
    return (profile for _, profile in read_lines(Path(path), Profile))
