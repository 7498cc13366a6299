"""What the tables take from published files: ids of diseases, and findings with frequencies.

The names of phenotypes must be those of the HPO. A disease has the OMIM and ORPHA ids of its name
and of its synonyms.

What the annotations of its ids say of findings is in :mod:`kb.build.annotated`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gym_clinic.errors import TaskError
from gym_clinic.facts import words
from gym_clinic.facts.records.models import DiseaseEntry, Phenotype, Source
from gym_clinic.facts.tables import DISEASES, SOURCES, read_table, table_files
from gym_clinic.facts.typed_json import read_mapping, read_object
from gym_clinic.importers.facts import orphanet
from gym_clinic.importers.formats.text import text_lines
from gym_clinic.names import nearest
from kb.build.annotated import (
    JUDGED,
    annotated,
    check_disputes,
    read_judged,
    stated_fields,
    stated_frequencies,
    very_frequent,
)
from kb.build.proof import DISEASE_NAMES, PHENOTYPE_NAMES, name_variants

PHENOTYPES = "phenotypes.json"
"""The file of the phenotypes."""

NAMES_SOURCE = "rarebench"
"""Key of the source of the ids of diseases."""

REFUSED = {
    "OMIM:123550": "a familial cryoglobulinaemia, not cryoglobulinaemic vasculitis",
    "OMIM:134500": "a combined deficiency, not haemophilia A",
    "OMIM:170900": "narrower: pernicious anaemia, one cause of vitamin B12 deficiency",
    "OMIM:603688": "the name goes on after the slash: brain cancer susceptibility",
    "OMIM:612286": "the name goes on after the slash: osteoporosis, hypophosphatemic",
    "OMIM:612287": "the name goes on after the slash: osteoporosis, hypophosphatemic",
    "OMIM:615555": "familial hyperprolactinaemia, not a prolactinoma",
    "OMIM:618113": "one hereditary encephalopathy, not viral encephalitis",
    "ORPHA:1546": "wider: all cryptococcosis",
    "ORPHA:1772": "the name goes on after the slash: 46,XY",
    "ORPHA:2084": "a syndrome with glaucoma of its own, not Weill-Marchesani syndrome 2",
    "ORPHA:2134": "narrower: atypical haemolytic uraemic syndrome alone",
    "ORPHA:255210": "narrower: Leigh syndrome of mitochondrial DNA alone",
    "ORPHA:360": "narrower: glioblastoma alone",
    "ORPHA:363700": "narrower: without the microdeletions of neurofibromatosis type 1",
    "ORPHA:391665": "narrower: homozygous familial hypercholesterolaemia alone",
    "ORPHA:397685": "familial hyperprolactinaemia, not a prolactinoma",
    "ORPHA:98293": "narrower: Hodgkin lymphoma alone",
    "ORPHA:99927": "narrower: hydatidiform mole alone",
}
"""Ids with a name of the tables that mean another disease -> the reason."""


def renewed(
    folder: Path, mappings: Path, annotations: Path, judged_file: Path = JUDGED
) -> dict[Path, dict[str, Any]]:
    """Return the tables of diseases with their ids and stated frequencies taken anew.

    Args:
        folder: The fact tables.
        mappings: Folder of RareBench's mappings.
        annotations: HPO annotations (``phenotype.hpoa``).
        judged_file: What the authors judged of them.

    Returns:
        File -> its table.

    Raises:
        ConfigError: If a file cannot be read.
        TaskError: If a file is broken, or a name or a release is not the published one.
    """
    check_release(folder / SOURCES, annotations)
    ids = check_phenotypes(folder / PHENOTYPES, read_object(mappings / PHENOTYPE_NAMES))
    files = [file for file in table_files(folder) if file.parent.name == DISEASES]
    entries = {one.id: one for file in files for _, one in read_table(file, DiseaseEntry)}
    codes = disease_codes(entries.values(), read_object(mappings / DISEASE_NAMES))
    features = list(annotated(entries, codes, annotations))
    judged = read_judged(ids, judged_file)
    check_disputes(features, ids, judged)
    stated = stated_frequencies(features, ids)
    phenotypes = {one.id: one for _, one in read_table(folder / PHENOTYPES, Phenotype)}
    added = very_frequent(features, phenotypes, judged)
    tables = {}
    for file in files:
        tables[file] = table = read_object(file)
        for record in table["records"]:
            key = record["id"]
            record["findings"] = [
                one for one in record["findings"] if "band" in one or "stated" not in one
            ]
            for finding in record["findings"]:
                finding.pop("stated", None)
                if found := stated.get((key, ids[finding["finding"]])):
                    finding["stated"] = stated_fields(found)
            record["findings"] += [
                {"finding": phenotypes[one.id].name, "stated": stated_fields(one)}
                for one in added.get(key, ())
            ]
            by_kind = {**dict(entries[key].codes), **_by_kind(codes.get(key, ()))}
            record["codes"] = {kind: list(several) for kind, several in by_kind.items() if several}
            given = [NAMES_SOURCE] if key in codes else []
            if any("stated" in finding for finding in record["findings"]):
                given.append(orphanet.SOURCE)
            own = set(entries[key].sources) - {NAMES_SOURCE, orphanet.SOURCE}
            record["sources"] = [*(one for one in entries[key].sources if one in own), *given]
    return tables


def check_phenotypes(file: Path, published: dict[str, str]) -> dict[str, str]:
    """Check the names of the phenotypes, and return their ids by name.

    Raises:
        TaskError: If a phenotype with an HPO id does not have its name, or one without has a name
            of the HPO.
    """
    ids = {name: code for code, name in published.items()}
    folded = {name.casefold(): name for name in ids}
    found = {}
    for place, one in read_table(file, Phenotype):
        if not one.id.startswith("HP:"):
            if one.name.casefold() in folded:
                name = folded[one.name.casefold()]
                raise TaskError(f"{place}: the HPO has {name!r}; expected the id {ids[name]}")
        elif one.name not in ids:
            near = nearest(one.name, tuple(ids))
            raise TaskError(f"{place}: {one.name!r} is no name of the HPO; nearest is {near!r}")
        elif ids[one.name] != one.id:
            raise TaskError(f"{place}: {one.name!r} is {ids[one.name]}, not {one.id}")
        found[one.name] = one.id
    return found


def disease_codes(
    entries: Iterable[DiseaseEntry], published: dict[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the OMIM and ORPHA ids of the diseases whose name or synonym the mapping has."""
    by_words: dict[tuple[str, ...], set[str]] = {}
    for code, joined in published.items():
        if code.startswith(("OMIM:", "ORPHA:")) and code not in REFUSED:
            for variant in name_variants(joined):
                by_words.setdefault(words(variant), set()).add(code)
    owners: dict[str, str] = {}
    for one in sorted(entries, key=lambda entry: entry.name):
        for name in (one.name, *one.synonyms):
            # Several diseases share an abbreviation: it identifies none of them.
            if not name.isupper():
                for code in by_words.get(words(name), ()):
                    owners.setdefault(code, one.id)
    found: dict[str, tuple[str, ...]] = {}
    for code, key in sorted(owners.items()):
        found[key] = (*found.get(key, ()), code)
    return found


def _by_kind(codes: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"omim": [], "orpha": []}
    for code in codes:
        found[code.partition(":")[0].lower()].append(code)
    return found


def release(annotations: Path) -> str:
    """Return the release of the annotations.

    Raises:
        TaskError: If the file does not name it.
    """
    for _, line in text_lines(annotations):
        if line.startswith("#version:"):
            return line.partition(":")[2].strip()
    raise TaskError(f"{annotations}: no line '#version: YYYY-MM-DD'; expected the release")


def check_release(sources: Path, annotations: Path) -> None:
    """Check that the table of sources names the release that is read.

    Raises:
        TaskError: If it does not.
    """
    found = release(annotations)
    title = read_mapping(sources, Source)[orphanet.SOURCE].title
    if found not in title:
        raise TaskError(f"{sources} key {orphanet.SOURCE!r}: {title!r} is not the release {found}")
