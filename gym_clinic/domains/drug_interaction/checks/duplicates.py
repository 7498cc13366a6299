"""Which drugs are not taken together because they are of one class, or serve one purpose."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.facts.records.drugs import CLASS

DuplicateGrade = Literal["moderate", "major"]


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Any]:
    text = Path(__file__).with_name("duplicates.json").read_text(encoding="utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table


def shared_class(drug: str, other: str) -> str | None:
    """Return the class or kind of both drugs of which nobody takes two.

    >>> shared_class("naproxen", "ibuprofen"), shared_class("adalimumab", "etanercept")
    ('non-aspirin-nsaid', 'TNF blocker')
    """
    both = {*_classes_of(drug)}.intersection(_classes_of(other))
    return next((one for one in (*_table()["classes"], *_table()["alike"]) if one in both), None)


@lru_cache(maxsize=1 << 11)
def _classes_of(drug: str) -> tuple[str, ...]:
    classes = (one for one in _table()["classes"] if is_a(drug, CLASS + one))
    return (*classes, *(one for one, (_, drugs) in _table()["alike"].items() if drug in drugs))


def shared_purpose(drug: str, other: str) -> str | None:
    """Return the group of drugs with one purpose that both belong to.

    >>> shared_purpose("mirtazapine", "sertraline")
    'antidepressants'
    """
    both = {*_purposes_of(drug)}.intersection(_purposes_of(other))
    return next((one for one in _table()["groups"] if one in both), None)


@lru_cache(maxsize=1 << 11)
def _purposes_of(drug: str) -> tuple[str, ...]:
    return tuple(
        name
        for name, members in _table()["groups"].items()
        if any(is_a(drug, one) for one in members)
    )


def severity_of_class(group: str) -> DuplicateGrade:
    """Return how severe two drugs of a class or kind are."""
    alike = _table()["alike"].get(group)
    grade: DuplicateGrade = alike[0] if alike else _table()["classes"][group]
    return grade


def name_of_class(group: str) -> str:
    """Return the name of a class or kind.

    >>> name_of_class("ssri"), name_of_class("TNF blocker")
    ('SSRI', 'TNF blocker')
    """
    known = load().drug_classes.get(group)
    return group if known is None else known.name


def severity_twice(drug: str) -> DuplicateGrade:
    """Return how severe the same drug twice is.

    >>> severity_twice("ibuprofen"), severity_twice("omeprazole")
    ('major', 'moderate')
    """
    listed: DuplicateGrade = _table()["drugs"].get(drug, "moderate")
    group = shared_class(drug, drug)
    return listed if group is None else severity_of_class(group)
