"""What questions ask about by groups of words: circumstances, illnesses and medicines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter

from gym_clinic.simulate.clinic import ClinicPatient

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Circumstance:
    """What may have come before an illness.

    Attributes:
        asked: Patterns of questions about it.
        told: Patterns of the events of records that it is.
        entails: Names of findings that follow from such an event, whoever asks about them.
    """

    asked: tuple[str, ...]
    told: tuple[str, ...]
    entails: tuple[str, ...] = ()


@dataclass(frozen=True)
class IllnessGroup:
    """Illnesses that one question asks about.

    Attributes:
        asked: Patterns of the questions.
        conditions: Ids of the conditions that people live with; none where nobody lives with one.
        findings: Names of findings that such a question only seems to name.
    """

    asked: tuple[str, ...]
    conditions: tuple[str, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True)
class MedicineGroup:
    """Medicines that one question asks about.

    Attributes:
        asked: Patterns of the questions.
        classes: Classes of drugs.
        drugs: Names of drugs that such a question only seems to name.
    """

    asked: tuple[str, ...]
    classes: tuple[str, ...]
    drugs: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def circumstances() -> Mapping[str, Circumstance]:
    """Return name -> circumstance."""
    return TypeAdapter(dict[str, Circumstance]).validate_json(_read("circumstances"))


@lru_cache(maxsize=1)
def illness_groups() -> Mapping[str, IllnessGroup]:
    """Return name -> group of illnesses."""
    return TypeAdapter(dict[str, IllnessGroup]).validate_json(_read("illness_groups"))


@lru_cache(maxsize=1)
def medicine_groups() -> Mapping[str, MedicineGroup]:
    """Return name -> group of medicines."""
    return TypeAdapter(dict[str, MedicineGroup]).validate_json(_read("medicine_groups"))


@dataclass(frozen=True)
class Overdoses:
    """What is asked of an overdose, and of which drugs it is.

    Attributes:
        asked: Pattern of questions about what was taken.
        drugs: Condition -> ids of the drugs of its kind, the usual one first.
    """

    asked: str
    drugs: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def overdoses() -> Overdoses:
    """Return what is asked of an overdose."""
    return TypeAdapter(Overdoses).validate_json(_read("overdoses"))


def overdosed(patient: ClinicPatient) -> str | None:
    """Return the id of the drug of an overdose, or None where there is no overdose of a known kind.

    It is the drug of the kind that the patient takes at home, or else the usual one.
    """
    kinds = [
        one for problem in patient.problems for one in overdoses().drugs.get(problem.condition, ())
    ]
    home = {one.drug for one in patient.medicines} | {one.what for one in patient.past}
    return next((one for one in kinds if one in home), kinds[0] if kinds else None)


@lru_cache(maxsize=1)
def common_words() -> frozenset[str]:
    """Return the words that say nothing of an event, or are asked about otherwise."""
    return frozenset(TypeAdapter(list[str]).validate_json(_read("common_words")))


@lru_cache(maxsize=1)
def rewordings() -> Mapping[str, str]:
    """Return pattern -> the words that are meant by it, where others would be heard."""
    return TypeAdapter(dict[str, str]).validate_json(_read("reworded"))


def _read(name: str) -> str:
    return (_HERE / f"{name}.json").read_text(encoding="utf-8")
