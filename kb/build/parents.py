"""The parents of findings: the is-a of the HPO between the findings of the table, and our own.

A parent of an HPO term is its nearest ancestor that the table has; the terms between are left out.
`own_parents.json` gives, by name, the parents of findings that the HPO has no term for, and some
that a physician reads into its terms (a vertebral compression fracture is a pathologic fracture,
renal insufficiency comes with a raised creatinine). It also names ancestors that are left out,
because not everyone with the finding has them: the HPO files tachycardia under ventricular
arrhythmia, and jaundice under cholestasis.

Source:
    Human Phenotype Ontology, release 2023-01-27, as a table of ``id``, ``name`` and ``parents``
    (joined by "|"), under the HPO's licence.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import read_object
from gym_clinic.importers.formats.text import text_lines
from gym_clinic.names import suggest

OWN_PARENTS = Path(__file__).with_name("own_parents.json")
"""Names of findings -> the parents added to those of the HPO, and the ancestors left out."""


def read_is_a(file: Path) -> dict[str, tuple[str, ...]]:
    """Read the is-a of the HPO: id -> ids of its parents.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: If a row has no three columns.
    """
    found = {}
    for number, line in text_lines(file):
        columns = line.rstrip("\n").split("\t")
        if len(columns) != 3:
            raise TaskError(f"{file} line {number}: expected id, name and parents, tab-separated")
        if number > 1:
            found[columns[0]] = tuple(filter(None, columns[2].split("|")))
    return found


def own_parents(
    ids: Mapping[str, str], file: Path = OWN_PARENTS, kind: str = "added"
) -> dict[str, tuple[str, ...]]:
    """Return what was given by hand: id -> ids.

    Args:
        ids: Ids of the findings by name.
        file: The parents given by hand.
        kind: ``added`` or ``left_out``.

    Raises:
        TaskError: If a name is not in the table.
    """
    found = {}
    for name, parents in read_object(file, distinct=True)[kind].items():
        for one in (name, *parents):
            if one not in ids:
                raise TaskError(f"{file} key {name!r}: unknown {one!r}; {suggest(one, ids)}")
        found[ids[name]] = tuple(ids[one] for one in parents)
    return found


def parents_of(
    ids: Mapping[str, str], is_a: Path, own: Path = OWN_PARENTS
) -> dict[str, tuple[str, ...]]:
    """Return the parents of the HPO's terms and of our own findings: id -> ids.

    Args:
        ids: Ids of the findings by name.
        is_a: The is-a of the HPO.
        own: The parents given by hand.

    Raises:
        ConfigError: If a file cannot be opened.
        TaskError: If a file is broken.
    """
    parents = read_is_a(is_a)
    above = all_ancestors(parents)
    for key, several in own_parents(ids, own, "left_out").items():
        for one in several:
            kept = {
                other
                for parent in parents[key]
                for other in above[parent] | {parent}
                if other != one and one not in above[other]
            }
            parents[key] = tuple(sorted(kept))
    for key, several in own_parents(ids, own).items():
        parents[key] = (*parents.get(key, ()), *several)
    return parents


def all_ancestors(parents: Mapping[str, tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """Return the ancestors of each id.

    Raises:
        TaskError: If an id is an ancestor of itself.
    """
    found: dict[str, frozenset[str]] = {}

    def add(key: str, below: tuple[str, ...]) -> frozenset[str]:
        if key in below:
            raise TaskError(f"{key} is an ancestor of itself: {' -> '.join((*below, key))}")
        if key not in found:
            several = parents.get(key, ())
            found[key] = frozenset(several).union(*(add(one, (*below, key)) for one in several))
        return found[key]

    for key in parents:
        add(key, ())
    return found


def with_parents(table: dict[str, Any], is_a: Path, own: Path = OWN_PARENTS) -> dict[str, Any]:
    """Return the table of phenotypes with the parents of each.

    Args:
        table: The table.
        is_a: The is-a of the HPO.
        own: Parents that were given by hand.

    Raises:
        ConfigError: If a file cannot be opened.
        TaskError: If a file is broken, or a finding would be an ancestor of itself.
    """
    ids = {record["name"]: record["id"] for record in table["records"]}
    above = all_ancestors(parents_of(ids, is_a, own))
    ours = set(ids.values())
    records = []
    for record in table["records"]:
        known = above.get(record["id"], frozenset()) & ours
        farther = frozenset().union(*(above[key] for key in known))
        fields = {name: value for name, value in record.items() if name != "parents"}
        records.append({**fields, "parents": sorted(known - farther)})
    return {**table, "records": records}
