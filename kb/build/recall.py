"""How many of Orphanet's very frequent findings the diseases of the tables have.

    python -m kb.build.recall --mappings DIR --hpoa FILE --is-a FILE [--folder TABLES]

A finding counts as had if the disease has it or a more special one. Annotations of one form of a
disease, and under a name that it does not have here, are not counted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts.records.models import DiseaseEntry
from gym_clinic.facts.tables import DISEASES, read_table, table_files
from gym_clinic.facts.typed_json import read_object
from kb.build.annotated import ALWAYS, Annotated, annotated
from kb.build.parents import all_ancestors, parents_of
from kb.build.proof import DISEASE_NAMES, PHENOTYPE_NAMES, PROOF
from kb.build.published import PHENOTYPES, check_phenotypes, disease_codes


class Recall(NamedTuple):
    """Counts of very frequent annotations.

    Attributes:
        diseases: Diseases with annotations.
        annotations: Their very frequent findings.
        exact: Those that the disease has.
        special: Those of which it has a more special finding alone.
    """

    diseases: int
    annotations: int
    exact: int
    special: int

    @property
    def share(self) -> float:
        """The recall, 0 to 1."""
        return (self.exact + self.special) / self.annotations


def recall(
    features: Iterable[Annotated],
    ids: Mapping[str, str],
    above: Mapping[str, frozenset[str]],
) -> Recall:
    """Count the very frequent annotations that diseases have.

    Args:
        features: Annotations of the diseases.
        ids: Ids of phenotypes by name.
        above: Ancestors of each id.
    """
    diseases: set[str] = set()
    wanted: set[tuple[str, str]] = set()
    exact: set[tuple[str, str]] = set()
    special: set[tuple[str, str]] = set()
    for disease, has in features:
        diseases.add(disease.id)
        if has.frequency.band in ALWAYS:
            place = (disease.id, has.id)
            wanted.add(place)
            own = {ids[one.finding] for one in disease.findings if one.band != "excluded"}
            if has.id in own:
                exact.add(place)
            elif any(has.id in above.get(key, ()) for key in own):
                special.add(place)
    return Recall(len(diseases), len(wanted), len(exact), len(special))


def measure(folder: Path, mappings: Path, hpoa: Path, is_a: Path) -> Recall:
    """Measure the recall of tables.

    Args:
        folder: The tables.
        mappings: Folder of RareBench's mappings.
        hpoa: HPO annotations.
        is_a: The is-a of the HPO.
    """
    ids = check_phenotypes(folder / PHENOTYPES, read_object(mappings / PHENOTYPE_NAMES))
    files = [file for file in table_files(folder) if file.parent.name == DISEASES]
    entries = {one.id: one for file in files for _, one in read_table(file, DiseaseEntry)}
    codes = disease_codes(entries.values(), read_object(mappings / DISEASE_NAMES))
    above = all_ancestors(parents_of(ids, is_a))
    return recall(annotated(entries, codes, hpoa), ids, above)


def main(arguments: list[str] | None = None) -> int:
    """Print the recall."""
    parser = argparse.ArgumentParser(
        prog="python -m kb.build.recall",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name, text in (
        ("--mappings", "folder of RareBench's mappings"),
        ("--hpoa", "HPO annotations"),
        ("--is-a", "is-a of the HPO, a table"),
    ):
        parser.add_argument(name, type=Path, required=True, help=text)
    parser.add_argument("--folder", type=Path, default=PROOF.parent.parent / "facts")
    args = parser.parse_args(arguments)
    try:
        found = measure(args.folder, args.mappings, args.hpoa, args.is_a)
    except (ConfigError, TaskError) as error:
        sys.exit(f"kb.build.recall: {error}")
    print(
        f"{found.diseases} diseases, {found.annotations} very frequent findings of Orphanet: "
        f"{found.exact} had, {found.special} by a more special one, recall {found.share:.1%}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
