"""Renew what the tables take from published files: ids of names, and stated frequencies.

    python -m kb.renew --mappings RAREBENCH --hpoa FILE            writes both tables
    python -m kb.renew --mappings RAREBENCH --hpoa FILE --check    tells whether they are so

The tables are ``codes.tsv`` and ``frequencies.tsv`` in ``kb/authoring``; both are written, or none.

A phenotype whose name is not exactly a name of the HPO stops the run; a disease whose names are
unknown there has no code.

A frequency is taken for a finding that is written here, from annotations of an id that the disease
has here and under a name that it has here: an id alone may have come to mean something else. A
share is taken if it was counted in enough patients. A band is a judgement as the one written here
is, and is taken unless it is two bands away from that one: of such pairs most that were looked at
were slips of the source (eosinophilia as occasional in DRESS syndrome). The annotations of
Orphanet's ids are Orphanet's own, under CC-BY-4.0, and are named so; the others are not taken, as
the HPO's licence is no such one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts.authoring import Entry, read_entries, slug
from gym_clinic.facts.check import DISEASE_NAMES, PHENOTYPE_NAMES, name_variants
from gym_clinic.facts.compose import (
    CODE_COLUMNS,
    FREQUENCY_COLUMNS,
    NOT_IN_HPO,
    SOURCE_LETTERS,
    Codes,
    codes_of,
    features,
    read_diseases,
)
from gym_clinic.facts.lines import read_object
from gym_clinic.facts.models import BANDS, BandName, Frequency
from gym_clinic.facts.naming import same_name, words
from gym_clinic.facts.profiles import Profile, ProfileFeature, strength
from gym_clinic.files import replace_files
from gym_clinic.importers.facts import hpoa, orphanet
from gym_clinic.importers.formats.text import text_lines
from gym_clinic.names import nearest
from kb.build import changed

AUTHORING = Path(__file__).resolve().parent / "authoring"

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
"""Ids whose name is as written here and which mean something else -> why."""

PARTS = {
    "ORPHA:178029": "central diabetes insipidus",
    "ORPHA:231169": "Usher syndrome, type 1",
    "ORPHA:537": "toxic epidermal necrolysis, the severe form",
    "ORPHA:77259": "Gaucher disease, type 1",
    "ORPHA:93473": "Hurler syndrome, the severe form",
}
"""Ids of one form of a disease, whose shares need not be those of the whole -> which form."""

COUNTED = 30
"""Patients of whom a share is taken; fewer are mostly a series of unusual cases."""


def phenotype_codes(folder: Path, mapping: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the phenotypes that are written.

    Raises:
        TaskError: If a name is none of the HPO's, or one that it has is marked as not its own.
    """
    ids = {name: code for code, name in mapping.items()}
    folded = {name.casefold(): name for name in ids}
    written = {
        name: one.place
        for entries in read_diseases(folder).values()
        for one in entries
        for name, _ in features(one)
    }
    for name, place in sorted(written.items()):
        if name.startswith(NOT_IN_HPO):
            own = name.removeprefix(NOT_IN_HPO)
            if own.casefold() in folded:
                raise TaskError(f"{place}: the HPO has {folded[own.casefold()]!r}; no mark needed")
        elif name not in ids:
            near = nearest(name, tuple(ids))
            raise TaskError(f"{place}: {name!r} is no name of the HPO; nearest is {near!r}")
        else:
            yield "phenotype", name, ids[name]


