"""A plan carried out on a fresh chart: what it reads, what it costs, and how it is judged.

Generators of tasks try the reference plan with it, so that a gold asks for nothing that the plan
does not read, and that a task is made only if its plan and its answer earn everything::

    done = rehearse(Toolbox(TOOLS), ClinicCase(world), [[("order_ecg", {})], [("wait", {...})]])
    gold["read"] = [key for key in wanted if key in done.read]
    done.judged(JUDGE, gold, gold["answer"]).perfect
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gym_clinic.clinical.judging.citations import is_true, was_read
from gym_clinic.clinical.judging.judge import DomainJudge, JudgedEpisode
from gym_clinic.clinical.judging.seen import seen
from gym_clinic.clinical.world import ClinicCase
from gym_clinic.domain import CallSpec
from gym_clinic.episode import Call, Episode, Task, Turn
from gym_clinic.errors import ToolError
from gym_clinic.frozen import thaw
from gym_clinic.toolbox import Toolbox, to_text

Plan = Sequence[Sequence[CallSpec]]
"""Batches of calls."""


@dataclass(frozen=True)
class Rehearsal:
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
    def reference(self) -> dict[str, float]:
        """The plan's cost in US dollars and its number of orders, as a gold has them."""
        return self.case.committed()

    def shows(self, key: str, present: bool) -> bool:
        """Return whether something was read, and is as it is stated."""
        return was_read(self.case.world, key, self.read) and is_true(self.case, key, present)

    def judged(
        self, judge: DomainJudge, gold: Mapping[str, Any], answer: Mapping[str, Any]
    ) -> JudgedEpisode:
        """Return the judgement of the plan that ends with an answer, under a gold."""
        return JudgedEpisode(judge, answered(self.case, self.turns, gold, answer))


def answered(
    case: ClinicCase, turns: Iterable[Turn], gold: Mapping[str, Any], answer: Mapping[str, Any]
) -> Episode:
    """Return the episode of what was called, which ends with an accepted answer."""
    given: dict[str, Any] = thaw(answer)
    submit = Call("submit_answer", given, ok=True, response="Answer recorded.")
    last = Turn("", calls=(submit,), answer=given)
    task = Task("rehearsal", {"seed": case.patient.seed}, gold)
    return Episode(task, case, turns=[*turns, last], answer=given, stop="answered")


def rehearse(box: Toolbox, case: ClinicCase, plan: Plan) -> Rehearsal:
    """Carry out a plan until a call fails or the encounter ends.

    Args:
        box: The tools of the domain.
        case: A fresh chart of the patient.
        plan: Batches of calls by name and arguments, without the submission.
    """
    turns: list[Turn] = []
    for batch in plan:
        calls = []
        case.begin_message()
        for name, arguments in batch:
            given: dict[str, Any] = thaw(arguments)
            tool = box.get(name)
            try:
                if tool is None:
                    raise ToolError(box.unknown(name))
                case.writable = tool.writes
                result = tool.call(given, case)
            except ToolError as error:
                return Rehearsal(case, tuple(turns), f"{name}: {error}")
            calls.append(Call(name, given, ok=True, response=to_text(result)))
        turns.append(Turn("", calls=tuple(calls)))
        case.end_turn()
        if case.ended() is not None:
            return Rehearsal(case, tuple(turns), case.ended())
    return Rehearsal(case, tuple(turns))
