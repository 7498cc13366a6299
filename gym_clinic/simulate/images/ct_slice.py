"""Head CT, axial, at the lateral ventricles: front up, the patient's right on the viewer's left."""

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
    grain,
    grid,
    harmonics,
    letters,
    mix,
    polyline,
    ruler,
    scatter,
    soft,
    stream,
)
from gym_clinic.simulate.images.records import ImageFinding, ImageRecord
from gym_clinic.simulate.images.rendering import Region, Scene

ANGLES = {"frontal": -0.8, "temporal": 0.08, "occipital": 0.85}
"""Place -> its direction from the middle of the head, in radians backward from straight lateral."""

BLOOD, FLUID, WHITE, GREY, BONE = 0.84, 0.18, 0.43, 0.55, 1.0
"""Grey values of a brain window."""


@dataclass(frozen=True, slots=True)
class Head:
    """The build of one head, in pixels.

    Attributes:
        centre: Middle of the cranial cavity.
        radii: Its half axes.
        bone: Thickness of the skull.
        shift: Shift of the midline toward the viewer's right, by what takes up room.
        ventricle: Relative size of the ventricles, larger with age.
    """

    centre: Point
    radii: Point
    bone: float
    shift: float
    ventricle: float

    @classmethod
    def of(cls, record: ImageRecord) -> Head:
        """Draw the build of a record."""
        random = stream(record.seed, "build")
        shift = 0.0
        for finding in record.findings:
            if finding.finding in ("extradural", "subdural", "intracerebral") and finding.size:
                part = 0.12 if finding.finding == "intracerebral" else 0.5
                sign = 1 if finding.side == "right" else -1
                shift += sign * part * max(finding.size / record.table.per_pixel - 8, 0)
        return cls(
            centre=(SIZE / 2 + random.uniform(-3, 3), SIZE / 2 + random.uniform(-3, 3)),
            radii=(random.uniform(70, 76), random.uniform(90, 96)),
            bone=random.uniform(6.5, 8.5),
            shift=float(np.clip(shift, -10, 10)),
            ventricle=0.75 + 0.005 * record.years + random.uniform(-0.08, 0.08),
        )

    def place(self, side: str | None, angle: float, part: float) -> Point:
        """Return the pixel in a direction, at a part of the way to the skull."""
        sign = -1 if side == "right" else 1
        return (
            self.centre[0] + sign * part * self.radii[0] * float(np.cos(angle)),
            self.centre[1] + part * self.radii[1] * float(np.sin(angle)),
        )

    def polar(self, side: str | None) -> tuple[Field, Field]:
        """Return the part of the way to the skull, and the angle from straight lateral."""
        x, y = grid()
        sign = -1 if side == "right" else 1
        u = sign * (x - self.centre[0]) / self.radii[0]
        v = (y - self.centre[1]) / self.radii[1]
        return np.sqrt(u * u + v * v), np.arctan2(v, u)

    def cavity(self) -> Field:
        """Return alpha of the inside of the skull."""
        return ellipse(self.centre, self.radii, softness=1.5)


def draw(record: ImageRecord) -> Scene:
    """Draw the slice of a record."""
    head = Head.of(record)
    contrast = 1.0 - 0.55 * record.difficulty
    regions: list[Region] = []
    brain = _brain(head, record)
    cavity = head.cavity()
    for finding in record.findings:
        brain = _DRAW[finding.finding](head, record, finding, brain, regions, contrast)
    outer = (head.radii[0] + head.bone, head.radii[1] + head.bone)
    scalp = ellipse(head.centre, (outer[0] + 6, outer[1] + 5), softness=2)
    skull = ellipse(head.centre, outer, softness=1.5)
    image = mix(blank(0.02), 0.33, scalp)
    image = mix(image, BONE, skull)
    diploe = 0.1 * np.clip(clouds(stream(record.seed, "bone"), 6, 2), -1, 1)
    image = mix(image, 0.85 + diploe, ellipse(head.centre, (outer[0] - 3, outer[1] - 3)) * 0.7)
    image = mix(image, brain, cavity)
    return Scene(_scan(record, image), regions)


