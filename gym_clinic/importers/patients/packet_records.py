"""The parts of GA4GH phenopackets that are read, of version 2 and of version 1.

Version 1 writes ``negated`` for ``excluded``, ``resolutionStatus`` for ``progressStatus``,
``status`` for ``interpretationStatus`` and several diagnoses of one interpretation. A file may hold
a phenopacket, a family (its proband), a cohort (its members), or an interpretation of version 1
(its phenopacket or family).

Source:
    Phenopacket Schema 1.0 and 2.0 (ISO 4454:2022).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator, model_validator
from typing_extensions import Self

from gym_clinic.errors import TaskError
from gym_clinic.importers.formats.records import LeftOut

SEXES = {"FEMALE": "female", "MALE": "male", "OTHER_SEX": "other", "UNKNOWN_SEX": None}

Progress = Literal["UNKNOWN_PROGRESS", "UNKNOWN", "IN_PROGRESS", "COMPLETED", "SOLVED", "UNSOLVED"]
Status = Literal["UNKNOWN_STATUS", "UNKNOWN", "REJECTED", "CANDIDATE", "CONTRIBUTORY", "CAUSATIVE"]


class _PacketRecord(BaseModel):
    """A part of a packet; fields that are not listed are ignored."""

    model_config = ConfigDict(frozen=True, strict=True)


class PacketTerm(_PacketRecord):
    """A term with its name; the name of a disease may be missing where it is not needed."""

    id: str = Field(pattern=r"^[A-Za-z0-9_.]+:[^\s]+$")
    label: str = ""

    @field_validator("label")
    @classmethod
    def _tidy(cls, label: str) -> str:
        return " ".join(label.split())


class NamedPacketTerm(PacketTerm):
    """A term that must have a name."""

    label: str

    @field_validator("label")
    @classmethod
    def _named(cls, label: str) -> str:
        if not label.strip():
            raise ValueError("a term has a label, found blanks")
        return " ".join(label.split())


class PacketFeature(_PacketRecord):
    """A phenotypic feature, or one that was looked for and not found."""

    type: NamedPacketTerm
    excluded: bool = False
    negated: bool = False
    onset: Any = Field(
        default=None, validation_alias=AliasChoices("onset", "ageOfOnset", "classOfOnset")
    )
    resolution: Any = None
    severity: Any = None
    modifiers: list[Any] = Field(default_factory=list)

    @property
    def absent(self) -> bool:
        """Whether it was looked for and not found."""
        return self.excluded or self.negated


class PacketDisease(_PacketRecord):
    """A disease that the patient has, or does not have."""

    term: PacketTerm
    excluded: bool = False
    onset: Any = Field(
        default=None, validation_alias=AliasChoices("onset", "ageOfOnset", "classOfOnset")
    )


class GenomicInterpretation(_PacketRecord):
    """Whether a variant or gene explains the disease."""

    status: Status | None = Field(
        default=None, validation_alias=AliasChoices("interpretationStatus", "status")
    )


class Diagnosis(_PacketRecord):
    """A disease, and the variants that speak for or against it."""

    disease: PacketTerm | None = None
    status: Status | None = Field(
        default=None, validation_alias=AliasChoices("interpretationStatus", "status")
    )
    genomic: list[GenomicInterpretation] = Field(
        default_factory=list, alias="genomicInterpretations"
    )

    @field_validator("disease", mode="before")
    @classmethod
    def _of_version_1(cls, disease: object) -> object:
        return disease["term"] if isinstance(disease, dict) and "term" in disease else disease

    @property
    def refuted(self) -> bool:
        """Whether it was rejected, itself or in all that was interpreted."""
        statuses = {variant.status for variant in self.genomic}
        return self.status == "REJECTED" or statuses == {"REJECTED"}


class Interpretation(_PacketRecord):
    """What was concluded, and whether the question is settled."""

    progress: Progress | None = Field(
        default=None, validation_alias=AliasChoices("progressStatus", "resolutionStatus")
    )
    status: Status | None = Field(
        default=None, validation_alias=AliasChoices("interpretationStatus", "status")
    )
    diagnoses: tuple[Diagnosis, ...] = Field(default=(), alias="diagnosis")

    @field_validator("diagnoses", mode="before")
    @classmethod
    def _several(cls, found: object) -> object:
        if found is None:
            return ()
        return tuple(found) if isinstance(found, list) else (found,)


class Subject(_PacketRecord):
    """The patient."""

    sex: str = "UNKNOWN_SEX"
    encounter: dict[str, Any] | None = Field(default=None, alias="timeAtLastEncounter")
    age: dict[str, Any] | None = Field(default=None, alias="ageAtCollection")
    age_range: dict[str, Any] | None = Field(default=None, alias="ageRangeAtCollection")

    @field_validator("sex")
    @classmethod
    def _known(cls, sex: str) -> str:
        if sex not in SEXES:
            raise ValueError(f"{sex!r} is unknown; choose from {list(SEXES)}")
        return sex


class Packet(_PacketRecord):
    """A phenopacket."""

    id: str = Field(min_length=1)
    subject: Subject = Subject()
    features: tuple[PacketFeature, ...] | None = Field(default=None, alias="phenotypicFeatures")
    interpretations: tuple[Interpretation, ...] | None = None
    diseases: tuple[PacketDisease, ...] | None = None
    meta: dict[str, Any] | None = Field(default=None, alias="metaData")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        # The JSON form of protocol buffers leaves empty lists out, so features may be missing.
        if (self.features, self.interpretations, self.diseases, self.meta) == (None,) * 4:
            raise ValueError("neither phenotypicFeatures nor metaData; expected a phenopacket")
        return self


def packets_in(value: object, place: str, left_out: LeftOut) -> Iterator[tuple[str, object]]:
    """Yield the packets of a file, each with its place.

    Args:
        value: What the file holds: a phenopacket, a family, a cohort, or an interpretation of
            version 1.
        place: Where it stands, for errors.
        left_out: Called with the reason for each person who is no patient here.

    Raises:
        TaskError: For a family without a proband, or a cohort without members.
    """
    if not isinstance(value, dict):
        yield place, value
    elif "members" in value and "phenotypicFeatures" not in value:
        members = value["members"]
        if not isinstance(members, list) or not members:
            raise TaskError(f"{place}, field members: a cohort without members; expected a list")
        for number, member in enumerate(members):
            yield f"{place} members[{number}]", member
    elif "proband" in value or _is_family(value):
        if not isinstance(value.get("proband"), dict):
            raise TaskError(f"{place}, field proband: a family without a proband; expected one")
        relatives = value.get("relatives")
        for _ in relatives if isinstance(relatives, list) else ():
            left_out("relatives of probands were left out")
        yield f"{place} proband", value["proband"]
    elif "diagnosis" in value and ("phenopacket" in value or "family" in value):
        own = {key: value[key] for key in ("resolutionStatus", "diagnosis") if key in value}
        inner = value.get("phenopacket", value.get("family"))
        for inner_place, packet in packets_in(inner, place, left_out):
            if not isinstance(packet, dict):
                raise TaskError(f"{inner_place}: expected a phenopacket")
            yield inner_place, {**packet, "interpretations": [own]}
    else:
        yield place, value


def _is_family(value: dict[str, Any]) -> bool:
    return "phenotypicFeatures" not in value and ("relatives" in value or "pedigree" in value)
