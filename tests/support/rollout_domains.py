"""Small domains that stretch rollouts: inserted answers, images, tasks without end."""

from __future__ import annotations

from typing import Any

from gym_clinic import Domain, EndlessTasks, Illustrated, Kind, Rubric, Tag, Tags, Task, tool
from gym_clinic.rewards import exact_answer
from gym_clinic.taskset import TaskList

RUBRIC = Rubric({"outcome": exact_answer}, weights={"outcome": 1.0})
DOSES = {"colchicine": "500 micrograms", "allopurinol": "100 milligrams"}


@tool
def find_dose(query: str) -> str:
    """Look a dose up.

    Args:
        query: Name of the drug.
    """
    return DOSES.get(query, "no such drug")


@tool(kind=Kind.SUBMIT)
def submit_dose(dose: str) -> None:
    """Give the dose.

    Args:
        dose: Amount and unit.
    """


def _dose_task(name: str, drug: str) -> Task:
    answer = {"dose": DOSES[drug]}
    return Task(name, {}, {"answer": answer, "calls": []}, f"Dose of {drug}?", "synthetic")


def _solve_dose(task: Task) -> list[Any]:
    drug = task.ticket.removeprefix("Dose of ").removesuffix("?")
    return [(("find_dose", {"query": drug}),), (("submit_dose", dict(task.gold["answer"])),)]


TAGS = {"search": Tag("find_dose"), "answer": Tag("submit_dose", argument="dose")}


def _search(name: str, **dialect: Any) -> Domain:
    return Domain(
        name=name,
        policy="Search, then answer.",
        tasks={"train": [_dose_task(f"{drug}-task", drug) for drug in DOSES]},
        rubric=RUBRIC,
        tools=(find_dose, submit_dose),
        solution=_solve_dose,
        max_turns=4,
        dialect="tags",
        dialects={"tags": Tags(TAGS, answers="<found>{response}</found>", **dialect)},
    )


INLINE = _search("inline", inline=True)
"""The answer to a search stands inside the model's own message."""

TAGGED = _search("tagged")
"""Calls in tags; answers are messages of their own."""

STOPPED = _search("stopped", stops=("</search>",))
"""Replies stop at the closing tag; answers are messages of their own."""


def _endless_task(seed: int) -> Task:
    drug = sorted(DOSES)[seed % 2]
    task = _dose_task("", drug)
    padding = " please" * (seed % 7)
    return Task("", {"seed": seed}, task.gold, f"Dose of {drug}?{padding}", "synthetic")


ENDLESS = Domain(
    name="endless",
    policy="Answer.",
    tasks={"endless": EndlessTasks(_endless_task, "dose")},
    rubric=RUBRIC,
    tools=(find_dose, submit_dose),
    solution=lambda task: [(("submit_dose", dict(task.gold["answer"])),)],
    max_turns=3,
)
"""A split whose tasks are made from seeds."""


def _drug(task: Task) -> str:
    return task.id.partition("-")[0]


_OFTEN = [_dose_task(f"colchicine-{number}", "colchicine") for number in range(15)]
_RARE = [_dose_task(f"allopurinol-{number}", "allopurinol") for number in range(3)]

UNEVEN = Domain(
    name="uneven",
    policy="Answer.",
    tasks={"train": TaskList([*_OFTEN, *_RARE], _drug), "test": [*_OFTEN, *_RARE]},
    rubric=RUBRIC,
    tools=(find_dose, submit_dose),
    solution=_solve_dose,
    max_turns=3,
)
"""Five times as many tasks of one drug as of the other; training draws both equally often."""


def square(size: int, shade: int) -> Any:
    from PIL import Image

    return Image.new("RGB", (size, size), (shade, shade, shade))


@tool
def take_picture() -> Illustrated:
    """Take another picture."""
    return Illustrated("A closer look: <image>", (square(8, 200),))


IMAGES = Domain(
    name="images",
    policy="Look, then answer.",
    tasks={"train": [_dose_task("picture", "colchicine"), _dose_task("other", "allopurinol")]},
    rubric=RUBRIC,
    tools=(take_picture, submit_dose),
    ticket=lambda task: Illustrated(f"<image> beside <image>. {task.ticket}",
                                    (square(4, 10), square(12, 90))),
    solution=lambda task: [(("take_picture", {}),), (("submit_dose", dict(task.gold["answer"])),)],
    max_turns=4,
)  # fmt: skip
"""Two images on the ticket, and one more from a tool."""
