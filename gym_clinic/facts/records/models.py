"""The records of the fact tables: diseases, phenotypes, drugs, instruments, guidelines and more.

Every text is one line without blanks at its ends. A frequency has a basis: a source that states
it, the judgement of the table's authors, or none. A disease is written with the names of its
findings (`DiseaseEntry`) and read with their ids (`Disease`).

Source:
    The bands and their ids are those of the Human Phenotype Ontology's frequency subontology.
"""

from __future__ import annotations

import datetime
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from typing_extensions import Self

from gym_clinic.facts.records.epidemiology import Epidemiology, Only
from gym_clinic.facts.typed_json import Strict as Strict

BandName = Literal["obligate", "very_frequent", "frequent", "occasional", "very_rare", "excluded"]

BANDS: dict[BandName, tuple[str, float, float]] = {
    "obligate": ("HP:0040280", 1.0, 1.0),
    "very_frequent": ("HP:0040281", 0.80, 0.99),
    "frequent": ("HP:0040282", 0.30, 0.79),
    "occasional": ("HP:0040283", 0.05, 0.29),
    "very_rare": ("HP:0040284", 0.01, 0.04),
    "excluded": ("HP:0040285", 0.0, 0.0),
}
"""Band -> its HPO id and its share of patients, from and to; the most frequent comes first."""


def band_of(share: float) -> BandName:
    """Return the band of a share of patients, 0 to 1; what lies between two goes to the lower."""
    if share <= 0:
        return "excluded"
    return next((band for band, (_, low, _) in BANDS.items() if share >= low > 0), "very_rare")


def _one_line(text: str) -> str:
    if not text or text != text.strip() or re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", text):
        raise ValueError("expected one line of text without blanks at its ends")
    return text


def _day(text: str) -> str:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError("expected a day as YYYY-MM-DD")
    datetime.date.fromisoformat(text)
    return text


