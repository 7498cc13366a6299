"""The least that can be learnt: look once, then name what was seen. For proofs of learning.

Eight bays hold a patient each. The rhythm on a bay's monitor is fixed but not on the ticket; one
call reads it, and the answer is the treatment that goes with it. The labels are simulated.
"""

from __future__ import annotations

from typing import Literal

from gym_clinic import Case, Domain, Episode, Kind, Menu, Rubric, Task, tool
from gym_clinic.rewards import exact_answer

RHYTHMS = ("slow", "fast")
TREATMENTS = ("atropine", "adenosine")


@tool
def monitor(case: Case) -> str:
    """Read the rhythm."""
    return str(case["rhythm"])


@tool(kind=Kind.SUBMIT)
def treat(drug: Literal["atropine", "adenosine"]) -> None:
    """Treat and close.

    Args:
        drug: What to give.
    """


def looked_and_right(episode: Episode) -> float:
    """Return 1.0 for the right treatment of a rhythm that was read in an earlier turn, else 0.0."""
    looked = any(call.name == "monitor" for turn in episode.turns[:-1] for call in turn.calls)
    return exact_answer(episode) if looked else 0.0


def _solved(episode: Episode) -> bool:
    return looked_and_right(episode) == 1.0


def _task(bay: int) -> Task:
    kind = (0, 1, 1, 0, 1, 0, 0, 1)[bay]
    answer = {"drug": TREATMENTS[kind]}
    return Task(
        id=f"bay{bay}",
        ticket=f"Bay {bay}.",
        record={"rhythm": RHYTHMS[kind]},
        gold={"answer": answer, "calls": [{"name": "treat", "arguments": answer}]},
        provenance="synthetic",
    )


def _solve(task: Task) -> list[tuple[tuple[str, dict[str, str]], ...]]:
    return [(("monitor", {}),), (("treat", dict(task.gold["answer"])),)]


def _menu(task: Task) -> Menu:
    answers = {drug: (("treat", {"drug": drug}),) for drug in TREATMENTS}
    return Menu(calls=(("monitor", {}),), answers=answers)


BAYS = tuple(_task(bay) for bay in range(8))

RHYTHM = Domain(
    name="rhythm",
    policy="Look at the monitor, then treat.",
    tasks={"train": BAYS, "dev": BAYS, "test": BAYS},
    rubric=Rubric({"outcome": looked_and_right}, weights={"outcome": 1.0}),
    tools=(monitor, treat),
    success=_solved,
    solution=_solve,
    menu=_menu,
    max_turns=3,
)