def disease_codes(folder: Path, mapping: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the diseases whose name or synonym the mapping has."""
    published: dict[tuple[str, ...], set[str]] = {}
    for code, joined in mapping.items():
        if code.startswith(("OMIM:", "ORPHA:")):
            for variant in name_variants(joined):
                published.setdefault(words(variant), set()).add(code)
    owners: dict[str, str] = {}
    for one in sorted(
        (one for entries in read_diseases(folder).values() for one in entries),
        key=lambda one: one.name,
    ):
        for name in _names(one):
            # Several diseases share an abbreviation: it proves nothing.
            if name.isupper():
                continue
            for code in sorted(published.get(words(name), ())):
                if code not in REFUSED and owners.setdefault(code, one.name) == one.name:
                    yield "disease", name, code


def frequencies(folder: Path, codes: Codes, annotations: Path) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the frequencies that the annotations state for findings written here."""
    diseases = {
        code: one
        for entries in read_diseases(folder).values()
        for one in entries
        for name in _names(one)
        for code in codes.diseases.get(name, ())
    }
    stated: dict[tuple[str, str], ProfileFeature] = {}
    for profile in hpoa.read_hpoa(annotations):
        for code in profile.codes.orpha:  # CC-BY-4.0; the others stand under the HPO licence
            if code not in diseases or code in PARTS or not _bears(profile, diseases[code]):
                continue
            written = {codes.phenotypes.get(name): band for name, band in features(diseases[code])}
            for has in profile.features:
                if has.id in written and _is_taken(has.frequency, written[has.id]):
                    key, one = (slug(diseases[code].name), has.id), _attributed(has)
                    stated[key] = max(stated.get(key, one), one, key=strength)
    for (disease, phenotype), has in sorted(stated.items()):
        value, patients = has.frequency.value, has.frequency.patients
        yield (
            disease, phenotype,
            "" if value is None else f"{value:.4g}",
            "" if value is not None else has.frequency.band or "",
            "" if patients is None else str(patients),
            has.frequency.source or "", ";".join(has.references),
        )  # fmt: skip


def _names(entry: Entry) -> tuple[str, ...]:
    return (entry.name, *entry.synonyms, *entry.items("G"))


def _bears(profile: Profile, entry: Entry) -> bool:
    """Whether what was annotated still bears a name that is written here."""
    published = [one for name in (profile.name, *profile.synonyms) for one in name_variants(name)]
    return any(same_name(ours, theirs) for ours in _names(entry) for theirs in published)


def _is_taken(stated: Frequency, written: BandName | None) -> bool:
    if stated.value is not None:
        return (stated.patients or COUNTED) >= COUNTED
    if stated.band is None or written is None:
        return stated.band is not None
    order = list(BANDS)
    return abs(order.index(stated.band) - order.index(written)) <= 1


def _attributed(has: ProfileFeature) -> ProfileFeature:
    """A feature with the source that stated it first."""
    frequency = has.frequency.model_copy(update={"source": orphanet.SOURCE})
    return has.model_copy(update={"frequency": frequency})


def release(annotations: Path) -> str:
    """Return the release of the annotations.

    Raises:
        TaskError: If the file does not say.
    """
    for _, line in text_lines(annotations):
        if line.startswith("#version:"):
            return line.partition(":")[2].strip()
    raise TaskError(f"{annotations}: no line '#version: YYYY-MM-DD'; expected the release")


def check_release(folder: Path, annotations: Path) -> None:
    """Check that the sources written here name the release that is read.

    Raises:
        TaskError: If one does not.
    """
    found = release(annotations)
    for one in read_entries(folder / "sources.txt", SOURCE_LETTERS):
        if one.name == orphanet.SOURCE and found not in one.text("N"):
            raise TaskError(f"{one.place}: {one.text('N')!r} is not the release read, {found}")


def table(columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> bytes:
    """Return a tab-separated table with its header, its rows distinct and in order."""
    distinct = dict.fromkeys([tuple(columns), *rows])
    return "".join("\t".join(cells) + "\n" for cells in distinct).encode()


def renewed(folder: Path, mappings: Path, annotations: Path) -> dict[str, bytes]:
    """Return both tables by the names of their files.

    Args:
        folder: What was written by hand.
        mappings: Folder of RareBench's mappings.
        annotations: HPO annotations.

    Raises:
        ConfigError: If a file cannot be read.
        TaskError: If a file is broken, or a name or a release is not the published one.
    """
    check_release(folder, annotations)
    rows = [
        *disease_codes(folder, read_object(mappings / DISEASE_NAMES)),
        *phenotype_codes(folder, read_object(mappings / PHENOTYPE_NAMES)),
    ]
    codes = codes_of(("codes.tsv", cells) for cells in rows)
    return {
        "codes.tsv": table(CODE_COLUMNS, rows),
        "frequencies.tsv": table(FREQUENCY_COLUMNS, frequencies(folder, codes, annotations)),
    }


def main() -> int:
    """Write both tables, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mappings", type=Path, required=True, help="folder of RareBench")
    parser.add_argument("--hpoa", type=Path, required=True, help="HPO annotations")
    parser.add_argument("--folder", type=Path, default=AUTHORING, help="what was written by hand")
    parser.add_argument("--check", action="store_true", help="compare only")
    args = parser.parse_args()
    try:
        files = renewed(args.folder, args.mappings, args.hpoa)
    except (ConfigError, TaskError) as error:
        sys.exit(f"kb.renew: {error}")
    if args.check:
        other = changed(files, args.folder)
        print("\n".join(f"{name} is not what is published" for name in other) or "as published")
        return int(bool(other))
    replace_files({args.folder / name: [data] for name, data in files.items()})
    rows = {name: len(data.splitlines()) - 1 for name, data in files.items()}
    print(", ".join(f"{name} {count:,} rows" for name, count in rows.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
