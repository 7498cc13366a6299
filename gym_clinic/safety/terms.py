"""Names of conditions, tests and procedures, compared by meaning: spelling, case and synonyms."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from gym_clinic.facts.named_drugs import UNKNOWN, NamedDrug


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(
        Path(__file__).with_name("terms.json").read_text(encoding="utf-8")
    )
    table["by_name"] = {other: key for key, names in table["same"].items() for other in names}
    return table


@lru_cache(maxsize=4096)
def term(name: str) -> str:
    """Return the term that a name means; an unknown name in small letters, joined by underscores.

    >>> term("Head CT"), term("type 2 diabetes"), term("Haemodialysis catheter")
    ('ct_head', 'diabetes', 'hemodialysis_catheter')
    """
    plain = "_".join(re.split(r"[^a-z0-9]+", name.casefold().strip())).strip("_")
    for british, american in _table()["spellings"]:
        plain = plain.replace(british, american)
    return str(_table()["by_name"].get(plain, plain))


def terms(names: Iterable[Any]) -> set[str]:
    """Return the terms of names; what is no text is left out."""
    return {term(name) for name in names if isinstance(name, str)}


def as_written(name: str) -> NamedDrug:
    """Return what an unknown name of a drug means: itself, and nothing else."""
    return NamedDrug((UNKNOWN + term(name),))


def is_vascular_access(procedure: str) -> bool:
    """Return whether a procedure gives access to a vessel, which any side may do."""
    return term(procedure) in _table()["vascular_access"]


def label(name: str) -> str:
    """Return a term in words: a field, a test or a condition of the rules.

    >>> label("rr"), label("active_major_bleeding")
    ('respiratory rate (/min)', 'active major bleeding')
    """
    return str(_table()["labels"].get(name, name.replace("_", " ")))
