"""``gym-clinic export``: recorded episodes in the form that training elsewhere reads."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gym_clinic.commands.terminal import add_env_options, options
from gym_clinic.names import import_module


def add(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser(
        "export",
        help="write recorded episodes for training elsewhere",
        description="Write recorded episodes in the form that training elsewhere reads.",
    )
    forms = parser.add_subparsers(dest="form", required=True, metavar="FORM")
    sft = forms.add_parser(
        "sft",
        help="the calls of sub-agents as conversations, to fine-tune the model behind them",
        description="Write each answered call of a sub-agent as one conversation: its role "
        "prompt, what it was given to read, and what it answered. Identical ones are written "
        "once. What a trace of recorded sub-agents gives is the curators' annotation; a trace of "
        "a chat model's gives what that model said.",
        epilog="example: gym-clinic eval clinic/ClinGen-v0 --policy spray --split train --trials "
        "1 --out runs/calls, then: gym-clinic export sft runs/calls --out train.parquet",
    )
    sft.add_argument(
        "traces",
        nargs="+",
        type=Path,
        metavar="TRACE",
        help="a trace.jsonl, or a folder that 'gym-clinic eval' has written",
    )
    sft.add_argument(
        "--out", required=True, type=Path, metavar="FILE", help="the .jsonl or .parquet file"
    )
    sft.add_argument("--split", help="take the episodes of this split only")
    sft.add_argument(
        "--only-success", action="store_true", help="take the episodes only that solved their task"
    )
    sft.add_argument(
        "--module", action="append", default=[], help="a module to import that registers the id"
    )
    add_env_options(sft)
    sft.set_defaults(run=run_sft)


def run_sft(args: argparse.Namespace) -> int:
    """Write conversations, and say how many came from where."""
    from gym_clinic.evaluate.conversations import collect, writer

    for module in args.module:
        import_module(module, "clinic environment")
    write = writer(args.out)  # before the work: the name may be wrong, or pyarrow missing
    found = collect(
        args.traces,
        split=args.split,
        only_success=args.only_success,
        env_options=options(args.set),
    )
    write(found.conversations)
    for split, episodes in found.episodes.items():
        print(f"{split}: {found.kept[split]:,} conversations from {episodes:,} episodes")
    if found.repeated:
        print(f"{found.repeated:,} identical ones were left out")
    if found.failed:
        print(f"{found.failed:,} episodes that a service failed were left out")
    print(f"Written to {args.out}: {len(found.conversations):,} conversations")
    return 0
