"""Rules that every simulated patient must keep, each with a change that must break it.

A gate returns what is wrong, or None. Its mutation returns a patient that is wrong in that way, or
None if this patient offers no place for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gym_clinic.simulate.clinic import Patient

Check = Callable[[Patient], "str | None"]
Mutate = Callable[[Patient], "Patient | None"]
TIMES = (0, 60, 360)


@dataclass(frozen=True)
class Gate:
    """A rule and the mutation that must trip it."""

    name: str
    check: Check
    mutate: Mutate


class Altered(Patient):
    """A patient whose states are changed after they were computed."""

    __slots__ = ("change",)

    def _settled(self, problems: Any) -> Any:
        return self.change(super()._settled(problems))  # type: ignore[attr-defined]


def altered(patient: Patient, change: Callable[[dict[str, float]], dict[str, float]]) -> Patient:
    """Return the patient with every state changed."""
    made = object.__new__(Altered)
    made.__dict__.update({k: v for k, v in patient.__dict__.items() if k != "usual"})
    object.__setattr__(made, "change", change)
    return made
