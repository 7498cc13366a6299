"""An order on a chart, and what it comes to in time.

What an order comes to follows from its times alone: a sample is taken or a medicine given at
`done`, and a result is back at `due`, unless it was cancelled before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gym_clinic.frozen import Frozen

OrderKind = Literal[
    "laboratory",
    "study",
    "medicine",
    "prescription",
    "support",
    "procedure",
    "monitoring",
    "consult",
]

NEVER = math.inf


@dataclass(frozen=True)
class Order:
    """An order.

    Attributes:
        id: Its number on the chart, such as "o3".
        kind: What it is.
        what: Id of the test, study, procedure or drug, or name of the service.
        name: What it is called on lists.
        ordered: Minute of the order.
        done: Minute at which the sample is taken, the medicine given, the procedure begun; never
            for a prescription for home.
        due: Minute at which its result is back; that of `done` where nothing comes back.
        actions: What it does to the course, as `ClinicPatient.state` takes it.
        details: Dose, route, side and the like, as they were ordered.
        cost: US dollars.
        discomfort: 0 none, 1 a needle, 2 unpleasant, 3 painful.
        repeat: Number of the sample among those of its minute.
        cancelled: Minute at which it was cancelled; None if it was not.
    """

    id: str
    kind: OrderKind
    what: str
    name: str
    ordered: float
    done: float
    due: float
    actions: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=Frozen)
    cost: float = 0.0
    discomfort: int = 0
    repeat: int = 0
    cancelled: float | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Order:
        return self

    def happened(self, minute: float) -> bool:
        """Return whether it was carried out by a minute: begun, and not cancelled before."""
        return self.done <= minute and not (
            self.cancelled is not None and self.cancelled < self.done
        )

    def has_result(self, minute: float) -> bool:
        """Return whether its result is back."""
        returns = self.kind in ("laboratory", "study", "consult")
        return returns and self.cancelled is None and self.due <= minute

    def status(self, minute: float) -> str:
        """Return its status in words."""
        if self.cancelled is not None:
            return "cancelled"
        if self.kind == "prescription":
            return "prescribed for home"
        if minute < self.done:
            return "ordered"
        if minute < self.due:
            return "in progress"
        words = {"laboratory": "result back", "study": "report back", "consult": "answered"}
        return words.get(self.kind, "running" if self.kind == "monitoring" else "done")

    def can_be_cancelled(self, minute: float) -> bool:
        """Return whether cancelling still comes in time."""
        if self.cancelled is not None or self.kind == "monitoring":
            return self.cancelled is None
        return minute < (self.due if self.kind in ("laboratory", "study") else self.done)


def given_by(orders: Iterable[Order], minute: float) -> dict[str, float]:
    """Return action -> the minute at which it was first done, of what was done by a minute."""
    found: dict[str, float] = {}
    for one in orders:
        if one.actions and one.happened(minute):
            for action in one.actions:
                found[action] = min(one.done, found.get(action, one.done))
    return found
