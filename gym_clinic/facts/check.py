"""What the fact tables hold, in figures, and the proof of their codes against published names.

A code is proven when the mapping knows it and gives it a name that the record has too, as its
name or as a synonym. Names agree when they differ in case, accents, punctuation and British or
American spelling alone, or in the order of their words where a comma inverts one of them ("Fever,
amber"). The proof is kept beside the tables; it holds as long as no name and no code has changed
since.

Source:
    RareBench: `phenotype_mapping.json` (HPO ids) and `disease_mapping.json` (OMIM and ORPHA ids),
    Apache-2.0; several names of a disease are joined there by a slash or a semicolon.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from gym_clinic.facts.lines import read_object
from gym_clinic.facts.load import TABLES, Facts
from gym_clinic.facts.models import Disease, Phenotype
from gym_clinic.facts.naming import same_name
from gym_clinic.files import replace_file

PROOF = "codes.json"
"""Name of the file beside the tables that keeps the proof."""

PHENOTYPE_NAMES = "phenotype_mapping.json"
DISEASE_NAMES = "disease_mapping.json"


@dataclass(frozen=True)
class Disagreement:
    """A code that the published names do not bear out.

    Attributes:
        table: Table of the record.
        id: Id of the record.
        code: The code in question.
        ours: Name and synonyms of the record.
        theirs: The name that the mapping gives the code; None if it does not know it.
    """

    table: str
    id: str
    code: str
    ours: tuple[str, ...]
    theirs: str | None


@dataclass(frozen=True)
class Proof:
    """How the codes of the tables compare with the published names.

    Attributes:
        names: Digest of all names and codes that were compared.
        against: Mapping -> digest of its file.
        proven: Kind of code -> how many are borne out.
        unproven: Kind of code -> how many have no mapping to prove them by.
        disagreements: Codes that are not borne out.
    """

    names: str
    against: dict[str, str]
    proven: dict[str, int]
    unproven: dict[str, int]
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True)
class Report:
    """What the fact tables hold.

    Attributes:
        records: Table -> number of records.
        frequencies: Basis (sourced, authored, unknown) -> number of features of diseases.
        absent: How many of these features are absent ones.
        shared: Table -> synonym of several of its records, in small letters -> their ids.
        proof: The proof of their codes; None if no mappings were given.
    """

    records: dict[str, int]
    frequencies: dict[str, int]
    absent: int
    shared: dict[str, dict[str, tuple[str, ...]]]
    proof: Proof | None


def report(facts: Facts, mappings: str | os.PathLike[str] | None = None) -> Report:
    """Count what the tables hold, and prove their codes.

    Args:
        facts: The tables.
        mappings: Folder of RareBench's mappings; without it the codes are not proven.

    Raises:
        ConfigError: If a mapping cannot be opened.
        TaskError: If a mapping is no JSON object of names.
    """
    features = [has for one in facts.diseases.values() for has in one.phenotypes]
    bases = Counter(has.frequency.basis for has in features)
    return Report(
        records={table: len(getattr(facts, table)) for table in TABLES},
        frequencies={basis: bases[basis] for basis in ("sourced", "authored", "unknown")},
        absent=sum(has.frequency.absent for has in features),
        shared={
            "diseases": _shared(facts.diseases.values()),
            "phenotypes": _shared(facts.phenotypes.values()),
        },
        proof=None if mappings is None else _prove(facts, Path(mappings)),
    )


def _shared(records: Iterable[Disease | Phenotype]) -> dict[str, tuple[str, ...]]:
    owners: dict[str, list[str]] = {}
    for one in records:
        for name in dict.fromkeys(synonym.casefold() for synonym in one.synonyms):
            owners.setdefault(name, []).append(one.id)
    return {name: tuple(ids) for name, ids in sorted(owners.items()) if len(ids) > 1}


def write_proof(folder: Path, proof: Proof) -> Path:
    """Write a proof beside the tables; the same proof gives the same bytes.

    Returns:
        The file.
    """
    file = folder / PROOF
    replace_file(file, [orjson.dumps(asdict(proof), option=orjson.OPT_INDENT_2), b"\n"])
    return file


def stale(facts: Facts, folder: Path) -> str | None:
    """Return why the proof kept beside the tables is none of them; None if it holds.

    Raises:
        TaskError: If it is broken.
    """
    file = folder / PROOF
    if not file.is_file():
        return f"{file} is missing"
    kept = read_object(file)
    if kept.get("names") != _digest(facts):
        return f"a name or a code has changed since {file} was written"
    if kept.get("disagreements"):
        return f"{file} lists {len(kept['disagreements'])} disagreements"
    return None


def name_variants(joined: str) -> Iterator[str]:
    """Yield the names that a mapping joins: all, and what stands between its marks."""
    yield joined
    # A slash may as well belong to a name ("Ulnar/fibula ray defect"): every stretch counts.
    parts = re.split(r"([/;])", joined)
    for start in range(0, len(parts), 2):
        for stop in range(start + 1, len(parts) + 1, 2):
            yield "".join(parts[start:stop])


def _prove(facts: Facts, mappings: Path) -> Proof:
    phenotype_names = read_object(mappings / PHENOTYPE_NAMES)
    disease_names = read_object(mappings / DISEASE_NAMES)
    proven: Counter[str] = Counter()
    unproven: Counter[str] = Counter()
    wrong: list[Disagreement] = []
    for table, key, kind, code, ours in _codes(facts):
        if kind not in ("hpo", "omim", "orpha"):
            unproven[kind] += 1
            continue
        names = phenotype_names if kind == "hpo" else disease_names
        theirs = names.get(code)
        if theirs is not None and _agree(ours, theirs):
            proven[kind] += 1
        else:
            wrong.append(Disagreement(table, key, code, ours, theirs))
    return Proof(
        names=_digest(facts),
        against={
            name: hashlib.sha256((mappings / name).read_bytes()).hexdigest()
            for name in (PHENOTYPE_NAMES, DISEASE_NAMES)
        },
        proven={kind: proven[kind] for kind in ("hpo", "omim", "orpha")},
        unproven={kind: unproven[kind] for kind in ("own", "mondo", "icd10cm")},
        disagreements=tuple(wrong),
    )


def _agree(ours: Iterable[str], theirs: str) -> bool:
    variants = list(name_variants(theirs))
    return any(same_name(name, variant) for name in ours for variant in variants)


def _codes(facts: Facts) -> Iterator[tuple[str, str, str, str, tuple[str, ...]]]:
    """Table, id, kind of code, code and names, for every code of the tables."""
    for one in facts.phenotypes.values():
        kind = "hpo" if one.id.startswith("HP:") else "own"
        yield "phenotypes", one.id, kind, one.id, (one.name, *one.synonyms)
    for disease in facts.diseases.values():
        for kind in ("omim", "orpha", "mondo", "icd10cm"):
            for code in getattr(disease.codes, kind):
                yield "diseases", disease.id, kind, code, (disease.name, *disease.synonyms)


def _digest(facts: Facts) -> str:
    return hashlib.sha256(orjson.dumps(list(_codes(facts)))).hexdigest()
