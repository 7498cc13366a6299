"""DDXPlus: `release_conditions.json` -> conditions, `release_evidences.json` -> evidences.

A condition lists the evidences that its patients may have: symptoms, and antecedents (history and
risk factors). The published files give no probabilities (`{}`). A number or
`{"probability": number}` is read as the share of patients; 0 means that the evidence is absent.
The ICD-10 codes are those of the World Health Organization, not of ICD-10-CM.

Source:
    DDXPlus (Fansi Tchango et al. 2022), release of conditions and evidences, CC-BY.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gym_clinic.errors import TaskError
from gym_clinic.facts.records.models import Frequency, Text, band_of
from gym_clinic.facts.records.profiles import Profile, ProfileFeature
from gym_clinic.facts.typed_json import OnBroken, make_record, read_fields, read_object, stop
from gym_clinic.importers.formats.records import intact_records
from gym_clinic.names import suggest
from gym_clinic.reading import plain_or_packed

SOURCE = "ddxplus"
"""Key of this source in the frequencies."""

EVIDENCES = "release_evidences.json"
"""The published file of the questions, beside that of the conditions."""


def _chance(share: object) -> object:
    """The share in `{}` or `{"probability": share}`; any other value unchanged."""
    if isinstance(share, dict) and set(share) <= {"probability"}:
        return share.get("probability")
    return share


Share = Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(_chance)]
"""Share of the patients; None if the file gives none."""


def _tidy(text: object) -> object:
    return " ".join(text.split()) if isinstance(text, str) else text


class _Published(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, allow_inf_nan=False)


class _Condition(_Published):
    name: Annotated[Text, BeforeValidator(_tidy)] = Field(alias="cond-name-eng")
    icd10: Text = Field(alias="icd10-id")
    severity: int = Field(ge=1, le=5)
    symptoms: dict[str, Share]
    antecedents: dict[str, Share]


Record = TypeVar("Record")
Entry = tuple[str, Any]
"""A key of the file and its value."""


class _Meaning(_Published):
    en: str


class _Evidence(_Published):
    code_question: str
    question_en: Text
    is_antecedent: bool
    data_type: Literal["B", "C", "M"]
    default_value: str | int
    values: list[str | int] = Field(alias="possible-values")
    value_meaning: dict[str, _Meaning]


@dataclass(frozen=True)
class EvidenceQuestion:
    """A question to the patient with its possible answers.

    Attributes:
        id: Such as "E_55".
        question: The question in English.
        parent: Id of the question that it details; its own id for an independent question.
        antecedent: Whether it asks for history or risks, not for a symptom.
        kind: "binary", "categorical" (one answer) or "multiple" (several answers).
        default: The answer that means "nothing of this".
        values: Answer -> its meaning in English; empty for a binary question.
    """

    id: str
    question: str
    parent: str
    antecedent: bool
    kind: Literal["binary", "categorical", "multiple"]
    default: str
    values: Mapping[str, str]


def read_conditions(
    path: str | os.PathLike[str],
    evidences: Mapping[str, EvidenceQuestion] | None = None,
    broken: OnBroken = stop,
) -> Iterator[Profile]:
    """Read conditions as profiles; an antecedent is a feature of the history.

    Args:
        path: `release_conditions.json`.
        evidences: Evidences by id, whose questions name the features; those of
            `release_evidences.json` beside the file by default. Where there is none, the id of a
            feature is its name.
        broken: Called with the error of a broken entry; if it returns, the entry is skipped.
            Raises the error by default.

    Yields:
        One profile for each entry.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: If it is no JSON object or an empty one; by default, for a broken entry, or one
            with an evidence that is not in `evidences`. The text names file, condition and field.
    """
    file = Path(path)
    beside = plain_or_packed(file.with_name(EVIDENCES))
    if evidences is None and beside.is_file():
        evidences = {one.id: one for one in read_evidences(beside)}
    yield from _read(file, "conditions", partial(_profile, evidences), broken)


def _profile(evidences: Mapping[str, EvidenceQuestion] | None, entry: Entry, place: str) -> Profile:
    key, value = entry
    one = read_fields(value, _Condition, place)
    features = []
    for name, share in {**one.symptoms, **one.antecedents}.items():
        if evidences is not None and name not in evidences:
            raise _unknown(place, name, evidences)
        feature = make_record(
            ProfileFeature,
            place,
            id=name,
            name=evidences[name].question if evidences else name,
            frequency=_frequency(share),
            history=name in one.antecedents,
        )
        features.append(feature)
    return make_record(
        Profile,
        place,
        id=f"DDXPLUS:{key}",
        name=one.name,
        icd10=one.icd10.upper(),
        severity=one.severity,
        features=tuple(features),
        source=SOURCE,
    )


_KINDS: dict[str, Any] = {"B": "binary", "C": "categorical", "M": "multiple"}


def read_evidences(
    path: str | os.PathLike[str], broken: OnBroken = stop
) -> Iterator[EvidenceQuestion]:
    """Read evidences; `broken` and errors as for `read_conditions`."""
    yield from _read(Path(path), "evidences", _question, broken)


def _question(entry: Entry, place: str) -> EvidenceQuestion:
    key, value = entry
    one = read_fields(value, _Evidence, place)
    meanings = {value: meaning.en for value, meaning in one.value_meaning.items()}
    return EvidenceQuestion(
        id=key,
        question=one.question_en,
        parent=one.code_question,
        antecedent=one.is_antecedent,
        kind=_KINDS[one.data_type],
        default=str(one.default_value),
        values={str(value): meanings.get(str(value), str(value)) for value in one.values},
    )


def _read(
    file: Path, what: str, read: Callable[[Entry, str], Record], broken: OnBroken
) -> Iterator[Record]:
    entries = read_object(file, distinct=True)
    if not entries:
        raise TaskError(f"{file}: no {what}; expected some")
    places = ((f"{file} key {key!r}", (key, value)) for key, value in entries.items())
    yield from intact_records(places, read, broken)


def _frequency(share: float | None) -> Frequency:
    if share is None:
        return Frequency(basis="unknown")
    return Frequency(value=share, band=band_of(share), basis="sourced", source=SOURCE)


def _unknown(place: str, name: str, known: Mapping[str, object]) -> TaskError:
    return TaskError(f"{place}: unknown evidence {name!r}; {suggest(name, known)}")
