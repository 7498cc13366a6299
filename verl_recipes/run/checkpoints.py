"""The checkpoints of a run: which are kept, which is the best."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import orjson

from gym_clinic.files import replace_file

SUCCESSES = "successes.json"
"""File beside the checkpoints: step -> success at its evaluation."""

LAST = 2
"""Checkpoints that are kept for being the last ones; the best is kept beside them."""


class Best(NamedTuple):
    """The checkpoint with the highest success, from 0 to 1, at its evaluation."""

    step: int
    success: float
    folder: Path


def validation_success(metrics: Mapping[str, float]) -> float | None:
    """Return the success of an evaluation, a mean over environments; None if there is none."""
    found = [
        value
        for name, value in metrics.items()
        if name.startswith("val-") and "/success/mean@" in name
        if "/metric/" not in name and "/reward/" not in name
    ]
    return float(sum(found) / len(found)) if found else None


def note(root: Path, step: int, success: float) -> None:
    """Write down the success of a step's evaluation; what is known of later steps is void."""
    known = {number: value for number, value in successes(root).items() if number < step}
    text = orjson.dumps({str(number): value for number, value in {**known, step: success}.items()})
    replace_file(root / SUCCESSES, [text])


def successes(root: Path) -> dict[int, float]:
    """Return step -> success at its evaluation."""
    path = root / SUCCESSES
    found = orjson.loads(path.read_bytes()) if path.is_file() else {}
    return {int(number): float(value) for number, value in found.items()}


def best(root: Path, step: int | None = None) -> Best | None:
    """Return the best of the evaluated checkpoints up to a step; of equal ones the latest."""
    known, there = successes(root), _complete(root)
    scored = [(known[n], n) for n in there if n in known and (step is None or n <= step)]
    if not scored:
        return None
    success, number = max(scored)
    return Best(number, success, there[number])


def to_remove(root: Path, step: int) -> list[Path]:
    """Return the checkpoints to remove once ``step`` is saved: all but the last two and the best.

    A checkpoint counts when verl has written all of it. Those of later steps, which a run that was
    taken back has left, are kept until it overwrites them.
    """
    kept = set(sorted(n for n in _complete(root) if n <= step)[-LAST:])
    if (first := best(root, step)) is not None:
        kept.add(first.step)
    return [folder for n, folder in sorted(_folders(root).items()) if n < step and n not in kept]


def _folders(root: Path) -> dict[int, Path]:
    """Return step -> folder of every checkpoint, finished or not."""
    numbered = {folder.name.removeprefix("global_step_"): folder for folder in root.glob("*/")}
    return {int(number): folder for number, folder in numbered.items() if number.isdecimal()}


def _complete(root: Path) -> dict[int, Path]:
    # verl writes the position in the data last.
    return {n: folder for n, folder in _folders(root).items() if (folder / "data.pt").is_file()}
