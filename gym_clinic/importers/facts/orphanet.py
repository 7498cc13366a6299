"""Orphanet's scientific knowledge files (XML) -> names, phenotypes, epidemiology, history.

Product 1 holds names and cross-references, product 4 phenotypes with their frequency, product 9
prevalences in one file and ages and inheritance in the other. Old releases call the code
`OrphaNumber`, new ones `OrphaCode`; the files are English, in ISO-8859-1 or UTF-8.

Source:
    Orphadata, the "Orphanet Scientific Knowledge Files", CC-BY-4.0.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gym_clinic.errors import TaskError
from gym_clinic.facts.models import BandName, Codes, Frequency
from gym_clinic.facts.profiles import Profile, ProfileFeature, merge
from gym_clinic.importers.formats.xml import text_of, xml_elements

SOURCE = "orphanet"
"""Key of this source in the frequencies."""

BANDS: dict[str, BandName] = {
    "obligate": "obligate",
    "very frequent": "very_frequent",
    "frequent": "frequent",
    "occasional": "occasional",
    "very rare": "very_rare",
    "excluded": "excluded",
}
"""Orphanet's name of a frequency, without the percentages -> band."""

ESTIMATE = (
    "PrevalenceType", "PrevalenceQualification", "PrevalenceClass", "ValMoy",
    "PrevalenceGeographic", "PrevalenceValidationStatus",
)  # fmt: skip
"""Elements that every estimate of a prevalence has, empty or not."""


@dataclass(frozen=True)
class NaturalHistory:
    """Ages of onset and death of a disease, and its modes of inheritance.

    Attributes:
        id: "ORPHA:" and a number.
        name: Preferred name.
        onset: Ages of onset.
        death: Ages of death; empty if the file gives none.
        inheritance: Modes of inheritance.
    """

    id: str
    name: str
    onset: tuple[str, ...]
    death: tuple[str, ...]
    inheritance: tuple[str, ...]


@dataclass(frozen=True)
class Prevalence:
    """One estimate of the frequency of a disease.

    Attributes:
        id: "ORPHA:" and a number.
        name: Preferred name of the disease.
        type: Such as "Point prevalence".
        qualification: Such as "Class only" or "Value and class".
        range: Class, such as "1-9 / 100 000"; empty if none is given.
        value: Mean number of cases per 100,000, or, for qualifications such as "Case(s)" and
            "Family(ies)", their number; None if only a class is given.
        region: Where it was estimated.
        validated: Whether Orphanet has validated it.
        source: Source of the estimate, such as a PMID.
    """

    id: str
    name: str
    type: str
    qualification: str
    range: str
    value: float | None
    region: str
    validated: bool
    source: str


def read_names(path: str | os.PathLike[str]) -> Iterator[Profile]:
    """Read product 1: names, synonyms, and the OMIM and MONDO ids with exactly the same meaning.

    Args:
        path: The XML file.

    Yields:
        One profile without features for each disorder.

    Raises:
        ConfigError: If the file cannot be opened or lxml is missing.
        TaskError: For a broken file or disorder; the text names file, line and what would be
            right.
    """
    for reader in _disorders(path):
        codes = Codes(
            orpha=(reader.code,),
            omim=reader.exact("OMIM", "[0-9]{6}"),
            mondo=reader.exact("MONDO", "[0-9]{7}"),
        )
        synonyms = reader.texts("Synonym")
        yield Profile(
            id=reader.code,
            name=reader.name,
            synonyms=tuple(one for one in synonyms if one != reader.name),
            codes=codes,
            source=SOURCE,
        )


def read_phenotypes(path: str | os.PathLike[str]) -> Iterator[Profile]:
    """Read product 4: a profile for each disorder, with bands of frequency; errors as above."""
    for reader in _disorders(path):
        yield Profile(
            id=reader.code,
            name=reader.name,
            codes=Codes(orpha=(reader.code,)),
            features=merge(reader.features()),
            source=SOURCE,
        )


def read_history(path: str | os.PathLike[str]) -> Iterator[NaturalHistory]:
    """Read product 9 (ages): onset, death and inheritance of each disorder; errors as above."""
    for reader in _disorders(path):
        yield NaturalHistory(
            id=reader.code,
            name=reader.name,
            onset=reader.texts("AverageAgeOfOnset", "Name", product="product 9 (ages)"),
            death=reader.texts("AverageAgeOfDeath", "Name"),
            inheritance=reader.texts("TypeOfInheritance", "Name"),
        )


def read_prevalences(path: str | os.PathLike[str]) -> Iterator[Prevalence]:
    """Read product 9 (prevalence): every estimate of every disorder; errors as above."""
    for reader in _disorders(path):
        yield from reader.prevalences()


def _disorders(path: str | os.PathLike[str]) -> Iterator[_Disorder]:
    file = Path(path)
    seen: set[str] = set()
    for node in xml_elements(file, "Disorder", root="JDBOR"):
        reader = _Disorder(file, node)
        if reader.code in seen:
            raise reader.error(node, f"duplicate {reader.code}; expected one entry a disorder")
        seen.add(reader.code)
        yield reader


