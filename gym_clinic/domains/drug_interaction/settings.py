"""The domain put together: tools, cases, judge, tasks, baselines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gym_clinic.clinical import (
    aggregate,
    clinical_rubric,
    ended,
    endless,
    metrics,
    success,
)
from gym_clinic.clinical.adversaries import ADVERSARIES, READERS
from gym_clinic.clinical.tasks import SIZES
from gym_clinic.domain import Domain
from gym_clinic.domains.drug_interaction.baselines import READ_THEN, menu, rules
from gym_clinic.domains.drug_interaction.rewards import JUDGE
from gym_clinic.domains.drug_interaction.solution import solution
from gym_clinic.domains.drug_interaction.tasks import SPEC
from gym_clinic.domains.drug_interaction.tools import make_tools
from gym_clinic.domains.drug_interaction.world import open_case
from gym_clinic.episode import Task
from gym_clinic.paths import tasks_dir
from gym_clinic.taskset import TaskList, read_tasks

MAX_TURNS = 20
"""Assistant messages: enough for a careful reviewer, call by call in batches."""


def class_of(task: Task) -> str:
    """Return the class of a task: its verdict and the kind of problem that decides."""
    return str(task.gold["class"])


def make_domain(knowledge_base: str | Mapping[str, Any]) -> Domain:
    """Return the domain.

    Args:
        knowledge_base: As for :func:`gym_clinic.embedded.open_knowledge`.
    """
    folder = tasks_dir(SPEC.name)
    return Domain(
        name=SPEC.name,
        policy=(folder / "policy.md").read_text(encoding="utf-8"),
        tasks={
            **{one: TaskList(read_tasks(folder / f"{one}.jsonl")) for one in SIZES},
            "endless": endless(SPEC),
        },
        rubric=clinical_rubric(JUDGE),
        tools=make_tools(knowledge_base),
        open_case=open_case,
        ended=ended,
        success=success(JUDGE),
        metrics=metrics(JUDGE),
        aggregate=aggregate,
        solution=solution,
        menu=menu,
        classes=class_of,
        baselines={"rules": rules},
        adversaries={**ADVERSARIES, **READERS, **READ_THEN},
        max_turns=MAX_TURNS,
    )
