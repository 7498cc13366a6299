"""The image of a task: rendered from its record when a case opens, or read from a file.

Every image is held once a process, however many episodes show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from gym_clinic.errors import TaskError
from gym_clinic.frozen import thaw
from gym_clinic.images import open_image, shared

if TYPE_CHECKING:
    from PIL.Image import Image

KEPT = 512
"""Images that a process holds."""

COPY_SIDE = 128
"""Pixels of the longer side of the copy that a triage doctor sees."""

EVENINGS = 8
"""How often mean and spread are set, until clipping changes neither."""

COPY_MEAN, COPY_SPREAD = 128.0, 30.0
"""Mean and standard deviation of the grey values of a copy, the same for all, so that neither
colour nor brightness tells the department."""


def image_of(record: Mapping[str, Any], folder: str = "") -> Image:
    """Return the image of a task, in full quality.

    Args:
        record: Of the task; ``image`` is what to render, or the path of a file.
        folder: Where files lie.

    Raises:
        TaskError: If the task has no image, or its file cannot be read.
    """
    image = record.get("image")
    if isinstance(image, str):
        return open_image(image, folder)
    if not isinstance(image, Mapping):
        raise TaskError(f"record: image is what to render or a path, not {image!r:.60}")
    return _rendered(orjson.dumps(thaw(image), option=orjson.OPT_SORT_KEYS))


def copy_of(record: Mapping[str, Any], folder: str = "") -> Image:
    """Return the small black-and-white copy of the image of a task; errors as for `image_of`."""
    return _copied(_Pixels(image_of(record, folder)))


class _Pixels:
    """An image as the key of a cache: by identity, since it is shared."""

    def __init__(self, image: Image) -> None:
        self.image = image

    def __hash__(self) -> int:
        return id(self.image)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Pixels) and self.image is other.image


@lru_cache(maxsize=KEPT)
def _rendered(record: bytes) -> Image:
    from gym_clinic.simulate.images.rendering import render

    return shared(render(orjson.loads(record)))


@lru_cache(maxsize=KEPT)
def _copied(pixels: _Pixels) -> Image:
    import numpy as np
    from PIL import Image as Pillow

    small = pixels.image.convert("L")
    small.thumbnail((COPY_SIDE, COPY_SIDE))
    grey = np.asarray(small, dtype=np.float64)
    for _ in range(EVENINGS):  # clipping moves both a little
        spread = max(float(grey.std()), 1e-6)
        grey = np.clip((grey - grey.mean()) / spread * COPY_SPREAD + COPY_MEAN, 0.0, 255.0)
    return shared(Pillow.fromarray(grey.round().astype(np.uint8)))
