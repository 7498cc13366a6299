"""The records of one fact table, and what is checked of them when it is read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Generic, TypeVar

from gym_clinic.errors import TaskError
from gym_clinic.facts.aliases import Alias
from gym_clinic.facts.records.conditions import Condition, Measurement
from gym_clinic.facts.records.drugs import CrossReaction, Drug, DrugClass, Interaction
from gym_clinic.facts.records.instruments import Instrument
from gym_clinic.facts.records.models import Discipline, Disease, DiseaseEntry, Guideline, Phenotype
from gym_clinic.names import suggest


def unknown_name(place: str, field: str, name: str, known: Iterable[str]) -> TaskError:
    """Return the error of a name that does not exist, with the nearest ones that do."""
    return TaskError(f"{place}, field {field}: unknown {name!r}; {suggest(name, known)}")


AnyRecord = TypeVar(
    "AnyRecord",
    DiseaseEntry,
    Disease,
    Phenotype,
    Discipline,
    Guideline,
    Instrument,
    Drug,
    DrugClass,
    Interaction,
    CrossReaction,
    Condition,
    Measurement,
    Alias,
)


class CheckedTable(Generic[AnyRecord]):
    """The records of one table by id, with the place of each for errors."""

    def __init__(self, found: Iterable[tuple[str, AnyRecord]]) -> None:
        self.records: dict[str, AnyRecord] = {}
        self.places: dict[str, str] = {}
        for place, record in sorted(found, key=lambda pair: pair[1].id):
            if record.id in self.records:
                raise TaskError(f"{place}, field id: duplicate of {self.places[record.id]}")
            self.records[record.id], self.places[record.id] = record, place

    def check_known(
        self, field: str, known: Collection[str], named: Callable[[AnyRecord], Iterable[str]]
    ) -> None:
        """Check that the names in a field exist."""
        for key, record in self.records.items():
            for name in named(record):
                if name not in known:
                    raise unknown_name(self.places[key], field, name, known)

    def check_named(
        self,
        kinds: Mapping[str, Collection[str]],
        named: Callable[[AnyRecord], Iterable[tuple[str, str, str]]],
    ) -> None:
        """Check that the names of several kinds exist; each comes with its field and its kind."""
        for key, record in self.records.items():
            for place, kind, name in named(record):
                if name not in kinds[kind]:
                    raise unknown_name(self.places[key], place, name, kinds[kind])

    def check_names(self, names: Callable[[AnyRecord], tuple[str, ...]]) -> None:
        """Check that no record's name, the first of its names, is another's name or synonym."""
        by_id = reversed(list(self.records.items()))
        owners = {names(record)[0].casefold(): key for key, record in by_id}
        for key, record in self.records.items():
            for name in names(record):
                if (owner := owners.get(name.casefold(), key)) != key:
                    raise self._error(key, "name", f"{name!r} is the name of {owner!r} already")

    def check_unshared(self, field: str, values: Callable[[AnyRecord], Iterable[str]]) -> None:
        """Check that no two records share a value of a field."""
        owners: dict[str, str] = {}
        for key, record in self.records.items():
            for value in values(record):
                if (owner := owners.setdefault(value, key)) != key:
                    raise self._error(key, field, f"{value!r} belongs to {owner!r} already")

    def _error(self, key: str, field: str, what: str) -> TaskError:
        return TaskError(f"{self.places[key]}, field {field}: {what}")
