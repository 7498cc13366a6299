"""``gym-clinic tasks build kacr_consultation``: the task files, from their seeds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import orjson

from gym_clinic.domains.kacr.consulting.tasks import SIZES, as_row, make_split
from gym_clinic.files import replace_file
from gym_clinic.frozen import thaw
from gym_clinic.simulate.split import Split

CHUNK = 25
"""Seeds that a process takes at a time."""


def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Write the task files of all splits."""
    parser = argparse.ArgumentParser(prog=prog, description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder; made if missing")
    parser.add_argument("--count", type=int, help="tasks of each split instead of all")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(args.workers) as pool:
        for split, size in SIZES.items():
            count = size if args.count is None else args.count
            # A few seeds make no task: an eighth more than needed is always enough.
            seeds = range(0, count + count // 8 + 2)
            chunks = pool.map(partial(rows_of, split), seeds, chunksize=min(CHUNK, len(seeds)))
            lines = [line for chunk in chunks for line in chunk][:count]
            replace_file(args.out / f"{split}.jsonl", lines)
            print(f"{args.out / split}.jsonl: {len(lines):,} tasks")


def rows_of(split: Split, seed: int) -> list[bytes]:
    """Return the line of the task of a seed; none if the seed makes no task."""
    return [orjson.dumps(thaw(as_row(task))) + b"\n" for task in make_split(split, seed, seed + 1)]


if __name__ == "__main__":
    main()
