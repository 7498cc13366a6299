"""Two small complete domains, as a third party would write them.

INTERACTIONS takes its answer by a SUBMIT tool and brings a menu; TRIAGE takes it as text and
brings none, so that baselines have to make do with schemas and the answers of the train split.
"""

from __future__ import annotations

import random
from typing import Literal

import gymnasium as gym

from gym_clinic import Case, Domain, Kind, Menu, Rubric, Task, ToolError, tool
from gym_clinic.rewards import call_f1, exact_answer

GRADES = ("major", "moderate", "none")
DRUGS = ("warfarin", "ibuprofen", "digoxin", "verapamil", "cetirizine", "metformin", "losartan",
         "lithium", "amiodarone")  # fmt: skip


@tool
def check_interaction(case: Case, drug_a: str, drug_b: str) -> dict[str, str]:
    """Look up the interaction of two drugs.

    Args:
        drug_a: Generic name of the first drug, as on the ticket.
        drug_b: Generic name of the second drug.
    """
    if [drug_a, drug_b] != list(case["drugs"]):
        raise ToolError(f"the ticket is about {' and '.join(case['drugs'])}, in this order")
    return {"pair": f"{drug_a} + {drug_b}", "effect": case["effect"]}


@tool
def read_allergies(case: Case) -> str:
    """Read the allergies on the chart; no help here."""
    return "none known"


@tool(kind=Kind.SUBMIT)
def submit_grade(grade: Literal["major", "moderate", "none"]) -> None:
    """Grade the interaction and close the ticket.

    Args:
        grade: How bad the interaction is.
    """


def _interaction_tasks() -> list[Task]:
    effects = {"major": "avoid together", "moderate": "monitor closely", "none": "no effect known"}
    draw = random.Random("interactions")
    tasks = []
    for number in range(30):
        drugs, grade = draw.sample(DRUGS, 2), GRADES[number % 3]
        asked = {"drug_a": drugs[0], "drug_b": drugs[1]}
        tasks.append(
            Task(
                id=f"i{draw.getrandbits(32):08x}",
                ticket=f"How bad is {drugs[0]} with {drugs[1]}? β-blockers: none. Grade it.",
                record={"drugs": drugs, "effect": effects[grade]},
                gold={
                    "answer": {"grade": grade},
                    "calls": [
                        {"name": "check_interaction", "arguments": asked},
                        {"name": "submit_grade", "arguments": {"grade": grade}},
                    ],
                },
                provenance="synthetic",
            )
        )
    return tasks


def _interaction_menu(task: Task) -> Menu:
    first, second = task.record["drugs"]
    calls = (
        ("check_interaction", {"drug_a": first, "drug_b": second}),
        ("read_allergies", {}),
    )
    return Menu(calls, {grade: (("submit_grade", {"grade": grade}),) for grade in GRADES})


_TASKS = _interaction_tasks()
INTERACTIONS = Domain(
    name="interactions",
    policy="You grade drug interactions. Look the pair up first; then submit the grade.",
    tasks={"train": _TASKS[:18], "test": _TASKS[18:]},
    rubric=Rubric(
        {"accuracy": exact_answer, "process": call_f1}, {"accuracy": 0.5, "process": 0.5}
    ),
    tools=(check_interaction, read_allergies, submit_grade),
    menu=_interaction_menu,
    metrics=lambda episode: {"calls": float(len(episode.calls))},
    max_turns=4,
)


@tool
def read_vital_sign(case: Case, sign: Literal["pulse", "spo2"], minutes_ago: int = 0) -> int:
    """Read a vital sign.

    Args:
        sign: Which one.
        minutes_ago: Age of the reading, in minutes.
    """
    return int(case[sign])


def _read_urgency(text: str) -> str:
    found = [word for word in ("red", "yellow", "green") if f"URGENCY: {word}" in text]
    if len(found) != 1:
        raise ToolError("Expected one line 'URGENCY: red', 'URGENCY: yellow' or 'URGENCY: green'.")
    return f"URGENCY: {found[0]}"


def _triage_tasks() -> list[Task]:
    draw = random.Random("triage")
    tasks = []
    for number in range(24):
        urgency = ("red", "yellow", "green")[number % 3]
        pulse = {"red": 150, "yellow": 110, "green": 70}[urgency] + draw.randrange(10)
        call = {"name": "read_vital_sign", "arguments": {"sign": "pulse"}}
        tasks.append(
            Task(
                id=f"v{draw.getrandbits(32):08x}",
                ticket=f"Patient {number + 1}, {draw.randrange(20, 90)} years, feels faint.",
                record={"pulse": pulse, "spo2": 98},
                gold={"answer": f"URGENCY: {urgency}", "calls": [call]},
                provenance="synthetic",
            )
        )
    return tasks


_PATIENTS = _triage_tasks()
TRIAGE = Domain(
    name="triage",
    policy="You triage patients by pulse: red above 140, yellow above 100. End with 'URGENCY: …'.",
    tasks={"train": _PATIENTS[:15], "test": _PATIENTS[15:]},
    rubric=Rubric(
        {"accuracy": exact_answer, "process": call_f1}, {"accuracy": 0.5, "process": 0.5}
    ),
    tools=(read_vital_sign,),
    read_answer=_read_urgency,
    max_turns=3,
)

IDS = {"tiny/Interactions-v0": "tiny_domain:INTERACTIONS", "tiny/Triage-v0": "tiny_domain:TRIAGE"}
for _id, _name in IDS.items():
    gym.register(id=_id, entry_point="gym_clinic.env:ClinicEnv", kwargs={"domain": _name})
