"""A domain that ends its episodes itself: a walk that is over when it reaches a ward."""

from __future__ import annotations

import random

import gymnasium as gym

from gym_clinic import Case, Domain, Episode, Kind, Menu, Rubric, Task, ToolError, tool

LAYERS = (("entrance",), ("lift", "stairs", "ramp"), ("east", "west"), ("surgery", "medicine"))


@tool(kind=Kind.WRITE)
def go_to(case: Case, place: str) -> str:
    """Walk to a place of the next floor.

    Args:
        place: Its name, as on the map.
    """
    path = case.edit("path")
    if len(path) == len(LAYERS):
        raise ToolError("you have arrived")
    if place not in LAYERS[len(path)]:
        raise ToolError(f"the next floor has {', '.join(LAYERS[len(path)])}")
    path.append(place)
    return f"You are at {place}."


@tool(kind=Kind.SUBMIT)
def give_up(reason: str) -> str:
    """Stop walking.

    Args:
        reason: Why.
    """
    return f"gave up: {reason}"


def _arrived(episode: Episode) -> str | None:
    return "arrived" if len(episode.case["path"]) == len(LAYERS) else None


def _found(episode: Episode) -> float:
    return float(list(episode.case["path"]) == list(episode.task.gold["path"]))


def _per_step(episode: Episode) -> float:
    """Pay a little for a step that leads on."""
    return 0.05 if any(call.ok for call in episode.turns[-1].calls) else 0.0


def _tasks() -> list[Task]:
    draw = random.Random("walk")
    tasks = []
    for _ in range(24):
        path = [draw.choice(layer) for layer in LAYERS]
        calls = [{"name": "go_to", "arguments": {"place": place}} for place in path[1:]]
        tasks.append(
            Task(
                id=f"w{draw.getrandbits(32):08x}",
                ticket=f"Take the {path[1]}, turn {path[2]}, and go to {path[3]}.",
                record={"path": ["entrance"], "told": path[1:]},
                gold={"path": path, "calls": calls, "answer": path[-1]},
                provenance="synthetic",
            )
        )
    return tasks


def _menu(task: Task) -> Menu:
    calls = tuple(("go_to", {"place": place}) for layer in LAYERS[1:] for place in layer)
    return Menu(calls, {"give up": (("give_up", {"reason": "tired"}),)})


_TASKS = _tasks()
WALK = Domain(
    name="walk",
    policy="You carry a letter through a hospital, one floor a call.",
    tasks={"train": _TASKS[:16], "test": _TASKS[16:]},
    rubric=Rubric({"found": _found}, {"found": 1.0}),
    tools=(go_to, give_up),
    ended=_arrived,
    success=lambda episode: bool(_found(episode)),
    solution=lambda task: [(("go_to", {"place": place}),) for place in task.gold["path"][1:]],
    menu=_menu,
    turn_reward=_per_step,
    turn_range=(0.0, 0.05),
    classes=lambda task: str(task.gold["path"][-1]),
    max_turns=5,
)

IDS = {"toy/Walk-v0": "walk_domain:WALK"}
for _id, _name in IDS.items():
    gym.register(id=_id, entry_point="gym_clinic.env:ClinicEnv", kwargs={"domain": _name})
