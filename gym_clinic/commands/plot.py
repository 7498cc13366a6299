"""``gym-clinic plot``: the training curves of runs as one picture."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from gym_clinic.commands.terminal import visible

PICTURE = "curves.png"
"""Name of the picture, unless the caller gives one."""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "plot",
        help="draw training curves",
        description="Draw reward, KL, response length, turns, clip ratio, mixed fraction and the "
        "success on evaluation tasks of one or more training runs, overlaid, as one picture. A "
        "run that is still going can be drawn.",
        epilog="example: gym-clinic plot runs/grpo runs/ttopd --out curves.png",
    )
    parser.add_argument(
        "runs",
        nargs="+",
        type=Path,
        metavar="RUN",
        help="folder of a training run, which holds metrics-*.jsonl, or one such file",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE.png",
        help=f"the picture (default: {PICTURE}, in the folder of the run if there is but one)",
    )
    parser.add_argument("--title", help="a line above the picture")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Draw, and say where the picture lies."""
    from gym_clinic.viewer.curves import draw
    from gym_clinic.viewer.runs import read_run

    runs = [read_run(path) for path in args.runs]
    for one in runs:
        for path in one.cut:
            print(f"gym-clinic: {path}: the last line is cut short, left out", file=sys.stderr)
    # Runs of one name are told apart by their paths.
    often = Counter(one.name for one in runs)
    runs = [
        replace(one, name=str(path)) if often[one.name] > 1 else one
        for one, path in zip(runs, args.runs, strict=True)
    ]
    alone = args.runs[0] if len(runs) == 1 and args.runs[0].is_dir() else Path()
    out = args.out or alone / PICTURE
    draw(runs, out, args.title)
    shown = ", ".join(f"{one.name} up to step {max(one.steps)}" for one in runs)
    print(visible(f"{out}: {shown}"))
    return 0
