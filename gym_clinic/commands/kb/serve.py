"""``gym-clinic kb serve``: a knowledge base over HTTP, for the workers of this machine."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gym_clinic.commands.kb.base import add_base, open_base
from gym_clinic.retrieval.passages.searcher import PassageBase, Searcher
from gym_clinic.retrieval.serving.messages import PORT
from gym_clinic.retrieval.serving.server import THREADS, WAITING, KnowledgeServer


def add_serve(commands: Any) -> None:
    """Declare the command among those of ``kb``."""
    parser = commands.add_parser(
        "serve",
        help="serve a knowledge base over HTTP on this machine",
        description="Answer POST /search, /batch and /get and GET /health on 127.0.0.1 until "
        "stopped (Ctrl-C or SIGTERM); requests under way are finished. "
        "gym_clinic.retrieval.serving.client asks it as if the base were local.",
        epilog="example: gym-clinic kb serve clinic.db --dense",
    )
    add_base(parser)
    parser.add_argument(
        "--port", type=int, default=PORT, help="0 takes a free one (default: %(default)s)"
    )
    parser.add_argument(
        "--threads", type=int, default=THREADS, help="searches at once (default: %(default)s)"
    )
    parser.add_argument(
        "--waiting",
        type=int,
        default=WAITING,
        help="requests that may wait; more are told to come again (default: %(default)s)",
    )
    parser.add_argument(
        "--dense",
        action="store_true",
        help="fuse the words with the dense index that 'gym-clinic kb embed' has made",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve until stopped."""
    base = open_base(args.base)
    served = _with_dense(base, base.path) if args.dense else base
    server = KnowledgeServer(served, port=args.port, threads=args.threads, waiting=args.waiting)
    print(f"{args.base}: {len(base):,} passages at {server.url}", flush=True)
    server.run()
    return 0


def _with_dense(base: PassageBase, path: Path) -> Searcher:
    from gym_clinic.retrieval.dense.hybrid import HybridBase
    from gym_clinic.retrieval.dense.index import DenseIndex, beside

    return HybridBase(base, DenseIndex(beside(path)))
