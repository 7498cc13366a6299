"""GA4GH Phenopackets (version 2, JSON) -> patient cases.

A feature with ``"excluded": true`` was looked for and not found, so it is an absent feature and
never a phenotype of the patient. Names are the labels of the HPO terms. The diagnosis comes from
the packet's `interpretations`; if they name none, from its `diseases` that are not excluded.

Source:
    Phenopacket Schema 2.0 (ISO 4454:2022).
"""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from typing_extensions import Self

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts.typed_json import OnBroken, read_record, stop
from gym_clinic.importers.formats.records import intact_records
from gym_clinic.importers.patients.cases import DURATION
from gym_clinic.retrieval import PatientCase

SEXES = {"FEMALE": "female", "MALE": "male", "OTHER_SEX": "other", "UNKNOWN_SEX": None}


class _PacketRecord(BaseModel):
    """A part of a packet; fields that are not listed are ignored."""

    model_config = ConfigDict(frozen=True, strict=True)


class _Term(_PacketRecord):
    id: str = Field(pattern=r"^[A-Za-z0-9_.]+:[^\s]+$")
    label: str

    @field_validator("label")
    @classmethod
    def _named(cls, label: str) -> str:
        if not label.strip():
            raise ValueError("a term has a label, found blanks")
        return " ".join(label.split())


class _Feature(_PacketRecord):
    type: _Term
    excluded: bool = False

    @model_validator(mode="before")
    @classmethod
    def _of_version_2(cls, feature: object) -> object:
        if isinstance(feature, dict) and "negated" in feature:
            raise ValueError("'negated' is of version 1; expected version 2, which has 'excluded'")
        return feature


class _Disease(_PacketRecord):
    term: _Term
    excluded: bool = False


class _Diagnosis(_PacketRecord):
    disease: _Term | None = None


class _Interpretation(_PacketRecord):
    diagnosis: _Diagnosis | None = None


class _Subject(_PacketRecord):
    sex: str = "UNKNOWN_SEX"
    encounter: dict[str, Any] | None = Field(default=None, alias="timeAtLastEncounter")

    @field_validator("sex")
    @classmethod
    def _known(cls, sex: str) -> str:
        if sex not in SEXES:
            raise ValueError(f"{sex!r} is unknown; choose from {list(SEXES)}")
        return sex


class _Packet(_PacketRecord):
    id: str = Field(min_length=1)
    subject: _Subject = _Subject()
    features: tuple[_Feature, ...] | None = Field(default=None, alias="phenotypicFeatures")
    interpretations: tuple[_Interpretation, ...] = ()
    diseases: tuple[_Disease, ...] = ()
    meta: dict[str, Any] | None = Field(default=None, alias="metaData")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        # The JSON form of protocol buffers leaves empty lists out, so features may be missing.
        if self.features is None and self.meta is None:
            raise ValueError("neither phenotypicFeatures nor metaData; expected a phenopacket")
        return self


def read_phenopackets(
    path: str | os.PathLike[str], broken: OnBroken = stop
) -> Iterator[PatientCase]:
    """Read a phenopacket, or all ``.json`` files of a folder or zip file and the folders in it.

    Args:
        path: The file or folder.
        broken: Called with the error of a broken packet, which names file and field; if it
            returns, the packet is skipped. Raises the error by default.

    Yields:
        One case a file, in the order of the paths; without phenotypes if no feature is present.

    Raises:
        ConfigError: If a file cannot be opened, or the folder holds none.
        TaskError: For a broken zip file; by default, for a broken packet or a duplicate id.
    """
    packets = intact_records(
        _files(Path(path)), _packet, broken, field="field id", key=attrgetter("id")
    )
    yield from map(_case, packets)


def _packet(data: bytes, place: str) -> _Packet:
    return read_record(data, _Packet, place)


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file."""
    place, empty = path, True
    try:
        if place.suffix == ".zip":
            with zipfile.ZipFile(place) as packed:
                for name in sorted(packed.namelist()):
                    if name.endswith(".json"):
                        empty = False
                        yield f"{place}/{name}", packed.read(name)
        else:
            for file in sorted(place.rglob("*.json")) if place.is_dir() else [place]:
                place, empty = file, False
                yield str(file), file.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {place}: {error.strerror}") from None
    except (zipfile.BadZipFile, zlib.error) as error:
        raise TaskError(f"{place}: {error}; expected a zip file of phenopackets") from None
    if empty:
        raise ConfigError(f"{path} holds no .json file; expected phenopackets")


def _case(packet: _Packet) -> PatientCase:
    features = packet.features or ()
    present = {one.type.label: None for one in features if not one.excluded}
    absent = {one.type.label: None for one in features if one.excluded}
    found = [one.diagnosis.disease for one in packet.interpretations if one.diagnosis]
    terms = [term for term in found if term] or [
        one.term for one in packet.diseases if not one.excluded
    ]
    return PatientCase(
        id=packet.id,
        diagnosis="; ".join({term.label: None for term in terms}),
        phenotypes=tuple(present),
        provenance="phenopacket",
        # A feature that was found once and not found another time is present.
        absent=tuple(label for label in absent if label not in present),
        codes=tuple({term.id: None for term in terms}),
        age=_age(packet.subject.encounter),
        sex=SEXES[packet.subject.sex],
    )


def _age(encounter: dict[str, Any] | None) -> str | None:
    """The age, if the packet gives one; a range or a class of ages is not used."""
    age = (encounter or {}).get("age")
    written = age.get("iso8601duration") if isinstance(age, dict) else None
    return written if isinstance(written, str) and DURATION.fullmatch(written) else None
