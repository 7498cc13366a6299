"""Reading the fact tables, and checking that they fit together."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Generic, TypeVar

from gym_clinic.errors import TaskError
from gym_clinic.facts.lines import read_lines, read_mapping
from gym_clinic.facts.models import (
    Discipline,
    Disease,
    Drug,
    Guideline,
    Instrument,
    Phenotype,
    Source,
)
from gym_clinic.names import suggest
from gym_clinic.paths import data_dir

TABLES = ("diseases", "phenotypes", "disciplines", "drugs", "instruments", "guidelines")
"""The tables; each is a file, ``<table>.jsonl``, a record a line, sorted by id."""

SOURCES = "sources.json"
"""The file that says of every source what it is."""


@dataclass(frozen=True)
class Facts:
    """All fact tables, by id; they cannot be changed.

    Attributes:
        diseases: Diseases.
        phenotypes: Symptoms, signs and findings.
        disciplines: Disciplines of medicine.
        drugs: Drugs.
        instruments: Clinical scores.
        guidelines: How to proceed.
        sources: Where the facts come from, by key.
    """

    diseases: Mapping[str, Disease]
    phenotypes: Mapping[str, Phenotype]
    disciplines: Mapping[str, Discipline]
    drugs: Mapping[str, Drug]
    instruments: Mapping[str, Instrument]
    guidelines: Mapping[str, Guideline]
    sources: Mapping[str, Source]


def load(folder: str | os.PathLike[str] | None = None) -> Facts:
    """Read and check the fact tables; the same folder is read once.

    Args:
        folder: Where the tables are; the embedded ones by default.

    Raises:
        ConfigError: If a file cannot be opened.
        TaskError: For the first mistake; the text names file, line, field and what would be
            right.
    """
    return _load(default_folder() if folder is None else Path(folder).resolve())


def default_folder() -> Path:
    """Return the folder of the embedded tables."""
    return data_dir("kb") / "facts"


@lru_cache(maxsize=4)
def _load(folder: Path) -> Facts:
    sources = read_mapping(folder / SOURCES, Source)
    diseases = _Table(folder, "diseases", Disease)
    phenotypes = _Table(folder, "phenotypes", Phenotype)
    disciplines = _Table(folder, "disciplines", Discipline)
    drugs = _Table(folder, "drugs", Drug)
    instruments = _Table(folder, "instruments", Instrument)
    guidelines = _Table(folder, "guidelines", Guideline)

    diseases.check_names(lambda one: (one.name, *one.synonyms))
    phenotypes.check_names(lambda one: (one.name, *one.synonyms))
    disciplines.check_names(lambda one: (one.name,))
    drugs.check_names(lambda one: (one.name,))
    instruments.check_names(lambda one: (one.name,))
    guidelines.check_names(lambda one: (one.topic,))

    for table in (diseases, phenotypes, disciplines, drugs, instruments, guidelines):
        table.check_known("sources", sources, lambda one: one.sources)
    diseases.check_known("discipline", disciplines.records, lambda one: (one.discipline,))
    diseases.check_known("look_alikes", diseases.records, lambda one: one.look_alikes)
    diseases.check_known(
        "phenotypes", phenotypes.records, lambda one: (has.phenotype for has in one.phenotypes)
    )
    diseases.check_known(
        "phenotypes.frequency.source",
        sources,
        lambda one: (has.frequency.source for has in one.phenotypes if has.frequency.source),
    )
    diseases.check_own("codes", lambda one: (*one.codes.omim, *one.codes.orpha, *one.codes.mondo))
    classes = {name for drug in drugs.records.values() for name in drug.classes}
    drugs.check_known(
        "interactions.with",
        classes | set(drugs.records),
        lambda one: (pair.other for pair in one.interactions),
    )
    guidelines.check_known("diseases", diseases.records, lambda one: one.diseases)
    return Facts(
        MappingProxyType(diseases.records),
        MappingProxyType(phenotypes.records),
        MappingProxyType(disciplines.records),
        MappingProxyType(drugs.records),
        MappingProxyType(instruments.records),
        MappingProxyType(guidelines.records),
        MappingProxyType(sources),
    )


Entry = TypeVar("Entry", Disease, Phenotype, Discipline, Drug, Instrument, Guideline)


class _Table(Generic[Entry]):
    """One table, with the line of each record for errors."""

    def __init__(self, folder: Path, name: str, model: type[Entry]) -> None:
        self.file = folder / f"{name}.jsonl"
        self.records: dict[str, Entry] = {}
        self.lines: dict[str, int] = {}
        last = ""
        for number, record in read_lines(self.file, model):
            if record.id in self.records:
                raise TaskError(
                    f"{self.file} line {number}, field id: {record.id!r} stands on line "
                    f"{self.lines[record.id]} already"
                )
            if record.id < last:
                raise TaskError(
                    f"{self.file} line {number}, field id: {record.id!r} comes after {last!r}; "
                    "expected the records sorted by id"
                )
            self.records[record.id], self.lines[record.id] = record, number
            last = record.id

    def check_known(
        self, field: str, known: Collection[str], named: Callable[[Entry], Iterable[str]]
    ) -> None:
        """Check that what a field names exists."""
        for key, record in self.records.items():
            for name in named(record):
                if name not in known:
                    raise self.error(key, field, f"unknown {name!r}; {suggest(name, known)}")

    def check_names(self, names: Callable[[Entry], tuple[str, ...]]) -> None:
        """Check that no record's name, the first of its names, is another's name or synonym."""
        owners = {names(record)[0].casefold(): key for key, record in reversed(self.items())}
        for key, record in self.records.items():
            for name in names(record):
                owner = owners.get(name.casefold(), key)
                if owner != key:
                    raise self.error(key, "name", f"{name!r} is the name of {owner!r} already")

    def check_own(self, field: str, values: Callable[[Entry], Iterable[str]]) -> None:
        """Check that no two records share a value of a field."""
        owners: dict[str, str] = {}
        for key, record in self.records.items():
            for value in values(record):
                owner = owners.setdefault(value, key)
                if owner != key:
                    raise self.error(key, field, f"{value!r} belongs to {owner!r} already")

    def items(self) -> list[tuple[str, Entry]]:
        return list(self.records.items())

    def error(self, key: str, field: str, what: str) -> TaskError:
        return TaskError(f"{self.file} line {self.lines[key]} ({key}), field {field}: {what}")
