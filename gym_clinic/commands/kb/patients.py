"""``gym-clinic kb patients``: import or simulate patient cases, and find those like a patient."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gym_clinic.commands.kb.graph import GraphFile, open_graph
from gym_clinic.commands.options import AsJson, OutFile, StrictFlag

if TYPE_CHECKING:
    from gym_clinic.commands.importing import Import
    from gym_clinic.retrieval import PatientCase

SourcePath = Annotated[Path, typer.Argument(metavar="SRC", help="The file or folder as published.")]

app = typer.Typer()
imports = typer.Typer()
app.add_typer(imports, name="import")


@app.callback()
def patients() -> None:
    """Import, simulate and match patient cases."""


@imports.callback()
def import_cases() -> None:
    """Import published patient cases, one JSON object a line.

    Convert published patient cases to JSON Lines. A broken record is reported and skipped; with
    --strict it stops the import. Where it stops, or no case can be used, nothing is written and
    the old file stays. What is not kept of a case is counted by its reason.
    """


@imports.command("phenopackets")
def import_phenopackets(path: SourcePath, out: OutFile, strict: StrictFlag = False) -> None:
    """Import GA4GH phenopackets: a file, a folder, a zip file or a tar file."""
    from gym_clinic.importers.patients.phenopackets import read_phenopackets

    def read(done: Import) -> Iterator[PatientCase]:
        return read_phenopackets(path, done.broken, done.left_out)

    _check_and_write(read, path, out, strict, "phenopackets", "GA4GH phenopackets (JSON)")


@imports.command("rarebench")
def import_rarebench(
    path: SourcePath,
    mappings: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of its mappings.")],
    out: OutFile,
    strict: StrictFlag = False,
) -> None:
    """Import RareBench cases with its mappings."""
    from gym_clinic.importers.patients.rarebench import read_rarebench

    def read(done: Import) -> Iterator[PatientCase]:
        return read_rarebench(path, mappings, done.broken)

    _check_and_write(read, path, out, strict, "rarebench", "cases of RareBench (JSON Lines)")


@imports.command("pmc-patients")
def import_pmc_patients(
    path: SourcePath, out: OutFile, graph_file: GraphFile = None, strict: StrictFlag = False
) -> None:
    """Import PMC-Patients; the phenotypes are those that a linker finds in the text."""
    from gym_clinic.embedded import linker_of
    from gym_clinic.importers.patients.pmc_patients import read_pmc_patients

    linker = linker_of(open_graph(graph_file))

    def read(done: Import) -> Iterator[PatientCase]:
        return (
            patient.case for patient in read_pmc_patients(path, linker, done.broken, done.left_out)
        )

    _check_and_write(read, path, out, strict, "pmc-patients", "PMC-Patients (JSON or CSV)")


def _check_and_write(
    read: Callable[[Import], Iterator[PatientCase]],
    path: Path,
    out: Path,
    strict: bool,
    format: str,
    expected: str,
) -> None:
    from gym_clinic.commands.importing import Import
    from gym_clinic.commands.terminal import visible
    from gym_clinic.files import check_output
    from gym_clinic.importers.patients.cases import write_cases

    check_output(out, path)
    done = Import(path, format, expected, strict=strict)

    def matchable() -> Iterator[PatientCase]:
        for case in read(done):
            if case.phenotypes:
                yield case
            else:
                done.left_out("without a phenotype were left out")

    print(visible(f"{out}: {write_cases(done.records(matchable()), out):,} cases"))
    done.report()


@app.command()
def simulate(
    out: OutFile,
    count: Annotated[int, typer.Option(metavar="N", help="Number of patients.")] = 5_000,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the simulation.")] = 0,
    facts: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Fact tables; the embedded by default."),
    ] = None,
    keep_out: Annotated[
        Path | None,
        typer.Option(
            metavar="CASES",
            help="A .jsonl file of patients to keep out, with their near-duplicates, besides "
            "those of the evaluation tasks.",
        ),
    ] = None,
) -> None:
    """Simulate patients from the fact tables.

    Simulate patients from the disease profiles of the fact tables; the same seed gives the same
    patients.
    """
    from gym_clinic.commands.terminal import visible
    from gym_clinic.facts import load
    from gym_clinic.files import check_output
    from gym_clinic.importers.patients.cases import read_cases, write_cases
    from gym_clinic.retrieval import as_case
    from gym_clinic.simulate.patients import evaluation_patients, simulate_patients

    check_output(out, keep_out)
    excluded = [*evaluation_patients(), *(read_cases(keep_out) if keep_out else ())]
    simulated = simulate_patients(load(facts), count, seed, keep_out=excluded)
    written = write_cases(map(as_case, simulated), out)
    print(visible(f"{out}: {written:,} simulated patients, seed {seed}"))


@app.command(epilog="example: gym-clinic kb patients match 'Ectopia lentis' 'Arachnodactyly'")
def match(
    phenotypes: Annotated[
        list[str], typer.Argument(metavar="PHENOTYPE", help="The patient's phenotypes.")
    ],
    cases: Annotated[
        Path | None,
        typer.Option(
            metavar="CASES",
            help="A .jsonl file of cases; by default the embedded simulated patients.",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Cases at most.")] = 20,
    embedder: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The embedder that compares phenotypes, as in 'kb embed'; hashed-ngrams "
            "compares their spelling only.",
        ),
    ] = "hashed-ngrams",
    as_json: AsJson = False,
) -> None:
    """Find the cases most like a patient.

    Print the cases whose phenotypes are nearest to the given ones, the best first.
    """
    from gym_clinic.commands.terminal import visible
    from gym_clinic.importers.patients.cases import read_cases
    from gym_clinic.names import at_least_one
    from gym_clinic.retrieval import PatientMatcher, open_embedder
    from gym_clinic.simulate.patients import embedded_patients

    at_least_one("--limit", limit)
    known = embedded_patients() if cases is None else read_cases(cases)
    matcher = PatientMatcher(known, open_embedder(embedder))
    for found in matcher.match(phenotypes, limit):
        case, score = found.record, found.score
        fields = {"score": round(score, 4), "how": found.how, **asdict(case)}
        row = json.dumps(fields, ensure_ascii=False)
        line = f"{score:.3f}  {case.id}  {case.diagnosis}: {', '.join(case.phenotypes)}"
        print(visible(row if as_json else line))
