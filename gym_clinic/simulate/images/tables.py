"""The tables of the images: what each modality can show, and in which limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import orjson

from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest

Limits = tuple[float, float]


@dataclass(frozen=True, slots=True)
class FindingTable:
    """What a record may say of one kind of finding.

    Attributes:
        name: Its key in records, such as "pneumothorax".
        label: What a clinician calls it.
        sides: Sides where it can be; empty if it has none.
        places: Places where it can be.
        placed: Whether a record must name the place.
        unit: Unit of its size; empty if it has no size.
        size: Least and largest size.
        grades: Grade -> the sizes that have it; between grades there are gaps.
        count: Least and largest number; (1, 1) if it is not counted.
        excludes: Findings that cannot be in the same image.
    """

    name: str
    label: str
    sides: tuple[str, ...]
    places: tuple[str, ...]
    placed: bool
    unit: str
    size: Limits
    grades: Mapping[str, Limits]
    count: tuple[int, int]
    excludes: frozenset[str]


@dataclass(frozen=True, slots=True)
class ModalityTable:
    """What a modality can show.

    Attributes:
        name: Its key in records, such as "chest_film".
        label: Its name in words.
        per_pixel: Length of one pixel, in `unit`.
        unit: Unit of lengths in the image.
        age: Least and greatest age, in years.
        sexes: Sexes of those who are imaged.
        sides: Sides of the organ imaged, such as the eye; empty if it has none.
        artefacts: What can disturb the image.
        findings: ImageFinding -> its table.
    """

    name: str
    label: str
    per_pixel: float
    unit: str
    age: Limits
    sexes: tuple[str, ...]
    sides: tuple[str, ...]
    artefacts: tuple[str, ...]
    findings: Mapping[str, FindingTable]

    def finding(self, name: str) -> FindingTable:
        """Return the table of a finding.

        Raises:
            ConfigError: If this modality does not show it.
        """
        if name not in self.findings:
            raise ConfigError(f"no finding {name!r} in {self.name}; {suggest(name, self.findings)}")
        return self.findings[name]


def _read(name: str) -> Any:
    return orjson.loads(files("gym_clinic.simulate.images").joinpath(name).read_bytes())


@lru_cache(maxsize=1)
def glyphs() -> Mapping[str, list[str]]:
    """Return the font: letter -> seven rows of five dots."""
    font: Mapping[str, list[str]] = _read("fonts.json")
    return font


@lru_cache(maxsize=1)
def modalities() -> Mapping[str, ModalityTable]:
    """Return the tables of all modalities by name."""
    return {name: _modality(name, row) for name, row in _read("modalities.json").items()}


def modality(name: str) -> ModalityTable:
    """Return the table of a modality.

    Raises:
        ConfigError: If there is none of that name.
    """
    if name not in modalities():
        raise ConfigError(f"no modality {name!r}; {suggest(str(name), modalities())}")
    return modalities()[name]


def _modality(name: str, row: Mapping[str, Any]) -> ModalityTable:
    against: dict[str, set[str]] = {key: set() for key in row["findings"]}
    for key, value in row["findings"].items():
        for other in value.get("excludes", ()):
            against[key].add(other)
            against[other].add(key)
    return ModalityTable(
        name=name,
        label=row["label"],
        per_pixel=row["per_pixel"],
        unit=row["unit"],
        age=tuple(row["age"]),
        sexes=tuple(row.get("sexes", ("female", "male"))),
        sides=tuple(row.get("sides", ())),
        artefacts=tuple(row["artefacts"]),
        findings={
            key: _finding(key, value, against[key]) for key, value in row["findings"].items()
        },
    )


def _finding(name: str, row: Mapping[str, Any], against: set[str]) -> FindingTable:
    grades = {grade: tuple(limits) for grade, limits in row.get("grades", {}).items()}
    ends = [end for limits in grades.values() for end in limits]
    least, most = (min(ends), max(ends)) if ends else tuple(row.get("size", (0.0, 0.0)))
    return FindingTable(
        name=name,
        label=row["label"],
        sides=tuple(row.get("sides", ())),
        places=tuple(row.get("places", ())),
        placed=bool(row.get("places")) and row.get("placed", True),
        unit=row.get("unit", ""),
        size=(least, most),
        grades=grades,
        count=tuple(row.get("count", (1, 1))),
        excludes=frozenset(against),
    )
