"""Orphanet's scientific knowledge files (XML) -> names, phenotypes, epidemiology, history.

Product 1 holds names and cross-references, product 4 phenotypes with their frequency, product 9
prevalences in one file and ages and inheritance in the other. Old releases call the code
`OrphaNumber`, new ones `OrphaCode`; the files are English, in ISO-8859-1 or UTF-8.

Entities that Orphanet no longer uses (flagged inactive, obsolete or deprecated, or named
"OBSOLETE: ...") and groups of disorders are no diseases and are left out. Entities that are not
rare in Europe ("NON RARE IN EUROPE: ...") are diseases.

Source:
    Orphadata, the "Orphanet Scientific Knowledge Files", CC-BY-4.0.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

from gym_clinic.errors import TaskError
from gym_clinic.facts.records.models import BandName, Codes, Frequency
from gym_clinic.facts.records.profiles import Profile, ProfileFeature, merge
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.formats.records import LeftOut, intact_records, unnoted
from gym_clinic.importers.formats.xml import text_of, xml_elements

Record = TypeVar("Record")

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

INACTIVE = 8192
"""The bit of a flag's value that marks an entity that is no longer used."""

NOT_USED = re.compile(r"\b(obsolete|deprecated|inactive|historical)\b", re.IGNORECASE)
"""Words of a flag or a type that mark such an entity."""

NOT_USED_NAME = re.compile(r"\W*(obsolete|deprecated)\b", re.IGNORECASE)
"""How the name of such an entity begins."""

GROUPS = frozenset({"group of disorders", "clinical group", "category"})
"""Groups and types of entities that are no diseases."""

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


def read_names(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[Profile]:
    """Read product 1: names, synonyms, and the OMIM and MONDO ids with exactly the same meaning.

    Args:
        path: The XML file.
        broken: Called with the error of a broken disorder; if it returns, the disorder is skipped.
            Raises the error by default.
        left_out: Called with the reason for each entity that is no disease.

    Yields:
        One profile without features for each disorder.

    Raises:
        ConfigError: If the file cannot be opened or lxml is missing.
        TaskError: For a broken file; by default, for a broken disorder. The text names file, line
            and what would be right.
    """
    return _of_disorders(path, _Disorder.names, broken, left_out)


def read_phenotypes(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[Profile]:
    """Read product 4: a profile for each disorder, with bands of frequency; errors as above."""
    return _of_disorders(path, _Disorder.phenotypes, broken, left_out)


def read_history(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[NaturalHistory]:
    """Read product 9 (ages): onset, death and inheritance of each disorder; errors as above."""
    return _of_disorders(path, _Disorder.history, broken, left_out)


def read_prevalences(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[Prevalence]:
    """Read product 9 (prevalence): every estimate of every disorder; errors as above."""
    return itertools.chain.from_iterable(
        _of_disorders(path, _Disorder.prevalences, broken, left_out)
    )


def _of_disorders(
    path: str | os.PathLike[str],
    make: Callable[[_Disorder], Record],
    broken: OnBroken,
    left_out: LeftOut,
) -> Iterator[Record]:
    """What is made of each disorder."""
    file = Path(path)

    def read(node: Any, place: str) -> tuple[str, Record | None]:
        disorder = _Disorder(file, node)
        if reason := disorder.no_disease():
            left_out(reason)
            return disorder.code, None
        return disorder.code, make(disorder)

    places = (
        (f"{file} line {node.sourceline or 1}", node)
        for node in xml_elements(file, "Disorder", root="JDBOR")
    )
    for _, made in intact_records(places, read, broken, field="<OrphaCode>", key=itemgetter(0)):
        if made is not None:
            yield made


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

    def no_disease(self) -> str:
        """Why the entity is no disease; empty if it is one."""
        for flag in self.members("DisorderFlag"):
            value = self.text(flag, "Value")
            inactive = value.isascii() and value.isdigit() and int(value) & INACTIVE
            if inactive or NOT_USED.search(self.text(flag, "Label")):
                return "obsolete entities were left out"
        kinds = [self.text(self.node, tag, "Name") for tag in ("DisorderType", "DisorderGroup")]
        if NOT_USED_NAME.match(self.name) or any(map(NOT_USED.search, kinds)):
            return "obsolete entities were left out"
        if any(kind.casefold() in GROUPS for kind in kinds):
            return "groups of disorders were left out"
        return ""

    def names(self) -> Profile:
        codes = Codes(
            orpha=(self.code,),
            omim=self.exact("OMIM", "[0-9]{6}"),
            mondo=self.exact("MONDO", "[0-9]{7}"),
        )
        synonyms = tuple(one for one in self.texts("Synonym") if one != self.name)
        return Profile(id=self.code, name=self.name, synonyms=synonyms, codes=codes, source=SOURCE)

    def phenotypes(self) -> Profile:
        return Profile(
            id=self.code,
            name=self.name,
            codes=Codes(orpha=(self.code,)),
            features=merge(self.features()),
            source=SOURCE,
        )

    def history(self) -> NaturalHistory:
        return NaturalHistory(
            id=self.code,
            name=self.name,
            onset=self.texts("AverageAgeOfOnset", "Name", product="product 9 (ages)"),
            death=self.texts("AverageAgeOfDeath", "Name"),
            inheritance=self.texts("TypeOfInheritance", "Name"),
        )

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

    def prevalences(self) -> list[Prevalence]:
        return [
            self.prevalence(one) for one in self.members("Prevalence", "product 9 (prevalence)")
        ]

    def prevalence(self, one: Any) -> Prevalence:
        self.has(one, *ESTIMATE)
        value = self.text(one, "ValMoy")
        if not re.fullmatch(r"([0-9]+(\.[0-9]+)?)?", value):
            raise self.error(one, f"<ValMoy> is {value[:40]!r}; expected a number")
        qualification = self.text(one, "PrevalenceQualification", "Name")
        return Prevalence(
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
