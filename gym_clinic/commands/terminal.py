"""The terminal: a console for tables, and text that cannot move the cursor."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from gym_clinic.evaluate.report import Grid

PIPED_WIDTH = 140
"""Characters of a line of a table that goes into a file or a pipe, unless COLUMNS is set."""

# Everything that could move the cursor or recolour a terminal; line ends and tabs stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def console() -> Console:
    """Return a console on standard output: coloured in a terminal, plain in a pipe."""
    from rich.console import Console

    screen = Console(highlight=False, emoji=False)
    if screen.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return screen  # as wide as the terminal, or as COLUMNS says
    return Console(highlight=False, emoji=False, width=PIPED_WIDTH)


def print_table(screen: Console, grid: Grid, *, figures: bool = True) -> None:
    """Print a table, in parts where it is wider than the lines.

    Args:
        screen: The console.
        grid: The table.
        figures: All columns but the first hold figures.
    """
    from gym_clinic.evaluate.report import GAP

    width = screen.width
    for part in grid.parts(width) if figures else [grid]:
        screen.print(part.title, style="bold", markup=False)
        screen.print()
        # Rich breaks words to fit its width; a table of longer words shall be wider instead.
        screen.width = max(width, sum(part.widths(width)) + GAP * len(part.columns))
        screen.print(part.rich(width, figures=figures))
        screen.width = width
        screen.print()


def show(screen: Console, text: str) -> None:
    """Print a text, wrapped at words to the width of a terminal; into a pipe as it is."""
    screen.print(visible(text), markup=False, soft_wrap=not screen.is_terminal)


def visible(text: str) -> str:
    """Return a text of an agent with its control characters made visible."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
