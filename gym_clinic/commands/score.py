"""``gym-clinic eval``: policies over a split, with intervals."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from gym_clinic import policies
from gym_clinic.commands.terminal import (
    add_env_options,
    add_policy_options,
    console,
    options,
    policy_options,
)

FAILED_BY_SERVICE = 3
"""Exit status when no episode could be scored."""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "eval",
        help="evaluate policies",
        description="Play policies over a split and report means with 95% intervals. The same "
        "command continues a run that was stopped, and tries again what a model server failed.",
        epilog="example: gym-clinic eval clinic/ClinGen-v0 --policy oracle rules --trials 1 "
        "--out runs/first",
    )
    parser.add_argument("id", help="such as clinic/ClinGen-v0, or module:id")
    parser.add_argument(
        "--policy",
        nargs="+",
        action="extend",
        required=True,
        help=f"one or more of {', '.join(policies.POLICIES)}, or package.module:NAME; several "
        "are compared, each in its own folder under --out",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder of the run")
    parser.add_argument("--split", default="test", help="which tasks (default: %(default)s)")
    parser.add_argument(
        "--trials", type=int, default=4, help="episodes of each task (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument(
        "--concurrency", type=int, default=16, help="episodes at once (default: %(default)s)"
    )
    parser.add_argument(
        "--limit", type=int, metavar="N", help="play a random sample of N tasks, fixed by --seed"
    )
    add_env_options(parser)
    add_policy_options(parser)
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--no-progress", action="store_true", help="show no progress bar")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Evaluate and print what came out."""
    from gym_clinic.evaluate import episodes, evaluate
    from gym_clinic.evaluate.report import compare, tables
    from gym_clinic.files import replace_file

    names = list(dict.fromkeys(args.policy))
    given = policy_options(args, names)
    if "chat" in given:  # a thread that waits for its turn at the client plays nothing
        given["chat"].setdefault("concurrency", args.concurrency)
    summaries = []
    for name in names:
        folder = args.out if len(names) == 1 else args.out / re.sub(r"[^\w.-]+", "-", name)
        summary = evaluate(
            args.id,
            name,
            out=folder,
            split=args.split,
            trials=args.trials,
            seed=args.seed,
            concurrency=args.concurrency,
            limit=args.limit,
            policy_options=given[name],
            env_options=options(args.set),
            progress=not args.no_progress,
        )
        summaries.append(summary)
        if summary.errors:
            first = next(row["error"] for row in episodes(folder / "trace.jsonl") if row["error"])
            print(
                f"gym-clinic: {name}: {summary.errors} of {summary.episodes} episodes were failed "
                f"by a service and are not scored; the same command tries them again. "
                f"The first: {first}",
                file=sys.stderr,
            )
    comparison = compare(summaries)
    if len(names) > 1:
        replace_file(args.out / "comparison.md", [comparison.markdown().encode()])
    if args.json:
        found = [summary.as_dict() for summary in summaries]
        print(json.dumps(found[0] if len(found) == 1 else found, indent=2, ensure_ascii=False))
    else:
        screen = console()
        for grid in tables(summaries[0]) if len(names) == 1 else [comparison]:
            screen.print(grid.rich())
        screen.print(f"Written to {args.out}", markup=False, soft_wrap=True)
    unscored = all(summary.errors == summary.episodes for summary in summaries)
    return FAILED_BY_SERVICE if unscored else 0
