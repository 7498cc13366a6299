"""What questions ask about by groups of words: circumstances, illnesses and medicines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter

_HERE = Path(__file__).parent

COMMON_WORDS = frozenset((
    "about", "after", "again", "alone", "being", "before", "blocked", "breath", "catheter",
    "could", "doing", "drink", "drinking", "drinks", "during", "every", "feeling", "going",
    "heavy", "having", "house", "hours", "illness", "insulin", "knees", "least", "likely",
    "living", "longer", "looking", "might", "month", "months", "nights", "normal", "often",
    "other", "partner", "people", "place", "positive", "really", "recent", "recently", "right",
    "second", "several", "should", "since", "something", "sometimes", "started", "stopping",
    "street", "tablet", "tablets", "taken", "taking", "tell", "there", "these", "thing",
    "things", "think", "those", "today", "treatment", "trouble", "under", "until", "usual",
    "usually", "water", "weekend", "weeks", "where", "whether", "which", "while", "would",
    "years", "chest", "stomach", "ankle", "shoulder", "tooth", "throat", "abdominal",
    "bladder", "urine", "child", "children", "family", "ought", "problem", "problems",
    "doctor", "patient", "anything", "anyone", "happened", "somewhere", "someone", "spouse",
    "sister", "colleague", "infection", "surgery", "operation", "replacement", "placement",
    "removal", "insertion", "contact", "cycle", "ended", "having", "minor", "large", "weather",
    "piece", "given", "noticed", "worse", "better", "severe", "light", "heart", "blood",
    "pressure", "working", "without", "within", "because", "around", "takes", "feverish",
    "vomiting", "diarrhoea", "jaundice", "fever",
))  # fmt: skip
"""Words that say nothing of an event, or are asked about otherwise."""


@dataclass(frozen=True)
class Circumstance:
    """What may have come before an illness.

    Attributes:
        asked: Patterns of questions about it.
        told: Patterns of the events of records that it is.
    """

    asked: tuple[str, ...]
    told: tuple[str, ...]


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


@lru_cache(maxsize=1)
def rewordings() -> Mapping[str, str]:
    """Return pattern -> the words that are meant by it, where others would be heard."""
    return TypeAdapter(dict[str, str]).validate_json(_read("reworded"))


def _read(name: str) -> str:
    return (_HERE / f"{name}.json").read_text(encoding="utf-8")
