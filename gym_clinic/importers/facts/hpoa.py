"""HPO annotations (`phenotype.hpoa`) -> profiles of diseases.

The file is tab-separated and begins with comment lines ("#"); the rows of a disease are together.
Only rows of aspect P (phenotypic abnormalities) are read; inheritance, course, modifiers and
history are skipped. The columns of onset, sex and modifiers are ignored, so a share that was
counted in one sex is not marked as such. A frequency is "7/13", "12.5%" or the HPO id of a band.
The qualifier NOT, a frequency of 0 and the band "excluded" mean that the feature is absent. Older
files (`#DatabaseID`, `DiseaseName`, ...) are read as well.

Source:
    Human Phenotype Ontology, the documentation of `phenotype.hpoa`.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.facts.records.models import BANDS, BandName, Codes, Frequency, band_of
from gym_clinic.facts.records.profiles import Profile, ProfileFeature, merge
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.formats.records import intact_records
from gym_clinic.importers.formats.text import text_lines

SOURCE = "hpoa"
"""Key of this source in the frequencies."""

COLUMNS = (
    "database_id", "disease_name", "qualifier", "hpo_id", "reference", "frequency", "aspect",
)  # fmt: skip
"""The columns that are read."""

ASPECTS = ("P", "I", "C", "M", "H", "O")

_BAND_OF_ID: dict[str, BandName] = {code: band for band, (code, _, _) in BANDS.items()}


@dataclass(frozen=True)
class _AnnotationRow:
    place: str
    disease: str
    name: str
    feature: ProfileFeature


def read_hpoa(
    path: str | os.PathLike[str],
    names: Mapping[str, str] | None = None,
    broken: OnBroken = stop,
) -> Iterator[Profile]:
    """Read annotations, one disease after the other.

    Args:
        path: The file.
        names: HPO id -> name; without it the features have ids only.
        broken: Called with the error of a broken row, or of rows of one disease that are not
            together; if it returns, they are skipped. Raises the error by default.

    Yields:
        One profile for each disease that has phenotypic annotations.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a file without the header or without rows; by default, for a broken row, or
            rows of one disease that are not together. The text names file, line, column and what
            would be right.
    """
    file = Path(path)
    rows = filter(None, _rows(file, names or {}, broken))
    diseases = map(_with_place, itertools.groupby(rows, key=attrgetter("disease")))
    found = False
    for profile in intact_records(
        diseases,
        _profile,
        broken,
        field="column database_id (the rows of a disease are together)",
        key=attrgetter("id"),
    ):
        found = True
        yield profile
    if not found:
        raise TaskError(f"{file}: no rows of aspect P after the header; expected some")


def _with_place(group: tuple[str, Iterable[_AnnotationRow]]) -> tuple[str, list[_AnnotationRow]]:
    rows = list(group[1])
    return rows[0].place, rows


def _profile(rows: list[_AnnotationRow], place: str) -> Profile:
    disease = rows[0].disease
    first, *others = dict.fromkeys(row.name for row in rows)
    return Profile(
        id=disease,
        name=first,
        synonyms=tuple(others),
        codes=_codes(disease),
        features=merge(row.feature for row in rows),
        source=SOURCE,
    )


def _codes(disease: str) -> Codes:
    if re.fullmatch(r"OMIM:[0-9]{6}", disease):
        return Codes(omim=(disease,))
    if re.fullmatch(r"ORPHA:[1-9][0-9]*", disease):
        return Codes(orpha=(disease,))
    return Codes()


def _rows(
    file: Path, names: Mapping[str, str], broken: OnBroken
) -> Iterator[_AnnotationRow | None]:
    lines = text_lines(file, broken)
    for number, line in lines:
        header = _cells(line)
        if len(header) > 1:
            order = _header(f"{file} line {number}", header)
            break
        if not line.startswith("#"):
            raise TaskError(f"{file} line {number}: expected the header {list(COLUMNS)}")
    else:
        raise TaskError(f"{file}: no header; expected one with the columns {list(COLUMNS)}")

    def read(line: str, place: str) -> _AnnotationRow | None:
        cells = _cells(line)
        if len(cells) != len(header):
            raise TaskError(
                f"{place}: {len(cells)} columns; expected {len(header)} (is the file whole?)"
            )
        return _row(place, {name: cells[at] for name, at in order.items()}, names)

    places = ((f"{file} line {number}", line) for number, line in lines)
    yield from intact_records(places, read, broken)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("\t")]


def _header(place: str, cells: list[str]) -> dict[str, int]:
    """The position of each column; older headers differ only in case and underscores."""
    plain = [cell.lstrip("#").replace("_", "").casefold() for cell in cells]
    order = {}
    for name in COLUMNS:
        if (key := name.replace("_", "")) not in plain:
            raise TaskError(f"{place}: the header lacks {name!r}; it has {cells}")
        order[name] = plain.index(key)
    return order


def _row(place: str, cells: Mapping[str, str], names: Mapping[str, str]) -> _AnnotationRow | None:
    _check(
        place, "database_id", cells["database_id"], r"[A-Za-z]+:[0-9]+", "an id like OMIM:154700"
    )
    _check(place, "disease_name", cells["disease_name"], r".+", "the name of the disease")
    _check(place, "qualifier", cells["qualifier"], r"(NOT)?", "NOT or nothing")
    _check(place, "hpo_id", cells["hpo_id"], r"HP:[0-9]{7}", "an id like HP:0001083")
    _check(place, "aspect", cells["aspect"], "|".join(ASPECTS), f"one of {', '.join(ASPECTS)}")
    frequency = _frequency(place, cells["frequency"], cells["qualifier"] == "NOT")
    if cells["aspect"] != "P":
        return None
    feature = ProfileFeature(
        id=cells["hpo_id"],
        name=names.get(cells["hpo_id"], ""),
        frequency=frequency,
        references=tuple(dict.fromkeys(filter(None, re.split(r"\s*;\s*", cells["reference"])))),
    )
    return _AnnotationRow(place, cells["database_id"], cells["disease_name"], feature)


def _frequency(place: str, text: str, negated: bool) -> Frequency:
    value: float | None = None
    band: BandName | None = None
    patients: int | None = None
    if counted := re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text):
        having, patients = map(int, counted.groups())
        if not having <= patients or not patients:
            raise _error(place, "frequency", text, "at most as many with it as were counted")
        value = having / patients
    elif percent := re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*%", text):
        value = float(percent[1]) / 100
        if value > 1:
            raise _error(place, "frequency", text, "at most 100%")
    elif text:
        if text not in _BAND_OF_ID:
            raise _error(place, "frequency", text, f"7/13, 12.5%, or one of {list(_BAND_OF_ID)}")
        band = _BAND_OF_ID[text]
    if negated:  # files differ on whether the count is of patients examined or affected
        return Frequency(band="excluded", basis="sourced", source=SOURCE)
    if value is not None:
        band = band_of(value)
    if band is None:
        return Frequency(basis="unknown")
    return Frequency(value=value, band=band, basis="sourced", source=SOURCE, patients=patients)


def _check(place: str, column: str, cell: str, pattern: str, expected: str) -> None:
    if not re.fullmatch(pattern, cell):
        raise _error(place, column, cell, expected)


def _error(place: str, column: str, cell: str, expected: str) -> TaskError:
    return TaskError(f"{place}, column {column}: {cell[:80]!r}; expected {expected}")
