"""A domain with tags of its own, whose answers continue the assistant's message, without end."""

from __future__ import annotations

import random
from typing import Any

import gymnasium as gym

from gym_clinic import (
    Case,
    Domain,
    EndlessTasks,
    Menu,
    Rubric,
    Tag,
    Tags,
    Task,
    ToolError,
    tool,
)  # fmt: skip
from gym_clinic.rewards import call_f1, exact_answer

DRUGS = ("colchicine", "prednisolone", "naproxen", "allopurinol", "febuxostat")


@tool
def look_up(case: Case, query: str) -> str:
    """Look a drug up.

    Args:
        query: Its generic name.
    """
    if query not in case["limits"]:
        raise ToolError(f"no entry {query[:40]!r}; there are {', '.join(case['limits'])}")
    return f"{query}: at most {case['limits'][query]} mg a day"


def _read_dose(text: str) -> str:
    dose = text.strip()
    if not dose.endswith(" mg") or not dose[:-3].isdigit():
        raise ToolError("Expected the answer as '<answer>200 mg</answer>'.")
    return dose


def make(seed: int) -> Task:
    """Make the task of a seed."""
    draw = random.Random(f"doses:{seed}")
    limits = {drug: draw.randrange(1, 40) * 5 for drug in DRUGS}
    asked = draw.choice(DRUGS)
    return Task(
        id="",
        ticket=f"How much {asked} is allowed in a day?",
        record={"limits": limits, "asked": asked},
        gold={
            "answer": f"{limits[asked]} mg",
            "calls": [{"name": "look_up", "arguments": {"query": asked}}],
        },
        provenance="synthetic",
    )


def _menu(task: Task) -> Menu:
    answers: dict[str, Any] = {f"{dose} mg": f"{dose} mg" for dose in range(5, 200, 5)}
    return Menu(tuple(("look_up", {"query": drug}) for drug in DRUGS), answers)


TAGS = Tags(
    {"search": Tag("look_up"), "answer": Tag()},
    answers="\n<information>{response}</information>\n",
    inline=True,
    name="search",
)

DOSES = Domain(
    name="doses",
    policy="Search for the drug; the information appears after your search. Then answer.",
    tasks={
        "train": [EndlessTasks(make, "d-train")[seed] for seed in range(40)],
        "test": [EndlessTasks(make, "d-test")[seed] for seed in range(100, 120)],
        "endless": EndlessTasks(make, "d"),
    },
    rubric=Rubric(
        {"accuracy": exact_answer, "process": call_f1}, {"accuracy": 0.5, "process": 0.5}
    ),
    tools=(look_up,),
    read_answer=_read_dose,
    menu=_menu,
    dialects={"search": TAGS},
    dialect="search",
    max_turns=4,
)

IDS = {"toy/Doses-v0": "inline_domain:DOSES"}
for _id, _name in IDS.items():
    gym.register(id=_id, entry_point="gym_clinic.env:ClinicEnv", kwargs={"domain": _name})
