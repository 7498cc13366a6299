"""RareBench cases (JSON Lines) -> patient cases.

A line of RareBench is::

    {"Phenotype": ["HP:0001522"], "RareDisease": ["OMIM:616553", "ORPHA:1"], "Department": null}

Two mappings that RareBench ships, ``phenotype_mapping.json`` and ``disease_mapping.json``, give the
names of the codes. Cases have no ids; the id is made of the name of the file and the line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, explain, read_lines, stop
from gym_clinic.importers.formats.json import json_value
from gym_clinic.names import suggest
from gym_clinic.reading import plain_name, plain_or_packed
from gym_clinic.retrieval import PatientCase

PHENOTYPES = "phenotype_mapping.json"
DISEASES = "disease_mapping.json"


_MAPPING = TypeAdapter(dict[str, Annotated[str, Field(pattern=r"\S", strict=True)]])


class _RarebenchRow(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    phenotypes: tuple[str, ...] = Field(alias="Phenotype", min_length=1)
    diseases: tuple[str, ...] = Field(alias="RareDisease", min_length=1)


def read_rarebench(
    path: str | os.PathLike[str], mappings: str | os.PathLike[str], broken: OnBroken = stop
) -> Iterator[PatientCase]:
    """Read RareBench cases.

    Args:
        path: The ``.jsonl`` file.
        mappings: The folder of the two mappings.
        broken: Called with the error of a broken line, which names file, line and field; if it
            returns, the line is skipped. Raises the error by default.

    Yields:
        One case for each line that is not blank.

    Raises:
        ConfigError: If a file cannot be opened.
        TaskError: For a broken mapping; by default, for a broken line or a code that the mappings
            lack.
    """
    phenotypes = read_names(plain_or_packed(Path(mappings) / PHENOTYPES))
    diseases = read_names(plain_or_packed(Path(mappings) / DISEASES))
    file = Path(path)
    for number, row in read_lines(file, _RarebenchRow, broken):
        place = f"{file} line {number}, field"
        try:
            present = [_name(code, phenotypes, f"{place} Phenotype") for code in row.phenotypes]
            named = [_name(code, diseases, f"{place} RareDisease") for code in row.diseases]
        except TaskError as error:
            broken(error)
            continue
        yield PatientCase(
            id=f"rarebench-{plain_name(file).stem}-{number:05d}",
            diagnosis="; ".join(dict.fromkeys(named)),
            phenotypes=tuple(dict.fromkeys(present)),
            provenance="RareBench",
            codes=tuple(dict.fromkeys(row.diseases)),
        )


def read_names(path: Path) -> dict[str, str]:
    """Read a mapping, code -> name.

    Raises:
        ConfigError: If it cannot be opened.
        TaskError: If it is not a JSON object of texts that are not blank.
    """
    expected = "a JSON object, code -> name"
    found = json_value(path, expected)
    try:
        return _MAPPING.validate_python(found)
    except ValidationError as error:
        raise TaskError(f"{path}, {explain(error)}; expected {expected}") from None


def _name(code: str, names: Mapping[str, str], place: str) -> str:
    if code not in names:
        near = [known for known in names if known[:-2] == code[:-2]]
        raise TaskError(f"{place}: {code!r} is not in the mapping; {suggest(code, near[:10])}")
    return names[code]
