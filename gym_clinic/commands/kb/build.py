"""``gym-clinic kb build``: a knowledge base from files of passages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from gym_clinic.commands.kb.base_argument import EMBEDDED
from gym_clinic.commands.kb.info import print_manifest
from gym_clinic.errors import ConfigError, TaskError

app = typer.Typer()


def _labels(flag: str) -> Any:
    """Return the option that labels the passages of a collection."""
    return typer.Option(
        f"--{flag}",
        metavar="NAME=TEXT",
        help=f"The {flag} of a collection's passages, for records that give none.",
    )


@app.command(
    "build",
    epilog="example: gym-clinic kb build textbooks.jsonl pubmed=baseline/ --licence "
    "pubmed='NLM terms' --out clinic.db",
)
def build_base(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            help="A file or folder, or NAME=PATH, where NAME is that of the collection.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The base to write.")],
    source_format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Format of all sources; auto recognises that of each file.",
        ),
    ] = "auto",
    engine: Annotated[
        Literal["auto", "fts5", "tantivy"],
        typer.Option(help="auto takes fts5 below 50,000 passages, else tantivy."),
    ] = "auto",
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at a broken record instead of skipping it.")
    ] = False,
    category: Annotated[list[str] | None, _labels("category")] = None,
    licence: Annotated[list[str] | None, _labels("licence")] = None,
) -> None:
    """Build a base from files of passages.

    Read passages from files and folders and build a base. A build that was stopped goes on if it
    is started again; the old base stays until the new one is whole. Formats: jsonl ({id, title,
    content} a line, as MedRAG and MedCPT chunks have it), PubMed baseline XML, JATS articles,
    Wikipedia dumps, plain text; also packed.
    """
    if out == EMBEDDED:
        raise ConfigError(f"'{EMBEDDED}' names the base that ships; name another file to write")
    from gym_clinic.commands.importing import refused
    from gym_clinic.commands.kb.progress import BuildProgress
    from gym_clinic.importers.passages import find_sources
    from gym_clinic.retrieval.passages.build import build_base

    names, paths = {}, []
    for given in sources:
        name, path = _named(given)
        paths.append(path)
        if name:
            names[path] = name
    found = find_sources(
        paths,
        format=source_format,
        names=names,
        categories=_texts(category, "--category"),
        licences=_texts(licence, "--licence"),
    )
    with BuildProgress(len(found)) as shown:
        try:
            build_base(found, out, engine=engine, strict=strict, listener=shown)
        except TaskError as error:
            kinds = "passages (JSON Lines, PubMed, JATS, Wikipedia, plain text)"
            raise refused(error, Path(found[0].name), "kb build", kinds) from None
        except KeyboardInterrupt:
            raise KeyboardInterrupt("stopped; the same command goes on from here") from None
    print_manifest(out)


def _named(given: str) -> tuple[str, Path]:
    name, equals, path = given.partition("=")
    if not equals or Path(given).exists():
        return "", Path(given)
    if not name or not path:
        raise ConfigError(f"a source is PATH or NAME=PATH, not {given!r}")
    return name, Path(path)


def _texts(pairs: Sequence[str] | None, flag: str) -> dict[str, str]:
    found = {}
    for pair in pairs or ():
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ConfigError(f"{flag} is written NAME=TEXT, not {pair!r}")
        found[name] = text
    return found
