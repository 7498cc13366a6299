"""How a knowledge base grows: build, size and search at several sizes, and what that comes to.

Run: ``python bench/growth.py corpus.tsv queries.json --sizes 83000 828473 3000000`` (prints the
tables of docs/scale.md; asserts nothing). The corpus is tab-separated (id, source, title, text,
category, …), a passage a line; its first lines are taken. The queries are lists by kind, as
``{"or": [...], "heavy": [...], "and": [...]}``; the words of the kind ``and`` are joined by AND,
those of the others by OR. Every build and every search runs in a process of its own, so that its
memory is its own; nothing else should run beside it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

import orjson

from gym_clinic.retrieval.dense.index import IndexKind

GOAL = 27_000_000
"""Passages that the sizes are extrapolated to."""

WARM = 20
"""Queries of each kind that are asked before the clock runs."""

COLUMNS = ("id", "source", "title", "content", "category")
UNLINEAR = ("passages", "dense recall")
MIB = 2**20

Figure = float | str
Row = dict[str, Figure]


def main(argv: Sequence[str] | None = None) -> None:
    """Measure every size, and print the tables."""
    args = parser().parse_args(argv)
    if args.measure:
        print(json.dumps(measure(args.corpus, args.queries, args.searches, bool(args.dense))))
        return
    check_size(args.corpus, max(args.sizes))
    rows = []
    with tempfile.TemporaryDirectory(prefix="growth-", dir=args.work) as folder:
        for size in args.sizes:
            rows.append(grown(Path(folder), size, args))
            print(f"{size:,} passages: {json.dumps(rows[-1])}", file=sys.stderr, flush=True)
    print(table(rows))
    print(f"\nArithmetic from the two largest sizes, to {GOAL:,} passages:\n")
    print(extrapolated(rows))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    top.add_argument("corpus", type=Path, help="tab-separated passages")
    top.add_argument("queries", type=Path, help="queries by kind, JSON")
    top.add_argument("--sizes", type=int, nargs="+", default=[83_000, 828_473])
    top.add_argument("--engine", default="auto", help="of 'gym-clinic kb build'")
    top.add_argument("--dense", choices=get_args(IndexKind), help="measure a dense index too")
    top.add_argument("--embedder", default="hashed-ngrams:512", help="of the dense index")
    top.add_argument("--searches", type=int, default=300, help="queries of each kind")
    top.add_argument("--work", type=Path, help="folder for the bases (default: the system's)")
    top.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    return top


def grown(folder: Path, size: int, args: argparse.Namespace) -> Row:
    """Build a base of the first passages, search it, and remove it."""
    passages, base = folder / "passages.jsonl", folder / "base.db"
    write_passages(args.corpus, size, passages)
    build = ["kb", "build", str(passages), "--out", str(base), "--engine", args.engine]
    row: Row = {"passages": float(size), **timed("build", clinic(build))}
    passages.unlink()
    row["base MB"] = before = on_disk(folder)
    if args.dense:
        embed = ["kb", "embed", str(base), "--kind", args.dense, "--embedder", args.embedder]
        row |= timed("embed", clinic([*embed, "--no-progress"]))
        row["dense MB"] = on_disk(folder) - before
    search = [sys.executable, __file__, str(base), str(args.queries), "--measure"]
    search += ["--searches", str(args.searches)] + (["--dense", args.dense] if args.dense else [])
    row |= json.loads(subprocess.run(search, check=True, capture_output=True, text=True).stdout)
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    return row


def check_size(corpus: Path, size: int) -> None:
    """Check that a corpus is large enough, before anything is measured.

    Raises:
        SystemExit: If not.
    """
    with corpus.open("rb") as lines:
        held = sum(1 for _ in lines)
    if held < size:
        raise SystemExit(f"{corpus} has {held:,} passages, fewer than {size:,}")


def write_passages(corpus: Path, size: int, out: Path) -> None:
    """Write the first passages of a corpus as JSON Lines."""
    with corpus.open(encoding="utf-8") as lines, out.open("wb") as file:
        for line in itertools.islice(lines, size):
            record = dict(zip(COLUMNS, line.rstrip("\n").split("\t"), strict=False))
            file.write(orjson.dumps(record) + b"\n")


def clinic(arguments: Sequence[str]) -> list[str]:
    """Return the command line of ``gym-clinic`` of this interpreter."""
    return [sys.executable, "-m", "gym_clinic.cli", *arguments]


def timed(name: str, command: Sequence[str]) -> Row:
    """Run a command; its wall seconds, CPU seconds and peak memory in MiB.

    Raises:
        SystemExit: If it fails.
    """
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    cpu = used.ru_utime + used.ru_stime
    return {f"{name} s": wall, f"{name} CPU s": cpu, f"{name} peak MiB": peak(used)}


def peak(used: resource.struct_rusage) -> float:
    """Return the largest resident size of a process in MiB (Linux counts in KiB)."""
    return used.ru_maxrss / (1024 if sys.platform != "darwin" else MIB)


def on_disk(folder: Path) -> float:
    """Return the size of a folder's files in MB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def measure(base: Path, queries: Path, searches: int, dense: bool) -> Row:
    """Open a base and search it, in this process alone, for the top 10 with snippets."""
    from gym_clinic.retrieval.passages.knowledge import KnowledgeBase

    start = time.perf_counter()
    knowledge = KnowledgeBase(base)
    row: Row = {"open s": time.perf_counter() - start, "engine": knowledge.manifest.engine}
    asked = {name: some[:searches] for name, some in json.loads(queries.read_bytes()).items()}
    for name, some in asked.items():
        operator = "and" if name == "and" else "or"
        row |= latencies(name, partial(knowledge.search, operator=operator), some)
    if dense:
        from gym_clinic.retrieval.dense.index import DenseIndex, dense_folder

        index = DenseIndex(dense_folder(base), content_hash=knowledge.manifest.content_hash)
        row["dense recall"] = index.manifest.recall
        # One kind of queries: how many rows are compared does not depend on the words.
        row |= latencies("dense", index.search, next(iter(asked.values())))
    row["search peak MiB"] = peak(resource.getrusage(resource.RUSAGE_SELF))
    return row


