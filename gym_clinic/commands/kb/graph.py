"""``gym-clinic kb graph``: build a symptom graph, walk it, and link text to it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gym_clinic.commands.options import AsJson, OutFile
from gym_clinic.errors import TaskError

if TYPE_CHECKING:
    from gym_clinic.retrieval import SymptomGraph

GraphFile = Annotated[
    Path | None,
    typer.Option(
        "--graph", metavar="FILE", help="A built graph; by default that of the embedded facts."
    ),
]

app = typer.Typer()
build = typer.Typer(epilog="example: gym-clinic kb graph build umls 2026AA/META --out umls.db")
app.add_typer(build, name="build")


@app.callback()
def graph() -> None:
    """Build, read and link to a graph of symptoms.

    Build a graph of symptoms, diseases and disciplines, and read it.
    """


@build.callback()
def build_graph() -> None:
    """Build a graph from facts, csv files or the UMLS.

    Build a graph and write it as one SQLite file. The old file stays until the new one is whole.
    """


@build.command("facts")
def build_from_facts(
    out: OutFile,
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Fact tables; the embedded by default."),
    ] = None,
) -> None:
    """Build a graph from fact tables: the embedded ones, or those of a folder."""
    _save(_of_facts(folder), out)


@build.command("csv")
def build_from_csv(
    nodes: Annotated[Path, typer.Argument(metavar="NODES", help="The .csv file of nodes.")],
    relations: Annotated[
        Path, typer.Argument(metavar="RELATIONS", help="The .csv file of relations.")
    ],
    out: OutFile,
) -> None:
    """Build a graph from a file of nodes and a file of relations.

    Read two CSV files with headers: nodes (id,kind,name,synonyms; synonyms separated by |) and
    relations (head,relation,tail).
    """
    from gym_clinic.commands.importing import refused
    from gym_clinic.importers.graphs.csv import read_graph

    try:
        built = read_graph(nodes, relations)
    except TaskError as error:
        raise refused(
            error, nodes, "graph csv", "nodes with the header id,kind,name,synonyms"
        ) from None
    _save(built, out)


@build.command("umls")
def build_from_umls(
    folder: Annotated[
        Path, typer.Argument(metavar="META", help="Folder of MRCONSO, MRREL and MRSTY (.RRF).")
    ],
    out: OutFile,
) -> None:
    """Build a graph from a release of the UMLS."""
    from gym_clinic.commands.importing import refused
    from gym_clinic.importers.graphs.umls import read_umls

    try:
        built = read_umls(folder)
    except TaskError as error:
        raise refused(error, folder, "umls", "MRSTY, MRCONSO and MRREL of a release") from None
    _save(built, out)


@app.command(epilog="example: gym-clinic kb graph neighbours HP:0012735 --kind disease")
def neighbours(
    node: Annotated[str, typer.Argument(metavar="ID", help="Id of the node.")],
    relation: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only neighbours by this relation.")
    ] = None,
    kind: Annotated[
        Literal["symptom", "disease", "discipline"] | None,
        typer.Option(help="Only neighbours of this kind."),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Neighbours at most.")] = 50,
    graph_file: GraphFile = None,
    as_json: AsJson = False,
) -> None:
    """Print the neighbours of a node: id, kind, name and relation."""
    from gym_clinic.commands.terminal import visible
    from gym_clinic.names import at_least_one

    at_least_one("--limit", limit)
    found = open_graph(graph_file).neighbours(node, relation=relation, kind=kind)
    for one in found[:limit]:
        row = {
            "id": one.record.id,
            "kind": one.record.kind,
            "name": one.record.name,
            "relation": one.how,
            "forward": one.forward,
        }
        arrow = "->" if one.forward else "<-"
        line = f"{arrow} {one.how}  {one.record.id}  {one.record.kind}  {one.record.name}"
        print(json.dumps(row) if as_json else visible(line))
    if len(found) > limit and not as_json:
        print(f"... {len(found) - limit:,} more")


@app.command(epilog='example: gym-clinic kb graph link "No fever, but a dry cough."')
def link(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The words of a patient or clinician.")
    ],
    graph_file: GraphFile = None,
    as_json: AsJson = False,
) -> int:
    """Print the symptoms that a text names.

    Print each mention of a symptom: present or absent, id, name, how it was recognised, with
    which confidence, and its position. Exit status 1 if there is none.
    """
    from gym_clinic.commands.terminal import visible
    from gym_clinic.embedded import linker_of

    found = linker_of(open_graph(graph_file)).link(text)
    for one in found:
        row = {
            "id": one.record.id,
            "name": one.record.name,
            "status": one.status,
            "kind": one.how,
            "score": round(one.score, 4),
            "start": one.start,
            "end": one.end,
            "text": one.text,
        }
        line = (
            f"{one.status}  {one.record.id}  {one.record.name}  ({one.how} {one.score:.2f}, "
            f"{one.start}-{one.end}: {one.text})"
        )
        print(json.dumps(row) if as_json else visible(line))
    if not found:
        print("no symptom of the graph is named", file=sys.stderr)
    return int(not found)


def open_graph(path: Path | None) -> SymptomGraph:
    """Return a built graph; without a path, that of the embedded facts."""
    if path is None:
        return _of_facts(None)
    from gym_clinic.retrieval import load_graph

    return load_graph(path)


def _of_facts(folder: Path | None) -> SymptomGraph:
    from gym_clinic.facts import load
    from gym_clinic.retrieval import graph_of_facts

    return graph_of_facts(load(folder))


def _save(built: SymptomGraph, out: Path) -> None:
    """Write a graph and print the numbers of its nodes and relations."""
    from gym_clinic.commands.terminal import visible
    from gym_clinic.retrieval import save_graph

    save_graph(built, out)
    kinds = Counter(node.kind for node in built.nodes)
    numbers = ", ".join(f"{kind} {number:,}" for kind, number in sorted(kinds.items()))
    print(visible(f"{out}: {numbers}; relations {len(built.neighbour) // 2:,}"))
