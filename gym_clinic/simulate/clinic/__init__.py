"""Simulated patients of the clinic: body, person, problem and course, from the fact tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.simulate.clinic.drawing import draw_patient as draw_patient
    from gym_clinic.simulate.clinic.drawing import presenting as presenting
    from gym_clinic.simulate.clinic.examination.imaging import image_report as image_report
    from gym_clinic.simulate.clinic.examination.imaging import sees as sees
    from gym_clinic.simulate.clinic.measurement import Reading as Reading
    from gym_clinic.simulate.clinic.measurement import Sample as Sample
    from gym_clinic.simulate.clinic.measurement import measure as measure
    from gym_clinic.simulate.clinic.patient import ClinicPatient as ClinicPatient
    from gym_clinic.simulate.clinic.people import Demographics as Demographics
    from gym_clinic.simulate.clinic.physiology.body import State as State
    from gym_clinic.simulate.clinic.problems import Problem as Problem
    from gym_clinic.simulate.clinic.telling.disclosure import Disclosure as Disclosure
    from gym_clinic.simulate.clinic.telling.disclosure import Recollection as Recollection
    from gym_clinic.simulate.clinic.telling.disclosure import disclosures as disclosures
    from gym_clinic.simulate.clinic.telling.disclosure import recollections as recollections
    from gym_clinic.simulate.clinic.treatment import Objection as Objection
    from gym_clinic.simulate.clinic.treatment import SuitedTreatment as SuitedTreatment
    from gym_clinic.simulate.clinic.treatment import objections_to as objections_to
    from gym_clinic.simulate.clinic.treatment import treatment_for as treatment_for

_HOMES = {
    "ClinicPatient": "patient",
    "Demographics": "people",
    "Disclosure": "telling.disclosure",
    "Objection": "treatment",
    "Problem": "problems",
    "Reading": "measurement",
    "Sample": "measurement",
    "Recollection": "telling.disclosure",
    "State": "physiology.body",
    "SuitedTreatment": "treatment",
    "disclosures": "telling.disclosure",
    "draw_patient": "drawing",
    "image_report": "examination.imaging",
    "measure": "measurement",
    "objections_to": "treatment",
    "presenting": "drawing",
    "recollections": "telling.disclosure",
    "sees": "examination.imaging",
    "treatment_for": "treatment",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
