"""Chest film, postero-anterior: the patient's right is on the viewer's left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gym_clinic.simulate.images.canvas import (
    SIZE,
    Field,
    blank,
    blur,
    clouds,
    curve,
    ellipse,
    grain,
    grid,
    harmonics,
    letters,
    mix,
    polyline,
    ruler,
    scatter,
    shrink,
    soft,
    stream,
)
from gym_clinic.simulate.images.records import ImageFinding, ImageRecord
from gym_clinic.simulate.images.rendering import Region, Scene

ZONES = {"upper zone": (58, 96), "middle zone": (97, 136), "lower zone": (137, 182)}
"""Place -> first and last row of it."""

NORMAL_RATIO = (0.42, 0.47)
"""Cardiothoracic ratio of a heart that is not enlarged."""


@dataclass(frozen=True, slots=True)
class Chest:
    """The build of one chest, in pixels.

    Attributes:
        middle: Column of the spine.
        half: From the spine to the inner chest wall.
        domes: Side -> row of the top of the diaphragm.
        top: Row of the apex of the lungs.
    """

    middle: float
    half: float
    domes: dict[str, float]
    top: float

    @classmethod
    def of(cls, record: ImageRecord) -> Chest:
        """Draw the build of a record."""
        random = stream(record.seed, "build")
        shift = random.uniform(4, 8) * (1 if random.random() < 0.5 else -1)
        right = random.uniform(180, 188)
        middle = SIZE / 2 + (shift if "rotation" in record.artefacts else shift / 6)
        return cls(
            middle=middle,
            half=random.uniform(78, 84) + (3 if record.sex == "male" else 0),
            domes={"right": right, "left": right + random.uniform(4, 8)},
            top=random.uniform(36, 42),
        )

    def sign(self, side: str) -> int:
        """Return the direction of a side in the image: the patient's right is on the left."""
        return -1 if side == "right" else 1

    def lateral(self, side: str) -> Field:
        """Return how far each pixel lies from the spine toward a side, in pixels."""
        return self.sign(side) * (grid()[0] - self.middle)

    def dome(self, side: str) -> Field:
        """Return the row of the diaphragm at each pixel."""
        part = (self.lateral(side) - 0.47 * self.half) / (0.5 * self.half)
        return self.domes[side] + 16 * part**2

    def lung(self, side: str, gap: float = 0.0) -> Field:
        """Return alpha of a lung that has collapsed by a gap from the chest wall."""
        out, y = self.lateral(side), grid()[1]
        centre, height = self.top + 92, 92.0 - 0.55 * gap
        part = np.clip((y - centre - 0.45 * gap) / np.where(y < centre, height, 150.0), -1.0, 1.0)
        wall = self.half * np.sqrt(1.0 - np.abs(part) ** 2.3) - gap
        inner = 15 + 5 * np.clip((y - 110) / 60, 0, 1)
        return soft(wall - out, 2) * soft(out - inner, 3) * soft(self.dome(side) - y, 2)


def draw(record: ImageRecord) -> Scene:
    """Draw the chest film of a record."""
    chest = Chest.of(record)
    contrast = 1.0 - 0.5 * record.difficulty
    regions: list[Region] = []
    lungs = {side: chest.lung(side) for side in ("right", "left")}
    image = _body(chest, record)
    markings = _markings(chest, record)
    for side, lung in lungs.items():
        collapse = record.find("pneumothorax", side)
        aerated = lung
        if collapse is not None and collapse.size is not None:
            gap = collapse.size / record.table.per_pixel
            aerated = chest.lung(side, gap)
        image = mix(image, 0.17, lung * 0.92)
        image = image + markings * aerated
        if collapse is not None:
            image = image - 0.09 * contrast * lung * (1 - aerated)
            edge = blur(aerated, 0.8)
            rim = np.clip(4 * edge * (1 - edge), 0, 1) * lung * soft(chest.lateral(side) - 28, 8)
            image = image + 0.24 * contrast * rim * soft(chest.dome(side) - 8 - grid()[1], 4)
            regions.append(_gap_region(chest, collapse, record))
    image = _bones(chest, record, image)
    image = _heart(chest, record, image, lungs, regions)
    for finding in record.findings:
        if finding.finding in ("nodule", "consolidation") and finding.side is not None:
            image = _opacity(chest, record, finding, image, lungs[finding.side], regions, contrast)
        elif finding.finding == "effusion":
            image = _effusion(chest, record, finding, image, lungs, regions, contrast)
    return Scene(_film(chest, record, image), regions)


