"""``gym-clinic kb import``: knowledge of others as JSON Lines."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from gym_clinic.errors import ConfigError
from gym_clinic.files import check_output, replace_file
from gym_clinic.importers import FACTS
from gym_clinic.names import import_named, suggest

NAMED_BY = {"hpoa": "an ontology, hp.json or hp.obo", "ddxplus": "release_evidences.json"}
"""Formats whose features have ids alone -> the file that names them (``--names``)."""


def add_import(doing: Any) -> None:
    """Declare the command."""
    width = max(map(len, FACTS))
    parser = doing.add_parser(
        "import",
        help="import knowledge of others",
        description="Read a published file and write one JSON object a line. A broken record is\n"
        "named by its place, and then nothing is written.",
        epilog="formats:\n"
        + "\n".join(f"  {name:{width}}  {makes}" for name, (_, makes) in FACTS.items())
        + "\n\nexample: gym-clinic kb import hpoa phenotype.hpoa --names hp.json --out hpoa.jsonl",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("format", metavar="FORMAT", help="one of the formats below")
    parser.add_argument("source", type=Path, metavar="SOURCE", help="the file as published")
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FILE", help="the .jsonl file to write"
    )
    files = "; ".join(f"{name}: {what}" for name, what in NAMED_BY.items())
    parser.add_argument(
        "--names", type=Path, metavar="FILE", help=f"the file that names the features ({files})"
    )
    parser.set_defaults(run=run_import)


def run_import(args: argparse.Namespace) -> int:
    """Import a file, and say how many records it held."""
    if args.format not in FACTS:
        raise ConfigError(f"no format {args.format!r}; {suggest(args.format, FACTS)}")
    if args.names and args.format not in NAMED_BY:
        raise ConfigError(f"--names goes with {', '.join(NAMED_BY)}, not with {args.format}")
    check_output(args.out, args.source, args.names)
    reader = import_named(FACTS[args.format][0], "importer")
    given = [_names(args.format, args.names)] if args.names else []
    lines = _Counted(reader(args.source, *given))
    replace_file(args.out, lines)
    print(f"{args.out}: {lines.count:,} records")
    return 0


def _names(name: str, path: Path) -> Any:
    """What a reader takes to name its features."""
    if name == "ddxplus":
        from gym_clinic.importers.facts.ddxplus import read_evidences

        return {one.id: one for one in read_evidences(path)}
    from gym_clinic.importers.formats.obo import read_obo
    from gym_clinic.importers.formats.obographs import read_obo_graph
    from gym_clinic.importers.formats.ontology import names

    found = names(read_obo(path) if path.suffix == ".obo" else read_obo_graph(path))
    if not any(code.startswith("HP:") for code in found):
        raise ConfigError(
            f"--names {path}: an ontology without HPO terms; expected hp.json or hp.obo"
        )
    return found


class _Counted:
    """The lines of records, counted as they are written."""

    def __init__(self, records: Iterable[Any]) -> None:
        self.records = records
        self.count = 0

    def __iter__(self) -> Iterator[bytes]:
        for record in self.records:
            self.count += 1
            yield orjson.dumps(record, default=_plain, option=orjson.OPT_APPEND_NEWLINE)


def _plain(record: Any) -> dict[str, Any]:
    """A pydantic record as a JSON object; orjson knows dataclasses by itself."""
    row: dict[str, Any] = record.model_dump(mode="json", by_alias=True)
    return row
