"""What retrieval costs, against the peers of a shared folder, as ratios measured in one run.

Run: ``python bench/retrieval.py --shared ../shared/bench`` (prints figures; asserts nothing). The
folder holds ``make_corpus.py``, ``fts5_peer.py`` and ``matcher_peer.py``; names are measured
against rank-bm25. Both sides of a ratio are timed in turn, warm. ``--passages 20000`` is a quick
look; the default is the size that the targets are for. ``--only`` measures some of the parts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import graph
import names
import patients
import retrieval_passages

PEERS = ("make_corpus.py", "fts5_peer.py", "matcher_peer.py")


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, required=True, metavar="FOLDER", help="the peers")
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="keep corpus and indexes here")
    parser.add_argument("--passages", type=int, default=828_473)
    parser.add_argument("--queries", type=int, default=200, help="queries of each kind")
    parser.add_argument("--engine", choices=("fts5", "tantivy"), default="tantivy")
    parts = {
        "passages": lambda: bench_passages(args),
        "patients": lambda: patients.bench(args.shared / "matcher_peer.py"),
        "graph": graph.bench,
        "names": names.compare,
    }
    parser.add_argument("--only", choices=parts, nargs="+", default=list(parts), metavar="PART")
    args = parser.parse_args()
    for name in PEERS:
        if not (args.shared / name).is_file():
            sys.exit(f"no peer {args.shared / name}; --shared names the folder that holds it")
    for part in args.only:
        print(f"\n== {part}", flush=True)
        parts[part]()


def bench_passages(args: argparse.Namespace) -> None:
    """Build and search, in a folder that is kept or thrown away."""
    with tempfile.TemporaryDirectory() as scratch:
        work = args.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        retrieval_passages.bench(args.shared, work, args.passages, args.queries, args.engine)


if __name__ == "__main__":
    main()
