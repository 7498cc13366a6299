"""A small domain over charts: treat who has an emergency, and see the others in time."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import gymnasium as gym

from gym_clinic import Domain, Kind, Rubric, Task, tool
from gym_clinic.chart import Chart, chart_record
from gym_clinic.chart.tools import ORDERING, READING, TREATING, score_tools
from gym_clinic.frozen import Frozen
from gym_clinic.rewards import call_f1, exact_answer
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient

DYING = {"seed": 2, "condition": "tension-pneumothorax"}
"""A patient who dies within an hour without treatment."""

LEAVING = {"seed": 19, "condition": "urticaria"}
"""A patient who leaves after 127 minutes unseen."""

GOLD = {"tension-pneumothorax": "intensive care", "urticaria": "home"}


@tool(kind=Kind.SUBMIT)
def submit_disposition(disposition: Literal["home", "ward", "intensive care"]) -> None:
    """Say where the patient goes, and end the encounter.

    Args:
        disposition: Where.
    """


@lru_cache(maxsize=16)
def world(seed: int, condition: str) -> tuple[ClinicPatient, Frozen]:
    """Return a patient and the record, made once for all episodes."""
    patient = draw_patient(seed, condition)
    return patient, chart_record(patient, {"triage line": f"{patient.person.age:g} y, walked in."})


def open_case(task: Task) -> Chart:
    """Open the chart of a task."""
    patient, record = world(task.record["seed"], task.record["condition"])
    return Chart(record, patient)


def _task(record: dict[str, object], number: int) -> Task:
    disposition = GOLD[str(record["condition"])]
    calls = [
        {"name": "measure_vital_signs", "arguments": {}},
        {"name": "submit_disposition", "arguments": {"disposition": disposition}},
    ]
    return Task(
        id=f"c{number}",
        ticket="A patient has arrived. Say where the patient goes.",
        record=record,
        gold={"answer": {"disposition": disposition}, "calls": calls},
        provenance="synthetic",
    )


_RECORDS = (DYING, LEAVING, {**DYING, "seed": 4}, {**LEAVING, "seed": 21})
_TASKS = [_task(record, number) for number, record in enumerate(_RECORDS)]
CHARTS = Domain(
    name="charts",
    policy="You see patients. Find what is wrong, treat it, then say where they go.",
    tasks={"train": _TASKS[:2], "test": _TASKS[2:]},
    rubric=Rubric(
        {"accuracy": exact_answer, "process": call_f1}, {"accuracy": 0.5, "process": 0.5}
    ),
    tools=(*READING, *ORDERING, *TREATING, *score_tools(["qsofa"]), submit_disposition),
    open_case=open_case,
    ended=lambda episode: episode.case.ended() if isinstance(episode.case, Chart) else None,
    metrics=lambda episode: episode.case.metrics() if isinstance(episode.case, Chart) else {},
    max_turns=30,
)

ID = "tiny/Charts-v0"
gym.register(
    id=ID, entry_point="gym_clinic.env:ClinicEnv", kwargs={"domain": "chart_domain:CHARTS"}
)
