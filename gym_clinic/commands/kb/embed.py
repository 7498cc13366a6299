"""``gym-clinic kb embed``: the dense index of a knowledge base."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from gym_clinic.commands.kb.base import add_base, open_base
from gym_clinic.retrieval.dense.build import build_dense
from gym_clinic.retrieval.dense.index import Kind, beside
from gym_clinic.retrieval.dense.opening import open_embedder


def add_embed(commands: Any) -> None:
    """Declare the command among those of ``kb``."""
    parser = commands.add_parser(
        "embed",
        help="add a dense index to a knowledge base",
        description="Embed every passage of a knowledge base and lay a FAISS index beside it. "
        "An index that was there is used until the new one is whole.",
        epilog="example: gym-clinic kb embed clinic.db --embedder hashed-ngrams:2048",
    )
    add_base(parser)
    parser.add_argument(
        "--embedder",
        default="hashed-ngrams:2048",
        metavar="NAME",
        help="hashed-ngrams[:DIMENSION], medcpt, bge-base, biolord, or any sentence-transformers "
        "checkpoint as owner/name or folder (default: %(default)s, which needs no download)",
    )
    parser.add_argument(
        "--kind",
        choices=get_args(Kind),
        default="flat",
        help="flat compares with every passage, hnsw and ivf with some; their recall is measured "
        "and printed (default: %(default)s)",
    )
    parser.add_argument(
        "--breadth",
        type=int,
        metavar="N",
        help="candidates of hnsw or cells of ivf that a search looks at; more is slower and "
        "finds more",
    )
    parser.add_argument("--no-progress", action="store_true", help="show no progress bar")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Build the index, and say what it is."""
    from rich.console import Console
    from rich.progress import track

    base = open_base(args.base)
    folder = beside(base.path)
    made = build_dense(
        track(
            base,
            "embedding",
            total=len(base),
            console=Console(stderr=True),
            disable=args.no_progress,
        ),
        open_embedder(args.embedder),
        folder,
        content_hash=base.manifest.content_hash,
        kind=args.kind,
        breadth=args.breadth,
    )
    exact = "exact" if made.kind == "flat" else f"recall of the 10 nearest {made.recall:.3f}"
    print(f"{folder}: {made.count:,} passages by {made.embedder}, {made.kind}, {exact}")
    return 0
