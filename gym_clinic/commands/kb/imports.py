"""``gym-clinic kb import``: published knowledge as JSON Lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from gym_clinic.commands.options import OutFile, StrictFlag
from gym_clinic.errors import ConfigError
from gym_clinic.importers import FACTS
from gym_clinic.names import import_named, suggest

NAMED_BY = {"hpoa": "an ontology, hp.json or hp.obo", "ddxplus": "release_evidences.json"}
"""Formats whose features have ids only -> the file that names them (``--names``)."""


app = typer.Typer()


@app.command(
    "import",
    epilog="\b\nformats:\n"
    + "\n".join(f"  {name:{max(map(len, FACTS))}}  {one.makes}" for name, one in FACTS.items())
    + "\n\nexample: gym-clinic kb import hpoa phenotype.hpoa --names hp.json --out hpoa.jsonl",
)
def import_facts(
    name: Annotated[str, typer.Argument(metavar="FORMAT", help="One of the formats listed below.")],
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="The file as published.")],
    out: OutFile,
    names: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The file that names the features "
            f"({'; '.join(f'{name}: {what}' for name, what in NAMED_BY.items())}).",
        ),
    ] = None,
    strict: StrictFlag = False,
) -> None:
    """Import published knowledge.

    Read a published file and write one JSON object a line. A broken record is reported by its place
    and skipped; with --strict it stops the import. Where it stops, or no record can be used,
    nothing is written and the old file stays.
    """
    from gym_clinic.commands.importing import Import
    from gym_clinic.files import check_output, replace_file

    if name not in FACTS:
        raise ConfigError(f"no format {name!r}; {suggest(name, FACTS)}")
    if names and name not in NAMED_BY:
        raise ConfigError(f"--names goes with {', '.join(NAMED_BY)}, not with {name}")
    check_output(out, source, names)
    reader = import_named(FACTS[name].reader, "importer")
    given = [_names(name, names)] if names else []
    done = Import(source, name, FACTS[name].makes.partition(" -> ")[0], strict=strict)
    more = {"left_out": done.left_out} if FACTS[name].leaves_out else {}
    lines = _Lines(done.records(reader(source, *given, broken=done.broken, **more)))
    replace_file(out, lines)
    print(f"{out}: {done.count:,} records")
    done.report()
    if lines.unnamed and name in NAMED_BY:
        print(f"the features have no names; --names takes {NAMED_BY[name]}", file=sys.stderr)


def _names(name: str, path: Path) -> Any:
    """Return the names of features, in the form that the reader of a format takes."""
    if name == "ddxplus":
        from gym_clinic.importers.facts.ddxplus import read_evidences

        return {one.id: one for one in read_evidences(path)}
    from gym_clinic.importers.facts.hpo import read_names

    return read_names(path)


class _Lines:
    """Records as lines of JSON.

    Attributes:
        unnamed: Whether one of them has a feature without a name of its own.
    """

    def __init__(self, records: Iterable[Any]) -> None:
        self.records = records
        self.unnamed = False

    def __iter__(self) -> Iterator[bytes]:
        import orjson

        for record in self.records:
            features = getattr(record, "features", ())
            self.unnamed = self.unnamed or any(one.name in ("", one.id) for one in features)
            yield orjson.dumps(record, default=_plain, option=orjson.OPT_APPEND_NEWLINE)


def _plain(record: Any) -> dict[str, Any]:
    """Return a pydantic record as a JSON object; orjson knows dataclasses by itself."""
    row: dict[str, Any] = record.model_dump(mode="json", by_alias=True)
    return row
