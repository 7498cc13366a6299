"""``gym-clinic kb validate``: check the fact tables and prove their codes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gym_clinic.facts.check import Proof


def add_validate(doing: Any) -> None:
    """Declare the command."""
    parser = doing.add_parser(
        "validate",
        help="check the fact tables and prove their codes",
        description="Read every fact table, check that the tables fit together, and count what "
        "they hold. With RareBench's mappings, prove each HPO, OMIM and ORPHA id against its "
        "name there and keep the proof beside the tables; without them, check that the kept "
        "proof is one of these tables. Exit status 1 if a code is not proven.",
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help="the tables (default: the embedded)"
    )
    parser.add_argument(
        "--mappings",
        type=Path,
        metavar="DIR",
        help="folder of RareBench's phenotype_mapping.json and disease_mapping.json",
    )
    parser.set_defaults(run=run_validate)


def run_validate(args: argparse.Namespace) -> int:
    """Print what the tables hold, and what is wrong with their codes."""
    from gym_clinic.facts import load
    from gym_clinic.facts.check import report, stale, write_proof
    from gym_clinic.facts.load import default_folder

    folder = args.folder or default_folder()
    facts = load(folder)
    found = report(facts, args.mappings)
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
