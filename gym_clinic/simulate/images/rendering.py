"""``render(record)``: from a record to pixels, and where each finding lies in them."""

from __future__ import annotations

import importlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gym_clinic.errors import ConfigError
from gym_clinic.simulate.images.canvas import Field, to_bytes
from gym_clinic.simulate.images.records import ImageRecord, read_record

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage


@dataclass(frozen=True, slots=True)
class Region:
    """Where one finding lies.

    Attributes:
        finding: Its kind.
        side: Its side, if it has one.
        centre: Its middle, in pixels from the upper left corner.
        width: Its extent in x, in pixels.
        height: Its extent in y, in pixels.
    """

    finding: str
    side: str | None
    centre: tuple[float, float]
    width: float
    height: float


@dataclass(slots=True)
class Scene:
    """A drawn image.

    Attributes:
        pixels: SIZE x SIZE, or SIZE x SIZE x 3 in colour, floats from 0 to 1.
        regions: Where the findings lie, one region for each of a counted finding.
    """

    pixels: Field
    regions: list[Region] = field(default_factory=list)


def draw(record: ImageRecord | Mapping[str, Any]) -> Scene:
    """Draw a record.

    Raises:
        ConfigError: If the record is wrong.
    """
    complete = read_record(record)
    module = importlib.import_module(f"gym_clinic.simulate.images.{complete.modality}")
    scene: Scene = module.draw(complete)
    return scene


def render_array(record: ImageRecord | Mapping[str, Any]) -> NDArray[np.uint8]:
    """Return the pixels of a record, SIZE x SIZE x 3 bytes.

    Raises:
        ConfigError: If the record is wrong.
    """
    pixels = to_bytes(draw(record).pixels)
    return pixels if pixels.ndim == 3 else np.repeat(pixels[..., None], 3, axis=2)


def render(record: ImageRecord | Mapping[str, Any]) -> PillowImage:
    """Return a record as a PIL image in RGB.

    Raises:
        ConfigError: If the record is wrong, or Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError:
        raise ConfigError('images need Pillow: pip install "gym_clinic[images]"') from None
    return Image.fromarray(render_array(record), "RGB")


def render_png(record: ImageRecord | Mapping[str, Any]) -> bytes:
    """Return a record as the bytes of a PNG file.

    Raises:
        ConfigError: If the record is wrong, or Pillow is not installed.
    """
    file = io.BytesIO()
    render(record).save(file, format="PNG")
    return file.getvalue()
