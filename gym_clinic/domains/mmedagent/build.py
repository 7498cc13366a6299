"""``gym-clinic tasks build mmedagent``: the task files, from their seeds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from gym_clinic.domains.mmedagent.tasks import SIZES, as_row, make_split
from gym_clinic.files import json_line, replace_files
from gym_clinic.frozen import thaw


def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Write the task files of all splits."""
    parser = argparse.ArgumentParser(prog=prog, description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder; made if missing")
    parser.add_argument("--count", type=int, help="tasks of each split instead of all")
    args = parser.parse_args(arguments)
    rows = {split: [json_line(thaw(as_row(task))) for task in make_split(split, args.count)]
            for split in ("train", "dev", "test")}  # fmt: skip
    replace_files({args.out / f"{split}.jsonl": lines for split, lines in rows.items()})
    for split, lines in rows.items():
        print(f"{args.out / split}.jsonl: {len(lines):,} of {SIZES[split]:,} tasks")


if __name__ == "__main__":
    main()
