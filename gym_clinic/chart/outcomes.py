"""How an encounter ends: death, departure, and whether treatment came before lasting harm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal

from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.problems import treated_at

IMPATIENT = 0.3
"""Share of patients with a problem that is not urgent who leave if they wait too long."""

PATIENCE = (75, 300)
"""Least and greatest time in minutes that they wait without anyone seeing them."""

NOT_URGENT = 4
"""Least triage level of a problem that is not urgent."""

Timing = Literal["before harm", "too late", "untreated", "untreated and harmed", "no limit"]


@dataclass(frozen=True)
class Treatment:
    """What became of a problem.

    Attributes:
        condition: Id of the condition.
        treated: Minute at which its treatment was complete; None if it was not.
        limit: Minute from which on lasting harm is done without it; None if not within a day.
        timing: Whether treatment came before harm, too late or not at all.
    """

    condition: str
    treated: float | None
    limit: int | None
    timing: Timing


@dataclass(frozen=True)
class EncounterOutcome:
    """How an encounter went.

    Attributes:
        ended: "died", "left" or None.
        minute: Minute of the end, or of now.
        treatments: Each problem, the one that brought the patient first.
    """

    ended: str | None
    minute: float
    treatments: tuple[Treatment, ...]

    @property
    def harmed(self) -> bool:
        """Whether the patient died or suffered lasting harm."""
        late = ("too late", "untreated and harmed")
        return self.ended == "died" or any(one.timing in late for one in self.treatments)


def treatments(
    patient: ClinicPatient, given: Mapping[str, float], minute: float
) -> tuple[Treatment, ...]:
    """Return what became of each problem by a minute."""
    found = []
    for problem in patient.problems:
        course = patient.course(problem)
        limit = course.harm_after_minutes
        treated = treated_at(course, given)
        found.append(Treatment(problem.condition, treated, limit, _timing(treated, limit, minute)))
    return tuple(found)


def _timing(treated: float | None, limit: int | None, minute: float) -> Timing:
    if treated is not None:
        if limit is None:
            return "no limit"
        return "before harm" if treated <= limit else "too late"
    return "untreated" if limit is None or minute < limit else "untreated and harmed"


def patience(patient: ClinicPatient) -> float | None:
    """Return how many minutes the patient waits unseen before leaving; None if they stay.

    It is drawn for each patient, and the same in every process.
    """
    _, condition = next(patient.conditions())
    random = Random(f"{patient.seed}:patience")
    leaves = random.random() < IMPATIENT
    least, most = PATIENCE
    waits = random.triangular(least, most, least + 0.4 * (most - least))
    urgent = condition.triage is not None and condition.triage < NOT_URGENT
    return float(round(waits)) if leaves and not urgent else None
