"""A plan carried out on a fresh chart: what it reads, what it costs and what comes back.

Generators of tasks use it for the reference plan, so that the gold asks for nothing that the plan
does not read::

    done = rehearse(TOOLS, world, [("measure_vital_signs", {}), ("order_ecg", {})])
    gold["read"] = [key for key in wanted if key in done.seen]
    gold["reference"] = done.reference
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gym_clinic.clinical.citations import is_true, was_read
from gym_clinic.clinical.seen import seen
from gym_clinic.clinical.world import ClinicCase, ClinicWorld
from gym_clinic.domain import CallSpec
from gym_clinic.errors import ToolError
from gym_clinic.frozen import thaw
from gym_clinic.toolbox import Tool, Toolbox


@dataclass(frozen=True)
class Rehearsal:
    """What a plan came to.

    Attributes:
        case: The chart after it.
        seen: The keys of what was read (:mod:`.seen`).
        results: What each call gave.
        failed: The plan's first call that failed, with its error; None if all were answered.
    """

    case: ClinicCase
    seen: frozenset[str]
    results: tuple[Any, ...]
    failed: str | None

    @property
    def reference(self) -> dict[str, float]:
        """The plan's cost in US dollars and its number of orders, as a gold has them."""
        return {"cost": self.case.cost(), "orders": float(sum(1 for _ in self.case.carried_out()))}

    def citable(self, key: str) -> dict[str, Any] | None:
        """Return the right citation of a key, as a gold has it; None if it was not read."""
        if not was_read(self.case.world, key, self.seen):
            return None
        for present in (True, False):
            if is_true(self.case, key, present):
                return {"finding": key, "present": present}
        return None


def rehearse(tools: Iterable[Tool], world: ClinicWorld, plan: Sequence[CallSpec]) -> Rehearsal:
    """Carry out a plan until a call fails.

    Args:
        tools: The tools of the domain.
        world: The patient of the task.
        plan: Calls by name and arguments, without the submission.
    """
    box, case = Toolbox(tuple(tools)), ClinicCase(world)
    results: list[Any] = []
    failed = None
    for name, arguments in plan:
        tool = box.get(name)
        try:
            if tool is None:
                raise ToolError(box.unknown(name))
            case.writable = tool.writes
            results.append(tool.call(_plain(arguments), case))
        except ToolError as error:
            failed = f"{name}: {error}"
            break
    return Rehearsal(case, seen(case), tuple(results), failed)


def _plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = thaw(arguments)
    return plain
