"""Lists of findings: who may have them, what they come with, and what no patient can know."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from gym_clinic.simulate.clinic.physiology.body import measured_findings

FELT = ("Coma", "Fever", "Hepatic encephalopathy", "Jaundice", "Tachypnea")
"""Findings that are measured or tested, and that people notice all the same."""


@lru_cache(maxsize=1)
def possible_when() -> Mapping[str, str]:
    """Return finding -> the condition on the state and `age` under which a person may have it.

    Small children do not tell what they feel, and nobody is confused with a full coma score.
    """
    file = Path(__file__).with_name("possible_when.json")
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=1)
def comes_with() -> Mapping[str, Sequence[str]]:
    """Return finding -> findings that whoever has it has too, beside those it is a form of."""
    file = Path(__file__).with_name("comes_with.json")
    found: dict[str, Sequence[str]] = json.loads(file.read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=1)
def alike() -> Mapping[str, Sequence[str]]:
    """Return finding -> findings that mean the same to people and clinicians, as authored."""
    file = Path(__file__).with_name("alike.json")
    groups: list[list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return {one: [it for it in each if it != one] for each in groups for one in each}


@lru_cache(maxsize=1)
def shown_by_tests() -> frozenset[str]:
    """The findings that a test shows, or that are the name of a disease."""
    file = Path(__file__).with_name("shown_by_tests.json")
    return frozenset(json.loads(file.read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def not_felt() -> frozenset[str]:
    """The findings that no patient can know: results of tests, and what an examiner finds."""
    file = Path(__file__).with_name("not_felt.json")
    listed = json.loads(file.read_text(encoding="utf-8"))
    return frozenset({*listed, *measured_findings(), *shown_by_tests()} - set(FELT))
