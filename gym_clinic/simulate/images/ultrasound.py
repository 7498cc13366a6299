"""Ultrasound of an early pregnancy, transverse: the probe above, patient's right on the left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gym_clinic.simulate.images.canvas import (
    SIZE,
    Field,
    Point,
    blank,
    blur,
    clouds,
    ellipse,
    grid,
    harmonics,
    letters,
    mix,
    polyline,
    soft,
    stamp,
    stream,
    turned,
)
from gym_clinic.simulate.images.records import ImageFinding, ImageRecord
from gym_clinic.simulate.images.rendering import Region, Scene

APEX = (120.0, -26.0)
"""Where the beams of the probe meet, in pixels."""

RIM = 5.0
"""Thickness of the bright rim of the sac, in pixels."""


@dataclass(frozen=True, slots=True)
class Uterus:
    """The build of one uterus, in pixels.

    Attributes:
        centre: Middle of the sac and of the uterus.
        sac: Half axes of the sac.
        wall: Half axes of the uterus.
    """

    centre: Point
    sac: Point
    wall: Point

    @classmethod
    def of(cls, record: ImageRecord) -> Uterus:
        """Draw the build of a record."""
        random = stream(record.seed, "build")
        centre = (120 + random.uniform(-5, 5), 124 + random.uniform(-4, 4))
        embryo, empty = record.find("embryo"), record.find("empty_sac")
        wide, high = random.uniform(24, 30), random.uniform(15, 19)  # a sac too young for either
        if embryo is not None and embryo.size is not None:
            length = embryo.size / record.table.per_pixel
            wide = length / 2 + random.uniform(13, 19)
            high = max(0.6 * wide, embryo.count * (0.42 * length + 9) / 2 + 8)
        elif empty is not None and empty.size is not None:
            wide = empty.size / record.table.per_pixel / 2
            high = wide * random.uniform(0.7, 0.9)
        return cls(centre, (wide, high), (max(92.0, wide + 40), max(60.0, high + 30)))


def draw(record: ImageRecord) -> Scene:
    """Draw the ultrasound image of a record."""
    uterus = Uterus.of(record)
    contrast = 1.0 - 0.6 * record.difficulty
    regions: list[Region] = []
    random = stream(record.seed, "tissue")
    centre = uterus.centre
    image = 0.5 + 0.05 * clouds(random, 60) + 0.06 * clouds(random, 24, 2)
    wall = ellipse(centre, uterus.wall, softness=7, wobble=harmonics(random, 0.025))
    image = mix(image, 0.34 + 0.025 * clouds(random, 16, 2), wall)
    serosa = np.clip(4 * wall * (1 - wall), 0, 1)
    image = image + 0.2 * serosa
    for finding in record.findings:
        if finding.finding == "fibroid":
            image = _fibroid(uterus, record, finding, image, regions, contrast)
    lining = (uterus.sac[0] + 17, uterus.sac[1] + 13)
    image = mix(image, 0.62, ellipse(centre, lining, softness=9) * 0.85)
    for finding in record.findings:
        if finding.finding == "haematoma":
            image = _haematoma(uterus, record, finding, image, regions, contrast)
    image = _sac(uterus, record, image, regions, contrast)
    return Scene(_screen(record, uterus, image), regions)


def _fibroid(
    uterus: Uterus, record: ImageRecord, finding: ImageFinding, image: Field, regions: list[Region],
    contrast: float,
) -> Field:  # fmt: skip
    assert finding.size is not None
    random = stream(record.seed, f"fibroid {finding.side}")
    radius = finding.size / record.table.per_pixel / 2
    sign = -1 if finding.side == "right" else 1
    up = -1 if finding.place == "anterior wall" else 1
    place = (
        uterus.centre[0] + sign * random.uniform(42, 54),
        uterus.centre[1] + up * max(uterus.wall[1] * 0.72, uterus.sac[1] + radius + 2),
    )
    knot = ellipse(place, (radius, radius), softness=3, wobble=harmonics(random, 0.03))
    dx, dy = turned(place, 0.4)
    whorls = 0.05 * np.sin(np.sqrt(dx**2 + (dy * 1.3) ** 2) * 1.1 + clouds(random, 12, 1))
    image = mix(image, 0.17 + whorls, knot * (0.3 + 0.65 * contrast))
    below = soft(radius * 0.8 - np.abs(dx), 8) * soft(grid()[1] - place[1] - radius * 0.7, 8)
    edge = np.clip(4 * knot * (1 - knot), 0, 1)
    regions.append(Region("fibroid", finding.side, place, 2 * radius, 2 * radius))
    return image * (1 - 0.4 * contrast * below) + 0.08 * edge


def _haematoma(
    uterus: Uterus, record: ImageRecord, finding: ImageFinding, image: Field, regions: list[Region],
    contrast: float,
) -> Field:  # fmt: skip
    assert finding.size is not None
    random = stream(record.seed, f"haematoma {finding.side}")
    thick = finding.size / record.table.per_pixel
    sign = -1 if finding.side == "right" else 1
    wide, high = uterus.sac[0] + RIM, uterus.sac[1] + RIM
    outer = ellipse(
        (uterus.centre[0] + sign * thick, uterus.centre[1]), (wide, high * 0.85), softness=2.5
    )
    crescent = outer * (1 - ellipse(uterus.centre, (wide, high), softness=2.5))
    centre = (uterus.centre[0] + sign * (wide + thick / 2), uterus.centre[1])
    regions.append(Region("haematoma", finding.side, centre, thick, 1.4 * high))
    echoes = 0.12 + 0.04 * clouds(random, 8, 2)
    return mix(image, echoes, crescent * (0.3 + 0.7 * contrast))


def _sac(
    uterus: Uterus, record: ImageRecord, image: Field, regions: list[Region], contrast: float
) -> Field:
    random = stream(record.seed, "sac")
    wide, high = uterus.sac
    rim = ellipse(uterus.centre, (wide + RIM, high + RIM), softness=3)
    image = mix(image, 0.85, rim * 0.9)
    image = mix(image, 0.05, ellipse(uterus.centre, uterus.sac, softness=2.5))
    empty = record.find("empty_sac")
    if empty is not None:
        regions.append(Region("empty_sac", None, uterus.centre, 2 * wide, 2 * high))
    embryo = record.find("embryo")
    if embryo is None or embryo.size is None:
        return image
    length = embryo.size / record.table.per_pixel
    pitch = 0.42 * length + 9
    for number in range(embryo.count):
        row = uterus.centre[1] + (number - (embryo.count - 1) / 2) * pitch
        place = (uterus.centre[0] + random.uniform(-3, 3), row)
        flip = 1 if random.random() < 0.5 else -1
        body, limbs = blank(), blank()
        head = (place[0] - flip * 0.29 * length, place[1])
        stamp(body, head, (0.21 * length, 0.2 * length), softness=2)
        trunk = (place[0] + flip * 0.17 * length, place[1] + 0.02 * length)
        stamp(body, trunk, (0.33 * length, 0.16 * length), softness=2)
        for part in (0.02, 0.3):
            stamp(limbs, (place[0] + flip * part * length, place[1] + 0.17 * length),
                  (0.05 * length + 1, 0.06 * length + 1))  # fmt: skip
        shade = 0.3 + 0.4 * contrast
        image = mix(image, shade, np.maximum(body, 0.9 * limbs))
        brain = blank()
        stamp(brain, head, (0.1 * length, 0.07 * length), softness=2)
        image = mix(image, 0.25, 0.7 * brain)
        image = _yolk(uterus, image, (place[0] + flip * (0.5 * length + 5), row - 2))
        regions.append(Region("embryo", None, place, length, 0.42 * length))
        if number:
            edge = row - pitch / 2
            reach = wide * float(np.sqrt(max(1 - ((edge - uterus.centre[1]) / high) ** 2, 0.1)))
            ends = [(uterus.centre[0] - reach, edge), (uterus.centre[0] + reach, edge)]
            image = mix(image, 0.5, 0.6 * polyline(ends, 1.2))
    return image


def _yolk(uterus: Uterus, image: Field, place: Point) -> Field:
    ring, core = blank(), blank()
    stamp(ring, place, (5.4, 5.4))
    stamp(core, place, (3.3, 3.3))
    inside = ellipse(uterus.centre, uterus.sac)
    return mix(image, 0.62, np.clip(ring - core, 0, 1) * inside)


def _screen(record: ImageRecord, uterus: Uterus, image: Field) -> Field:
    random = stream(record.seed, "speckle")
    x, y = grid()
    dx, dy = x - APEX[0], y - APEX[1]
    radius, angle = np.sqrt(dx**2 + dy**2), np.arctan2(dx, dy)
    shadowed = soft(uterus.sac[0] * 0.9 - np.abs(x - uterus.centre[0]), 6)
    behind = shadowed * soft(y - uterus.centre[1] - uterus.sac[1] - 3, 4)
    image = image * (1 + 0.35 * behind * np.exp(-(y - uterus.centre[1] - uterus.sac[1]) / 40))
    image = image * (1.15 - 0.0022 * y)
    if "low_gain" in record.artefacts:
        image = image * 0.72
    if "shadow" in record.artefacts:
        beam = random.uniform(-0.45, 0.45)
        image = image * (1 - 0.6 * soft((0.06 - np.abs(angle - beam)) * 100, 6))
    coarse = "coarse_speckle" in record.artefacts
    first, second = clouds(random, 1.5, 1), clouds(random, 1.5, 1)
    speckle = np.sqrt(first**2 + second**2) / 1.25
    # The beam is wider than the pulse is long: grains are wider than high.
    speckle = (speckle + np.roll(speckle, 1, axis=1) + np.roll(speckle, 2, axis=1)) / 3
    if coarse:
        speckle = blur(speckle, 0.8)
    depth = 0.5 + 0.35 * record.difficulty + (0.15 if coarse else 0.0)
    image = blur(image, 0.8) * (1 - depth + depth * speckle) + 0.015 * speckle
    fan = soft(235 + 26 - radius, 1.5) * soft((0.82 - np.abs(angle)) * 100, 2) * soft(
        radius - 36, 1.5)  # fmt: skip
    image = image * fan
    centimetre = 10 / record.table.per_pixel
    for number in range(int(SIZE / centimetre)):
        row = 10 + number * centimetre
        image = mix(image, 0.8, soft(3 - np.abs(x - 233), 1) * soft(0.8 - np.abs(y - row), 1))
    return letters(image, "R", (8, 8), 0.9)
