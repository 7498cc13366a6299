"""``gym-clinic plot``: the training curves of runs as one picture."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

PICTURE = "curves.png"
"""Name of the picture, unless the caller gives one."""

app = typer.Typer()


@app.command(epilog="example: gym-clinic plot runs/grpo runs/ttopd --out curves.png")
def plot(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN",
            help="Folder of a training run, which holds metrics-*.jsonl, or one such file.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.png",
            help=f"The picture; {PICTURE} by default, in the folder of the run if there is one "
            "run only.",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A line above the picture.")
    ] = None,
) -> None:
    """Draw training curves.

    Draw reward, KL, response length, turns, clip ratio, mixed fraction and the success on
    evaluation tasks of one or more training runs, overlaid, as one picture. A run that has not
    ended yet can be drawn.
    """
    from gym_clinic.commands.terminal import visible
    from gym_clinic.viewer.curves import draw
    from gym_clinic.viewer.runs import read_run

    found = [read_run(path) for path in runs]
    for one in found:
        for path in one.cut:
            print(f"gym-clinic: {path}: the last line is cut short, left out", file=sys.stderr)
    # Runs with the same name are shown by their paths.
    often = Counter(one.name for one in found)
    found = [
        replace(one, name=str(path)) if often[one.name] > 1 else one
        for one, path in zip(found, runs, strict=True)
    ]
    alone = runs[0] if len(runs) == 1 and runs[0].is_dir() else Path()
    picture = out or alone / PICTURE
    draw(found, picture, title)
    shown = ", ".join(f"{one.name} up to step {max(one.steps)}" for one in found)
    print(visible(f"{picture}: {shown}"))
