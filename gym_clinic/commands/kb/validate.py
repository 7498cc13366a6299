"""``gym-clinic kb validate``: check the fact tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gym_clinic.facts import Disease, Phenotype


app = typer.Typer()


@app.command()
def validate(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="The tables; the embedded by default.")
    ] = None,
) -> int:
    """Check the fact tables.

    Read every fact table, check that the tables fit together, and count what they hold. A mistake
    is named by file, record and field.
    """
    from gym_clinic.facts import load
    from gym_clinic.facts.tables import default_folder

    folder = folder or default_folder()
    facts = load(folder)
    found = {field.name: getattr(facts, field.name) for field in fields(facts)}
    tables = {name: table for name, table in found.items() if isinstance(table, Mapping)}
    print(f"{folder}: " + ", ".join(f"{name} {len(table):,}" for name, table in tables.items()))
    features = [has for one in facts.diseases.values() for has in one.phenotypes]
    bases = Counter(has.frequency.basis for has in features)
    absent = sum(has.frequency.absent for has in features)
    counts = ", ".join(f"{bases[basis]:,} {basis}" for basis in ("sourced", "authored", "unknown"))
    print(f"frequencies: {counts}; {absent:,} of these features are absent ones")
    for name, ids in shared_synonyms(facts.diseases.values()).items():
        print(f"  diseases: {name!r} is a synonym of {', '.join(ids)}")
    for name, ids in shared_synonyms(facts.phenotypes.values()).items():
        print(f"  phenotypes: {name!r} is a synonym of {', '.join(ids)}")
    return 0


def shared_synonyms(records: Iterable[Disease | Phenotype]) -> dict[str, tuple[str, ...]]:
    """Return the synonyms of several records, in small letters, with the ids of the records."""
    owners: dict[str, list[str]] = {}
    for one in records:
        for name in dict.fromkeys(synonym.casefold() for synonym in one.synonyms):
            owners.setdefault(name, []).append(one.id)
    return {name: tuple(ids) for name, ids in sorted(owners.items()) if len(ids) > 1}
