"""``gym-clinic tasks build kacr``: the task files, from their seeds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import orjson

from gym_clinic.domains.kacr.consulting.build import write_tasks
from gym_clinic.domains.kacr.tasks import SIZES, as_row, make_split
from gym_clinic.frozen import thaw


def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Write the task files of all splits."""
    parser = argparse.ArgumentParser(prog=prog, description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder; made if missing")
    parser.add_argument("--count", type=int, help="tasks of each split instead of all")
    parser.add_argument(
        "--consultation", action="store_true", help="the tasks of Consultation-v0 instead"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes, for --consultation")
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    if args.consultation:
        write_tasks(args.out, args.count, args.workers)
        return
    for split in SIZES:
        lines = [orjson.dumps(thaw(as_row(task))) for task in make_split(split, args.count)]
        (args.out / f"{split}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        print(f"{args.out / split}.jsonl: {len(lines):,} tasks")


if __name__ == "__main__":
    main()
