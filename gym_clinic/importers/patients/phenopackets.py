"""GA4GH Phenopackets (versions 1 and 2, JSON) -> patient cases.

A feature with ``"excluded": true`` was looked for and not found, so it is an absent feature and
never a phenotype of the patient. Names are the labels of the HPO terms.

The diagnosis is what the packet's `interpretations` name; if they name none, its `diseases`. These
are no diagnosis: an interpretation that is unsolved or in progress, a diagnosis that was rejected
or whose variants were all rejected, and an excluded disease. A disease of `diseases` that such an
interpretation names is not settled either. A patient without a diagnosis is kept, with an empty
one; but a packet that only says which disease a person does not have is of an unaffected person
(a relative, a control) and is left out.

An age is kept if it is an ISO 8601 duration of whole years to days. What is not kept is reported
with its reason: ages as classes, ranges, dates and weeks of gestation, and onset, resolution,
severity and modifiers of features. A feature that has resolved is a phenotype that the patient
had.

Source:
    Phenopacket Schema 1.0 and 2.0 (ISO 4454:2022).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gym_clinic import strict_json
from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, read_fields, stop
from gym_clinic.importers.formats.records import LeftOut, intact_records, unnoted
from gym_clinic.importers.patients.cases import DURATION, ODD_AGE
from gym_clinic.importers.patients.packet_records import (
    SEXES,
    Packet,
    PacketTerm,
    Subject,
    packets_in,
)
from gym_clinic.reading.folders import texts
from gym_clinic.retrieval import PatientCase

_UNSETTLED = {
    "UNSOLVED": "unsolved interpretations were taken as no diagnosis",
    "IN_PROGRESS": "interpretations in progress were taken as no diagnosis",
}
_REFUTED = "refuted (rejected) interpretations were taken as no diagnosis"
_EXCLUDED = "excluded diseases were taken as no diagnosis"
_UNAFFECTED = "packets with excluded diseases only were left out"

_AGES = {
    "ageRange": "ages given as ranges were not kept",
    "ontologyClass": "ages given as classes were not kept",
    "gestationalAge": "gestational ages were not kept",
    "timestamp": "ages given as dates were not kept",
    "interval": "ages given as intervals of dates were not kept",
}
"""Form of an age -> what is said of it."""

_OF_FEATURES = {
    "onset": "onsets of features were not kept",
    "resolution": "resolutions of features were not kept (the feature counts as present)",
    "severity": "severities of features were not kept",
    "modifiers": "modifiers of features were not kept",
}
"""Part of a feature -> what is said of it."""


def read_phenopackets(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[PatientCase]:
    """Read phenopackets: a file, or all ``.json`` files of a folder, a zip file or a tar file.

    Args:
        path: The file or folder.
        broken: Called with the error of a broken packet, which names file and field; if it
            returns, the packet is skipped. Raises the error by default.
        left_out: Called with the reason for each thing that is not kept.

    Yields:
        One case a packet, in the order of the paths; without phenotypes if no feature is present.

    Raises:
        ConfigError: If a file cannot be opened, or the folder holds none.
        TaskError: For a broken archive; by default, for a broken packet or a duplicate id.
    """

    def read(raw: object, place: str) -> tuple[str, PatientCase | None]:
        packet = read_fields(raw, Packet, place)
        return packet.id, _case(packet, place, left_out)

    for _, case in intact_records(
        _packets(Path(path), broken, left_out), read, broken, field="field id", key=_id
    ):
        if case is not None:
            yield case


def _id(read: tuple[str, object]) -> str:
    return read[0]


def _packets(path: Path, broken: OnBroken, left_out: LeftOut) -> Iterator[tuple[str, object]]:
    """Place and content of each packet."""
    for place, data in texts(path, ".json"):
        try:
            found = list(packets_in(_value(data, place), place, left_out))
        except TaskError as error:
            broken(error)
        else:
            yield from found


def _value(data: bytes, place: str) -> object:
    try:
        return strict_json.loads(data.decode())
    except UnicodeDecodeError as error:
        raise TaskError(f"{place}: not UTF-8 at byte {error.start}; expected JSON") from None
    except ValueError as error:
        raise TaskError(f"{place}: {error}") from None


def _case(packet: Packet, place: str, left_out: LeftOut) -> PatientCase | None:
    features = packet.features or ()
    present = {feature.type.label: None for feature in features if not feature.absent}
    absent = {feature.type.label: None for feature in features if feature.absent}
    terms = _diagnosis(packet, left_out)
    if not terms and packet.diseases and not packet.interpretations:
        left_out(_UNAFFECTED)
        return None
    if unnamed := [term.id for term in terms if not term.label]:
        raise TaskError(f"{place}: the disease {unnamed[0]} has no label; expected its name")
    for feature in features:
        for part, reason in _OF_FEATURES.items():
            if getattr(feature, part):
                left_out(reason)
    for disease in packet.diseases or ():
        if disease.onset:
            left_out("onsets of diseases were not kept")
    return PatientCase(
        id=packet.id,
        diagnosis="; ".join({term.label: None for term in terms}),
        phenotypes=tuple(present),
        provenance="phenopacket",
        # A feature that was found once and not found another time is present.
        absent=tuple(label for label in absent if label not in present),
        codes=tuple({term.id: None for term in terms}),
        age=_age(packet.subject, left_out),
        sex=SEXES[packet.subject.sex],
    )


def _diagnosis(packet: Packet, left_out: LeftOut) -> list[PacketTerm]:
    """The diseases that the patient has."""
    diseases = packet.diseases or ()
    excluded = {disease.term.id for disease in diseases if disease.excluded}
    for _ in excluded:
        left_out(_EXCLUDED)
    named: list[PacketTerm] = []
    unsettled: set[str] = set()
    for interpretation in packet.interpretations or ():
        reason = _UNSETTLED.get(interpretation.progress or "", "")
        if reason:
            left_out(reason)
        for diagnosis in interpretation.diagnoses:
            if diagnosis.disease is None:
                continue
            if reason:
                unsettled.add(diagnosis.disease.id)
            elif diagnosis.refuted or interpretation.status == "REJECTED":
                left_out(_REFUTED)
                unsettled.add(diagnosis.disease.id)
            elif diagnosis.disease.id not in excluded:
                named.append(diagnosis.disease)
    return named or [
        disease.term for disease in diseases if disease.term.id not in excluded | unsettled
    ]


def _age(subject: Subject, left_out: LeftOut) -> str | None:
    """The age, if the packet gives one that can be kept."""
    given = {**(subject.encounter or {})}
    if subject.age_range or "ageRange" in (subject.age or {}):
        given.setdefault("ageRange", True)
    elif subject.age:
        given.setdefault("age", subject.age)
    if "age" not in given:
        for form in given:
            left_out(_AGES.get(form, ODD_AGE))
        return None
    age: Any = given["age"]
    for key in ("iso8601duration", "age"):  # the second is of version 1
        age = age.get(key, age) if isinstance(age, dict) else age
    if isinstance(age, dict) and "ageClass" in age:
        left_out(_AGES["ontologyClass"])
        return None
    if isinstance(age, str) and DURATION.fullmatch(age):
        return age
    left_out(ODD_AGE)
    return None
