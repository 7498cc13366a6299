"""The case of triage: the chart of a patient, and the department around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from gym_clinic.chart.talk import PatientAnswer
from gym_clinic.clinical import ClinicCase, open_world
from gym_clinic.episode import Task

FAST_TRACK_HOURS = (8, 22)
"""From and to the hours of the day at which the fast track may be open."""

BED_FREE, FAST_TRACK_OPEN = 0.65, 0.8
"""Shares of the department's states with a free standard bed, and with the fast track open."""

MOST_WAITING = 24
"""People in the waiting room at most."""

TOLD_BEFORE = "what came before"
"""Key of a look-up: an operation, a treatment or an event that the patient told."""


@dataclass(frozen=True)
class Department:
    """The state of the emergency department when a patient arrives.

    Attributes:
        waiting: People in the waiting room.
        standard_beds: Free standard beds.
        fast_track: Whether the fast track is open.
    """

    waiting: int
    standard_beds: int
    fast_track: bool

    def to_json(self) -> dict[str, Any]:
        """Return the state as it stands in a record."""
        return asdict(self)


def draw_department(seed: int, hour: int) -> Department:
    """Return the state of the department; it says nothing of the patient.

    Args:
        seed: The seed of a task's record.
        hour: Hour of the day of arrival.
    """
    random = Random(f"{seed}:department")
    first, last = FAST_TRACK_HOURS
    beds = random.choice((1, 2, 3)) if random.random() < BED_FREE else 0
    open_now = random.random() < FAST_TRACK_OPEN and first <= hour < last
    return Department(random.randint(0, MOST_WAITING), beds, open_now)


class TriageCase(ClinicCase):
    """The chart of an episode, with the department; the triage note is not written yet.

    Attributes:
        department: Its state on arrival.
    """

    def __init__(self, record: Mapping[str, Any]) -> None:
        super().__init__(open_world(record))
        self.department = Department(**record["department"])
        written = self["documents"].items()
        self["documents"] = {title: one for title, one in written if one["kind"] != "triage"}

    def ask(self, question: str) -> PatientAnswer:
        """Ask the patient, as a chart does, and note when an event of the record is told."""
        answer = super().ask(question)
        events = {f"past:{one.what}" for one in self.patient.past}
        if any(one.fact in events for one in answer.facts):
            self.log("look_up", key=TOLD_BEFORE)
        return answer


def open_case(task: Task) -> TriageCase:
    """Open the case of a task, for `Domain.open_case`."""
    return TriageCase(task.record)
