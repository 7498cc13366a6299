"""``gym-clinic tasks build kacr --consultation``: the task files, from their seeds."""

from __future__ import annotations

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


def write_tasks(out: Path, count_of_each: int | None = None, workers: int = 1) -> None:
    """Write the task files of all splits.

    Args:
        out: The folder.
        count_of_each: Tasks of each split instead of all.
        workers: Processes.
    """
    with ProcessPoolExecutor(workers) as pool:
        for split, size in SIZES.items():
            count = size if count_of_each is None else count_of_each
            # A few seeds make no task: an eighth more than needed is always enough.
            seeds = range(0, count + count // 8 + 2)
            chunks = pool.map(partial(rows_of, split), seeds, chunksize=min(CHUNK, len(seeds)))
            lines = [line for chunk in chunks for line in chunk][:count]
            replace_file(out / f"{split}.jsonl", lines)
            print(f"{out / split}.jsonl: {len(lines):,} tasks")


def rows_of(split: Split, seed: int) -> list[bytes]:
    """Return the line of the task of a seed; none if the seed makes no task."""
    return [orjson.dumps(thaw(as_row(task))) + b"\n" for task in make_split(split, seed, seed + 1)]
