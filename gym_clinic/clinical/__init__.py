"""What the clinical domains share: patients of tasks, what was read, answers, judgement, tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.clinical.answer import AnswerOrder as AnswerOrder
    from gym_clinic.clinical.answer import CitedFinding as CitedFinding
    from gym_clinic.clinical.answer import ClinicalAnswer as ClinicalAnswer
    from gym_clinic.clinical.answer import read_disease as read_disease
    from gym_clinic.clinical.judging.judge import DomainJudge as DomainJudge
    from gym_clinic.clinical.judging.judge import Harm as Harm
    from gym_clinic.clinical.judging.judge import JudgedEpisode as JudgedEpisode
    from gym_clinic.clinical.judging.measures import aggregate as aggregate
    from gym_clinic.clinical.judging.measures import metrics as metrics
    from gym_clinic.clinical.judging.rubric import clinical_rubric as clinical_rubric
    from gym_clinic.clinical.judging.rubric import success as success
    from gym_clinic.clinical.tasks import DomainSpec as DomainSpec
    from gym_clinic.clinical.tasks import MadeTask as MadeTask
    from gym_clinic.clinical.tasks import TaskDraft as TaskDraft
    from gym_clinic.clinical.tasks import endless as endless
    from gym_clinic.clinical.tasks import generate as generate
    from gym_clinic.clinical.world import ClinicCase as ClinicCase
    from gym_clinic.clinical.world import ended as ended
    from gym_clinic.clinical.world import open_case as open_case
    from gym_clinic.clinical.world import open_patient as open_patient
    from gym_clinic.clinical.world import open_world as open_world

_HOMES = {
    "AnswerOrder": "answer",
    "CitedFinding": "answer",
    "ClinicCase": "world",
    "ClinicalAnswer": "answer",
    "DomainJudge": "judging.judge",
    "DomainSpec": "tasks",
    "Harm": "judging.judge",
    "JudgedEpisode": "judging.judge",
    "MadeTask": "tasks",
    "TaskDraft": "tasks",
    "aggregate": "judging.measures",
    "clinical_rubric": "judging.rubric",
    "ended": "world",
    "endless": "tasks",
    "generate": "tasks",
    "metrics": "judging.measures",
    "open_case": "world",
    "open_patient": "world",
    "open_world": "world",
    "read_disease": "answer",
    "success": "judging.rubric",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
