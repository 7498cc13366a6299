"""Simulated medical images: a plain record of findings, rendered to pixels from its seed.

They are drawings for training and tests, not images of people, and no advice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.simulate.images.captions import describe as describe
    from gym_clinic.simulate.images.records import ImageFinding as ImageFinding
    from gym_clinic.simulate.images.records import ImageRecord as ImageRecord
    from gym_clinic.simulate.images.records import read_record as read_record
    from gym_clinic.simulate.images.rendering import Region as Region
    from gym_clinic.simulate.images.rendering import Scene as Scene
    from gym_clinic.simulate.images.rendering import draw as draw
    from gym_clinic.simulate.images.rendering import render as render
    from gym_clinic.simulate.images.rendering import render_array as render_array
    from gym_clinic.simulate.images.rendering import render_png as render_png
    from gym_clinic.simulate.images.tables import modalities as modalities
    from gym_clinic.simulate.images.tables import modality as modality

_HOMES = {
    "ImageFinding": "records",
    "ImageRecord": "records",
    "Region": "rendering",
    "Scene": "rendering",
    "describe": "captions",
    "draw": "rendering",
    "modalities": "tables",
    "modality": "tables",
    "read_record": "records",
    "render": "rendering",
    "render_array": "rendering",
    "render_png": "rendering",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
