"""The training curves of runs as one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.viewer.curves import draw
    from gym_clinic.viewer.runs import Run, read_run

__all__ = ["Run", "draw", "read_run"]

__getattr__ = lazy_names(__name__, {"Run": "runs", "draw": "curves", "read_run": "runs"})