def latencies(name: str, search: Callable[[str], object], queries: Sequence[str]) -> Row:
    """Search for every query, and return the median and the 99th percentile in ms."""
    for query in queries[:WARM]:
        search(query)
    took = []
    for query in queries:
        start = time.perf_counter()
        search(query)
        took.append(1000 * (time.perf_counter() - start))
    took.sort()
    return {f"{name} p50 ms": took[len(took) // 2], f"{name} p99 ms": took[len(took) * 99 // 100]}


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table, a size a column."""
    names = list(rows[0])
    lines = [[name, *(number(row[name]) for row in rows)] for name in names]
    head = "| " + " | ".join(lines[0]) + " |"
    rule = "| --- |" + " ---: |" * len(rows)
    return "\n".join([head, rule, *("| " + " | ".join(line) + " |" for line in lines[1:])])


def number(value: Figure) -> str:
    """Return a number with three figures, or whole if it is large; a word as it is."""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def extrapolated(rows: Sequence[Row]) -> str:
    """Return what a straight line through the two largest sizes comes to at the goal.

    Figures have a fixed part and a part that grows with the passages, hence a line. One that
    did not grow between the two is given as it is. Not carried on are the 99th percentiles, which
    a few searches make, and recall, which is no line.
    """
    sizes = sorted({float(row["passages"]): row for row in rows}.items())
    if len(sizes) < 2:
        return "There is one size, and no line through it."
    (few, smaller), (many, larger) = sizes[-2:]
    if smaller["engine"] != larger["engine"]:
        return "The two largest sizes have different engines, and no line in common."
    lines = ["| | largest measured | a million more | comes to |", "| --- | ---: | ---: | ---: |"]
    for name, figure in larger.items():
        before = smaller[name]
        if isinstance(figure, str) or isinstance(before, str) or name in UNLINEAR or "p99" in name:
            continue
        slope = max(0.0, (figure - before) / (many - few))
        figures = (figure, slope * 1e6, figure + slope * (GOAL - many))
        lines.append(f"| {name} | {' | '.join(map(number, figures))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
