"""Answers from classical features of an image: where it deviates most, how far, and how often.

It knows no anatomy: it looks for what stands out from its surroundings and from the mirrored half,
and picks the option that fits. Each specialist looks at another scale, so that they differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 60
"""Pixels at which images are read."""

SCALES = (2, 4, 7)
"""Half widths, in these pixels, of what the three specialists look for."""

STANDS_OUT = 2.2
"""Standard deviations from which a pixel belongs to a spot."""

IS_THERE = 3.6
"""Standard deviations of the strongest spot from which something is there."""

BOTH = 0.75
"""Ratio of the weaker to the stronger half from which both sides are affected."""

PLACES = {
    "upper": (None, 0.3), "lower": (None, 0.7), "middle": (None, 0.5), "anterior": (None, 0.35),
    "posterior": (None, 0.65), "frontal": (None, 0.25), "temporal": (None, 0.5),
    "occipital": (None, 0.75), "superotemporal": (0.3, 0.3), "inferotemporal": (0.3, 0.7),
    "superonasal": (0.7, 0.3), "inferonasal": (0.7, 0.7), "left": (0.3, None), "right": (0.7, None),
}  # fmt: skip
"""Word of an option -> where in the image it lies, from left and from the top, as it is drawn."""

_NUMBER = re.compile(r"^(\d+(?:\.\d+)?)\b")


@dataclass(frozen=True)
class Spots:
    """What stands out in an image.

    Attributes:
        peak: Strength of the strongest deviation, in standard deviations.
        centre: Where it is, from left and from the top, 0 to 1.
        halves: Mean strength in the left and the right half of the image.
        count: How many separate spots there are.
        share: Share of the image that they cover.
    """

    peak: float
    centre: tuple[float, float]
    halves: tuple[float, float]
    count: int
    share: float


def find_spots(image: Image, scale: int) -> Spots:
    """Return what stands out in an image at a scale."""
    grey = np.asarray(image.convert("L").resize((SIDE, SIDE)), dtype=np.float64) / 255.0
    smooth = _blurred(grey, scale)
    around = np.abs(smooth - _blurred(smooth, 3 * scale))
    strength = around + np.abs(smooth - smooth[:, ::-1]) * 0.5
    strength = (strength - strength.mean()) / max(float(strength.std()), 1e-6)
    row, column = np.unravel_index(int(strength.argmax()), strength.shape)
    marked = strength > STANDS_OUT
    half = SIDE // 2
    bright = np.maximum(strength, 0.0)
    return Spots(
        float(strength.max()),
        (float(column) / (SIDE - 1), float(row) / (SIDE - 1)),
        (float(bright[:, :half].mean()), float(bright[:, half:].mean())),
        _components(marked),
        float(marked.mean()),
    )


def answer_by_features(options: Mapping[str, str], image: Image, number: int) -> dict[str, str]:
    """Return the answer of one specialist, and why.

    Args:
        options: Label -> text.
        image: What is looked at.
        number: Which specialist, from 0.

    Returns:
        ``answer``, a label, and ``rationale``.
    """
    spots = find_spots(image, SCALES[number % len(SCALES)])
    label = _choose(options, spots, number)
    across, down = spots.centre
    why = (f"What stands out most lies at {across:.0%} of the width and {down:.0%} of the height, "
           f"{spots.peak:.1f} deviations above its surroundings; I count {spots.count} such "
           "spots.")  # fmt: skip
    return {"answer": label, "rationale": why}


def _choose(options: Mapping[str, str], spots: Spots, number: int) -> str:
    texts = {text.casefold(): label for label, text in options.items()}
    if {"yes", "no"} <= texts.keys():
        return texts["yes" if spots.peak > IS_THERE else "no"]
    numbers = {label: float(read[1]) for label, text in options.items()
               if (read := _NUMBER.match(text))}  # fmt: skip
    if len(numbers) == len(options):
        return _by_number(options, numbers, spots)
    if {"left", "right"} <= texts.keys():
        weaker, stronger = sorted(spots.halves)
        if "both sides" in texts and weaker > BOTH * stronger:
            return texts["both sides"]
        return texts["left" if spots.halves[1] > spots.halves[0] else "right"]  # facing the patient
    placed = {label: _distance(text, spots.centre) for label, text in options.items()}
    if any(away is not None for away in placed.values()):
        return min(options, key=lambda label: 9.0 if placed[label] is None else placed[label] or 0)
    return Random(f"{sorted(texts)}:{spots.centre}:{number}").choice(list(options))


def _by_number(options: Mapping[str, str], numbers: Mapping[str, float], spots: Spots) -> str:
    if all(re.fullmatch(r"\d+", text) for text in options.values()):
        return min(numbers, key=lambda label: abs(numbers[label] - spots.count))
    ordered = sorted(numbers, key=lambda label: numbers[label])
    rank = min(int(spots.share * 20 * len(ordered)), len(ordered) - 1)  # 5% is the largest
    return ordered[rank]


def _distance(text: str, centre: tuple[float, float]) -> float | None:
    """Return how far a place is from a point; None if the text names none."""
    wanted: list[float | None] = [None, None]
    for word in re.findall(r"[a-z]+", text.casefold()):
        for axis, value in enumerate(PLACES.get(word, (None, None))):
            wanted[axis] = value if value is not None else wanted[axis]
    apart = [abs(value - at) for value, at in zip(wanted, centre, strict=True) if value is not None]
    return sum(apart) if apart else None


def _blurred(field: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """Return a field averaged over squares; the border is continued outward."""
    for axis in (0, 1):
        padding = [(0, 0), (0, 0)]
        padding[axis] = (reach + 1, reach)
        total = np.cumsum(np.pad(field, padding, mode="edge"), axis=axis)
        width = 2 * reach + 1
        ends = [slice(None), slice(None)]
        starts = [slice(None), slice(None)]
        ends[axis], starts[axis] = slice(width, None), slice(None, -width)
        field = (total[tuple(ends)] - total[tuple(starts)]) / width
    return field


def _components(marked: NDArray[np.bool_]) -> int:
    """Return the number of connected groups of marked pixels."""
    left = {(int(row), int(column)) for row, column in zip(*np.nonzero(marked), strict=True)}
    count = 0
    while left:
        count += 1
        near = [left.pop()]
        while near:
            row, column = near.pop()
            for place in ((row + 1, column), (row - 1, column), (row, column + 1),
                          (row, column - 1)):  # fmt: skip
                if place in left:
                    left.discard(place)
                    near.append(place)
    return count
