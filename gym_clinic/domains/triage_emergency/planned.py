"""A reference plan while it is carried out: its calls, and what they showed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from gym_clinic.clinical.judging.citations import is_true, was_read
from gym_clinic.clinical.judging.seen import seen
from gym_clinic.domain import CallSpec
from gym_clinic.domains.triage_emergency.first_orders import UrgentCall
from gym_clinic.domains.triage_emergency.tools import make_tools
from gym_clinic.domains.triage_emergency.world import TriageCase
from gym_clinic.errors import ToolError
from gym_clinic.toolbox import Toolbox

_SHAPES = {
    "ST elevation": re.compile(r"(?<![Nn]o )(ST elevation|STE\b)"),
    "ST depression": re.compile(r"(?<![Nn]o )ST depression"),
    "unspecific change": re.compile(
        r"\bT[ -](wave|inversion)|TWI|flat T|BBB|bundle|LVH|hypertrophy"
    ),
}
"""What the chest pain screen calls an abnormal ECG -> words of its report, the gravest first."""


class NoPlanError(Exception):
    """A patient for whom the reference plan does not work out."""


@dataclass
class PlannedTriage:
    """A plan as it was carried out.

    Attributes:
        case: The case that it was played on.
        moves: Batches of calls.
        urgent: The orders that cannot wait.
        ordered: Those of them that were given.
        flags: Red flags of the complaint that were asked for, by id.
        followed: Keys that complaints and red flags that are there call for, and that were read,
            the most urgent first.
        weak: Where the record shows that the immune system of somebody with fever is weak, as
            `weakened_by` has it.
        asked_pregnancy: Whether a pregnancy was asked for, as the complaint calls for it.
        measured: The vital signs that were measured first, or again after a doubtful trace.
        repeated: Whether they were measured again.
        replies: Tool -> what its last call returned.
    """

    case: TriageCase
    moves: list[list[CallSpec]] = field(default_factory=lambda: [[]])
    urgent: list[UrgentCall] = field(default_factory=list)
    ordered: list[UrgentCall] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    followed: list[str] = field(default_factory=list)
    weak: dict[str, tuple[str, ...]] = field(default_factory=dict)
    asked_pregnancy: bool = False
    measured: dict[str, float] = field(default_factory=dict)
    repeated: bool = False
    replies: dict[str, Any] = field(default_factory=dict)
    _box: Toolbox = field(default_factory=lambda: Toolbox(make_tools()), repr=False)

    def call(self, name: str, **arguments: Any) -> Any:
        """Make a call in the present batch.

        Raises:
            NoPlanError: If it fails, or the encounter ends.
        """
        tool = self._box.get(name)
        assert tool is not None, name
        self.case.writable = tool.writes
        try:
            result = tool.call(dict(arguments), self.case)
        except ToolError as error:
            raise NoPlanError(f"{name}: {error}") from None
        self.moves[-1].append((name, arguments))
        self.replies[name] = result
        return result

    def turn(self) -> None:
        """End the present batch."""
        if self.moves[-1]:
            self.case.end_turn()
            self.case.begin_message()
            self.moves.append([])

    @property
    def read(self) -> frozenset[str]:
        """The keys of what was read."""
        return seen(self.case)

    @property
    def ecg(self) -> str:
        """What the ECG that was read shows, as the chest pain screen has it."""
        report = str(self.replies["read_results"]["report"])
        shapes = (shape for shape, words in _SHAPES.items() if words.search(report))
        one = self.citation("study:ecg")
        return next(shapes, "normal") if one is not None and one["present"] else "normal"

    def citation(self, key: str) -> dict[str, Any] | None:
        """Return the right citation of a key; None if it was not read or bears none."""
        if was_read(self.case.world, key, self.read):
            for present in (True, False):
                if is_true(self.case, key, present):
                    return {"finding": key, "present": present}
        return None