def distinct(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts, of which no two may be the same; as a validator.

    Raises:
        ValueError: If two are.
    """
    if double := [text for number, text in enumerate(texts) if text in texts[:number]]:
        raise ValueError(f"duplicate {double[0]!r}")
    return texts


Text = Annotated[str, AfterValidator(_one_line)]
Texts = Annotated[tuple[Text, ...], AfterValidator(distinct)]
Day = Annotated[str, AfterValidator(_day)]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Slugs = Annotated[tuple[Slug, ...], AfterValidator(distinct)]
PhenotypeId = Annotated[str, Field(pattern=r"^(HP:[0-9]{7}|sym(-[a-z0-9]+)+)$")]
Omim = Annotated[str, Field(pattern=r"^OMIM:[0-9]{6}$")]
Orpha = Annotated[str, Field(pattern=r"^ORPHA:[1-9][0-9]*$")]
Mondo = Annotated[str, Field(pattern=r"^MONDO:[0-9]{7}$")]
Icd10cm = Annotated[str, Field(pattern=r"^[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?$")]


class Source(Strict):
    """Where facts come from.

    Attributes:
        title: Its title, with the edition.
        licence: Its licence.
        taken: What was taken from it.
        url: Its address; empty where it has none.
    """

    title: Text
    licence: Text
    taken: Text
    url: str = ""


class Record(Strict):
    """The fields of every record.

    Attributes:
        sources: Keys of the sources that its facts come from.
        provenance: Whether its authors wrote it or took it from its sources.
        reviewed: Day of the last review, YYYY-MM-DD.
    """

    sources: Slugs
    provenance: Literal["authored", "sourced"]
    reviewed: Day


class Frequency(Strict):
    """How many patients with a disease have a feature.

    Attributes:
        value: Share of patients, 0 to 1; only where a source states it.
        band: Qualitative class; "excluded" means that the feature is absent.
        basis: A source, the authors' judgement (a band alone), or nothing known.
        source: Key of the source, where there is one.
        patients: In how many patients the share was counted, where the source says.
    """

    value: float | None = Field(default=None, ge=0, le=1)
    band: BandName | None = None
    basis: Literal["sourced", "authored", "unknown"]
    source: Slug | None = None
    patients: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.basis == "sourced":
            if self.source is None or (self.value is None and self.band is None):
                raise ValueError("a sourced frequency has a source, and a value or a band")
        elif self.value is not None or self.source is not None:
            raise ValueError(f"basis {self.basis!r} goes without value and source")
        elif (self.band is None) != (self.basis == "unknown"):
            raise ValueError("an authored frequency has a band, an unknown one has none")
        if None not in (self.value, self.band) and band_of(self.value or 0) != self.band:
            raise ValueError(f"{self.value} is {band_of(self.value or 0)}, not {self.band}")
        if self.patients is not None and self.value is None:
            raise ValueError("patients are counted where there is a value")
        return self

    @property
    def absent(self) -> bool:
        """Whether the feature is absent in the disease."""
        return self.band == "excluded" or self.value == 0


class StatedFrequency(Frequency):
    """A frequency that a source states.

    Attributes:
        references: Publications and entries of databases that the source cites for it.
    """

    basis: Literal["sourced"] = "sourced"
    references: Texts = ()


class FindingEntry(Strict):
    """A finding of a disease as it is written in the table.

    Attributes:
        finding: Name of the phenotype, as in the table of phenotypes.
        band: How frequent it is in the authors' judgement; None where nobody knows.
        stated: What a source states; it goes before the band.
    """

    finding: Text
    band: BandName | None = None
    stated: StatedFrequency | None = None

    def feature(self, phenotype: str) -> Feature:
        """Return the feature that this makes of a phenotype's id."""
        if self.stated is None:
            basis: Literal["authored", "unknown"] = "authored" if self.band else "unknown"
            return Feature(phenotype=phenotype, frequency=Frequency(band=self.band, basis=basis))
        stated = self.stated.model_dump(exclude={"references"})
        return Feature(
            phenotype=phenotype,
            frequency=Frequency(**stated),
            references=self.stated.references,
        )


class Feature(Strict):
    """A phenotype of a disease, or one that the disease does not have.

    Attributes:
        phenotype: Id of the phenotype.
        frequency: How often it occurs.
        references: Publications and entries of databases that the source cites.
    """

    phenotype: PhenotypeId
    frequency: Frequency
    references: Texts = ()


def _distinct_findings(entries: tuple[FindingEntry, ...]) -> tuple[FindingEntry, ...]:
    distinct(tuple(entry.finding for entry in entries))
    return entries


FindingEntries = Annotated[tuple[FindingEntry, ...], AfterValidator(_distinct_findings)]


class Codes(Strict):
    """Ids of a disease elsewhere, with their prefixes; ICD-10-CM codes with their point."""

    omim: Annotated[tuple[Omim, ...], AfterValidator(distinct)] = ()
    orpha: Annotated[tuple[Orpha, ...], AfterValidator(distinct)] = ()
    mondo: Annotated[tuple[Mondo, ...], AfterValidator(distinct)] = ()
    icd10cm: Annotated[tuple[Icd10cm, ...], AfterValidator(distinct)] = ()


class DiseaseFields(Record):
    """The fields of a disease, but for its findings.

    Attributes:
        id: Slug.
        name: Preferred name.
        synonyms: Other names.
        codes: Its ids elsewhere.
        discipline: Id of the discipline that cares for it.
        rare: Whether it is a rare disease.
        epidemiology: Who has it, and how often; None where the table does not say.
        summary: One or two sentences.
        look_alikes: Ids of diseases that it is mistaken for.
        red_flags: Signs that call for help at once.
        tests: First tests.
        treatment: Its management.
    """

    id: Slug
    name: Text
    synonyms: Texts = ()
    codes: Codes = Codes()
    discipline: Slug
    rare: bool
    epidemiology: Epidemiology | None = None
    summary: Text
    look_alikes: Slugs = ()
    red_flags: Texts = ()
    tests: Texts = ()
    treatment: Texts = ()

    @model_validator(mode="after")
    def _names_others(self) -> Self:
        if self.name in self.synonyms:
            raise ValueError(f"synonyms: {self.name!r} is the name itself")
        if self.id in self.look_alikes:
            raise ValueError(f"look_alikes: {self.id!r} is the disease itself")
        return self


class DiseaseEntry(DiseaseFields):
    """A disease as it is written in the table.

    Attributes:
        findings: Its findings by name, present and absent.
    """

    findings: FindingEntries = Field(min_length=1)


class Disease(DiseaseFields):
    """A disease.

    Attributes:
        phenotypes: Its features, present and absent.
    """

    phenotypes: tuple[Feature, ...]


class Phenotype(Record):
    """A symptom, sign or finding.

    Attributes:
        id: HPO id, or a slug that begins with "sym-" where the HPO has none.
        name: Preferred name; the HPO's where the id is one of its ids.
        group: Body system.
        parents: Ids of the nearest findings of the table that are more general: whoever has this
            finding has them.
        only: Who alone can have it; None for everybody.
        synonyms: Other names, of lay people and clinicians.
    """

    id: PhenotypeId
    name: Text
    group: Text
    parents: Annotated[tuple[PhenotypeId, ...], AfterValidator(distinct)] = ()
    only: Only | None = None
    synonyms: Texts = ()


class Discipline(Record):
    """A discipline of medicine.

    Attributes:
        id: Slug.
        name: Name.
        about: What it cares for.
    """

    id: Slug
    name: Text
    about: Text


class Guideline(Record):
    """How to proceed on a topic.

    Attributes:
        id: Slug.
        topic: Its topic.
        summary: One or two sentences.
        diseases: Ids of the diseases concerned.
        steps: What to do, in order.
        red_flags: Signs that call for help at once.
    """

    id: Slug
    topic: Text
    summary: Text
    diseases: Slugs = ()
    steps: Texts
    red_flags: Texts = ()
