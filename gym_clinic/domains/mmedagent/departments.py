"""The seven departments, and which kinds of images belong to each.

The paper's list is cut off in the copy of the text at hand ("Pathologist, Radiologist, Surgeon,
Surgeo…"), so it is chosen here, by the kinds of images: ``departments.json``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any


@lru_cache(maxsize=1)
def table() -> Mapping[str, Mapping[str, Any]]:
    """Return specialty -> its ``modalities`` here, and ``also``: what benchmarks call them."""
    text = Path(__file__).with_name("departments.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found


def specialties() -> tuple[str, ...]:
    """Return the specialties, in the order of the triage doctor's options."""
    return tuple(table())


def triage_options() -> dict[str, str]:
    """Return the triage doctor's options: label -> specialty."""
    return dict(zip(ascii_uppercase, specialties(), strict=False))


def modalities_of(specialty: str) -> tuple[str, ...]:
    """Return the kinds of images of a department."""
    return tuple(table()[specialty]["modalities"])


def department_of(record: Mapping[str, Any]) -> str | None:
    """Return the specialty that a task's image belongs to; None where it is not known."""
    modality = str(record.get("modality", "")).casefold()
    for specialty, kinds in table().items():
        if modality in kinds["modalities"]:
            return specialty
    for specialty, kinds in table().items():
        if any(re.search(rf"\b{re.escape(name)}", modality) for name in kinds["also"]):
            return specialty
    return None


def specialty_of(name: str) -> str | None:
    """Return the specialty that a name means; None if there is no such one."""
    named = " ".join(name.casefold().split())
    return next((known for known in specialties() if known.casefold() == named), None)
