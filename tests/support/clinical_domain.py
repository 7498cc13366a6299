"""A small clinical domain: is it a myocardial infarction, and where does the patient go?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any, Literal

import gymnasium as gym

from gym_clinic import Domain, Kind, Menu, Task, tool
from gym_clinic.chart import Chart
from gym_clinic.chart.tools import ASKING, ORDERING, READING, TREATING, score_tools
from gym_clinic.clinical import (
    DomainJudge,
    DomainSpec,
    JudgedEpisode,
    MadeTask,
    TaskDraft,
    aggregate,
    clinical_rubric,
    ended,
    generate,
    metrics,
    open_case,
    open_world,
    read_disease,
    success,
)
from gym_clinic.clinical.adversaries import ADVERSARIES
from gym_clinic.clinical.answer import Citations, Diseases, FreeText, Orders

STEMI, CHEST = "acute-myocardial-infarction", "acute-bronchitis"
GOES = {STEMI: "catheter laboratory", CHEST: "home"}


@tool(kind=Kind.SUBMIT)
def submit_answer(
    case: Chart,
    diagnosis: str,
    disposition: Literal["home", "ward", "catheter laboratory"],
    differential: Diseases | None = None,
    orders: Orders | None = None,
    follow_up: FreeText = "",
    cited_findings: Citations | None = None,
) -> None:
    """Give the answer, and end the encounter.

    Args:
        diagnosis: The diagnosis.
        disposition: Where the patient goes.
        differential: What else it could be.
        orders: What is ordered or advised.
        follow_up: What is to be seen to later.
        cited_findings: What the answer rests on.
    """


CALM = "without-st-elevation"
"""The form of infarction that is drawn: no protocol has a clock for it."""


def _accuracy(judged: JudgedEpisode) -> Mapping[str, float]:
    raw = judged.raw or {}
    named = read_disease(raw.get("diagnosis")).id
    answer = judged.gold["answer"]
    return {
        "diagnosis": float(named == answer["diagnosis"]),
        "disposition": float(judged.answer.disposition == answer["disposition"]),
    }


def _supported(judged: JudgedEpisode) -> float:
    named = read_disease((judged.raw or {}).get("diagnosis")).id
    return float((named == STEMI and "study:ecg" in judged.cited.present) or named == CHEST)


JUDGE = DomainJudge(
    accuracy=_accuracy,
    weights={"diagnosis": 0.6, "disposition": 0.4},
    supported=_supported,
    fits=lambda judged: float(bool(judged.answer.disposition)),
)


def _make(draft: TaskDraft) -> MadeTask | None:
    record = {"seed": draft.seed, "condition": draft.label, "split": draft.split,
              "edit": [*draft.edit], "ticket": ["opening words"]}  # fmt: skip
    world = open_world(record)
    heart = draft.label == STEMI
    if heart and world.patient.problems[0].variant != CALM:
        return None
    site = "heart" if heart else "chest"
    shows = heart and world.patient.problems[0].studies["ecg"].shows
    finding = {"finding": "study:ecg", "present": shows} if heart else None
    expected = [{"name": "examine_patient", "arguments": {"system": site}}]
    expected += [{"name": "order_study", "arguments": {"study": "ecg"}}] if heart else []
    gold = {
        "answer": {"diagnosis": draft.label, "disposition": GOES[draft.label]},
        "expected": expected,
        "read": ["vital:sbp", f"site:{site}"] + ["study:ecg"] * heart,
        "cite": [finding] if finding else [],
        "forbidden": ["drug:ibuprofen"],
        "assertions": [{"check": "read_all", "keys": ["vital:sbp"], "text": "Looked."}],
        "reference": {"cost": 100.0, "orders": 2},
    }
    person = world.patient.person
    ticket = f"{person.name}, {person.age:g} years. {world.text_of('opening words')}"
    return MadeTask(record, gold, ticket)


def _twin(made: MadeTask, kind: str, random: Random) -> tuple[Mapping[str, Any], ...] | None:
    if kind == "turns":
        return None
    return ({"kind": "wording", "seed": random.randrange(1 << 30)},)


SPEC = DomainSpec("tiny_clinic", (STEMI, CHEST), _make, _twin)


def _menu(task: Task) -> Menu:
    calls = (("measure_vital_signs", {}), ("examine_patient", {"system": "heart"}))
    answers = {
        name: (("submit_answer", {"diagnosis": name, "disposition": GOES[name]}),)
        for name in (STEMI, CHEST)
    }
    return Menu(calls, answers)


@lru_cache(maxsize=1)
def domain() -> Domain:
    """Return the domain, with a few tasks."""
    return Domain(
        name="tiny_clinic",
        policy="You see patients.",
        tasks={"train": list(generate(SPEC, 4)), "test": list(generate(SPEC, 4, split="test"))},
        rubric=clinical_rubric(JUDGE),
        tools=(*READING, *ASKING, *ORDERING, *TREATING, *score_tools(["qsofa"]), submit_answer),
        open_case=open_case,
        ended=ended,
        success=success(JUDGE),
        metrics=metrics(JUDGE),
        aggregate=aggregate,
        solution=lambda task: [(("submit_answer", dict(task.gold["answer"])),)],
        menu=_menu,
        adversaries=ADVERSARIES,
        max_turns=30,
    )


ID = "tiny/Clinic-v0"
gym.register(
    id=ID, entry_point="gym_clinic.env:ClinicEnv", kwargs={"domain": "clinical_domain:domain"}
)
