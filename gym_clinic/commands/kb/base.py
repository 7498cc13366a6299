"""Which knowledge base a command is about: a file, or the one that ships."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gym_clinic.retrieval.passages.knowledge import KnowledgeBase

EMBEDDED = Path("embedded")


def add_base(parser: argparse.ArgumentParser) -> None:
    """Declare the argument."""
    parser.add_argument(
        "base",
        type=Path,
        metavar="BASE",
        help=f"a file such as clinic.db, or '{EMBEDDED}' for the base that ships",
    )


def open_base(path: Path, *, warm: bool = True) -> KnowledgeBase:
    """Open the base of an argument.

    Raises:
        ConfigError: If there is none.
    """
    from gym_clinic import embedded
    from gym_clinic.retrieval.passages.knowledge import KnowledgeBase

    return embedded.knowledge() if path == EMBEDDED else KnowledgeBase(path, warm=warm)