def _body(chest: Chest, record: ImageRecord) -> Field:
    random = stream(record.seed, "body")
    wide = chest.half + random.uniform(15, 22)
    torso = ellipse((chest.middle, 170), (wide, 165), softness=5)
    shoulders = ellipse((chest.middle, 128), (wide + 42, 92), softness=6)
    neck = ellipse((chest.middle, 14), (33, 52), softness=8)
    body = np.maximum(np.maximum(torso, shoulders), neck)
    image = mix(blank(0.03), 0.52, body) + 0.02 * clouds(random, 50) * body
    y = grid()[1]
    for side in ("right", "left"):
        below = soft(y - chest.dome(side), 3) * soft(chest.lateral(side), 4) * body
        image = mix(image, 0.74, below * soft(chest.half + 4 - chest.lateral(side), 8))
        if record.sex == "female":
            breast = ellipse((chest.middle + chest.sign(side) * 52, 158), (40, 36), softness=14)
            image = image + 0.07 * breast * body
    bubble = ellipse(
        (chest.middle + 42, chest.domes["left"] + 22), (15, 9), softness=7,
        wobble=harmonics(random, 0.12),
    )  # fmt: skip
    return mix(image, 0.42, bubble * 0.8)


def _markings(chest: Chest, record: ImageRecord) -> Field:
    """Return the shadows of the vessels, thinner outward, and a fine texture."""
    random = stream(record.seed, "vessels")
    total, vessels = 0.012 * clouds(random, 10, 2), blank()
    for side in ("right", "left"):
        sign = chest.sign(side)
        hilum = (chest.middle + sign * 25, 116.0 if side == "right" else 110.0)
        total += 0.16 * ellipse(hilum, (9, 17), angle=-0.25 * sign, softness=10)
        for number in range(9):
            angle = -1.35 + 0.34 * number + random.uniform(-0.1, 0.1)
            length = random.uniform(40, 58)
            end = (
                hilum[0] + sign * length * np.cos(angle),
                hilum[1] + length * 1.2 * np.sin(angle),
            )
            bend = (
                hilum[0] + sign * 22 * np.cos(angle * 0.7),
                hilum[1] + 24 * np.sin(angle) + random.uniform(-5, 5),
            )
            points = curve((hilum, bend, end), 8)
            vessel = polyline(points, np.linspace(4.2, 0.6, 8).tolist(), 1.6)
            vessels = np.maximum(vessels, vessel)
    return total + 0.14 * vessels


def _bones(chest: Chest, record: ImageRecord, image: Field) -> Field:
    random = stream(record.seed, "bones")
    back, front = blank(), blank()
    for side in ("right", "left"):
        sign = chest.sign(side)
        for number in range(9):
            top = chest.top + 4 + 16.5 * number
            reach = chest.half * np.sqrt(max(1 - abs((top - chest.top - 88) / 110) ** 2.2, 0.1))
            start = (chest.middle + sign * 10, top)
            bend = (chest.middle + sign * reach * 0.75, top - 7 + 1.2 * number)
            end = (chest.middle + sign * (reach + 3), top + 24 + 1.8 * number)
            back = np.maximum(back, polyline(curve((start, bend, end), 9), 6.5, 2))
            if 1 <= number <= 5:
                start = (chest.middle + sign * (reach + 2), top + 22)
                end = (chest.middle + sign * 34, top + 46)
                bend = (chest.middle + sign * reach * 0.9, top + 44)
                front = np.maximum(front, polyline(curve((start, bend, end), 8), 6.0, 3))
        tip = (chest.middle + sign * 92, 40.0 + random.uniform(-3, 3))
        neck = (chest.middle + sign * 12, 60.0)
        middle = (chest.middle + sign * 50, 40.0 + random.uniform(0, 5))
        image = image + 0.15 * polyline(curve((neck, middle, tip), 9), 8, 2)
    image = image + 0.085 * back + 0.035 * front
    y = grid()[1]
    spine = soft(11 - np.abs(grid()[0] - chest.middle), 3)
    discs = 0.5 + 0.5 * np.cos((y + random.uniform(0, 17)) * 2 * np.pi / 17)
    return image + spine * (0.08 + 0.03 * discs)


def _heart(
    chest: Chest, record: ImageRecord, image: Field, lungs: dict[str, Field], regions: list[Region]
) -> Field:
    random = stream(record.seed, "heart")
    ratio = random.uniform(*NORMAL_RATIO)
    large = record.find("cardiomegaly")
    if large is not None and large.size is not None:
        ratio = large.size
    width = 2 * chest.half * ratio
    x, y = grid()
    centre = (chest.middle + 0.15 * width, chest.domes["left"] - 0.36 * width)
    tilt = 0.45
    long, short = 0.5, 0.38
    scale = width / (2 * np.sqrt((long * np.cos(tilt)) ** 2 + (short * np.sin(tilt)) ** 2))
    heart = ellipse(centre, (long * scale, short * scale), angle=tilt, softness=3)
    band = soft(14 + 7 * np.clip((y - 100) / 60, 0, 1) - np.abs(x - chest.middle - 1), 3)
    knob = ellipse((chest.middle + 13, 82), (11, 12), softness=3)
    trunk = ellipse((chest.middle + 15, 108), (11, 16), softness=4)
    shadow = np.maximum.reduce([heart, band * soft(y - 45, 8), knob, trunk])
    shadow = shadow * soft(chest.domes["left"] + 14 - y, 6)
    image = mix(image, 0.72, 0.85 * shadow)
    trachea = soft(5.5 - np.abs(x - chest.middle), 3) * soft(96 - y, 8)
    image = image - 0.17 * trachea
    if large is not None:
        regions.append(Region("cardiomegaly", None, centre, width, 2 * short * scale))
    return image


