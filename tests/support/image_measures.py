"""What can be measured in the pixels of a simulated image, without its record.

Each returns a figure in the unit of the record, so that a test can hold it against what the record
claims, and against a wrong claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from gym_clinic.simulate.images import read_record, render_array
from gym_clinic.simulate.images.ecg_strip import LEADS, PER_MILLIVOLT, PER_SECOND

Record = Mapping[str, Any]
Mask = NDArray[np.bool_]


def grey(record: Record) -> NDArray[np.float64]:
    return render_array(record).mean(axis=2)


def difference(record: Record) -> NDArray[np.float64]:
    """How much brighter each pixel is than in the same image without the findings."""
    without = {**record, "findings": []}
    return render_array(record).astype(float) - render_array(without).astype(float)


def changed(record: Record, least: float = 24.0) -> Mask:
    """Where the findings change the image."""
    smooth = ndimage.uniform_filter(np.abs(difference(record)).max(axis=2), 3)
    return np.asarray(smooth > least)


def brighter(record: Record, least: float = 24.0) -> Mask:
    """Where the findings make the image brighter, with what they enclose."""
    bright = ndimage.uniform_filter(difference(record).min(axis=2), 3) > least
    return np.asarray(ndimage.binary_fill_holes(bright))


def spots(mask: Mask, least: int = 12) -> list[tuple[float, float, float, float]]:
    """Return x, y, width and height of the connected parts of a mask, the largest first."""
    labelled, count = ndimage.label(mask)
    areas = ndimage.sum_labels(mask, labelled, range(1, count + 1))
    found = []
    for number in np.argsort(-np.asarray(areas)):
        if areas[number] < least:
            continue
        rows, columns = np.nonzero(labelled == number + 1)
        found.append((float(columns.mean()), float(rows.mean()), float(np.ptp(columns)) + 1,
                      float(np.ptp(rows)) + 1))  # fmt: skip
    return found


def diameter(record: Record, least: float = 24.0) -> float:
    """Mean diameter of the largest part that is brighter, in the unit of the image."""
    _, _, width, height = spots(brighter(record, least))[0]
    return (width + height) / 2 * read_record(record).table.per_pixel


def number(record: Record) -> int:
    """Number of separate parts that the findings change."""
    return len(spots(changed(record)))


def bright_number(record: Record) -> int:
    """Number of separate parts that the findings make brighter."""
    return len(spots(brighter(record)))


def centre(record: Record) -> tuple[float, float]:
    """Middle of all that the findings change."""
    rows, columns = np.nonzero(changed(record))
    return float(columns.mean()), float(rows.mean())


def side(record: Record) -> str:
    """Side of the patient on which the image changes; the right is on the viewer's left."""
    return "right" if centre(record)[0] < 120 else "left"


def extent(record: Record, axis: int) -> float:
    """Greatest extent of a change along x (0) or y (1), in the unit of the image."""
    mask = changed(record)
    counts = mask.sum(axis=1 if axis == 0 else 0)
    return float(np.sort(counts)[-5:].mean()) * read_record(record).table.per_pixel


def eye(record: Record) -> str:
    """The eye, by the side of the brightest spot, which is the disc."""
    bright = ndimage.uniform_filter(grey(record), 15)
    inside = np.hypot(*np.indices(bright.shape) - 120.0) < 95
    column = int(np.argmax(np.where(inside, bright, 0)) % bright.shape[1])
    return "right" if column > 120 else "left"


def ink(record: Record, lead: str) -> NDArray[np.float64]:
    """Highest row of ink in each column of a lead, in millivolt above its baseline."""
    row = LEADS[lead]
    window = render_array(record)[int(row) - 38 : int(row) + 30].max(axis=2)
    dark = window < 130
    top = np.where(dark.any(axis=0), dark.argmax(axis=0), 38)
    return np.asarray((38 - top) / PER_MILLIVOLT)


def peaks(record: Record) -> list[int]:
    """Columns of the R waves of lead V5."""
    height = ink(record, "V5")
    high = height > 0.6 * np.sort(height)[-4]
    labelled, count = ndimage.label(high)
    return [int(np.nonzero(labelled == part + 1)[0].mean()) for part in range(count)]


def rate(record: Record) -> float:
    """Beats a minute, from the distances of the R waves."""
    return 60 * PER_SECOND / float(np.mean(np.diff(peaks(record))))


def elevation(record: Record, lead: str) -> float:
    """ST elevation of a lead in mm: 120 ms after the R wave, above the line before the QRS."""
    height = ink(record, lead)
    found = []
    for column in peaks(record):
        after, before = column + 7, column - 4
        if before >= 0 and after < len(height):
            found.append(height[after] - height[before])
    return 10 * float(np.median(found))


def lesion(record: Record) -> float:
    """Longest diameter in mm of what is unlike the skin at the border."""
    pixels = render_array(record)[:222].astype(float)
    skin = np.median(pixels[:12].reshape(-1, 3), axis=0)
    away = ndimage.uniform_filter(np.abs(pixels - skin).max(axis=2), 3)
    labelled, count = ndimage.label(away > 24)
    areas = ndimage.sum_labels(away > 24, labelled, range(1, count + 1))
    rows, columns = np.nonzero(labelled == int(np.argmax(areas)) + 1)
    turns = np.linspace(0, np.pi, 24, endpoint=False)
    spans = [np.ptp(columns * np.cos(turn) + rows * np.sin(turn)) for turn in turns]
    return float(max(spans)) * read_record(record).table.per_pixel


def plotted(record: Record) -> list[tuple[float, float]]:
    """Middles of the points of a chart, from left to right."""
    pixels = render_array(record).astype(int)
    dark = (pixels[..., 0] < 90) & (pixels[..., 1] < 100)
    dark[:, :22], dark[218:], dark[:18] = False, False, False
    heavy = ndimage.uniform_filter(dark.astype(float), 5) > 0.6
    return sorted((x, y) for x, y, _, _ in spots(heavy, 1))


def sac(record: Record) -> float:
    """Width in mm of the black area in the middle of an ultrasound image."""
    dark = ndimage.gaussian_filter(grey(record), 1.2) < 32
    labelled, _ = ndimage.label(dark)
    columns = np.nonzero(labelled == labelled[124, 120])[1]
    return (float(np.ptp(columns)) + 1) * read_record(record).table.per_pixel
