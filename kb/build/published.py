"""What the tables take from published files: ids of diseases, and frequencies that a source states.

The names of phenotypes must be those of the HPO. A disease has the OMIM and ORPHA ids of its name
and of its synonyms.

A frequency is taken for a finding of the tables, from annotations of an id that the disease has,
under a name that the disease has: an id alone may have changed its meaning. A share is taken if it
was counted in enough patients. A band is a judgement, as the authors' is, and is taken unless the
two are two bands apart: most such pairs that were looked at were slips of the source (eosinophilia
as occasional in DRESS syndrome). The annotations of ORPHA ids are Orphanet's own, under CC-BY-4.0,
and name it as their source; those of OMIM ids are not taken, because of the HPO's licence.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gym_clinic.errors import TaskError
from gym_clinic.facts import BANDS, Frequency, Profile, ProfileFeature, same_name, words
from gym_clinic.facts.models import BandName, DiseaseEntry, Phenotype, Source
from gym_clinic.facts.profiles import strength
from gym_clinic.facts.tables import DISEASES, SOURCES, read_table, table_files
from gym_clinic.facts.typed_json import read_mapping, read_object
from gym_clinic.importers.facts import hpoa, orphanet
from gym_clinic.importers.formats.text import text_lines
from gym_clinic.names import nearest
from kb.build.proof import DISEASE_NAMES, PHENOTYPE_NAMES, name_variants

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

PARTS = {
    "ORPHA:178029": "central diabetes insipidus",
    "ORPHA:231169": "Usher syndrome, type 1",
    "ORPHA:537": "toxic epidermal necrolysis, the severe form",
    "ORPHA:77259": "Gaucher disease, type 1",
    "ORPHA:93473": "Hurler syndrome, the severe form",
}
"""Ids of one form of a disease, whose frequencies may differ from the whole -> the form."""

COUNTED = 30
"""Patients of whom a share is taken, at least; a smaller series is mostly of unusual cases."""


def renewed(folder: Path, mappings: Path, annotations: Path) -> dict[Path, dict[str, Any]]:
    """Return the tables of diseases with their ids and stated frequencies taken anew.

    Args:
        folder: The fact tables.
        mappings: Folder of RareBench's mappings.
        annotations: HPO annotations (``phenotype.hpoa``).

    Returns:
        File -> its table.

    Raises:
        ConfigError: If a file cannot be read.
        TaskError: If a file is broken, or a name or a release is not the published one.
    """
    check_release(folder / SOURCES, annotations)
    ids = check_phenotypes(folder / "phenotypes.json", read_object(mappings / PHENOTYPE_NAMES))
    files = [file for file in table_files(folder) if file.parent.name == DISEASES]
    entries = {one.id: one for file in files for _, one in read_table(file, DiseaseEntry)}
    codes = disease_codes(entries.values(), read_object(mappings / DISEASE_NAMES))
    stated = stated_frequencies(entries, codes, ids, annotations)
    tables = {}
    for file in files:
        tables[file] = table = read_object(file)
        for record in table["records"]:
            key = record["id"]
            for finding in record["findings"]:
                finding.pop("stated", None)
                if found := stated.get((key, ids[finding["finding"]])):
                    finding["stated"] = _stated_fields(found)
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


def stated_frequencies(
    entries: dict[str, DiseaseEntry],
    codes: dict[str, tuple[str, ...]],
    ids: dict[str, str],
    annotations: Path,
) -> dict[tuple[str, str], ProfileFeature]:
    """Return what the annotations state of the findings of the tables.

    Args:
        entries: The diseases by id.
        codes: OMIM and ORPHA ids by the id of the disease.
        ids: Ids of the phenotypes by name.
        annotations: HPO annotations.

    Returns:
        Ids of a disease and of a finding -> the feature with its frequency.
    """
    diseases = {code: entries[key] for key, several in codes.items() for code in several}
    stated: dict[tuple[str, str], ProfileFeature] = {}
    for profile in hpoa.read_hpoa(annotations):
        for code in profile.codes.orpha:  # CC-BY-4.0; the others are under the HPO's licence
            if code not in diseases or code in PARTS or not _is_named(profile, diseases[code]):
                continue
            bands = {ids[one.finding]: one.band for one in diseases[code].findings}
            for has in profile.features:
                if has.id in bands and _is_taken(has.frequency, bands[has.id]):
                    key = (diseases[code].id, has.id)
                    stated[key] = max(stated.get(key, has), has, key=strength)
    return stated


def _is_named(profile: Profile, entry: DiseaseEntry) -> bool:
    """Whether an annotated disease has a name of the disease in the tables."""
    published = [one for name in (profile.name, *profile.synonyms) for one in name_variants(name)]
    ours = (entry.name, *entry.synonyms)
    return any(same_name(name, theirs) for name in ours for theirs in published)


def _is_taken(stated: Frequency, written: BandName | None) -> bool:
    if stated.value is not None:
        return (stated.patients or COUNTED) >= COUNTED
    if stated.band is None or written is None:
        return stated.band is not None
    order = list(BANDS)
    return abs(order.index(stated.band) - order.index(written)) <= 1


def _stated_fields(has: ProfileFeature) -> dict[str, Any]:
    frequency = has.frequency
    if frequency.value is None:
        found: dict[str, Any] = {"band": frequency.band}
    else:
        found = {"value": float(f"{frequency.value:.4g}"), "patients": frequency.patients}
    found |= {"source": orphanet.SOURCE, "references": list(has.references)}
    return {name: value for name, value in found.items() if value not in (None, [])}


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
