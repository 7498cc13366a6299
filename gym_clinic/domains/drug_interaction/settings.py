"""The domain put together: tools, cases, judge, tasks, baselines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gym_clinic.clinical.assembly import clinical_domain
from gym_clinic.domain import Domain
from gym_clinic.domains.drug_interaction.baselines import READ_THEN, menu, rules
from gym_clinic.domains.drug_interaction.rewards import JUDGE
from gym_clinic.domains.drug_interaction.solution import solution
from gym_clinic.domains.drug_interaction.tasks import SPEC
from gym_clinic.domains.drug_interaction.tools import make_tools
from gym_clinic.domains.drug_interaction.world import open_case
from gym_clinic.episode import Task

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
    return clinical_domain(
        SPEC,
        JUDGE,
        classes=class_of,
        adversaries=READ_THEN,
        tools=make_tools(knowledge_base),
        open_case=open_case,
        solution=solution,
        menu=menu,
        baselines={"rules": rules},
        max_turns=MAX_TURNS,
    )
