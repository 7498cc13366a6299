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


def open_base(path: Path, *, warm: bool = True) -> KnowledgeBase:
    """Open the base of an argument.

    Raises:
        ConfigError: If there is none.
    """
    from gym_clinic import embedded
    from gym_clinic.retrieval import KnowledgeBase

    return embedded.knowledge() if path == EMBEDDED else KnowledgeBase(path, warm=warm)
