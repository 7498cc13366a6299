"""``gym-clinic cases``: import diagnostic cases as playable tasks, and check what was imported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gym_clinic.commands.options import KeyVariable, OutFile, StrictFlag, read_options, repeating
from gym_clinic.errors import ConfigError
from gym_clinic.importers import CASES, FACTS

if TYPE_CHECKING:
    from gym_clinic.importers.cases.extraction import Extractor
    from gym_clinic.importers.cases.reported import ReportedCase
    from gym_clinic.importers.cases.taxonomy import Taxonomy

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of imported tasks.")]

NOTICE = "a simulation: for agents that are trained and measured, not for patient care; no advice"

app = typer.Typer()


@app.callback()
def cases() -> None:
    """Import diagnostic cases as tasks, and audit them.

    Make playable tasks of DxSearch of published cases or of your own, check them for leaks, and
    have a sample audited. A simulation, not for patient care, and no advice.
    """


@app.command(
    "import",
    cls=repeating("--share"),
    epilog="\b\nformats:\n"
    + "\n".join(f"  {name:{max(map(len, CASES))}}  {entry.makes}" for name, entry in CASES.items())
    + "\n\n\b\nexamples:\n"
    "  gym-clinic cases import own cases.csv --out my-cases --play rules\n"
    "  gym-clinic play clinic/DxSearch-v0 --set folder=my-cases --policy rules --split test",
)
def import_format(
    format: Annotated[str, typer.Argument(metavar="FORMAT", help="One of the formats below.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The file or folder as published.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The task folder; new or empty.")],
    split: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The split of all tasks: train, dev or test (default)."),
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(metavar="SPLIT=SHARE...", help="Share of each split: train=0.75 test=0.25."),
    ] = None,
    records: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Share of each disease's cases for the database."),
    ] = 0.29,
    near: Annotated[
        float,
        typer.Option(metavar="S", help="Similarity from which a patient is not shown in a case."),
    ] = 0.95,
    orphanet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Orphanet's product 1 (XML), for names and ORPHA codes."),
    ] = None,
    hpo: Annotated[
        Path | None, typer.Option(metavar="FILE", help="hp.obo or hp.json, for further terms.")
    ] = None,
    icd10cm: Annotated[
        Path | None, typer.Option(metavar="FILE", help="ICD-10-CM order file, for its codes.")
    ] = None,
    embedder: Annotated[
        str,
        typer.Option(metavar="NAME", help="Compares names of diseases and findings; see kb embed."),
    ] = "hashed-ngrams",
    url: Annotated[
        str | None, typer.Option(metavar="URL", help="Chat server that screens and reads texts.")
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Its model.")] = None,
    api_key_env: KeyVariable = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="An option of the reader, JSON or text."),
    ] = None,
    played: Annotated[
        list[str] | None,
        typer.Option(
            "--env", metavar="KEY=VALUE", help="An argument of the environment of the proof."
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option("--play", metavar="NAME", help="Then watch this policy play a case."),
    ] = None,
    strict: StrictFlag = False,
) -> None:
    """Import cases as tasks of DxSearch that are proved.

    Class cases as common or rare, screen and read their texts, name findings and diseases by their
    terms, send what fails a quality rule to the records that are matched beside the tasks, and keep
    the tasks in which the best plan earns the maximum of every stage. A broken record is reported
    and skipped; with --strict it stops the import. Where no task can be made, nothing is written.
    """
    from gym_clinic.commands.importing import Import
    from gym_clinic.commands.terminal import visible
    from gym_clinic.files import check_output
    from gym_clinic.importers.cases import import_cases
    from gym_clinic.names import call_with_options, import_named, suggest

    if format not in CASES:
        raise ConfigError(f"no format of cases {format!r}; {suggest(format, CASES)}")
    if split is not None and share:
        raise ConfigError("--split and --share exclude each other; give one of them")
    check_output(out, path)
    source = CASES[format]
    # The conditions of DDXPlus have the format "ddxplus" in 'gym-clinic kb import'.
    named = f"{format} patients" if format in FACTS else format
    done = Import(path, named, source.makes, strict=strict)
    read = import_named(source.reader, "importer")
    reported: Iterator[ReportedCase] = call_with_options(
        read, read_options(settings), f"format {format!r}", path, done.broken, done.left_out
    )
    taxonomy = _taxonomy(orphanet, hpo, icd10cm, embedder)
    splits: Any = split or (read_options(share) if share else "test")
    made = import_cases(
        done.records(reported), out, taxonomy, _extractor(url, model, api_key_env, taxonomy),
        raw=source.raw, left_out=done.left_out, splits=splits, records_share=records, near=near,
        options=read_options(played), origin={"format": format, "file": path.name,
                                              "embedder": embedder, "model": model or ""},
    )  # fmt: skip
    listed = ", ".join(f"{name} {number:,}" for name, number in made.tasks.items())
    print(visible(f"{out}: {listed} tasks of {made.diseases:,} diseases ({made.common:,} common, "
                  f"{made.rare:,} rare), {made.records:,} records"))  # fmt: skip
    print("proved: in each the best plan earns the maximum of every stage")
    done.report()
    print(NOTICE)
    if policy is not None:
        from gym_clinic.commands.play import play_episode

        # JSON, so that a folder called 7 stays a text.
        settings = [f"folder={json.dumps(str(out))}", *(played or ())]
        play_episode("clinic/DxSearch-v0", policy, next(iter(made.tasks)), settings=settings)


def _taxonomy(
    orphanet: Path | None, hpo: Path | None, icd10cm: Path | None, embedder: str
) -> Taxonomy:
    from gym_clinic.facts import load
    from gym_clinic.importers.cases.taxonomy import Taxonomy
    from gym_clinic.importers.facts.hpo import read_names
    from gym_clinic.importers.facts.icd10cm import read_icd10cm
    from gym_clinic.retrieval import open_embedder

    listed: list[Any] = []
    if orphanet is not None:
        from gym_clinic.importers.facts.orphanet import read_names as read_diseases

        listed = list(read_diseases(orphanet))
    terms = read_names(hpo) if hpo is not None else {}
    titles = {row.code: row.title for row in read_icd10cm(icd10cm)} if icd10cm is not None else {}
    return Taxonomy(load(), listed, terms, titles, embedder=open_embedder(embedder))


def _extractor(
    url: str | None, model: str | None, api_key_env: str | None, taxonomy: Taxonomy
) -> Extractor:
    from gym_clinic.importers.cases.extraction import ChatTexts, LinkedTexts

    if url is None and model is None:
        return LinkedTexts(taxonomy)
    if url is None or model is None:
        raise ConfigError("a chat model needs both --url and --model; give both or neither")
    from gym_clinic.consult import Chat, ChatClient

    return ChatTexts(Chat(ChatClient(url, model, api_key_env=api_key_env)))


@app.command(epilog="example: gym-clinic cases audit my-cases --out sheet.csv")
def audit(
    folder: Folder,
    out: OutFile,
    sample: Annotated[
        int, typer.Option(metavar="N", min=1, help="Cases of each source and class.")
    ] = 25,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides which cases are drawn.")] = 0,
) -> None:
    """Write the audit sheet of a stratified sample.

    The columns are those of table 3 of the paper. Each of three reviewers fills a copy: yes or no,
    and counts. 'gym-clinic cases agreement' reads the copies.
    """
    from gym_clinic.files import replace_file
    from gym_clinic.importers.cases.leaks import splits_of
    from gym_clinic.importers.cases.sheet import draw_sheet

    tasks = [task for listed in splits_of(folder).values() for task in listed]
    sheet = draw_sheet(tasks, sample, seed)
    replace_file(out, [sheet])
    print(f"{out}: a sample of {len(tasks):,} cases; {NOTICE}")


@app.command(epilog="example: gym-clinic cases agreement first.csv second.csv third.csv")
def agreement(
    sheets: Annotated[
        list[Path], typer.Argument(metavar="SHEET", help="A filled copy of one audit sheet each.")
    ],
) -> None:
    """Print the quality and the agreement of filled audit sheets.

    The quality is that of table 3, for each stratum, by the median of the reviewers; the agreement
    is Krippendorff's alpha.
    """
    from gym_clinic.importers.cases import sheet

    if len(sheets) < 2:
        raise ConfigError("agreement is of two reviewers or more; give a sheet of each")
    filled = [sheet.read_sheet(path) for path in sheets]
    judged = sheet.panel(filled)
    for stratum in sorted({review.stratum for review in judged}):
        print(stratum)
        measures = sheet.quality([review for review in judged if review.stratum == stratum])
        for name, (count, total) in measures.items():
            print(f"  {name:28} {f'{count}/{total} ({count / total:.1%})' if total else '-'}")
    print(f"agreement of {len(sheets)} reviewers (Krippendorff's alpha)")
    for column, value in sheet.agreement(filled).items():
        print(f"  {column:28} {'all values are the same' if value is None else f'{value:.2f}'}")


@app.command(epilog="example: gym-clinic cases leaks my-cases")
def leaks(
    folder: Folder,
    patients: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="'embedded' or a database instead of its records."),
    ] = None,
) -> int:
    """Check the database against the cases, and the splits against one another.

    For each threshold of extended data table 1: the share of the records that stays for a case,
    the cases that have a near-duplicate, and those in which it could be shown. Exit status 1 if a
    near-duplicate of .95 can be shown, or two splits share a case.
    """
    from gym_clinic.importers.cases.leaks import nearness, repeated

    print("threshold  records kept  cases with one  could be shown")
    found = nearness(folder, patients)
    for row in found:
        print(f"{row.threshold:9.2f}  {row.kept:12.1%}  {row.cases:14,}  {row.shown:14,}")
    pairs = repeated(folder)
    for first, second in pairs:
        print(f"in two splits: {first} and {second}")
    return int(bool(found[0].shown or pairs))
