"""Documents of a simulated patient, rendered from the record and from nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.simulate.clinic.texts.chart_texts import documents as documents
    from gym_clinic.simulate.clinic.texts.chart_texts import study_report as study_report
    from gym_clinic.simulate.clinic.texts.document import Document as Document
    from gym_clinic.simulate.clinic.texts.document import Fact as Fact
    from gym_clinic.simulate.clinic.texts.visit import Visit as Visit
    from gym_clinic.simulate.clinic.texts.visit import draw_visit as draw_visit

_HOMES = {
    "Document": "document",
    "Fact": "document",
    "Visit": "visit",
    "documents": "chart_texts",
    "draw_visit": "visit",
    "study_report": "chart_texts",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
