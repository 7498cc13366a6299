"""What was written by hand -> the rows of the fact tables.

The folder holds ``diseases/<discipline>.txt``, ``disciplines.txt``, ``drugs.txt``,
``instruments.txt``, ``guidelines.txt`` and ``sources.txt`` (see `authoring`), ``phenotypes.tsv``
with the body system and the everyday names of findings, and two tables that a script renews from
published files: ``codes.tsv``, the ids of names, and ``frequencies.tsv``, the frequencies that a
source states. The same folder gives the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gym_clinic.errors import TaskError
from gym_clinic.facts.authoring import Entry, read_entries, read_table, slug, split
from gym_clinic.facts.models import BANDS, BandName
from gym_clinic.names import nearest

Row = dict[str, Any]

CODE_COLUMNS = ("kind", "name", "id")
PHENOTYPE_COLUMNS = ("name", "group", "synonyms")
FREQUENCY_COLUMNS = (
    "disease", "phenotype", "value", "band", "patients", "source", "references",
)  # fmt: skip

OWN = "authored"
"""Key of the source that stands for the authors of the tables."""

BAND_OF_LETTER: dict[str, BandName | None] = {
    **dict(zip("OVFCZX", BANDS, strict=True)),
    "U": None,
}
"""Letter of a line of phenotypes -> how frequent they are; U is unknown."""

DISEASE_LETTERS = (*BAND_OF_LETTER, *"SLRTMDG")
SOURCE_LETTERS = ("N", "L", "T", "U")
NOT_IN_HPO = "*"
"""Begins the name of a finding that the HPO has no term for."""


@dataclass(frozen=True)
class Codes:
    """Ids that published files give to names.

    Attributes:
        phenotypes: Name in the HPO -> id.
        diseases: Name of a disease as written here -> OMIM and ORPHA ids.
    """

    phenotypes: Mapping[str, str]
    diseases: Mapping[str, tuple[str, ...]]


def read_codes(path: Path) -> Codes:
    """Read the table of ids.

    Raises:
        ConfigError: If it cannot be read.
        TaskError: If it is broken.
    """
    return codes_of(read_table(path, CODE_COLUMNS))


def codes_of(rows: Iterable[tuple[str, tuple[str, ...]]]) -> Codes:
    """Return the ids that rows give, each row with its place.

    Raises:
        TaskError: If a row is of no kind that there is.
    """
    phenotypes: dict[str, str] = {}
    diseases: dict[str, tuple[str, ...]] = {}
    for place, (kind, name, code) in rows:
        if kind == "phenotype":
            phenotypes[name] = code
        elif kind == "disease":
            diseases[name] = (*diseases.get(name, ()), code)
        else:
            raise TaskError(f"{place}: unknown kind {kind!r}; expected phenotype or disease")
    return Codes(phenotypes, diseases)


def read_diseases(folder: Path) -> dict[str, list[Entry]]:
    """Return the diseases as written: discipline -> entries."""
    files = sorted((folder / "diseases").glob("*.txt"))
    return {file.stem: list(read_entries(file, DISEASE_LETTERS)) for file in files}


def features(entry: Entry) -> list[tuple[str, BandName | None]]:
    """Return the findings of a disease as written, with how frequent they are."""
    return [(name, band) for letter, band in BAND_OF_LETTER.items() for name in entry.items(letter)]


def compose(folder: Path) -> dict[str, list[Row]]:
    """Return the rows of every table, sorted by id.

    Args:
        folder: What was written by hand.

    Raises:
        ConfigError: If a file cannot be read.
        TaskError: If a line is broken, or names what is nowhere written; the text names the
            place and what would be right.
    """
    codes = read_codes(folder / "codes.tsv")
    written = read_diseases(folder)
    diseases = _diseases(written, codes, folder)
    tables = {
        "diseases": diseases,
        "phenotypes": _phenotypes(folder, codes, written),
        "disciplines": [
            {"id": slug(one.name), "name": one.name, "about": one.text("A"), **_stamp(one)}
            for one in read_entries(folder / "disciplines.txt", ("A",))
        ],
        "drugs": _drugs(folder, _Names.of("disease", diseases)),
        "instruments": [
            {
                "id": slug(one.name),
                "name": one.name,
                "purpose": one.text("P"),
                "items": one.items("I"),
                "bands": [
                    {"range": score, "meaning": meaning}
                    for score, meaning in _pairs(one, "B", ": ")
                ],
                **_stamp(one, _citation(one)),
            }
            for one in _instruments(folder)
        ],
        "guidelines": _guidelines(folder, _Names.of("disease", diseases)),
    }
    return {table: sorted(rows, key=lambda row: str(row["id"])) for table, rows in tables.items()}


def sources(folder: Path) -> Row:
    """Return what the sources are, by key; every instrument's publication is one.

    Raises:
        ConfigError: If a file cannot be read.
        TaskError: If a line is broken.
    """
    found = {
        one.name: {
            "title": one.text("N"),
            "licence": one.text("L"),
            "taken": one.text("T"),
            "url": one.fields.get("U", ""),
        }
        for one in read_entries(folder / "sources.txt", SOURCE_LETTERS)
    }
    for one in _instruments(folder):
        found[_citation(one)] = {
            "title": one.text("Q"),
            "licence": "facts alone; no text of the publication is used",
            "taken": f"what {one.name} scores, and what its totals mean",
            "url": "",
        }
    return dict(sorted(found.items()))


def _instruments(folder: Path) -> list[Entry]:
    return list(read_entries(folder / "instruments.txt", ("P", "I", "B", "Q")))


def _citation(entry: Entry) -> str:
    return f"instrument-{slug(entry.name)}"


def _stamp(entry: Entry, *more: str) -> Row:
    return {"sources": [OWN, *more], "provenance": "authored", "reviewed": entry.reviewed}


def _pairs(entry: Entry, letter: str, mark: str) -> list[tuple[str, str]]:
    pairs = [item.partition(mark) for item in entry.items(letter)]
    if bad := next((left for left, found, _ in pairs if not found), None):
        raise TaskError(f"{entry.place}: {bad!r} on line {letter!r} has no {mark!r}")
    return [(left.strip(), right.strip()) for left, _, right in pairs]


class _Names:
    """Ids by name and synonym, and errors that tell what would have been right."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.ids: dict[str, str] = {}

    @classmethod
    def of(cls, what: str, rows: Iterable[Row]) -> _Names:
        found = cls(what)
        for row in rows:
            for name in (row["name"], *row["synonyms"]):
                found.ids.setdefault(name.casefold(), row["id"])
        return found

    def find(self, name: str, entry: Entry) -> str:
        key = name.casefold()
        if key not in self.ids:
            near = nearest(key, tuple(self.ids))
            raise TaskError(f"{entry.place}: unknown {self.what} {name!r}; nearest is {near!r}")
        return self.ids[key]


