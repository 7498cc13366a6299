"""Questions whose answer is in the pixels of a simulated image, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.domains.mmedagent.questions.drawing import KINDS as KINDS
    from gym_clinic.domains.mmedagent.questions.drawing import ImageQuestion as ImageQuestion
    from gym_clinic.domains.mmedagent.questions.drawing import draw_question as draw_question

_HOMES = {"KINDS": "drawing", "ImageQuestion": "drawing", "draw_question": "drawing"}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
