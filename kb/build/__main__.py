"""Check and renew the fact tables.

    python -m kb.build                                write every table in its layout
    python -m kb.build --mappings DIR                 and prove its ids against published names
    python -m kb.build --mappings DIR --hpoa FILE     and take ids and frequencies anew
    python -m kb.build --drugs FILE                   take a reference table of drugs anew (YAML)
    python -m kb.build --instruments FILE             take a reference table of scores anew (YAML)
    python -m kb.build --is-a FILE                    and take the parents of findings anew
    python -m kb.build --hpo FILE                     and take the HPO's synonyms anew (OBO)
    python -m kb.build --check ...                    write nothing; report what would change

The same files give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import load
from gym_clinic.facts.tables import table_files
from gym_clinic.facts.typed_json import read_object
from gym_clinic.files import replace_files
from kb.build.annotated import JUDGED
from kb.build.drug_reference import read_reference, take_drugs
from kb.build.instrument_reference import take_instruments
from kb.build.layout import lay_out
from kb.build.parents import with_parents
from kb.build.proof import PROOF, check_proof, prove
from kb.build.published import renewed
from kb.build.synonyms import with_synonyms

FACTS = PROOF.parent.parent / "facts"


def build(
    folder: Path,
    proof: Path,
    mappings: Path | None = None,
    hpoa: Path | None = None,
    drugs: Path | None = None,
    instruments: Path | None = None,
    is_a: Path | None = None,
    judged: Path = JUDGED,
    hpo: Path | None = None,
) -> dict[Path, bytes]:
    """Return the files as they should be.

    Args:
        folder: The fact tables.
        proof: The proof of their ids.
        mappings: Folder of RareBench's mappings; without it the kept proof must hold.
        hpoa: HPO annotations; without it ids and stated frequencies stay as they are.
        drugs: A reference table of drugs; without it the tables of drugs stay as they are.
        instruments: A reference table of scores; without it the declarations stay as they are.
        is_a: The is-a of the HPO; without it the parents of findings stay as they are.
        judged: What the authors judged of the annotations.
        hpo: The HPO with its synonyms; without it these stay as they are.

    Raises:
        ConfigError: If a file cannot be read.
        TaskError: If a table is broken, or an id is not proven.
    """
    if is_a is None:  # else a parent that is no longer in the table is mended below
        load(folder)
    tables = {file: read_object(file) for file in table_files(folder)}
    if is_a is not None:
        phenotypes = folder / "phenotypes.json"
        tables[phenotypes] = with_parents(tables[phenotypes], is_a)
    if mappings is not None and hpoa is not None:
        tables |= renewed(folder, mappings, hpoa, judged)
    if drugs is not None:
        tables |= take_drugs(folder, tables, read_reference(drugs))
    if instruments is not None:
        tables |= take_instruments(folder, tables, read_reference(instruments))
    if hpo is not None:
        tables = with_synonyms(folder, tables, hpo)
    files = {file: lay_out(file, table) for file, table in tables.items()}
    with tempfile.TemporaryDirectory() as scratch:
        copies = {Path(scratch) / file.relative_to(folder): data for file, data in files.items()}
        replace_files({copy: [data] for copy, data in copies.items()})
        facts = load(scratch)
        if mappings is None:
            check_proof(facts, proof)
        else:
            files[proof] = prove(facts, mappings)
    return files


def changed(files: Mapping[Path, bytes]) -> list[Path]:
    """Return which files are missing or hold something else."""
    return [file for file, data in files.items() if not file.is_file() or file.read_bytes() != data]


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(
        prog="python -m kb.build",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--mappings", type=Path, metavar="DIR", help="RareBench's mappings")
    parser.add_argument("--hpoa", type=Path, metavar="FILE", help="HPO annotations")
    parser.add_argument("--drugs", type=Path, metavar="FILE", help="reference table of drugs")
    parser.add_argument("--instruments", type=Path, metavar="FILE", help="and of scores")
    parser.add_argument("--is-a", type=Path, metavar="FILE", help="is-a of the HPO, a table")
    parser.add_argument("--hpo", type=Path, metavar="FILE", help="the HPO, in the OBO format")
    parser.add_argument("--judged", type=Path, default=JUDGED, help="judgements of annotations")
    parser.add_argument("--folder", type=Path, default=FACTS, help="the tables")
    parser.add_argument("--proof", type=Path, default=PROOF, help="the proof of their ids")
    args = parser.parse_args(arguments)
    if args.hpoa and not args.mappings:
        parser.error("--hpoa needs --mappings")
    try:
        sources = (args.mappings, args.hpoa, args.drugs, args.instruments)
        files = build(args.folder, args.proof, *sources, args.is_a, args.judged, args.hpo)
        other = changed(files)
        if not args.check:
            replace_files({file: [files[file]] for file in other})
        for file in other:
            print(f"{file} {'differs' if args.check else 'written'}")
    except (ConfigError, TaskError) as error:
        sys.exit(f"kb.build: {error}")
    print("nothing to change" if not other else f"{len(other)} of {len(files)} files")
    return int(args.check and bool(other))


if __name__ == "__main__":
    sys.exit(main())