def _brain(head: Head, record: ImageRecord) -> Field:
    random = stream(record.seed, "brain")
    x, y = grid()
    cx, cy = head.centre
    depth = (y - cy) / head.radii[1]
    bend = head.shift * np.exp(-((depth / 0.55) ** 2))  # the falx is fixed at both ends
    u, v = x - cx - bend, y - cy
    away = np.sqrt((u / head.radii[0]) ** 2 + (v / head.radii[1]) ** 2)
    angle = np.arctan2(v, u)
    folds = np.sin(angle * 23 + 2.2 * clouds(random, 30, 2)) + 0.6 * clouds(random, 12, 2)
    cortex = soft((away - 0.84 - 0.035 * folds) * 70, 5)
    image = mix(blank(WHITE), GREY, cortex)
    sulcus = soft((away - 0.86) * 60, 5) * soft(folds - 0.75, 0.5)
    image = mix(image, FLUID + 0.05, sulcus * (0.35 + 0.005 * record.years))
    size = head.ventricle
    for sign in (-1, 1):

        def at(px: float, py: float, rx: float, ry: float, turn: float, edge: float = 2.5,
               sign: int = sign) -> Field:  # fmt: skip
            du, dv = sign * u - px, v - py
            cosine, sine = np.cos(turn), np.sin(turn)
            first, second = du * cosine + dv * sine, dv * cosine - du * sine
            distance = np.sqrt((first / rx) ** 2 + (second / ry) ** 2)
            return soft((1 - distance) * min(rx, ry), edge)

        image = mix(image, GREY + 0.02, at(21, -20, 7, 14, -0.35))  # caudate and lentiform
        image = mix(image, GREY + 0.02, at(31, -8, 7, 17, -0.25))
        image = mix(image, GREY + 0.02, at(14, 10, 9, 13, 0.3))  # thalamus
        horn = at(10.5, -27, 5.5 * size, 17 * size, -0.42)
        rear = at(23, 40, 6 * size, 17 * size, 0.35)
        image = mix(image, FLUID, np.maximum(horn, rear))
        image = mix(image, 0.9, 0.8 * at(20, 34, 2.2, 3.2, 0.2, 1.5))  # calcified choroid plexus
    third = soft(1.9 * size - np.abs(u), 1.5) * soft(16 - np.abs(v - 4), 3)
    image = mix(image, FLUID, third)
    image = mix(image, 0.92, ellipse((cx + head.shift * 0.9, cy + 25), (2, 2.6)) * 0.9)  # pineal
    split = soft(1.6 - np.abs(u), 1.5) * soft(np.abs(v) - 0.52 * head.radii[1], 4)
    image = mix(image, FLUID + 0.1, split)
    falx = soft(0.7 - np.abs(u), 1.0) * soft(np.abs(v) - 0.5 * head.radii[1], 4)
    return mix(image, 0.68, falx) + 0.012 * clouds(random, 18, 2)


def _extradural(
    head: Head, record: ImageRecord, finding: ImageFinding, image: Field, regions: list[Region],
    contrast: float,
) -> Field:  # fmt: skip
    assert finding.size is not None
    assert finding.place is not None
    random = stream(record.seed, f"extradural {finding.side}")
    thick = finding.size / record.table.per_pixel
    angle = ANGLES[finding.place] + random.uniform(-0.08, 0.08)
    wall = head.place(finding.side, angle, 1.0)
    sign = -1 if finding.side == "right" else 1
    normal = np.arctan2(np.sin(angle) / head.radii[1], sign * np.cos(angle) / head.radii[0])
    lens = ellipse(wall, (thick, 2.0 * thick + 8), angle=float(normal), softness=1.8)
    inward = (wall[0] - np.cos(normal) * thick / 2, wall[1] - np.sin(normal) * thick / 2)
    regions.append(Region("extradural", finding.side, inward, thick, thick))
    return mix(image, BLOOD, lens * (0.25 + 0.75 * contrast))


def _subdural(
    head: Head, record: ImageRecord, finding: ImageFinding, image: Field, regions: list[Region],
    contrast: float,
) -> Field:  # fmt: skip
    assert finding.size is not None
    thick = finding.size / record.table.per_pixel
    random = stream(record.seed, f"subdural {finding.side}")
    away, angle = head.polar(finding.side)
    turn = angle - random.uniform(-0.15, 0.15)
    profile = np.sqrt(np.clip(np.cos(np.clip(turn * 1.15, -np.pi / 2, np.pi / 2)), 0.0, 1.0))
    inner = 1.0 - profile * thick / head.radii[0]
    crescent = soft((away - inner) * head.radii[0], 1.8) * soft(profile - 0.12, 0.1)
    centre = head.place(finding.side, 0.0, 1.0 - thick / head.radii[0] / 2)
    regions.append(Region("subdural", finding.side, centre, thick, head.radii[1]))
    return mix(image, BLOOD - 0.04, crescent * (0.25 + 0.75 * contrast))


