"""The debrief of a finished episode in a terminal; it shows the gold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from gym_clinic.commands.terminal import print_table, visible
from gym_clinic.env import ClinicEnv
from gym_clinic.evaluate.debrief import Ended, debrief, headline


def print_debrief(
    screen: Console, clinic: ClinicEnv, total: float, info: Mapping[str, Any]
) -> None:
    """Print how an episode went; it shows the gold, so call it after the end only.

    Args:
        screen: The console.
        clinic: The environment, its episode ended.
        total: The sum of the rewards of the episode.
        info: The info of the last step.
    """
    print_ended(screen, clinic, Ended(clinic.episode, total, info))


def print_ended(screen: Console, clinic: ClinicEnv, ended: Ended) -> None:
    """Print how a finished episode went.

    Args:
        screen: The console.
        clinic: The environment.
        ended: The episode.
    """
    screen.rule("end")
    screen.print(headline(clinic, ended), style="bold", markup=False)
    screen.print()
    for grid in debrief(clinic, ended):
        rows = tuple(tuple(visible(cell) for cell in row) for row in grid.rows)
        figures = not any(char.isalpha() for row in rows for cell in row[1:] for char in cell)
        print_table(screen, grid._replace(rows=rows), figures=figures)
