"""``gym-clinic kb serve``: a knowledge base over HTTP, for the processes of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gym_clinic.commands.kb.base_argument import Aliases, Base, open_base

if TYPE_CHECKING:
    from gym_clinic.retrieval import KnowledgeBase, Searcher

app = typer.Typer()


@app.command(epilog="example: gym-clinic kb serve clinic.db --dense")
def serve(
    base: Base,
    port: Annotated[int, typer.Option(metavar="N", help="The port; 0 takes a free one.")] = 8377,
    threads: Annotated[int, typer.Option(metavar="N", help="Searches at once.")] = 4,
    waiting: Annotated[
        int,
        typer.Option(metavar="N", help="Requests that may wait; further ones are sent away."),
    ] = 64,
    dense: Annotated[
        bool,
        typer.Option(
            "--dense",
            help="Fuse the search by words with the dense index of 'gym-clinic kb embed'.",
        ),
    ] = False,
    aliases: Aliases = False,
) -> None:
    """Serve a knowledge base over HTTP on this machine.

    Answer POST /search, /batch and /get and GET /health on 127.0.0.1 until stopped (Ctrl-C or
    SIGTERM); requests under way are finished. gym_clinic.retrieval.KnowledgeClient searches it as
    if the base were local.
    """
    from gym_clinic.retrieval import KnowledgeServer

    opened = open_base(base, aliases=aliases)
    served = _with_dense(opened) if dense else opened
    server = KnowledgeServer(served, port=port, threads=threads, waiting=waiting)
    print(f"{base}: {len(opened):,} passages at {server.url}", flush=True)
    server.run()


def _with_dense(base: KnowledgeBase) -> Searcher:
    from gym_clinic.retrieval import DenseIndex, HybridBase, dense_folder

    return HybridBase(base, DenseIndex(dense_folder(base.path)))
