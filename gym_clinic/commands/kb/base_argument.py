"""The argument BASE: a knowledge base in a file, or the embedded one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gym_clinic.retrieval import KnowledgeBase

EMBEDDED = Path("embedded")

Base = Annotated[
    Path,
    typer.Argument(
        metavar="BASE",
        help=f"A file such as clinic.db, or '{EMBEDDED}' for the base that ships with gym_clinic.",
    ),
]

Aliases = Annotated[
    bool,
    typer.Option(
        "--aliases",
        help="Find brands, abbreviations and lay words by the embedded aliases; the embedded base "
        "always does.",
    ),
]


def open_base(path: Path, *, warm: bool = True, aliases: bool = False) -> KnowledgeBase:
    """Open the base of an argument.

    Args:
        path: The argument.
        warm: Read the files once.
        aliases: Whether a file is searched by the embedded aliases.

    Raises:
        ConfigError: If there is none.
    """
    from gym_clinic import embedded
    from gym_clinic.retrieval import KnowledgeBase

    if path == EMBEDDED:
        return embedded.knowledge()
    table = embedded.aliases() if aliases else None
    return KnowledgeBase(path, warm=warm, aliases=table)
