"""``gym-clinic kb search``: passages for a query."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gym_clinic.commands.kb.base_argument import Aliases, Base, open_base

if TYPE_CHECKING:
    from gym_clinic.retrieval import FoundPassage

app = typer.Typer()

BOLD, PLAIN = "\x1b[1m{}\x1b[22m", "{}"
"""How a hit of an excerpt is shown in a terminal, and elsewhere."""


@app.command(
    epilog="example: gym-clinic kb search clinic.db 'chest pain AND \"heart failure\"'",
)
def search(
    base: Base,
    query: Annotated[list[str], typer.Argument(metavar="WORD", help="Any text.")],
    limit: Annotated[int, typer.Option(metavar="N", help="Passages at most.")] = 10,
    source: Annotated[
        str | None, typer.Option(metavar="NAME", help="Passages of this collection only.")
    ] = None,
    operator: Annotated[
        Literal["or", "and"], typer.Option(help="The operator between words.")
    ] = "or",
    aliases: Aliases = False,
) -> int:
    """Find passages.

    Print the passages that answer a query best, with the hits of their excerpts in bold in a
    terminal; on the error stream, how the query was read where that differs from its words, and
    what no passage is about. Exit status 1 if there is none.
    """
    from gym_clinic.commands.terminal import visible

    opened, text = open_base(base, warm=False, aliases=aliases), " ".join(query)
    for line in opened.read_query(text, operator).describe().splitlines():
        print(visible(line), file=sys.stderr)
    found = opened.search(text, limit, source, operator)
    for number, passage in enumerate(found, start=1):
        _print_passage(number, passage)
    if not found:
        print("no passage matches the query", file=sys.stderr)
    return int(not found)


def _print_passage(number: int, passage: FoundPassage) -> None:
    from gym_clinic.commands.terminal import visible
    from gym_clinic.retrieval.passages.passage import without_tags

    about = ", ".join(filter(None, (passage.source, passage.category, passage.licence)))
    print(f"{number}. {visible(passage.title)}")
    print(f"   {visible(passage.id)}  {passage.score:.3f}  {visible(about)}")
    snippet = visible(" ".join(passage.snippet.split()))
    print(f"   {without_tags(snippet, BOLD if sys.stdout.isatty() else PLAIN)}")
