"""HPO annotations (`phenotype.hpoa`) -> profiles of diseases.

The file is tab-separated and begins with comment lines ("#"). Only rows of aspect P (phenotypic
abnormalities) are read; inheritance, course, modifiers and history are skipped. A frequency is
"7/13", "12.5%" or the HPO id of a band. The qualifier NOT, a frequency of 0 and the band "excluded"
mean that the feature is absent. Older files (`#DatabaseID`, `DiseaseName`, ...) are read as well.

All rows of one disease and one term become one feature, whatever their order; `hpoa_pooling` says
how. The columns of onset and modifiers are ignored.

Source:
    Human Phenotype Ontology, the documentation of `phenotype.hpoa`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from gym_clinic.errors import TaskError
from gym_clinic.facts.records.models import BANDS, BandName, Codes
from gym_clinic.facts.records.profiles import Profile
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.facts.hpoa_pooling import SOURCE, Statement, pooled
from gym_clinic.importers.formats.records import LeftOut, intact_records, unnoted
from gym_clinic.importers.formats.text import text_lines

COLUMNS = (
    "database_id", "disease_name", "qualifier", "hpo_id", "reference", "frequency", "aspect",
)  # fmt: skip
"""The columns that are read."""

ASPECTS = ("P", "I", "C", "M", "H", "O")

_BAND_OF_ID: dict[str, BandName] = {code: band for band, (code, _, _) in BANDS.items()}


def read_hpoa(
    path: str | os.PathLike[str],
    names: Mapping[str, str] | None = None,
    broken: OnBroken = stop,
    left_out: LeftOut = unnoted,
) -> Iterator[Profile]:
    """Read annotations, one disease after the other.

    Args:
        path: The file.
        names: HPO id -> name; without it the features have ids only.
        broken: Called with the error of a broken row; if it returns, the row is skipped. Raises
            the error by default.
        left_out: Called with the reason for each row that is no phenotypic abnormality.

    Yields:
        One profile for each disease that has phenotypic annotations, in the order of their first
        rows.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a file without the header or without rows; by default, for a broken row. The
            text names file, line, column and what would be right.
    """
    file = Path(path)
    diseases: dict[str, _Disease] = {}
    for disease, name, code, statement in _rows(file, broken, left_out):
        rows = diseases.setdefault(disease, _Disease({}, {}))
        rows.names.setdefault(name)
        rows.terms.setdefault(code, []).append(statement)
    if not diseases:
        raise TaskError(f"{file}: no rows of aspect P after the header; expected some")
    for disease, rows in diseases.items():
        yield _profile(disease, rows, names or {})


class _Disease(NamedTuple):
    """The names of a disease, in the order of the file, and what is stated of each term."""

    names: dict[str, None]
    terms: dict[str, list[Statement]]


class _Row(NamedTuple):
    disease: str
    name: str
    term: str
    statement: Statement


def _profile(disease: str, rows: _Disease, names: Mapping[str, str]) -> Profile:
    first, *others = rows.names
    return Profile(
        id=disease,
        name=first,
        synonyms=tuple(others),
        codes=_codes(disease),
        features=tuple(
            pooled(term, names.get(term, ""), statements) for term, statements in rows.terms.items()
        ),
        source=SOURCE,
    )


def _codes(disease: str) -> Codes:
    if re.fullmatch(r"OMIM:[0-9]{6}", disease):
        return Codes(omim=(disease,))
    if re.fullmatch(r"ORPHA:[1-9][0-9]*", disease):
        return Codes(orpha=(disease,))
    return Codes()


def _rows(file: Path, broken: OnBroken, left_out: LeftOut) -> Iterator[_Row]:
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

    def read(line: str, place: str) -> _Row | None:
        cells = _cells(line)
        if len(cells) != len(header):
            raise TaskError(
                f"{place}: {len(cells)} columns; expected {len(header)} (is the file whole?)"
            )
        return _row(place, {name: cells[at] for name, at in order.items()})

    places = ((f"{file} line {number}", line) for number, line in lines if not line.startswith("#"))
    for row in intact_records(places, read, broken):
        if row is None:
            left_out("rows that are no phenotypic abnormalities were left out")
        else:
            yield row


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("\t")]


def _header(place: str, cells: list[str]) -> dict[str, int]:
    """The position of each column; older headers differ only in case and underscores."""
    plain = [cell.lstrip("#").replace("_", "").casefold() for cell in cells]
    order = {"sex": plain.index("sex")} if "sex" in plain else {}
    for name in COLUMNS:
        if (key := name.replace("_", "")) not in plain:
            raise TaskError(f"{place}: the header lacks {name!r}; it has {cells}")
        order[name] = plain.index(key)
    return order


def _row(place: str, cells: Mapping[str, str]) -> _Row | None:
    _check(
        place, "database_id", cells["database_id"], r"[A-Za-z]+:[0-9]+", "an id like OMIM:154700"
    )
    _check(place, "disease_name", cells["disease_name"], r".+", "the name of the disease")
    _check(place, "qualifier", cells["qualifier"], r"(NOT)?", "NOT or nothing")
    _check(place, "hpo_id", cells["hpo_id"], r"HP:[0-9]{7}", "an id like HP:0001083")
    _check(place, "aspect", cells["aspect"], "|".join(ASPECTS), f"one of {', '.join(ASPECTS)}")
    references = tuple(dict.fromkeys(filter(None, re.split(r"\s*;\s*", cells["reference"]))))
    statement = _statement(place, cells["frequency"], references, cells.get("sex", ""))
    if cells["qualifier"] == "NOT":  # files differ on whether the count is of patients examined
        statement = Statement(references, band="excluded")
    if cells["aspect"] != "P":
        return None
    return _Row(cells["database_id"], cells["disease_name"], cells["hpo_id"], statement)


def _statement(place: str, text: str, references: tuple[str, ...], sex: str) -> Statement:
    if counted := re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text):
        having, patients = map(int, counted.groups())
        if not having <= patients or not patients:
            raise _error(place, "frequency", text, "at most as many with it as were counted")
        return Statement(references, having=having, patients=patients, sex=sex.upper())
    if percent := re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*%", text):
        share = float(percent[1]) / 100
        if share > 1:
            raise _error(place, "frequency", text, "at most 100%")
        return Statement(references, share=share)
    if text and text not in _BAND_OF_ID:
        raise _error(place, "frequency", text, f"7/13, 12.5%, or one of {list(_BAND_OF_ID)}")
    return Statement(references, band=_BAND_OF_ID[text] if text else None)


def _check(place: str, column: str, cell: str, pattern: str, expected: str) -> None:
    if not re.fullmatch(pattern, cell):
        raise _error(place, column, cell, expected)


def _error(place: str, column: str, cell: str, expected: str) -> TaskError:
    return TaskError(f"{place}, column {column}: {cell[:80]!r}; expected {expected}")
