"""``gym-clinic kb patients``: import or simulate patient cases, and find those like a patient."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gym_clinic.commands.terminal import visible
from gym_clinic.files import check_output
from gym_clinic.names import at_least_one

if TYPE_CHECKING:
    from gym_clinic.retrieval.patients.matcher import PatientCase

EMBEDDER = "hashed-ngrams"


def add_patients(commands: Any) -> None:
    """Declare the commands.

    Args:
        commands: The subparsers of ``gym-clinic kb``.
    """
    parser = commands.add_parser(
        "patients",
        help="import, simulate and match patient cases",
        description="Patient cases: import those of others, simulate some, find those like one.",
    )
    doing = parser.add_subparsers(dest="patients_command", required=True, metavar="WHAT")
    _add_import(doing)
    simulate = doing.add_parser(
        "simulate",
        help="simulate patients from the fact tables",
        description="Simulate patients from the disease profiles of the fact tables; the same "
        "seed gives the same patients.",
    )
    simulate.add_argument("--count", type=int, default=5_000, help="patients (default: 5000)")
    simulate.add_argument("--seed", type=int, default=0)
    simulate.add_argument(
        "--facts", type=Path, metavar="FOLDER", help="fact tables (default: the embedded ones)"
    )
    simulate.add_argument(
        "--keep-out",
        type=Path,
        metavar="CASES",
        help=".jsonl of patients to keep out, with their near-duplicates, besides those of the "
        "evaluation tasks",
    )
    simulate.add_argument("--out", required=True, type=Path, metavar="FILE", help=".jsonl to write")
    simulate.set_defaults(run=run_simulate)
    match = doing.add_parser(
        "match",
        help="find the cases most like a patient",
        description="Print the cases whose phenotypes are nearest to those given, the best first.",
        epilog="example: gym-clinic kb patients match 'Ectopia lentis' 'Arachnodactyly'",
    )
    match.add_argument("phenotypes", nargs="+", metavar="PHENOTYPE", help="what the patient has")
    match.add_argument(
        "--cases",
        type=Path,
        metavar="CASES",
        help=".jsonl of cases (default: the embedded simulated patients)",
    )
    match.add_argument("--limit", type=int, default=20, help="cases at most (default: 20)")
    match.add_argument(
        "--embedder",
        default=EMBEDDER,
        metavar="NAME",
        help="what compares phenotypes, as in 'kb embed' (default: %(default)s, which goes by "
        "spelling alone)",
    )
    match.add_argument("--json", action="store_true", help="print JSON, one object a line")
    match.set_defaults(run=run_match)


def _add_import(doing: Any) -> None:
    importers = doing.add_parser(
        "import",
        help="patient cases of others -> cases, one JSON object a line",
        description="Convert patient cases of others to JSON Lines. A broken record is named, and "
        "then nothing is written.",
    ).add_subparsers(dest="source", required=True, metavar="SOURCE")
    packets = importers.add_parser("phenopackets", help="GA4GH phenopackets: file, folder or zip")
    rare = importers.add_parser("rarebench", help="RareBench cases with its mappings")
    pmc = importers.add_parser(
        "pmc-patients", help="PMC-Patients; phenotypes are what a linker finds in the text"
    )
    for one in (packets, rare, pmc):
        one.add_argument("path", type=Path, metavar="SRC", help="as published")
    rare.add_argument("mappings", type=Path, metavar="FOLDER", help="folder of its mappings")
    pmc.add_argument(
        "--graph", type=Path, metavar="FILE", help="graph of symptoms (default: that of the facts)"
    )
    for one in (packets, rare, pmc):
        one.add_argument("--out", required=True, type=Path, metavar="FILE", help=".jsonl to write")
        one.set_defaults(run=run_import)


def run_import(args: argparse.Namespace) -> int:
    """Import cases, and say how many."""
    from gym_clinic.importers.patients.cases import write_cases

    check_output(args.out, args.path)
    # Checked before anything is written: a case without phenotypes cannot be matched.
    found = list(_imported(args))
    kept = [case for case in found if case.phenotypes]
    print(visible(f"{args.out}: {write_cases(kept, args.out):,} cases"))
    if len(kept) < len(found):
        print(f"{len(found) - len(kept):,} without a phenotype were left out")
    return 0


def _imported(args: argparse.Namespace) -> Iterable[PatientCase]:
    if args.source == "phenopackets":
        from gym_clinic.importers.patients.phenopackets import read_phenopackets

        return read_phenopackets(args.path)
    if args.source == "rarebench":
        from gym_clinic.importers.patients.rarebench import read_rarebench

        return read_rarebench(args.path, args.mappings)
    from gym_clinic.commands.kb.graph import open_graph
    from gym_clinic.importers.patients.pmc_patients import read_pmc_patients
    from gym_clinic.retrieval.graph.linking import SymptomLinker

    linker = SymptomLinker(open_graph(args.graph))
    return (one.case for one in read_pmc_patients(args.path, linker))


def run_simulate(args: argparse.Namespace) -> int:
    """Simulate patients, and say how many."""
    from gym_clinic.facts import load
    from gym_clinic.importers.patients.cases import read_cases, write_cases
    from gym_clinic.retrieval.patients.matcher import as_case
    from gym_clinic.simulate.patients import evaluation_patients, simulate_patients

    check_output(args.out, args.keep_out)
    asked = read_cases(args.keep_out) if args.keep_out else ()
    keep_out = [*evaluation_patients(), *asked]
    patients = simulate_patients(load(args.facts), args.count, args.seed, keep_out=keep_out)
    written = write_cases(map(as_case, patients), args.out)
    print(visible(f"{args.out}: {written:,} simulated patients, seed {args.seed}"))
    return 0


def run_match(args: argparse.Namespace) -> int:
    """Print the cases most like a patient."""
    from gym_clinic.importers.patients.cases import read_cases
    from gym_clinic.retrieval.dense.opening import open_embedder
    from gym_clinic.retrieval.patients.matcher import PatientMatcher
    from gym_clinic.simulate.patients import embedded_patients

    at_least_one("--limit", args.limit)
    cases = embedded_patients() if args.cases is None else read_cases(args.cases)
    matcher = PatientMatcher(cases, open_embedder(args.embedder))
    for case, score in matcher.match(args.phenotypes, args.limit):
        row = json.dumps({"score": round(score, 4), **asdict(case)}, ensure_ascii=False)
        has = ", ".join(case.phenotypes)
        print(visible(row if args.json else f"{score:.3f}  {case.id}  {case.diagnosis}: {has}"))
    return 0
