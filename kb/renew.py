"""Renew what the tables take from published files: ids of names, and stated frequencies.

    python -m kb.renew --mappings RAREBENCH --hpoa FILE

writes ``kb/authoring/codes.tsv`` and ``kb/authoring/frequencies.tsv``. A phenotype whose name is
not exactly a name of the HPO stops the run; a disease whose names are unknown there has no code.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.facts.authoring import slug
from gym_clinic.facts.check import name_variants
from gym_clinic.facts.compose import (
    CODE_COLUMNS,
    FREQUENCY_COLUMNS,
    NOT_IN_HPO,
    features,
    read_codes,
    read_diseases,
)
from gym_clinic.facts.naming import words
from gym_clinic.files import replace_files
from gym_clinic.importers.hpoa import SOURCE, read_hpoa
from gym_clinic.names import nearest

AUTHORING = Path(__file__).resolve().parent / "authoring"

REFUSED = {
    "OMIM:134500": "a combined deficiency, not haemophilia A",
    "OMIM:603688": "the name goes on after the slash: brain cancer susceptibility",
    "OMIM:612286": "the name goes on after the slash: osteoporosis, hypophosphatemic",
    "OMIM:612287": "the name goes on after the slash: osteoporosis, hypophosphatemic",
    "OMIM:618113": "one hereditary encephalopathy, not viral encephalitis",
    "ORPHA:1546": "wider: all cryptococcosis",
    "ORPHA:1772": "the name goes on after the slash: 46,XY",
    "ORPHA:360": "narrower: glioblastoma alone",
    "ORPHA:98293": "narrower: Hodgkin lymphoma alone",
    "ORPHA:99927": "narrower: hydatidiform mole alone",
}
"""Ids whose name is as written here and which mean something else -> why."""


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
        for name in (one.name, *one.synonyms, *one.items("G")):
            # Several diseases share an abbreviation: it proves nothing.
            if name.isupper():
                continue
            for code in sorted(published.get(words(name), ())):
                if code not in REFUSED and owners.setdefault(code, one.name) == one.name:
                    yield "disease", name, code


def frequencies(folder: Path, hpoa: Path) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the frequencies that the annotations state for findings written here."""
    codes = read_codes(folder / "codes.tsv")
    diseases = {
        code: one
        for entries in read_diseases(folder).values()
        for one in entries
        for name in (one.name, *one.synonyms, *one.items("G"))
        for code in codes.diseases.get(name, ())
    }
    for profile in read_hpoa(hpoa):
        for code in (*profile.codes.omim, *profile.codes.orpha):
            if code not in diseases:
                continue
            named = {codes.phenotypes.get(name) for name, _ in features(diseases[code])}
            for feature in sorted(profile.features, key=lambda one: one.id):
                stated = feature.frequency
                if stated.basis == "sourced" and feature.id in named:
                    value = "" if stated.value is None else f"{stated.value:.4g}"
                    yield (
                        slug(diseases[code].name), feature.id, value,
                        "" if value else stated.band or "", SOURCE,
                    )  # fmt: skip


def table(columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> list[bytes]:
    """Return a tab-separated table with its header, its rows distinct and in order."""
    return [("\t".join(cells) + "\n").encode() for cells in dict.fromkeys([tuple(columns), *rows])]


def main() -> None:
    """Write both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mappings", type=Path, required=True, help="folder of RareBench")
    parser.add_argument("--hpoa", type=Path, required=True, help="HPO annotations")
    parser.add_argument("--folder", type=Path, default=AUTHORING, help="what was written by hand")
    args = parser.parse_args()
    phenotypes = json.loads((args.mappings / "phenotype_mapping.json").read_bytes())
    diseases = json.loads((args.mappings / "disease_mapping.json").read_bytes())
    rows = [*disease_codes(args.folder, diseases), *phenotype_codes(args.folder, phenotypes)]
    replace_files({args.folder / "codes.tsv": table(CODE_COLUMNS, rows)})
    stated = list(frequencies(args.folder, args.hpoa))
    replace_files({args.folder / "frequencies.tsv": table(FREQUENCY_COLUMNS, stated)})
    print(f"{len(rows)} codes, {len(stated)} stated frequencies")


if __name__ == "__main__":
    main()
