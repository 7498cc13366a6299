"""``gym-clinic kb embed``: the dense index of a knowledge base."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from gym_clinic.commands.kb.base_argument import Base, open_base

app = typer.Typer()


@app.command(epilog="example: gym-clinic kb embed clinic.db --embedder hashed-ngrams:2048")
def embed(
    base: Base,
    embedder: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="hashed-ngrams[:DIMENSION] (needs no download), medcpt, bge-base, biolord, or "
            "any sentence-transformers checkpoint as owner/name or folder.",
        ),
    ] = "hashed-ngrams:2048",
    kind: Annotated[
        Literal["flat", "hnsw", "ivf"],
        typer.Option(
            help="flat compares with every passage, hnsw and ivf with some; their recall is "
            "measured and printed."
        ),
    ] = "flat",
    breadth: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Candidates of hnsw or cells of ivf that a search examines; more is slower and "
            "finds more.",
        ),
    ] = None,
    no_progress: Annotated[
        bool, typer.Option("--no-progress", help="Show no progress bar.")
    ] = False,
) -> None:
    """Add a dense index to a knowledge base.

    Embed every passage of a knowledge base and put a FAISS index beside it. An existing index is
    used until the new one is whole.
    """
    from rich.console import Console
    from rich.progress import track

    from gym_clinic.retrieval import build_dense, dense_folder, open_embedder

    opened = open_base(base)
    folder = dense_folder(opened.path)
    made = build_dense(
        track(
            opened,
            "embedding",
            total=len(opened),
            console=Console(stderr=True),
            disable=no_progress,
        ),
        open_embedder(embedder),
        folder,
        content_hash=opened.manifest.content_hash,
        kind=kind,
        breadth=breadth,
    )
    exact = "exact" if made.kind == "flat" else f"recall of the 10 nearest {made.recall:.3f}"
    print(f"{folder}: {made.count:,} passages by {made.embedder}, {made.kind}, {exact}")