def _intracerebral(
    head: Head, record: ImageRecord, finding: ImageFinding, image: Field, regions: list[Region],
    contrast: float,
) -> Field:  # fmt: skip
    assert finding.size is not None
    assert finding.place is not None
    random = stream(record.seed, f"intracerebral {finding.side}")
    radius = finding.size / record.table.per_pixel / 2
    angle = ANGLES[finding.place] + random.uniform(-0.1, 0.1)
    place = head.place(finding.side, angle, 0.56)
    wobble = harmonics(random, 0.07)
    oedema = ellipse(place, (radius + 6, radius + 6), softness=6, wobble=wobble)
    image = mix(image, WHITE - 0.12, oedema * 0.9 * contrast)
    regions.append(Region("intracerebral", finding.side, place, 2 * radius, 2 * radius))
    clot = ellipse(place, (radius, radius), softness=2, wobble=wobble)
    return mix(image, BLOOD, clot * (0.25 + 0.75 * contrast))


def _infarct(
    head: Head, record: ImageRecord, finding: ImageFinding, image: Field, regions: list[Region],
    contrast: float,
) -> Field:  # fmt: skip
    assert finding.size is not None
    assert finding.place is not None
    wide = finding.size / record.table.per_pixel
    away, angle = head.polar(finding.side)
    random = stream(record.seed, f"infarct {finding.side}")
    middle = ANGLES[finding.place] * 1.05
    across = np.abs(angle - middle) * 82.0
    edge = 5 * clouds(random, 16, 2)
    wedge = soft(wide / 2 * np.clip(0.55 + 0.45 * away, 0, 1) - across + edge * 0.4, 5)
    wedge = wedge * soft((away - 0.42) * 80 + edge, 8)
    place = head.place(finding.side, middle, 0.72)
    regions.append(Region("infarct", finding.side, place, wide, wide))
    return mix(image, 0.29, wedge * (0.2 + 0.7 * contrast))


def _metastasis(
    head: Head, record: ImageRecord, finding: ImageFinding, image: Field, regions: list[Region],
    contrast: float,
) -> Field:  # fmt: skip
    assert finding.size is not None
    random = stream(record.seed, f"metastasis {finding.side}")
    radius = finding.size / record.table.per_pixel / 2
    away, angle = head.polar(finding.side)
    allowed = (away > 0.4) & (away < 0.98 - (radius + 2) / head.radii[0]) & (np.abs(angle) < 1.2)
    for place in scatter(random, allowed, finding.count, 2 * radius + 9):
        oedema = ellipse(place, (radius + 6, radius + 6), softness=7)
        image = mix(image, WHITE - 0.12, oedema * contrast)
        ring = ellipse(place, (radius, radius), softness=1.8, wobble=harmonics(random, 0.06))
        image = mix(image, 0.9, ring * (0.25 + 0.75 * contrast))
        core = ellipse(place, (radius - 2.6, radius - 2.6), softness=1.8)
        image = mix(image, WHITE - 0.12, core)
        regions.append(Region("metastasis", finding.side, place, 2 * radius, 2 * radius))
    return image


_DRAW = {
    "extradural": _extradural,
    "subdural": _subdural,
    "intracerebral": _intracerebral,
    "infarct": _infarct,
    "metastasis": _metastasis,
}


def _scan(record: ImageRecord, image: Field) -> Field:
    random = stream(record.seed, "scan")
    image = blur(image, 0.8)
    if "motion" in record.artefacts:
        image = 0.62 * image + 0.38 * np.roll(image, 3, axis=1)
    if "beam_hardening" in record.artefacts:
        for _ in range(3):
            angle = random.uniform(0, np.pi)
            tip = (120 + 90 * np.cos(angle), 120 + 90 * np.sin(angle))
            end = (120 - 90 * np.cos(angle), 120 - 90 * np.sin(angle))
            image = image - 0.06 * polyline([tip, end], 7, 6)
    noise = 0.018 + 0.035 * record.difficulty + (0.02 if "low_dose" in record.artefacts else 0.0)
    image = image + noise * (0.6 * grain(random, 1.0) + 0.6 * clouds(random, 3, 1))
    image = letters(image, "R", (10, 114), 0.9)
    image = ruler(image, 10 / record.table.per_pixel, 0.8)
    return letters(image, "L", (218, 114), 0.9)
