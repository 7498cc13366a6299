"""A plan tried on the chart of its patient: what it shows, what it costs, whether it is safe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gym_clinic.clinical.citations import is_true, was_read
from gym_clinic.clinical.seen import seen
from gym_clinic.clinical.world import ClinicCase, open_world
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clinical_diagnosis.tools import tools
from gym_clinic.episode import Call, Episode, Task, Turn
from gym_clinic.errors import ToolError
from gym_clinic.toolbox import Tool, to_text

Plan = Sequence[Sequence[CallSpec]]
"""Batches of calls."""


@dataclass(frozen=True)
class TriedPlan:
    """A plan after it was played.

    Attributes:
        case: The chart at its end.
        turns: What was called.
        failure: Why it could not be played to its end; None if it could.
    """

    case: ClinicCase
    turns: tuple[Turn, ...]
    failure: str | None = None

    @property
    def read(self) -> frozenset[str]:
        """The keys of what was read."""
        return seen(self.case)

    @property
    def cost(self) -> float:
        """What was spent, in US dollars."""
        return round(self.case.cost(), 2)

    @property
    def orders(self) -> int:
        """How many orders were carried out."""
        return sum(1 for _ in self.case.carried_out())

    def shows(self, key: str, present: bool) -> bool:
        """Return whether something was read, and is as it is stated."""
        return was_read(self.case.world, key, self.read) and is_true(self.case, key, present)

    def answered(self, gold: Mapping[str, Any], answer: Mapping[str, Any]) -> Episode:
        """Return the episode that ends with an answer, to be judged under a gold."""
        record = {"seed": self.case.patient.seed}
        submit = Call("submit_answer", dict(answer), ok=True, response="Answer recorded.")
        last = Turn("", calls=(submit,), answer=dict(answer))
        task = Task("trial", record, gold)
        turns = [*self.turns, last]
        self.case.judged = None
        return Episode(task, self.case, turns=turns, answer=dict(answer), stop="answered")


def try_plan(record: Mapping[str, Any], plan: Plan) -> TriedPlan:
    """Play a plan on a fresh chart."""
    case = ClinicCase(open_world(record))
    turns: list[Turn] = []
    for batch in plan:
        calls = []
        for name, arguments in batch:
            try:
                result = _toolbox()[name].call(dict(arguments), case)
            except ToolError as error:
                return TriedPlan(case, tuple(turns), f"{name}: {error}")
            calls.append(Call(name, dict(arguments), ok=True, response=to_text(result)))
        turns.append(Turn("", calls=tuple(calls)))
        case.end_turn()
        if case.ended() is not None:
            return TriedPlan(case, tuple(turns), case.ended())
    return TriedPlan(case, tuple(turns))


@lru_cache(maxsize=1)
def _toolbox() -> Mapping[str, Tool]:
    return {one.name: one for one in tools()}
