"""How a knowledge base grows: build, size and search at several sizes, and what that comes to.

Run: ``python bench/growth.py corpus.tsv queries.json --sizes 83000 828473 3000000`` (prints the
tables of docs/scale.md; asserts nothing). The corpus is tab-separated (id, source, title, text,
category, …), a passage a line; its first lines are taken. The queries are lists by kind, as
``{"or": [...], "heavy": [...]}``. Every build and every search runs in a process of its own, so
that its memory is its own; nothing else should run beside it.
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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

GOAL = 27_000_000
"""Passages that the sizes are extrapolated to."""

WARM = 20
"""Queries of each kind that are asked before the clock runs."""

COLUMNS = ("id", "source", "title", "content", "category")
MIB = 2**20

Row = dict[str, float]


def main(argv: Sequence[str] | None = None) -> None:
    """Measure every size, and print the tables."""
    args = parser().parse_args(argv)
    if args.measure:
        print(json.dumps(measure(args.corpus, args.queries, args.searches, args.dense)))
        return
    rows = []
    with tempfile.TemporaryDirectory(prefix="growth-", dir=args.work) as folder:
        for size in args.sizes:
            rows.append(grown(Path(folder), size, args))
            print(f"{size:,} passages: {json.dumps(rows[-1])}", file=sys.stderr, flush=True)
    print(table(rows))
    if len(rows) > 1:
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
    top.add_argument("--dense", metavar="KIND", help="measure a dense index too: flat, hnsw, ivf")
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
    row = {"passages": float(size), **timed("build", clinic(build))}
    row["base MB"] = on_disk(folder) - on_disk(folder, passages.name)
    if args.dense:
        embed = ["kb", "embed", str(base), "--kind", args.dense, "--embedder", args.embedder]
        row |= timed("embed", clinic([*embed, "--no-progress"]))
        row["dense MB"] = on_disk(folder) - on_disk(folder, passages.name) - row["base MB"]
    search = [sys.executable, __file__, str(base), str(args.queries), "--measure"]
    search += ["--searches", str(args.searches)] + (["--dense", "x"] if args.dense else [])
    row |= json.loads(subprocess.run(search, check=True, capture_output=True, text=True).stdout)
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    return row


def write_passages(corpus: Path, size: int, out: Path) -> None:
    """Write the first passages of a corpus as JSON Lines.

    Raises:
        SystemExit: If it has fewer.
    """
    written = 0
    with corpus.open(encoding="utf-8") as lines, out.open("wb") as file:
        for line in itertools.islice(lines, size):
            record = dict(zip(COLUMNS, line.rstrip("\n").split("\t"), strict=False))
            file.write(orjson.dumps(record) + b"\n")
            written += 1
    if written < size:
        raise SystemExit(f"{corpus} has {written:,} passages, fewer than {size:,}")


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


def on_disk(folder: Path, name: str = "*") -> float:
    """Return the size of a folder's files in MB."""
    return sum(path.stat().st_size for path in folder.rglob(name) if path.is_file()) / 1e6


def measure(base: Path, queries: Path, searches: int, dense: str | None) -> Row:
    """Open a base and search it, in this process alone."""
    from gym_clinic.retrieval.knowledge import KnowledgeBase

    start = time.perf_counter()
    knowledge: Any = KnowledgeBase(base)
    row = {"open s": time.perf_counter() - start}
    searchers: dict[str, Any] = {"": knowledge}
    if dense:
        from gym_clinic.retrieval.dense import DenseIndex, beside

        index = DenseIndex(beside(base), content_hash=knowledge.manifest.content_hash)
        searchers[" dense"] = index
    asked = {name: some[:searches] for name, some in json.loads(queries.read_bytes()).items()}
    for (name, some), (suffix, searcher) in itertools.product(asked.items(), searchers.items()):
        for query in some[:WARM]:
            searcher.search(query, 10)
        took = sorted(timings(searcher, some))
        row[f"{name}{suffix} p50 ms"] = 1000 * took[len(took) // 2]
        row[f"{name}{suffix} p99 ms"] = 1000 * took[min(len(took) - 1, len(took) * 99 // 100)]
    row["search peak MiB"] = peak(resource.getrusage(resource.RUSAGE_SELF))
    return row


def timings(searcher: Any, queries: Sequence[str]) -> Iterator[float]:
    """Give the seconds of each search for ten passages."""
    for query in queries:
        start = time.perf_counter()
        searcher.search(query, 10)
        yield time.perf_counter() - start


def table(rows: Sequence[Mapping[str, float]]) -> str:
    """Return the rows as a Markdown table, a size a column."""
    names = list(rows[0])
    lines = [[name, *(number(row[name]) for row in rows)] for name in names]
    head = "| " + " | ".join(lines[0]) + " |"
    rule = "| --- |" + " ---: |" * len(rows)
    return "\n".join([head, rule, *("| " + " | ".join(line) + " |" for line in lines[1:])])


def number(value: float) -> str:
    """Return a number with three figures, or whole if it is large."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def extrapolated(rows: Sequence[Mapping[str, float]]) -> str:
    """Return what a straight line through the two largest sizes comes to at the goal.

    Figures have a fixed part and a part that grows with the passages, hence a line. One that
    did not grow between the two is given as it is.
    """
    smaller, larger = sorted(rows, key=lambda row: row["passages"])[-2:]
    lines = ["| | largest measured | a million more | comes to |", "| --- | ---: | ---: | ---: |"]
    step = larger["passages"] - smaller["passages"]
    for name in list(larger)[1:]:
        slope = max(0.0, (larger[name] - smaller[name]) / step)
        goal = larger[name] + slope * (GOAL - larger["passages"])
        figures = (larger[name], slope * 1e6, goal)
        lines.append(f"| {name} | {' | '.join(map(number, figures))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
