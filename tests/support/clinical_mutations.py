"""For each gate of clinical tasks, a change of a task that must trip it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from gym_clinic import Task
from gym_clinic.clinical import open_world
from gym_clinic.frozen import thaw

Mutation = Callable[[Task], Task]


def with_gold(task: Task, **changes: Any) -> Task:
    return dataclasses.replace(task, gold={**thaw(task.gold), **changes})


def with_record(task: Task, **changes: Any) -> Task:
    return dataclasses.replace(task, record={**thaw(task.record), **changes})


def _named(task: Task) -> Task:
    patient = open_world(task.record).patient
    name = patient.facts.diseases[patient.problems[0].condition].name
    return dataclasses.replace(task, ticket=f"{task.ticket} It is {name}.")


def _anonymous(task: Task) -> Task:
    return dataclasses.replace(task, ticket="Somebody is unwell.")


def _untrue(task: Task) -> Task:
    patient = open_world(task.record).patient
    site = patient.examination[0]
    wrong = {"finding": f"site:{site.site}", "present": not any(
        one.abnormal for one in patient.examination if one.site == site.site)}  # fmt: skip
    return with_gold(task, cite=[*thaw(task.gold["cite"]), wrong])


def _wrong_instead(task: Task) -> Task:
    wrong = _untrue(task).gold["cite"][-1]
    return with_gold(task, instead=[{"keys": [task.gold["read"][0]], "of": [wrong]}])


def _instead_of_nothing(task: Task) -> Task:
    return with_gold(task, instead=[{"keys": ["told:nothing"], "sets": [[]]}])


def _other_tool(task: Task) -> Task:
    return with_gold(task, expected=[{"name": "no_such_tool", "arguments": {}}])


def _contradicted(task: Task) -> Task:
    return with_gold(
        task, acceptable={"orders": ["drug:ramipril"]}, forbidden=["class:ace-inhibitor"]
    )


def _contradicted_in_a_set(task: Task) -> Task:
    treatments = [["oxygen"], ["fluids", "drug:aspirin"]]
    return with_gold(task, acceptable={"treatments": treatments}, forbidden=["drug:aspirin"])


MUTATIONS: Mapping[str, tuple[Mutation, ...]] = {
    "split": (
        lambda task: with_record(task, split="dev" if task.record["split"] != "dev" else "test"),
        lambda task: with_record(task, seed=task.record["seed"] + 1),
    ),
    "marks": (lambda task: dataclasses.replace(task, provenance="synthetic"),),
    "ticket": (_anonymous,),
    "diagnosis in ticket": (_named,),
    "read": (
        lambda task: with_gold(task, read=["vital:hr"]),
        lambda task: with_gold(task, read=["vital:hr", "lab:no such value"]),
        lambda task: with_gold(task, read=["vital:hr", "heart rate"]),
        lambda task: with_gold(task, read=["vital:hr", "onset:no such finding"]),
    ),
    "cite": (_untrue,),
    "instead": (_wrong_instead, _instead_of_nothing),
    "expected": (_other_tool,),
    "forbidden": (_contradicted, _contradicted_in_a_set),
    "assertions": (
        lambda task: with_gold(task, assertions=[]),
        lambda task: with_gold(task, assertions=[{"check": "no such check", "text": "x"}]),
        lambda task: with_gold(task, assertions=[{"check": "followed_up", "text": ""}]),
    ),
    "reference": (lambda task: with_gold(task, reference={"cost": -1.0, "orders": 1}),),
    "twin": (
        lambda task: with_gold(task, twin={"of": "no such task", "kind": "neutral"}),
        lambda task: with_gold(task, twin={"of": task.id, "kind": "turns"}),
    ),
}