def _phenotype_id(name: str, codes: Codes, entry: Entry) -> str:
    if name.startswith(NOT_IN_HPO):
        return f"sym-{slug(name)}"
    if name not in codes.phenotypes:
        raise TaskError(
            f"{entry.place}: codes.tsv has no id of the phenotype {name!r}; renew it, or "
            f"did you mean {nearest(name, tuple(codes.phenotypes))!r}?"
        )
    return codes.phenotypes[name]


def _diseases(written: Mapping[str, list[Entry]], codes: Codes, folder: Path) -> list[Row]:
    names = _Names("disease")
    for one in (one for entries in written.values() for one in entries):
        for name in (one.name, *one.synonyms):
            names.ids.setdefault(name.casefold(), slug(one.name))
    stated = _stated(folder / "frequencies.tsv")
    rows: dict[str, Row] = {}
    for discipline, entries in written.items():
        for one in entries:
            if slug(one.name) in rows:
                raise TaskError(f"{one.place}: a second entry of {one.name!r}")
            rows[slug(one.name)] = _disease(discipline, one, codes, stated, names)
    if stated:
        (disease, phenotype), (place, _) = next(iter(stated.items()))
        raise TaskError(
            f"{place}: {disease!r} has no finding {phenotype!r}; take the row out or renew all"
        )
    # Who is mistaken for another is mistaken in both directions: written down once.
    for key, row in list(rows.items()):
        for other in row["look_alikes"]:
            if key not in rows[other]["look_alikes"]:
                rows[other]["look_alikes"].append(key)
    return list(rows.values())


Stated = dict[tuple[str, str], tuple[str, Row]]
"""Ids of a disease and of a finding of it -> place of the row, and what it states."""


