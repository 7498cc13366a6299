"""``gym-clinic kb``: build knowledge bases, search them, and say what is in them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from gym_clinic.commands.kb.base import EMBEDDED, add_base, open_base
from gym_clinic.commands.kb.embed import add_embed
from gym_clinic.commands.kb.graph import add_graph
from gym_clinic.commands.kb.imports import add_import
from gym_clinic.commands.kb.patients import add_patients
from gym_clinic.commands.kb.serve import add_serve
from gym_clinic.commands.kb.validate import add_validate
from gym_clinic.commands.terminal import console, visible
from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.passages.build import ENGINES, Listener
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

_NAMED = 20
"""Broken records that are named one by one; of the others the number is told."""


def add(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser(
        "kb",
        help="build, search and serve knowledge; check and import facts",
        description="Knowledge: bases of passages, the tables of facts, the graph of symptoms.",
    )
    doing = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    _add_build(doing)
    search = doing.add_parser(
        "search",
        help="find passages",
        description="Print the passages that answer a query best.",
        epilog="example: gym-clinic kb search clinic.db 'chest pain AND \"heart failure\"'",
    )
    add_base(search)
    search.add_argument("query", nargs="+", metavar="WORD", help="any text")
    search.add_argument("--limit", type=int, default=10, help="passages at most (default: 10)")
    search.add_argument("--source", help="passages of this collection only")
    search.add_argument(
        "--operator", choices=("or", "and"), default="or", help="what joins words (default: or)"
    )
    search.set_defaults(run=run_search)
    info = doing.add_parser(
        "info", help="say what is in a base", description="Print the manifest of a base."
    )
    add_base(info)
    info.set_defaults(run=run_info)
    for more in (add_embed, add_serve, add_validate, add_import, add_patients, add_graph):
        more(doing)


def _add_build(doing: Any) -> None:
    build = doing.add_parser(
        "build",
        help="build a base from files of passages",
        description="Read passages from files and folders and build a base. A build that was "
        "stopped goes on if it is started again; the old base stays until the new one is whole. "
        "Formats: jsonl ({id, title, content} a line, as MedRAG and MedCPT chunks have it), "
        "PubMed baseline XML, JATS articles, Wikipedia dumps, plain text; also .gz and .bz2.",
        epilog="example: gym-clinic kb build textbooks.jsonl pubmed=baseline/ --licence "
        "pubmed='NLM terms' --out clinic.db",
    )
    build.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="a file or folder, or NAME=PATH, where NAME is that of the collection",
    )
    build.add_argument("--out", type=Path, required=True, metavar="FILE", help="the base to write")
    build.add_argument(
        "--format", default="auto", help="format of all sources (default: told from each file)"
    )
    build.add_argument(
        "--engine",
        choices=ENGINES,
        default="auto",
        help="auto takes fts5 below 50,000 passages, else tantivy",
    )
    build.add_argument(
        "--strict", action="store_true", help="stop at a broken record instead of skipping it"
    )
    for what in ("category", "licence"):
        build.add_argument(
            f"--{what}",
            action="append",
            default=[],
            metavar="NAME=TEXT",
            help=f"{what} of the passages of a collection whose records give none",
        )
    build.set_defaults(run=run_build)


def run_build(args: argparse.Namespace) -> int:
    """Build a base and say what is in it."""
    if args.out == EMBEDDED:
        raise ConfigError(f"'{EMBEDDED}' names the base that ships; name another file to write")
    from gym_clinic.importers.passages.sources import find_sources
    from gym_clinic.retrieval.passages.build import build

    names, paths = {}, []
    for given in args.sources:
        name, path = _named(given)
        paths.append(path)
        if name:
            names[path] = name
    sources = find_sources(
        paths,
        format=args.format,
        names=names,
        categories=_texts(args.category, "--category"),
        licences=_texts(args.licence, "--licence"),
    )
    with _Shown(len(sources)) as shown:
        try:
            build(sources, args.out, engine=args.engine, strict=args.strict, listener=shown)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("stopped; the same command goes on from here") from None
    shown.say_more()
    return _print_info(args.out)


def _named(given: str) -> tuple[str, Path]:
    name, equals, path = given.partition("=")
    if not equals or Path(given).exists():
        return "", Path(given)
    if not name or not path:
        raise ConfigError(f"a source is PATH or NAME=PATH, not {given!r}")
    return name, Path(path)


def _texts(pairs: Sequence[str], flag: str) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ConfigError(f"{flag} is written NAME=TEXT, not {pair!r}")
        found[name] = text
    return found


class _Shown(Listener):
    """Shows how a build goes on: bars on a terminal, broken records on the error stream."""

    def __init__(self, files: int) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeElapsedColumn as Elapsed

        self.progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Elapsed(),
            console=console(), disable=not sys.stdout.isatty(), transient=True,
        )  # fmt: skip
        self.done: dict[str, int] = {}
        self.before = self.broken_records = 0
        self.reading = self.progress.add_task("files", total=files)
        self.indexing = self.progress.add_task("passages indexed", total=None, visible=False)
        self.open = ExitStack()

    def __enter__(self) -> _Shown:
        self.open.enter_context(self.progress)
        return self

    def __exit__(self, *_: object) -> None:
        self.open.close()

    def resumed(self, records: int) -> None:
        print(f"going on after {records:,} records", file=sys.stderr)

    def broken(self, record: BrokenRecord) -> None:
        self.broken_records += 1
        if self.broken_records <= _NAMED:
            print(f"skipped: {visible(str(record))}", file=sys.stderr)

    def read(self, source: str, records: int) -> None:
        self.done[source] = records
        self.progress.update(
            self.reading,
            description=f"{visible(Path(source).name)}: {records:,} records",
            completed=len(self.done),
        )

    def indexed(self, passages: int, total: int) -> None:
        self.progress.update(self.indexing, completed=passages, total=total, visible=True)

    def say_more(self) -> None:
        """Say how many broken records were not named."""
        if self.broken_records > _NAMED:
            print(f"and {self.broken_records - _NAMED:,} more", file=sys.stderr)


def run_info(args: argparse.Namespace) -> int:
    """Print the manifest of a base."""
    return _print_info(args.base)


def _print_info(path: Path) -> int:
    manifest = open_base(path, warm=False).manifest
    print(f"{path}: {manifest.passages:,} passages")
    for source, number in manifest.sources.items():
        print(f"  {visible(source)}: {number:,}")
    dropped = {
        "duplicates": manifest.duplicates,
        "without text": manifest.empty,
        "broken": manifest.broken,
    }
    left_out = ", ".join(f"{what} {number:,}" for what, number in dropped.items())
    print(f"left out: {left_out}")
    built = ", ".join(f"{package} {version}" for package, version in manifest.versions.items())
    print(f"engine: {manifest.engine} ({manifest.tokenizer}), built with {built}")
    print(f"content: sha256 {manifest.content_hash}")
    return 0


def run_search(args: argparse.Namespace) -> int:
    """Print passages; exit status 1 if there is none."""
    found = open_base(args.base, warm=False).search(
        " ".join(args.query), args.limit, args.source, args.operator
    )
    for number, passage in enumerate(found, start=1):
        _print_passage(number, passage)
    if not found:
        print("no passage holds what was asked for", file=sys.stderr)
    return int(not found)


def _print_passage(number: int, passage: Passage) -> None:
    said = (passage.source, passage.category, passage.licence)
    print(f"{number}. {visible(passage.title)}")
    print(
        f"   {visible(passage.id)}  {passage.score:.3f}  {visible(', '.join(filter(None, said)))}"
    )
    print(f"   {visible(' '.join(passage.snippet.split()))}")
