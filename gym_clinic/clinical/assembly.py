"""A clinical domain from its parts: what all of them have is written once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gym_clinic.clinical.adversaries import ADVERSARIES, READERS
from gym_clinic.clinical.judging.judge import DomainJudge
from gym_clinic.clinical.judging.measures import aggregate, metrics
from gym_clinic.clinical.judging.rubric import clinical_rubric, success
from gym_clinic.clinical.tasks import SIZES, DomainSpec, endless
from gym_clinic.clinical.world import ended
from gym_clinic.domain import Domain
from gym_clinic.episode import Task
from gym_clinic.paths import tasks_dir
from gym_clinic.taskset import TaskList, Tasks, read_tasks


def clinical_domain(
    spec: DomainSpec,
    judge: DomainJudge,
    *,
    classes: Callable[[Task], str],
    adversaries: Mapping[str, Any] | None = None,
    **parts: Any,
) -> Domain:
    """Return a domain with fixed and endless tasks, the reward in six parts and its adversaries.

    Args:
        spec: How its tasks are made; policy and files lie in ``tasks/<name>/``.
        judge: How its episodes are judged.
        classes: The class of a task; each is drawn equally often.
        adversaries: Further ones, name -> path of the builder.
        parts: The other fields of :class:`gym_clinic.domain.Domain`: tools, case, solution, menu,
            baselines and number of turns.
    """
    folder = tasks_dir(spec.name)
    fixed: dict[str, Tasks] = {
        one: TaskList(read_tasks(folder / f"{one}.jsonl"), classes) for one in SIZES
    }
    return Domain(
        name=spec.name,
        policy=(folder / "policy.md").read_text(encoding="utf-8"),
        tasks={**fixed, "endless": endless(spec)},
        rubric=clinical_rubric(judge),
        ended=ended,
        success=success(judge),
        metrics=metrics(judge),
        aggregate=aggregate,
        classes=classes,
        adversaries={**ADVERSARIES, **READERS, **(adversaries or {})},
        **parts,
    )
