"""Reading the fact tables, and checking that they fit together.

A table is one JSON file, ``{"defaults": {...}, "records": [{...}, ...]}``: a record has the fields
of the defaults unless it gives its own. Diseases, instruments and interactions are folders of such
files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts.aliases import ALIASES, Alias
from gym_clinic.facts.checked import CheckedTable, unknown_name
from gym_clinic.facts.expressions import Expression, parse
from gym_clinic.facts.hierarchy import ancestors
from gym_clinic.facts.opposites import opposites
from gym_clinic.facts.records.conditions import PATIENT_VALUES, Condition, Measurement
from gym_clinic.facts.records.drugs import CLASS, CrossReaction, Drug, DrugClass, Interaction
from gym_clinic.facts.records.instruments import Instrument
from gym_clinic.facts.records.models import (
    Discipline,
    Disease,
    DiseaseEntry,
    Guideline,
    Phenotype,
    Source,
)
from gym_clinic.facts.typed_json import Model, read_fields, read_mapping, read_object
from gym_clinic.paths import data_dir

DISEASES = "diseases"
"""The folder of the diseases, with a file for each discipline or any other division."""

INSTRUMENTS, INTERACTIONS = "instruments", "interactions"
"""The folders of the clinical scores and of the interactions of drugs."""

CONDITIONS, MEASUREMENTS = "conditions", "measurements.json"
"""The folder of the clinical courses of diseases, and the file of what is measured."""

DRUGS, DRUG_CLASSES, ALLERGIES = "drugs.json", "drug-classes.json", "allergies.json"
"""The files of the drugs, of their classes and of cross-reactions in allergy."""

SOURCES = "sources.json"
"""The file of the sources: an object of key -> source."""


@dataclass(frozen=True)
class Facts:
    """All fact tables, by id and in the order of the ids; they cannot be changed.

    They are pickled by their folder, and read again.

    Attributes:
        folder: Where they were read from.
        diseases: Diseases.
        phenotypes: Symptoms, signs and findings.
        disciplines: Disciplines of medicine.
        drugs: Drugs.
        drug_classes: Classes of drugs.
        interactions: Interactions of drugs, by the references of their sides.
        cross_reactions: What an allergy means for other drugs.
        instruments: Clinical scores.
        conditions: Clinical courses of diseases, by the id of the disease.
        measurements: Vital signs and laboratory values.
        guidelines: Management by topic, step by step.
        sources: Where the facts come from, by key.
        aliases: What people type for names and terms of the other tables.
        meanings: Abbreviations of several meanings, each with the words that speak for it.
    """

    folder: Path = field(compare=False)
    diseases: Mapping[str, Disease]
    phenotypes: Mapping[str, Phenotype]
    disciplines: Mapping[str, Discipline]
    drugs: Mapping[str, Drug]
    drug_classes: Mapping[str, DrugClass]
    interactions: Mapping[str, Interaction]
    cross_reactions: Mapping[str, CrossReaction]
    instruments: Mapping[str, Instrument]
    conditions: Mapping[str, Condition]
    measurements: Mapping[str, Measurement]
    guidelines: Mapping[str, Guideline]
    sources: Mapping[str, Source]
    aliases: Mapping[str, Alias]
    meanings: Mapping[str, Alias]

    def __reduce__(self) -> tuple[Callable[[Path], Facts], tuple[Path]]:
        return load, (self.folder,)

    @cached_property
    def finding_ids(self) -> Mapping[str, str]:
        """The id of each finding, by its name."""
        return {one.name: key for key, one in self.phenotypes.items()}

    @cached_property
    def computed(self) -> tuple[tuple[str, Expression, float, float], ...]:
        """Each computed measurement after its parts: id, formula, least and greatest value."""
        return tuple(_computed(self.measurements))

    @cached_property
    def above(self) -> Mapping[str, frozenset[str]]:
        """The ancestors of each finding, by id."""
        return ancestors(self.phenotypes)

    @cached_property
    def opposites(self) -> Mapping[str, frozenset[str]]:
        """The findings that nobody has together with a finding, by its id.

        What is opposite to a finding is opposite to its special forms too.
        """
        direct = opposites(self.phenotypes)
        above = self.above
        return {key: direct[key].union(*(direct[one] for one in above[key])) for key in direct}


def _computed(
    measurements: Mapping[str, Measurement],
) -> Iterator[tuple[str, Expression, float, float]]:
    waiting = {key: parse(one.formula) for key, one in measurements.items() if one.formula}
    while waiting:
        ready = [key for key, formula in waiting.items() if not formula.names & waiting.keys()]
        if not ready:
            raise ValueError(f"measurements {sorted(waiting)} are computed from each other")
        yield from ((key, waiting.pop(key), *measurements[key].possible) for key in ready)


def load(folder: str | os.PathLike[str] | None = None) -> Facts:
    """Read and check the fact tables; the same folder is read once.

    Args:
        folder: Where the tables are; the embedded ones by default.

    Raises:
        ConfigError: If a file cannot be opened.
        TaskError: For the first mistake; the text names file, record, field and what would be
            right.
    """
    return _load(default_folder() if folder is None else Path(folder).resolve())


def default_folder() -> Path:
    """Return the folder of the embedded tables."""
    return _folder_in(os.environ.get("GYM_CLINIC_DATA"))


@lru_cache(maxsize=8)
def _folder_in(root: str | None) -> Path:
    return data_dir("kb", override=root) / "facts"


def table_files(folder: Path) -> list[Path]:
    """Return the files of the fact tables, sorted.

    Raises:
        ConfigError: If there are none of diseases.
    """
    diseases = sorted((folder / DISEASES).glob("*.json"))
    if not diseases:
        raise ConfigError(f"no files in {folder / DISEASES}; expected tables of diseases, *.json")
    divided = (CONDITIONS, INSTRUMENTS, INTERACTIONS)
    others = [file for name in divided for file in folder.glob(f"{name}/*.json")]
    return [*diseases, *sorted(others), *sorted(folder.glob("*.json"))]


def read_folder(folder: Path, name: str, model: type[Model]) -> Iterator[tuple[str, Model]]:
    """Read all tables of a folder of the fact tables, as :func:`read_table` does."""
    for file in table_files(folder):
        if file.parent.name == name:
            yield from read_table(file, model)


def read_table(file: Path, model: type[Model]) -> Iterator[tuple[str, Model]]:
    """Read one table.

    Args:
        file: The file.
        model: The class of its records.

    Yields:
        The place of a record, for errors, and the record.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a mistake; the text names file, record and field.
    """
    table = read_object(file, distinct=True)
    defaults, records = table.pop("defaults", {}), table.pop("records", None)
    if table or not isinstance(defaults, dict) or not isinstance(records, list):
        raise TaskError(f"{file}: expected an object with 'defaults' (an object) and 'records'")
    for number, fields in enumerate(records, 1):
        place = f"{file} record {number}"
        if not isinstance(fields, dict):
            raise TaskError(f"{place}: expected a JSON object, not {type(fields).__name__}")
        if "id" in fields:
            place += f" ({fields['id']})"
        yield place, read_fields(defaults | fields, model, place)


@lru_cache(maxsize=4)
def _load(folder: Path) -> Facts:
    sources = read_mapping(folder / SOURCES, Source)
    phenotypes = CheckedTable(read_table(folder / "phenotypes.json", Phenotype))
    disciplines = CheckedTable(read_table(folder / "disciplines.json", Discipline))
    drugs = CheckedTable(read_table(folder / DRUGS, Drug))
    drug_classes = CheckedTable(read_table(folder / DRUG_CLASSES, DrugClass))
    interactions = CheckedTable(read_folder(folder, INTERACTIONS, Interaction))
    cross_reactions = CheckedTable(read_table(folder / ALLERGIES, CrossReaction))
    instruments = CheckedTable(read_folder(folder, INSTRUMENTS, Instrument))
    measurements = CheckedTable(read_table(folder / MEASUREMENTS, Measurement))
    conditions = CheckedTable(read_folder(folder, CONDITIONS, Condition))
    guidelines = CheckedTable(read_table(folder / "guidelines.json", Guideline))
    diseases = CheckedTable(_diseases(folder, phenotypes.records.values()))
    with_aliases = (folder / ALIASES).exists()
    aliases = CheckedTable(read_table(folder / ALIASES, Alias) if with_aliases else ())

    diseases.check_names(lambda one: (one.name, *one.synonyms))
    phenotypes.check_names(lambda one: (one.name, *one.synonyms))
    disciplines.check_names(lambda one: (one.name,))
    drugs.check_names(lambda one: (one.name, *one.synonyms))
    drug_classes.check_names(lambda one: (one.name,))
    instruments.check_names(lambda one: (one.name,))
    guidelines.check_names(lambda one: (one.topic,))

    for table in (diseases, phenotypes, disciplines, instruments, guidelines):
        table.check_known("sources", sources, lambda one: one.sources)
    for clinical in (conditions, measurements, aliases):
        clinical.check_known("sources", sources, lambda one: one.sources)
    limits = {f"{end}_{key}" for key in measurements.records for end in ("low", "high")}
    kinds: dict[str, Collection[str]] = {
        "finding": {one.name for one in phenotypes.records.values()},
        "measurement": measurements.records,
        "value": {*measurements.records, *limits, "age"},
        "value on arrival": {*measurements.records, "age", "build"},
        "value of a patient": {*measurements.records, *limits, *PATIENT_VALUES},
        "disease": diseases.records,
        "drug": drugs.records,
        "drug or class": {*drugs.records, *(CLASS + name for name in drug_classes.records)},
    }
    regimens = {one.drug for each in conditions.records.values() for one in each.regimens()}
    groups = {
        CLASS + name
        for one in regimens & drugs.records.keys()
        for name in drugs.records[one].classes
    }
    kinds["drug with a regimen"] = regimens | groups
    conditions.check_named(kinds, Condition.named)
    for of_drugs in (drugs, drug_classes, interactions, cross_reactions):
        of_drugs.check_known("sources", sources, lambda one: one.sources)
    phenotypes.check_known("parents", phenotypes.records, lambda one: one.parents)
    try:
        ancestors(phenotypes.records)
    except ValueError as error:
        raise TaskError(f"{folder / 'phenotypes.json'}, field parents: {error}") from None
    diseases.check_known("discipline", disciplines.records, lambda one: (one.discipline,))
    diseases.check_known(
        "findings.stated.source",
        sources,
        lambda one: (has.frequency.source for has in one.phenotypes if has.frequency.source),
    )
    diseases.check_known(
        "epidemiology.source",
        sources,
        lambda one: (who.source,) if (who := one.epidemiology) and who.source else (),
    )
    diseases.check_unshared(
        "codes", lambda one: (*one.codes.omim, *one.codes.orpha, *one.codes.mondo)
    )
    drugs.check_known("classes", drug_classes.records, lambda one: one.classes)
    with_members = {CLASS + name for drug in drugs.records.values() for name in drug.classes}
    known = with_members | set(drugs.records)
    interactions.check_known("between", known, lambda one: one.between)
    interactions.check_known("washout", known, _named_in_washout)
    cross_reactions.check_known("risk", known, lambda one: one.risk)
    cross_reactions.check_known(
        "allergen",
        known,
        lambda one: () if one.allergen.startswith("other:") else (one.allergen,),
    )
    guidelines.check_known("diseases", diseases.records, lambda one: one.diseases)
    known_as = aliases.records
    return Facts(
        folder,
        MappingProxyType(diseases.records),
        MappingProxyType(phenotypes.records),
        MappingProxyType(disciplines.records),
        MappingProxyType(drugs.records),
        MappingProxyType(drug_classes.records),
        MappingProxyType(interactions.records),
        MappingProxyType(cross_reactions.records),
        MappingProxyType(instruments.records),
        MappingProxyType(conditions.records),
        MappingProxyType(measurements.records),
        MappingProxyType(guidelines.records),
        MappingProxyType(sources),
        MappingProxyType({key: alias for key, alias in known_as.items() if not alias.context}),
        MappingProxyType({key: alias for key, alias in known_as.items() if alias.context}),
    )


def _named_in_washout(one: Interaction) -> Iterator[str]:
    if one.applies_if is not None and one.applies_if.drug is not None:
        yield one.applies_if.drug
    if one.washout is not None:
        yield from one.washout.days_from
        yield from (one.washout.stopped,) if one.washout.stopped else ()


def _diseases(folder: Path, phenotypes: Iterable[Phenotype]) -> Iterator[tuple[str, Disease]]:
    """Yield the diseases with the ids of their findings, and look-alikes in both directions."""
    ids = {one.name: one.id for one in phenotypes}
    files = [file for file in table_files(folder) if file.parent.name == DISEASES]
    entries = [found for file in files for found in read_table(file, DiseaseEntry)]
    look_alikes = {key: list(one.look_alikes) for key, one in CheckedTable(entries).records.items()}
    for place, one in entries:
        for other in one.look_alikes:
            if other not in look_alikes:
                raise unknown_name(place, "look_alikes", other, look_alikes)
            if one.id not in look_alikes[other]:
                look_alikes[other].append(one.id)
    for place, one in entries:
        features = []
        for entry in one.findings:
            if entry.finding not in ids:
                raise unknown_name(place, "findings", entry.finding, ids)
            features.append(entry.feature(ids[entry.finding]))
        fields = {name: getattr(one, name) for name in DiseaseEntry.model_fields}
        del fields["findings"]
        fields["look_alikes"] = tuple(look_alikes[one.id])
        yield place, Disease(**fields, phenotypes=tuple(features))