def _stated(path: Path) -> Stated:
    found: Stated = {}
    for place, cells in read_table(path, FREQUENCY_COLUMNS):
        disease, phenotype, value, band, patients, source, references = cells
        if (disease, phenotype) in found:
            raise TaskError(f"{place}: a second row of {disease!r} and {phenotype!r}")
        frequency = {
            "value": float(value) if value else None,
            "band": band or None,
            "basis": "sourced",
            "source": source,
            "patients": int(patients) if patients else None,
        }
        found[disease, phenotype] = (
            place,
            {
                "frequency": frequency,
                "references": split(references),
            },
        )
    return found


def _disease(discipline: str, entry: Entry, codes: Codes, stated: Stated, names: _Names) -> Row:
    found: list[Row] = []
    given: set[str] = set()
    for name, band in features(entry):
        key = _phenotype_id(name, codes, entry)
        basis = "authored" if band else "unknown"
        authored = {"value": None, "band": band, "basis": basis, "source": None}
        # What a source states is taken out, so that what is left belongs to nothing.
        _, has = stated.pop((slug(entry.name), key), ("", {"frequency": authored}))
        found.append({"phenotype": key, **has})
        given |= {has["frequency"]["source"]} - {None}
    published = {
        name: codes.diseases[name]
        for name in (entry.name, *entry.synonyms, *entry.items("G"))
        if name in codes.diseases
    }
    ids = {code for several in published.values() for code in several}
    known = {name.casefold(): name for name in (*published, *entry.synonyms)}
    return {
        "id": slug(entry.name),
        "name": entry.name,
        "synonyms": [name for key, name in known.items() if key != entry.name.casefold()],
        "codes": {
            "omim": sorted(code for code in ids if code.startswith("OMIM:")),
            "orpha": sorted(code for code in ids if code.startswith("ORPHA:")),
            "mondo": [],
            "icd10cm": [],
        },
        "discipline": entry.fields.get("D", discipline),
        "rare": entry.rare,
        "phenotypes": found,
        "look_alikes": list(dict.fromkeys(names.find(name, entry) for name in entry.items("L"))),
        "red_flags": entry.items("R"),
        "treatment": entry.items("M"),
        "tests": entry.items("T"),
        "summary": entry.text("S"),
        **_stamp(entry, "hpo", *(["rarebench"] if published else []), *sorted(given)),
    }


def _phenotypes(folder: Path, codes: Codes, written: Mapping[str, list[Entry]]) -> list[Row]:
    """Each finding that a disease has; it was reviewed with the latest of these diseases."""
    used: dict[str, Entry] = {}
    for one in (one for entries in written.values() for one in entries):
        for name, _ in features(one):
            used[name] = max(used.get(name, one), one, key=lambda entry: entry.reviewed)
    rows = []
    for place, (name, group, synonyms) in read_table(folder / "phenotypes.tsv", PHENOTYPE_COLUMNS):
        if name not in used:
            raise TaskError(f"{place}: no disease has {name!r}, or it stands twice")
        entry, own = used.pop(name), name.startswith(NOT_IN_HPO)
        rows.append(
            {
                "id": _phenotype_id(name, codes, entry),
                "name": name.removeprefix(NOT_IN_HPO),
                "synonyms": split(synonyms),
                "group": group,
                **_stamp(entry, *([] if own else ["hpo"])),
            }
        )
    if used:
        name, entry = next(iter(used.items()))
        raise TaskError(f"{entry.place}: phenotypes.tsv has no line for {name!r}")
    return rows


def _drugs(folder: Path, diseases: _Names) -> list[Row]:
    entries = list(read_entries(folder / "drugs.txt", ("C", "U", "K", "I", "S")))
    classes = {name for one in entries for name in one.items("C")}
    return [
        {
            "id": slug(one.name),
            "name": one.name,
            "classes": one.items("C"),
            "uses": [diseases.ids.get(use.casefold(), use) for use in one.items("U")],
            "cautions": one.items("K"),
            "interactions": [
                {"with": other if other in classes else slug(other), "effect": effect}
                for other, effect in _pairs(one, "I", ": ")
            ],
            "summary": one.text("S"),
            **_stamp(one),
        }
        for one in entries
    ]


def _guidelines(folder: Path, diseases: _Names) -> list[Row]:
    return [
        {
            "id": slug(one.name),
            "topic": one.name,
            "diseases": [diseases.find(name, one) for name in one.items("L")],
            "steps": one.items("T", " / "),
            "red_flags": one.items("R"),
            "summary": one.text("S"),
            **_stamp(one),
        }
        for one in read_entries(folder / "guidelines.txt", ("L", "T", "R", "S"))
    ]
