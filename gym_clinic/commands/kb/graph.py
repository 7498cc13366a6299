"""``gym-clinic kb graph``: build a symptom graph, walk it, and link text to it."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gym_clinic.commands.terminal import visible
from gym_clinic.names import at_least_one

if TYPE_CHECKING:
    from gym_clinic.retrieval.graph.symptom_graph import SymptomGraph

SHOWN = 50
"""Neighbours that are printed, unless the caller says otherwise."""


def add_graph(commands: Any) -> None:
    """Declare the commands.

    Args:
        commands: The subparsers of ``gym-clinic kb``.
    """
    parser = commands.add_parser(
        "graph",
        help="build, walk and link to a graph of symptoms",
        description="Build a graph of symptoms, diseases and disciplines, and look into it.",
    )
    doing = parser.add_subparsers(dest="graph_command", required=True, metavar="WHAT")
    _add_build(doing)
    beside = doing.add_parser(
        "neighbours",
        help="print what is related to a node",
        description="Print the neighbours of a node: id, kind, name and relation.",
        epilog="example: gym-clinic kb graph neighbours HP:0012735 --kind disease",
    )
    beside.add_argument("node", metavar="ID", help="id of the node")
    beside.add_argument("--relation", help="only those by this relation")
    beside.add_argument("--kind", help="only symptom, disease or discipline")
    beside.add_argument(
        "--limit", type=int, default=SHOWN, help=f"print at most so many (default: {SHOWN})"
    )
    link = doing.add_parser(
        "link",
        help="print the symptoms that a text names",
        description="Print each mention of a symptom: whether it is there, id, name, how it was "
        "recognised, how sure that is, and where it stands.",
        epilog='example: gym-clinic kb graph link "No fever, but a dry cough."',
    )
    link.add_argument("text", metavar="TEXT", help="what a patient or clinician wrote")
    for one, run in ((beside, run_neighbours), (link, run_link)):
        one.add_argument(
            "--graph", type=Path, metavar="FILE", help="a built graph (default: that of the facts)"
        )
        one.add_argument("--json", action="store_true", help="print JSON, one object a line")
        one.set_defaults(run=run)


def _add_build(doing: Any) -> None:
    build = doing.add_parser(
        "build",
        help="build a graph from facts, csv files or the UMLS",
        description="Build a graph and write it as one SQLite file. The old file stays whole until "
        "the new one is.",
        epilog="example: gym-clinic kb graph build umls 2026AA/META --out umls.db",
    )
    sources = build.add_subparsers(dest="source", required=True, metavar="SOURCE")
    facts = sources.add_parser("facts", help="the embedded fact tables, or a folder of such")
    facts.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help="default: the embedded"
    )
    table = sources.add_parser(
        "csv",
        help="nodes (id,kind,name,synonyms) and relations (head,relation,tail)",
        description="Read two CSV files with headers: nodes (id,kind,name,synonyms; synonyms set "
        "apart by |) and relations (head,relation,tail).",
    )
    table.add_argument("nodes", type=Path, metavar="NODES", help=".csv of nodes")
    table.add_argument("relations", type=Path, metavar="RELATIONS", help=".csv of relations")
    umls = sources.add_parser("umls", help="folder of MRCONSO, MRREL and MRSTY (.RRF)")
    umls.add_argument("folder", type=Path, metavar="META", help="that folder of a release")
    for one in (facts, table, umls):
        one.add_argument("--out", required=True, type=Path, metavar="FILE", help="file to write")
        one.set_defaults(run=run_build)


def run_build(args: argparse.Namespace) -> int:
    """Build a graph, and say what it holds."""
    from gym_clinic.retrieval.graph.graph_file import save_graph

    graph = _built(args)
    save_graph(graph, args.out)
    kinds = Counter(node.kind for node in graph.nodes)
    held = ", ".join(f"{kind} {number:,}" for kind, number in sorted(kinds.items()))
    print(visible(f"{args.out}: {held}; relations {len(graph.neighbour) // 2:,}"))
    return 0


def _built(args: argparse.Namespace) -> SymptomGraph:
    if args.source == "csv":
        from gym_clinic.importers.graphs.csv import read_graph

        return read_graph(args.nodes, args.relations)
    if args.source == "umls":
        from gym_clinic.importers.graphs.umls import read_umls

        return read_umls(args.folder)
    return _of_facts(args.folder)


def run_neighbours(args: argparse.Namespace) -> int:
    """Print the neighbours of a node."""
    at_least_one("--limit", args.limit)
    found = open_graph(args.graph).neighbours(args.node, relation=args.relation, kind=args.kind)
    for one in found[: args.limit]:
        row = {
            "id": one.node.id,
            "kind": one.node.kind,
            "name": one.node.name,
            "relation": one.relation,
            "forward": one.forward,
        }
        arrow = "->" if one.forward else "<-"
        line = f"{arrow} {one.relation}  {one.node.id}  {one.node.kind}  {one.node.name}"
        print(json.dumps(row) if args.json else visible(line))
    if len(found) > args.limit and not args.json:
        print(f"... {len(found) - args.limit:,} more")
    return 0


def run_link(args: argparse.Namespace) -> int:
    """Print the mentions in a text; exit status 1 if there is none."""
    from gym_clinic.retrieval.graph.linking import SymptomLinker

    found = SymptomLinker(open_graph(args.graph)).link(args.text)
    for one in found:
        row = {
            "id": one.node.id,
            "name": one.node.name,
            "status": one.status,
            "kind": one.kind,
            "score": round(one.score, 4),
            "start": one.start,
            "end": one.end,
            "text": one.text,
        }
        line = (
            f"{one.status}  {one.node.id}  {one.node.name}  ({one.kind} {one.score:.2f}, "
            f"{one.start}-{one.end}: {one.text})"
        )
        print(json.dumps(row) if args.json else visible(line))
    if not found:
        print("no symptom of the graph is named", file=sys.stderr)
    return int(not found)


def open_graph(path: Path | None) -> SymptomGraph:
    """Return a built graph; without a path, that of the embedded facts."""
    if path is None:
        return _of_facts(None)
    from gym_clinic.retrieval.graph.graph_file import load_graph

    return load_graph(path)


def _of_facts(folder: Path | None) -> SymptomGraph:
    from gym_clinic.facts import load
    from gym_clinic.retrieval.graph.facts_graph import graph_of_facts

    return graph_of_facts(load(folder))