class _Disorder:
    """Reads one disorder; file and line are named in errors."""

    def __init__(self, file: Path, node: Any) -> None:
        self.file = file
        self.node = node
        number = self.text(node, "OrphaCode") or self.text(node, "OrphaNumber")
        if not re.fullmatch(r"[1-9][0-9]*", number):
            raise self.error(node, f"its <OrphaCode> is {number[:40]!r}; expected a number")
        self.code = f"ORPHA:{number}"
        self.name = self.text(node, "Name")
        if not self.name:
            raise self.error(node, f"{self.code} has no <Name>")

    def members(self, tag: str, product: str = "") -> Iterator[Any]:
        """The elements of a list; with `product` the list is required."""
        found = self.node.find(f"{tag}List")
        if found is None and product:
            raise self.error(self.node, f"{self.code} has no <{tag}List>; expected {product}")
        for one in () if found is None else found:
            if one.tag != tag:
                other = f"<{one.tag}>" if isinstance(one.tag, str) else "an entity"
                raise self.error(one, f"<{tag}List> holds {other}; expected <{tag}>")
            yield one

    def has(self, node: Any, *tags: str) -> None:
        """Check that an element contains others, empty or not."""
        for tag in tags:
            if node.find(tag) is None:
                raise self.error(node, f"<{node.tag}> of {self.code} has no <{tag}>; expected one")

    def texts(self, tag: str, *path: str, product: str = "") -> tuple[str, ...]:
        """The text of each element of a list, or of the element at a path in it."""
        found = []
        for one in self.members(tag, product):
            found.append(self.text(one, *path))
            if not found[-1]:
                raise self.error(one, f"<{'/'.join((tag, *path))}> is empty; expected a name")
        return tuple(dict.fromkeys(found))

    def exact(self, source: str, pattern: str) -> tuple[str, ...]:
        """The validated ids of a source with exactly the same meaning, with its name as prefix."""
        found = []
        for one in self.members("ExternalReference", "product 1"):
            self.has(one, "Source", "Reference", "DisorderMappingRelation")
            relation = self.text(one, "DisorderMappingRelation", "Name")
            status = self.text(one, "DisorderMappingValidationStatus", "Name")
            number = self.text(one, "Reference").removeprefix(f"{source}:")
            if self.text(one, "Source") != source:
                continue
            if not re.fullmatch(pattern, number):
                raise self.error(
                    one, f"the {source} id {number[:40]!r} of {self.code}; expected {pattern}"
                )
            if relation.split(" ")[0] == "E" and status in ("Validated", ""):
                found.append(f"{source}:{number}")
        return tuple(dict.fromkeys(found))

    def features(self) -> Iterator[ProfileFeature]:
        for one in self.members("HPODisorderAssociation", "product 4"):
            code, name = self.text(one, "HPO", "HPOId"), self.text(one, "HPO", "HPOTerm")
            if not re.fullmatch(r"HP:[0-9]{7}", code):
                raise self.error(one, f"<HPOId> is {code[:40]!r}; expected an id like HP:0000528")
            self.has(one, "HPO/HPOTerm", "HPOFrequency")
            said = self.text(one, "HPOFrequency", "Name")
            yield ProfileFeature(id=code, name=name, frequency=self.frequency(one, said))

    def frequency(self, node: Any, said: str) -> Frequency:
        if not said:
            return Frequency(basis="unknown")
        band = BANDS.get(said.split("(")[0].strip().casefold())
        if band is None:
            raise self.error(node, f"frequency {said[:60]!r}; expected one of {list(BANDS)}")
        return Frequency(band=band, basis="sourced", source=SOURCE)

    def prevalences(self) -> Iterator[Prevalence]:
        for one in self.members("Prevalence", "product 9 (prevalence)"):
            self.has(one, *ESTIMATE)
            value = self.text(one, "ValMoy")
            if not re.fullmatch(r"([0-9]+(\.[0-9]+)?)?", value):
                raise self.error(one, f"<ValMoy> is {value[:40]!r}; expected a number")
            qualification = self.text(one, "PrevalenceQualification", "Name")
            yield Prevalence(
                id=self.code,
                name=self.name,
                type=self.text(one, "PrevalenceType", "Name"),
                qualification=qualification,
                range=self.text(one, "PrevalenceClass", "Name"),
                # With a class only, the file has 0.0, which means that there is no value.
                value=float(value) if value and qualification != "Class only" else None,
                region=self.text(one, "PrevalenceGeographic", "Name"),
                validated=self.text(one, "PrevalenceValidationStatus", "Name") == "Validated",
                source=self.text(one, "Source"),
            )

    def text(self, node: Any, *path: str) -> str:
        try:
            return text_of(node, *path)
        except ValueError as error:
            raise self.error(node, str(error)) from None

    def error(self, node: Any, what: str) -> TaskError:
        return TaskError(f"{self.file} line {node.sourceline or 1}: {what}")
