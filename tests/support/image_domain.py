"""A domain with images: one on the ticket, another behind a tool."""

from __future__ import annotations

import itertools

import gymnasium as gym
from places import SUPPORT

from gym_clinic import Case, Domain, Illustrated, Kind, Menu, Rubric, Task, tool
from gym_clinic.rewards import call_f1, exact_answer

IMAGES = SUPPORT / "images"
SHAPES = ("round", "square", "cross")
SIDES = ("left", "right")


@tool
def view_image(case: Case, side: str) -> Illustrated:
    """Show the lesion of one side.

    Args:
        side: "left" or "right".
    """
    shape = case["shapes"].get(side, case["shapes"]["left"])
    return Illustrated(f"The {side} side: <image> as of today.", (IMAGES / f"{shape}.png",))


@tool(kind=Kind.SUBMIT)
def report_same(same: bool) -> None:
    """Report whether both sides look the same.

    Args:
        same: Whether they do.
    """


def _tasks() -> list[Task]:
    tasks = []
    same = [(shape, shape) for shape in SHAPES] * 2
    for number, (left, right) in enumerate([*itertools.permutations(SHAPES, 2), *same]):
        answer = {"same": left == right}
        calls = [
            {"name": "view_image", "arguments": {"side": "right"}},
            {"name": "report_same", "arguments": answer},
        ]
        tasks.append(
            Task(
                id=f"image-{(number * 7919) % 9973:04d}",
                record={"shapes": {"left": left, "right": right}},
                gold={"answer": answer, "calls": calls},
                provenance="synthetic",
            )
        )
    return tasks


def _ticket(task: Task) -> Illustrated:
    shape = task.record["shapes"]["left"]
    text = "The left side: <image>\nDoes the right side look the same?"
    return Illustrated(text, (str(IMAGES / f"{shape}.png"),))


def _menu(task: Task) -> Menu:
    calls = tuple(("view_image", {"side": side}) for side in SIDES)
    answers = {str(same): (("report_same", {"same": same}),) for same in (True, False)}
    return Menu(calls, answers)


_TASKS = _tasks()
LESIONS = Domain(
    name="lesions",
    policy="You compare two images; each is shown where its <image> mark stands.",
    tasks={"train": _TASKS[::2], "test": _TASKS[1::2]},
    rubric=Rubric(
        {"accuracy": exact_answer, "process": call_f1}, {"accuracy": 0.5, "process": 0.5}
    ),
    tools=(view_image, report_same),
    ticket=_ticket,
    menu=_menu,
    max_turns=4,
)

IDS = {"toy/Lesions-v0": "image_domain:LESIONS"}
for _id, _name in IDS.items():
    gym.register(id=_id, entry_point="gym_clinic.env:ClinicEnv", kwargs={"domain": _name})
