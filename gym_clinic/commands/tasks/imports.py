"""``gym-clinic tasks import``: a published benchmark as a task folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gym_clinic.commands.options import read_options, repeating
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers import TASKS

SHARES = ("train=0.8", "dev=0.1", "test=0.1")
"""Shares of the splits, unless the caller gives others."""

app = typer.Typer()


@app.command(
    "import",
    cls=repeating("--share"),
    epilog="\b\nsources:\n"
    + "\n".join(
        f"  {name:{max(map(len, TASKS))}}  {one.makes} ({one.format})"
        for name, one in TASKS.items()
    )
    + "\n\n\b\nexamples:\n"
    "  gym-clinic tasks import clingen annotations.jsonl --out my-tasks --set articles=pmc-xml\n"
    "  gym-clinic tasks import medqa test.jsonl --out my-tasks --split test\n\n\b\n"
    "annotations of clingen, one object a line or an array (docs/clingen.md has all fields):\n"
    '  {"gene": "GENEX", "disease": "example ataxia", "panel": "Panel A",\n'
    '   "classification": "Moderate", "articles": [{"pmid": "1", "pmcid": "PMC1",\n'
    '   "evidence": [{"subtype": "Rescue in patient cells"}]}]}\n'
    'The articles are JATS XML, read with lxml: pip install "gym_clinic[import]"',
)
def import_benchmark(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="One of the sources below.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The file or folder as published.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The task folder to write.")],
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="The split of all tasks: train, dev or test.")
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPLIT=SHARE...", help=f"Share of each split; {' '.join(SHARES)} by default."
        ),
    ] = None,
    groups: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="JSON object: group -> its split. The groups of ClinGen are panels.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="An option of the importer, JSON or text."),
    ] = None,
) -> None:
    """Import a published benchmark as a task folder.

    Read a benchmark and write one JSON object a task, in files for train, dev and test. An error
    names a broken record by its place, and then nothing is written. Groups, such as the expert
    panels of ClinGen, are never divided between splits.
    """
    from gym_clinic.commands.importing import refused
    from gym_clinic.importers.formats.json import json_value
    from gym_clinic.importers.tasks import import_tasks

    if sum(option is not None for option in (split, share or None, groups)) > 1:
        raise ConfigError("--split, --share and --groups exclude each other; give one of them")
    splits: Any = split or read_options(share or SHARES)
    if groups is not None:
        splits = json_value(groups, "a JSON object, group -> split")
    try:
        done = import_tasks(source, path, out, splits, read_options(settings))
    except TaskError as error:
        name = "clingen tasks" if source == "clingen" else source
        raise refused(error, path, name, TASKS[source].makes) from None
    print(f"{out}: {', '.join(f'{name} {number:,}' for name, number in done.tasks.items())}")
    if done.duplicates:
        print(f"left out, because an equal task was before: {done.duplicates:,}")
    for field, values in done.shared.items():
        shown = ", ".join(f"{value:.80}" for value in values[:20])
        more = f" and {len(values) - 20:,} more" if len(values) > 20 else ""
        print(f"{field} in more than one split: {shown}{more}")
