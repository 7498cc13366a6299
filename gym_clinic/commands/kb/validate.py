"""``gym-clinic kb validate``: check the fact tables and prove their codes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gym_clinic.facts.check import Proof


app = typer.Typer()


@app.command()
def validate(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="The tables; the embedded by default.")
    ] = None,
    mappings: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of RareBench's phenotype_mapping.json and disease_mapping.json.",
        ),
    ] = None,
) -> int:
    """Check the fact tables and prove their codes.

    Read every fact table, check that the tables fit together, and count what they hold. With
    RareBench's mappings, prove each HPO, OMIM and ORPHA id against its name there and keep the
    proof beside the tables; without them, check that the kept proof is one of these tables. Exit
    status 1 if a code is not proven.
    """
    from gym_clinic.facts import load
    from gym_clinic.facts.check import report, stale, write_proof
    from gym_clinic.facts.load import default_folder

    folder = folder or default_folder()
    facts = load(folder)
    found = report(facts, mappings)
    print(f"{folder}: " + ", ".join(f"{table} {n:,}" for table, n in found.records.items()))
    bases = ", ".join(f"{n:,} {basis}" for basis, n in found.frequencies.items())
    print(f"frequencies: {bases}; {found.absent:,} of these features are absent ones")
    for table, names in found.shared.items():
        for name, ids in names.items():
            print(f"  {table}: {name!r} is a synonym of {', '.join(ids)}")
    if found.proof is not None:
        return _tell(found.proof, write_proof(folder, found.proof))
    print("codes: not proven again, for no mappings were given (--mappings)")
    problem = stale(facts, folder)
    print(f"codes: {problem}" if problem else "codes: the kept proof is one of these tables")
    return int(problem is not None)


def _tell(proof: Proof, file: Path) -> int:
    proven = ", ".join(f"{kind} {n:,}" for kind, n in proof.proven.items())
    without = ", ".join(f"{kind} {n:,}" for kind, n in proof.unproven.items())
    print(f"codes: proven {proven}; without a mapping {without}; written to {file}")
    for one in proof.disagreements:
        theirs = "is unknown there" if one.theirs is None else f"is {one.theirs!r} there"
        print(f"  {one.table} {one.id}: {one.code} {theirs}, here {' / '.join(one.ours)}")
    if proof.disagreements:
        print(f"codes: {len(proof.disagreements):,} disagreements")
    return int(bool(proof.disagreements))
