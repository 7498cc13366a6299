"""Whether the perfect review of a task earns everything, tried before the task is accepted."""

from __future__ import annotations

from typing import Any

from gym_clinic.chart.tools import score_tools
from gym_clinic.clinical import MadeTask
from gym_clinic.clinical.judging import JudgedEpisode
from gym_clinic.domains.drug_interaction.answer import submit_answer
from gym_clinic.domains.drug_interaction.rewards import JUDGE
from gym_clinic.domains.drug_interaction.solution import solution
from gym_clinic.domains.drug_interaction.tools import CHECKS, RECORD, SCORES
from gym_clinic.domains.drug_interaction.world import open_case
from gym_clinic.episode import Call, Episode, Task, Turn
from gym_clinic.errors import ToolError
from gym_clinic.frozen import thaw
from gym_clinic.toolbox import Toolbox, to_text


def is_perfect(made: MadeTask) -> bool:
    """Return whether every part of the reward is whole for the reference review.

    Look-ups of the library and thoughts, which no part asks for, are not played.
    """
    task = Task("rehearsal", made.record, made.gold, made.ticket)
    case, box = open_case(task), Toolbox((*RECORD, *CHECKS, *score_tools(SCORES), submit_answer))
    turns: list[Turn] = []
    answer: dict[str, Any] = thaw(made.gold["answer"])
    for move in solution(task):
        assert not isinstance(move, str)
        calls = []
        for name, given in move:
            tool = box.get(name)
            if tool is None:
                continue
            try:
                response = tool.call(dict(given), case)
            except ToolError:
                return False
            text = "Answer recorded." if tool.submits else to_text(response)
            calls.append(Call(name, dict(given), ok=True, response=text))
        turns.append(Turn("", calls=tuple(calls)))
        case.end_turn()
    turns[-1] = Turn("", calls=turns[-1].calls, answer=answer)
    found = JudgedEpisode(JUDGE, Episode(task, case, turns, answer, "answered"))
    whole = (found.accuracy, found.process(), found.safety(), found.coherence(), found.assertion())
    return found.solved and min(*whole, found.share) >= 1 - 1e-9
