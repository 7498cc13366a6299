"""Patients who answer questions: by rules or through a chat model, checked against the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.chart.talk.answer import AskedPatient as AskedPatient
    from gym_clinic.chart.talk.answer import PatientAnswer as PatientAnswer
    from gym_clinic.chart.talk.answer import Said as Said
    from gym_clinic.chart.talk.chat import ChatPatient as ChatPatient
    from gym_clinic.chart.talk.checks import AnswerCheck as AnswerCheck
    from gym_clinic.chart.talk.own_record import OwnRecord as OwnRecord
    from gym_clinic.chart.talk.rules import RulesPatient as RulesPatient

_HOMES = {
    "AnswerCheck": "checks",
    "AskedPatient": "answer",
    "ChatPatient": "chat",
    "OwnRecord": "own_record",
    "PatientAnswer": "answer",
    "RulesPatient": "rules",
    "Said": "answer",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
