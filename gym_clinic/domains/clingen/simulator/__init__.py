"""The simulator of ClinGen's tasks: splits of published pairs, and articles for each pair.

`build_tasks` makes all tasks. `plan_task` draws a `Draft` for each article of a task; `write` turns
a draft into its text, byte for byte the same every time. Phrases are in ``phrases/``, organ systems
in ``systems.json``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.domains.clingen.simulator.articles import SimulatedArticle as SimulatedArticle
    from gym_clinic.domains.clingen.simulator.articles import write as write
    from gym_clinic.domains.clingen.simulator.articles import write_front as write_front
    from gym_clinic.domains.clingen.simulator.drafts import Draft as Draft
    from gym_clinic.domains.clingen.simulator.drafts import PlannedFinding as PlannedFinding
    from gym_clinic.domains.clingen.simulator.drafts import PlannedGenetics as PlannedGenetics
    from gym_clinic.domains.clingen.simulator.plan import plan_task as plan_task
    from gym_clinic.domains.clingen.simulator.splits import SIZES as SIZES
    from gym_clinic.domains.clingen.simulator.splits import Pair as Pair
    from gym_clinic.domains.clingen.simulator.splits import assign as assign
    from gym_clinic.domains.clingen.simulator.tasks import build_split as build_split
    from gym_clinic.domains.clingen.simulator.tasks import build_task as build_task
    from gym_clinic.domains.clingen.simulator.tasks import build_tasks as build_tasks
    from gym_clinic.domains.clingen.simulator.tasks import order_of as order_of

_HOMES = {
    "SimulatedArticle": "articles",
    "Draft": "drafts",
    "PlannedFinding": "drafts",
    "PlannedGenetics": "drafts",
    "Pair": "splits",
    "SIZES": "splits",
    "assign": "splits",
    "build_split": "tasks",
    "build_task": "tasks",
    "build_tasks": "tasks",
    "order_of": "tasks",
    "plan_task": "plan",
    "write": "articles",
    "write_front": "articles",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
