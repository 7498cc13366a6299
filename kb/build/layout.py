"""The layout of the fact tables as text: one field a line, short values on one line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gym_clinic.facts.aliases import ALIASES, Alias
from gym_clinic.facts.doses import DOSES, DrugDoses
from gym_clinic.facts.records.conditions import Condition, Measurement
from gym_clinic.facts.records.drugs import CrossReaction, Drug, DrugClass, Interaction
from gym_clinic.facts.records.instruments import Instrument
from gym_clinic.facts.records.models import (
    Discipline,
    DiseaseEntry,
    Guideline,
    Phenotype,
    Record,
    Source,
)
from gym_clinic.facts.records.terms import TERMS, FindingTerms
from gym_clinic.facts.tables import (
    ALLERGIES,
    CONDITIONS,
    DISEASES,
    DRUG_CLASSES,
    DRUGS,
    INSTRUMENTS,
    INTERACTIONS,
    MEASUREMENTS,
    SOURCES,
)

WIDTH = 100
"""Characters of a line; a longer text has a line of its own."""

LEVELS = 2
"""Levels of nesting that one line may hold."""

MODELS: dict[str, type[Record]] = {
    CONDITIONS: Condition,
    DISEASES: DiseaseEntry,
    MEASUREMENTS: Measurement,
    "disciplines.json": Discipline,
    INSTRUMENTS: Instrument,
    INTERACTIONS: Interaction,
    ALIASES: Alias,
    ALLERGIES: CrossReaction,
    DRUG_CLASSES: DrugClass,
    DRUGS: Drug,
    DOSES: DrugDoses,
    "guidelines.json": Guideline,
    "phenotypes.json": Phenotype,
    TERMS: FindingTerms,
}
"""Name of a table's file or folder -> the class of its records."""


def lay_out(file: Path, table: Mapping[str, Any]) -> bytes:
    """Return a table as JSON text; the same table gives the same text.

    Fields come in the order of their class, those of every record last. Empty fields are left
    out, and so are those that the defaults of the table give.

    Args:
        file: The file, which tells the class of the records.
        table: Its content.
    """
    if file.name == SOURCES:
        table = {key: _ordered(one, Source.model_fields) for key, one in table.items()}
    else:
        model = MODELS[file.parent.name if file.parent.name in MODELS else file.name]
        order = [name for name in model.model_fields if name not in Record.model_fields]
        order += Record.model_fields
        defaults = _ordered(table.get("defaults", {}), order)
        records = [
            {
                name: value
                for name, value in _ordered(one, order).items()
                if name not in defaults or value != defaults[name]
            }
            for one in table["records"]
        ]
        table = {"defaults": defaults, "records": records} if defaults else {"records": records}
    return (_text(table, "", 0, broken=True) + "\n").encode()


def _ordered(fields: Mapping[str, Any], order: Iterable[str]) -> dict[str, Any]:
    return {name: fields[name] for name in order if fields.get(name) not in (None, [], {})}


def _text(value: Any, margin: str, used: int, broken: bool = False) -> str:
    """Return a value as text.

    Args:
        value: The value.
        margin: Blanks before each of its lines but the first.
        used: Characters before it on its first line.
        broken: Whether it has several lines even if it fits on one.
    """
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value:
        return flat
    if not broken and used + len(flat) < WIDTH and _levels(value) <= LEVELS:
        return flat
    inner = margin + "  "
    if isinstance(value, dict):
        starts = [f"{inner}{json.dumps(key, ensure_ascii=False)}: " for key in value]
    else:
        starts = [inner] * len(value)
    parts = value.values() if isinstance(value, dict) else value
    lines = ",\n".join(
        start + _text(one, inner, len(start)) for start, one in zip(starts, parts, strict=True)
    )
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{lines}\n{margin}{closing}"


def _levels(value: Any) -> int:
    if not isinstance(value, (dict, list)):
        return 0
    parts = value.values() if isinstance(value, dict) else value
    return 1 + max(map(_levels, parts), default=0)