def _opacity(
    chest: Chest, record: ImageRecord, finding: ImageFinding, image: Field, lung: Field,
    regions: list[Region], contrast: float,
) -> Field:  # fmt: skip
    random = stream(record.seed, f"{finding.finding} {finding.side}")
    assert finding.size is not None
    assert finding.place is not None
    assert finding.side is not None
    radius = finding.size / record.table.per_pixel / 2
    first, last = ZONES[finding.place]
    y = grid()[1]
    clear = (lung > 0.9) & (chest.lateral(finding.side) > 34)
    if finding.side == "left":
        clear &= (chest.lateral("left") > 52) | (y < 128)
    inside = clear & (y >= first + 3) & (y <= last - 3)
    solid = finding.finding == "nodule"
    reach = int(min(radius * (0.8 if solid else 0.35), 9))
    allowed = shrink(clear, reach) & inside
    for place in scatter(random, allowed if allowed.any() else inside, finding.count, 2.4 * radius):
        if solid:
            wobble = harmonics(random, 0.05)
            shade = ellipse(place, (radius, radius), softness=2.5, wobble=wobble)
            image = mix(image, 0.68, shade * 0.62 * contrast)
        else:
            wobble = harmonics(random, 0.16)
            shade = ellipse(place, (radius, radius * 0.85), softness=11, wobble=wobble) * lung
            patchy = np.clip(0.78 + 0.16 * clouds(random, 12), 0.3, 1.0)
            image = mix(image, 0.66, shade * patchy * 0.85 * contrast)
            for _ in range(3):
                turn = random.uniform(0, 2 * np.pi)
                tip = (place[0] + radius * np.cos(turn), place[1] + radius * np.sin(turn))
                image = image - 0.07 * contrast * polyline([place, tip], 1.6, 1.5) * shade
        regions.append(Region(finding.finding, finding.side, place, 2 * radius, 2 * radius))
    return image


def _effusion(
    chest: Chest, record: ImageRecord, finding: ImageFinding, image: Field, lungs: dict[str, Field],
    regions: list[Region], contrast: float,
) -> Field:  # fmt: skip
    assert finding.size is not None
    assert finding.side is not None
    height = finding.size / record.table.per_pixel
    out, y = chest.lateral(finding.side), grid()[1]
    floor = chest.domes[finding.side] + 12
    part = np.clip((out - 20) / (chest.half - 20), 0.0, 1.0)
    level = floor - height * (0.72 + 0.28 * part**2.5)
    fluid = soft(y - level, 5) * np.maximum(lungs[finding.side], soft(out - 16, 4) * soft(
        chest.half - out, 3) * soft(y - floor + 20, 4))  # fmt: skip
    centre = (chest.middle + chest.sign(finding.side) * (chest.half + 18) / 2, floor - height / 2)
    regions.append(Region("effusion", finding.side, centre, chest.half - 18, height))
    return mix(image, 0.74, fluid * (0.5 + 0.45 * contrast))


def _gap_region(chest: Chest, finding: ImageFinding, record: ImageRecord) -> Region:
    assert finding.size is not None
    assert finding.side is not None
    gap = finding.size / record.table.per_pixel
    centre = (chest.middle + chest.sign(finding.side) * (chest.half - gap / 2), chest.top + 92.0)
    return Region("pneumothorax", finding.side, centre, gap, 150.0)


def _film(chest: Chest, record: ImageRecord, image: Field) -> Field:
    random = stream(record.seed, "film")
    image = blur(image, 0.7 + 0.5 * record.difficulty)
    if "underexposure" in record.artefacts:
        image = 0.25 + 0.68 * image
    if "leads" in record.artefacts:
        for _ in range(3):
            start = (random.uniform(40, 200), random.uniform(50, 150))
            end = (start[0] + random.uniform(-50, 50), 239.0)
            bend = (start[0] + random.uniform(-40, 40), 180.0)
            image = mix(image, 0.92, 0.8 * polyline(curve((start, bend, end), 12), 1.6))
            image = mix(image, 0.95, ellipse(start, (4, 4)))
    image = image + grain(random, 0.012 + 0.03 * record.difficulty)
    image = ruler(image, 10 / record.table.per_pixel, 0.9)
    return letters(image, "R", (14, 14), 0.95, 2)
