"""``gym-clinic tasks import``: published records as tasks or as the curations behind them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from gym_clinic.commands.options import read_options, repeating
from gym_clinic.errors import ConfigError

SHARES = ("train=0.8", "dev=0.1", "test=0.1")
"""Shares of the splits of imported articles, unless the caller says otherwise."""

app = typer.Typer()


@app.callback()
def imports() -> None:
    """Import published records."""


@app.command("clingen-csv")
def import_clingen_csv(
    source: Annotated[str, typer.Argument(metavar="SRC", help="The CSV file as downloaded.")],
    target: Annotated[str, typer.Argument(metavar="DST", help="The .jsonl file to write.")],
) -> None:
    """Import ClinGen's gene-disease validity download: one curation a line.

    Read ClinGen's gene-disease validity download. An error names a broken row by line and column,
    and then nothing is written.
    """
    from gym_clinic.importers.facts.clingen import write_curations

    print(f"{target}: {write_curations(source, target):,} curations")


@app.command("clingen-articles", cls=repeating("--share"))
def import_clingen_articles(
    annotations: Annotated[str, typer.Argument(metavar="ANNOTATIONS", help="The annotation file.")],
    articles: Annotated[
        str, typer.Argument(metavar="ARTICLES_DIR", help="Folder of the XML files.")
    ],
    target: Annotated[str, typer.Argument(metavar="DST", help="The task folder to write.")],
    share: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPLIT=SHARE...", help=f"Share of each split; {' '.join(SHARES)} by default."
        ),
    ] = None,
    panels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON object: panel -> its split; excludes --share."),
    ] = None,
) -> None:
    """Import evidence annotations and JATS full texts: a task folder.

    Make tasks from evidence annotations (JSON) and article full texts (JATS XML as PubMed Central
    serves it). Whole panels go to one split.
    """
    from gym_clinic.importers.tasks.clingen import build_tasks

    if share and panels:
        raise ConfigError("--share and --panels exclude each other; give one of them")
    split_of = read_options(share or SHARES) if panels is None else _read_panels(panels)
    built = build_tasks(annotations, articles, target, split_of)
    sizes = ", ".join(f"{split} {number:,}" for split, number in built.tasks.items())
    print(f"{target}: {sizes}")
    for what, shared in (("genes", built.shared_genes), ("articles", built.shared_articles)):
        if shared:
            print(f"{what} in more than one split: {', '.join(shared)}")


def _read_panels(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: expected a JSON object, panel -> split: {error}") from None
    if not isinstance(found, dict):
        raise ConfigError(f"{path}: expected a JSON object, panel -> split")
    return found
