"""The checkpoints of a run: which are kept, and by what the best is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

STATE = "clinic.json"
"""File of a checkpoint: what the trainer keeps beside verl's parts, the best step so far too."""

LAST = 2
"""Checkpoints that are kept for being the last ones; the best is kept beside them."""


def folder_of(root: Path, step: int) -> Path:
    """Return the folder in which verl saves a step."""
    return root / f"global_step_{step}"


def validation_success(metrics: Mapping[str, float]) -> float | None:
    """Return the success of an evaluation, a mean over environments; None if there is none."""
    found = [
        value
        for name, value in metrics.items()
        if name.startswith("val-") and "/success/mean@" in name
        if "/metric/" not in name and "/reward/" not in name
    ]
    return float(sum(found) / len(found)) if found else None


def to_remove(root: Path, step: int, best: int | None) -> list[Path]:
    """Return the checkpoints to remove once ``step`` is saved: all but the last two and the best.

    A checkpoint counts when verl has written all of it; it writes the position in the data last.
    Those of later steps, which a run that was taken back has left, are kept until it overwrites
    them.
    """
    names = {folder.name.removeprefix("global_step_"): folder for folder in root.glob("*/")}
    before = {int(name): one for name, one in names.items() if name.isdecimal()}
    whole = sorted(n for n, one in before.items() if n <= step and (one / "data.pt").is_file())
    kept = {best, *whole[-LAST:]}
    return [one for n, one in sorted(before.items()) if n < step and n not in kept]
