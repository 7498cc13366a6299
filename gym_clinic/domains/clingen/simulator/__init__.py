"""The simulator of ClinGen's articles: a plan for each task, and the texts written from it.

`plan_task` draws a `Draft` for each article of a task; `write` turns a draft into its text, byte
for byte the same every time. Phrases are in ``phrases/``, organ systems in ``systems.json``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.domains.clingen.simulator.articles import Article as Article
    from gym_clinic.domains.clingen.simulator.articles import write as write
    from gym_clinic.domains.clingen.simulator.articles import write_front as write_front
    from gym_clinic.domains.clingen.simulator.drafts import Draft as Draft
    from gym_clinic.domains.clingen.simulator.drafts import Finding as Finding
    from gym_clinic.domains.clingen.simulator.drafts import Genetics as Genetics
    from gym_clinic.domains.clingen.simulator.plan import plan_task as plan_task

_HOMES = {
    "Article": "articles",
    "Draft": "drafts",
    "Finding": "drafts",
    "Genetics": "drafts",
    "plan_task": "plan",
    "write": "articles",
    "write_front": "articles",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
