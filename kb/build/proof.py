"""The proof of the tables' HPO, OMIM and ORPHA ids against their published names.

An id is proven when the mapping gives it a name that the record has too, as its name or as a
synonym. Names agree when they differ only in case, accents, punctuation, British or American
spelling, or in the order of their words where a comma inverts one of them ("Fever, amber"). The
proof is kept in ``proof.json``; it holds as long as no name and no id changes.

Source:
    RareBench: `phenotype_mapping.json` (HPO ids) and `disease_mapping.json` (OMIM and ORPHA ids),
    Apache-2.0; several names of a disease are joined there by a slash or a semicolon.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from gym_clinic.errors import TaskError
from gym_clinic.facts import Facts, same_name
from gym_clinic.facts.typed_json import read_object

PROOF = Path(__file__).with_name("proof.json")
PHENOTYPE_NAMES = "phenotype_mapping.json"
DISEASE_NAMES = "disease_mapping.json"


@dataclass(frozen=True)
class Code:
    """An id of the tables with the names of its record.

    Attributes:
        kind: ``hpo``, ``omim`` or ``orpha``; ``own``, ``mondo`` and ``icd10cm`` have no mapping.
        id: The id.
        record: Id of the record.
        names: Name and synonyms of the record.
    """

    kind: str
    id: str
    record: str
    names: tuple[str, ...]


def codes_of(facts: Facts) -> Iterator[Code]:
    """Yield every id of the phenotypes and diseases."""
    for one in facts.phenotypes.values():
        kind = "hpo" if one.id.startswith("HP:") else "own"
        yield Code(kind, one.id, one.id, (one.name, *one.synonyms))
    for disease in facts.diseases.values():
        for kind, ids in disease.codes:
            for code in ids:
                yield Code(kind, code, disease.id, (disease.name, *disease.synonyms))


def prove(facts: Facts, mappings: Path) -> bytes:
    """Return the proof of all ids as JSON; the same tables and mappings give the same bytes.

    Args:
        facts: The tables.
        mappings: Folder of RareBench's mappings.

    Raises:
        ConfigError: If a mapping cannot be opened.
        TaskError: If a mapping is not a JSON object of names, or an id has another name there or
            none; the text lists all of these.
    """
    phenotypes = read_object(mappings / PHENOTYPE_NAMES)
    diseases = read_object(mappings / DISEASE_NAMES)
    published = {"hpo": phenotypes, "omim": diseases, "orpha": diseases}
    proven: Counter[str] = Counter()
    unproven: Counter[str] = Counter()
    wrong = []
    for code in codes_of(facts):
        if code.kind not in published:
            unproven[code.kind] += 1
        elif _agree(code.names, name := published[code.kind].get(code.id)):
            proven[code.kind] += 1
        else:
            theirs = "has no name" if name is None else f"is {name!r}"
            wrong.append(f"{code.id} of {code.record!r} {theirs} there, here {list(code.names)}")
    if wrong:
        raise TaskError(f"{len(wrong)} ids are not proven:\n  " + "\n  ".join(wrong))
    found = {
        "names": digest(facts),
        "against": {
            name: hashlib.sha256((mappings / name).read_bytes()).hexdigest()
            for name in (PHENOTYPE_NAMES, DISEASE_NAMES)
        },
        "proven": dict(proven),
        "unproven": dict(unproven),
    }
    return orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def check_proof(facts: Facts, proof: Path = PROOF) -> None:
    """Check that a kept proof is of these tables.

    Raises:
        ConfigError: If it cannot be opened.
        TaskError: If it is broken, or of other names or ids.
    """
    if read_object(proof).get("names") != digest(facts):
        raise TaskError(
            f"a name or an id has changed since {proof} was written; prove them with --mappings"
        )


def digest(facts: Facts) -> str:
    """Return a digest of all names and ids."""
    return hashlib.sha256(orjson.dumps([asdict(code) for code in codes_of(facts)])).hexdigest()


def name_variants(joined: str) -> Iterator[str]:
    """Yield the names that a mapping joins: all, and what stands between its marks."""
    yield joined
    # A slash may also belong to a name ("Ulnar/fibula ray defect"): every stretch counts.
    parts = re.split(r"([/;])", joined)
    for start in range(0, len(parts), 2):
        for stop in range(start + 1, len(parts) + 1, 2):
            yield "".join(parts[start:stop])


def _agree(ours: Iterable[str], theirs: str | None) -> bool:
    variants = [] if theirs is None else list(name_variants(theirs))
    return any(same_name(name, variant) for name in ours for variant in variants)
