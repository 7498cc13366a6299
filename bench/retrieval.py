"""What retrieval costs, against the peers of a shared folder, as ratios measured in one run.

Run: ``python bench/retrieval.py --shared ../shared/bench`` (prints figures; asserts nothing). The
folder holds ``make_corpus.py``, ``fts5_peer.py`` and ``matcher_peer.py``; ``--passages 20000`` is
a quick look, the default is the size that the targets are for.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import retrieval_passages


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, required=True, metavar="FOLDER", help="the peers")
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="keep corpus and indexes here")
    parser.add_argument("--passages", type=int, default=828_473)
    parser.add_argument("--queries", type=int, default=200, help="queries of each kind")
    parser.add_argument("--engine", choices=("fts5", "tantivy"), default="tantivy")
    args = parser.parse_args()
    for name in ("make_corpus.py", "fts5_peer.py"):
        if not (args.shared / name).is_file():
            sys.exit(f"no peer {args.shared / name}; --shared names the folder that holds it")
    with tempfile.TemporaryDirectory() as scratch:
        work = args.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        retrieval_passages.bench(args.shared, work, args.passages, args.queries, args.engine)


if __name__ == "__main__":
    main()
