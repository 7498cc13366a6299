"""Similar patients by their phenotypes, and the phenotype profiles of diseases by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.retrieval.patients.guidelines import Guidance as Guidance
    from gym_clinic.retrieval.patients.guidelines import GuidelineIndex as GuidelineIndex
    from gym_clinic.retrieval.patients.joined import JoinedPatients as JoinedPatients
    from gym_clinic.retrieval.patients.matcher import PatientMatcher as PatientMatcher
    from gym_clinic.retrieval.patients.name_index import NameHit as NameHit
    from gym_clinic.retrieval.patients.name_index import NameIndex as NameIndex
    from gym_clinic.retrieval.patients.table import CaseTable as CaseTable
    from gym_clinic.retrieval.patients.table import PatientCase as PatientCase
    from gym_clinic.retrieval.patients.table import as_case as as_case

_HOMES = {
    "CaseTable": "table",
    "Guidance": "guidelines",
    "GuidelineIndex": "guidelines",
    "JoinedPatients": "joined",
    "NameHit": "name_index",
    "NameIndex": "name_index",
    "PatientCase": "table",
    "PatientMatcher": "matcher",
    "as_case": "table",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
