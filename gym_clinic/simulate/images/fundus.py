"""Fundus photograph of 45 degrees: the disc lies nasally, on the right in a right eye."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gym_clinic.simulate.images.canvas import (
    Field,
    Point,
    blank,
    blur,
    clouds,
    coloured,
    curve,
    ellipse,
    grain,
    grid,
    harmonics,
    mix,
    polyline,
    scatter,
    shrink,
    soft,
    stamp,
    stream,
)
from gym_clinic.simulate.images.records import ImageFinding, ImageRecord
from gym_clinic.simulate.images.rendering import Region, Scene

FIELD = 113.0
"""Radius of the round field, in pixels."""

NORMAL_CUP = (0.25, 0.4)
"""Cup-to-disc ratio of a healthy disc."""

VEIN, ARTERY = (0.42, 0.07, 0.04), (0.66, 0.2, 0.1)


@dataclass(frozen=True, slots=True)
class Eye:
    """The build of one eye, in pixels.

    Attributes:
        nasal: Direction of the nose in the image: 1 is to the right, as in a right eye.
        disc: Middle of the disc.
        radius: Radius of the disc.
        fovea: Middle of the macula.
    """

    nasal: int
    disc: Point
    radius: float
    fovea: Point

    @classmethod
    def of(cls, record: ImageRecord) -> Eye:
        """Draw the build of a record."""
        random = stream(record.seed, "build")
        nasal = 1 if record.side == "right" else -1
        row = 116 + random.uniform(-4, 4)
        disc = (120 + nasal * random.uniform(44, 50), row)
        radius = random.uniform(13.5, 15.5)
        return cls(nasal, disc, radius, (disc[0] - nasal * random.uniform(70, 74), row + 6))


def draw(record: ImageRecord) -> Scene:
    """Draw the photograph of a record."""
    eye = Eye.of(record)
    contrast = 1.0 - 0.55 * record.difficulty
    regions: list[Region] = []
    image = _retina(eye, record)
    if record.find("drusen") is not None:
        image = _drusen(eye, record, image, regions, contrast)
    image = _disc(eye, record, image, regions, contrast)
    vessels = _vessels(eye, record)
    swollen = record.find("disc_swelling") is not None
    fade = 0.75 * ellipse(eye.disc, (eye.radius * 1.5, eye.radius * 1.6), softness=10)
    for colour, alpha in vessels:
        image = mix(image, colour, 0.85 * alpha * (1 - fade) if swollen else 0.85 * alpha)
    for finding in record.findings:
        if finding.place is not None:
            image = _lesions(eye, record, finding, image, regions, contrast)
    return Scene(_camera(record, image), regions)


def quadrant(eye: Eye, place: str) -> np.typing.NDArray[np.bool_]:
    """Return the pixels of a quadrant about the disc, clear of disc, fovea and border."""
    x, y = grid()
    out = eye.nasal * (x - eye.disc[0])
    side = out > 5 if place.endswith("nasal") else out < -9
    half = y < eye.disc[1] - 8 if place.startswith("super") else y > eye.disc[1] + 8
    inside = (x - 120) ** 2 + (y - 120) ** 2 < (FIELD - 14) ** 2
    clear = (x - eye.disc[0]) ** 2 + (y - eye.disc[1]) ** 2 > (eye.radius * 1.5) ** 2
    macula = (x - eye.fovea[0]) ** 2 + (y - eye.fovea[1]) ** 2 > 16**2
    return np.asarray(side & half & inside & clear & macula)


def _retina(eye: Eye, record: ImageRecord) -> Field:
    random = stream(record.seed, "retina")
    x, y = grid()
    tint = random.uniform(-0.04, 0.04)
    image = coloured((0.80 + tint, 0.40 + tint, 0.17))
    shade = 0.06 * clouds(random, 70, 2) - 0.0000105 * ((x - 120) ** 2 + (y - 120) ** 2)
    choroid = 0.02 * clouds(random, 9, 2)
    image = image * (1 + shade + choroid)[..., None]
    away = np.sqrt((x - eye.fovea[0]) ** 2 + (y - eye.fovea[1]) ** 2)
    image = mix(image, (0.5, 0.2, 0.08), 0.6 * np.exp(-((away / 17) ** 2)))
    return mix(image, (0.95, 0.7, 0.5), 0.5 * np.exp(-((away / 2.0) ** 2)))


def _disc(
    eye: Eye, record: ImageRecord, image: Field, regions: list[Region], contrast: float
) -> Field:
    random = stream(record.seed, "disc")
    radius = eye.radius
    swollen, cupped = record.find("disc_swelling"), record.find("cupping")
    ratio = random.uniform(*NORMAL_CUP)
    if cupped is not None and cupped.size is not None:
        ratio = cupped.size
        regions.append(Region("cupping", None, eye.disc, 2 * radius * ratio, 2 * radius * ratio))
    if swollen is not None:
        halo = ellipse(eye.disc, (radius * 1.45, radius * 1.6), softness=13)
        image = mix(image, (0.95, 0.66, 0.42), halo * (0.45 + 0.5 * contrast))
        folds = np.abs(np.sin(0.8 * (grid()[0] - eye.disc[0])))
        image = image * (1 - 0.05 * halo * folds)[..., None]
        regions.append(Region("disc_swelling", None, eye.disc, 2.9 * radius, 3.2 * radius))
        return image
    crescent = ellipse(eye.disc, (radius * 1.08, radius * 1.16), softness=2)
    image = mix(image, (0.62, 0.3, 0.14), 0.5 * crescent)
    image = mix(image, (0.97, 0.72, 0.42), ellipse(eye.disc, (radius, radius * 1.08), softness=2))
    cup = ellipse(eye.disc, (radius * ratio, radius * 1.08 * ratio), softness=2.2)
    return mix(image, (1.0, 0.93, 0.74), cup * (0.45 + 0.5 * contrast))


def _vessels(eye: Eye, record: ImageRecord) -> list[tuple[tuple[float, float, float], Field]]:
    random = stream(record.seed, "vessels")
    drawn = []
    for colour, wide, offset in ((VEIN, 3.8, 6.0), (ARTERY, 2.6, -5.0)):
        alpha = blank()
        for up in (-1, 1):
            for temporal in (True, False):
                points = _arcade(eye, random, up, temporal, offset)
                widths = np.linspace(wide, 1.4, len(points)).tolist()
                alpha = np.maximum(alpha, polyline(points, widths, 1.2))
                for part in (4, 7, 10, 13):
                    start = points[part]
                    sign = 1 if part % 2 else -1
                    toward = (-eye.nasal if temporal else eye.nasal) * random.uniform(12, 26)
                    end = (start[0] + toward, start[1] - sign * up * random.uniform(14, 30))
                    bend = (start[0] + 0.7 * toward, start[1] + random.uniform(-4, 4))
                    twig = curve((start, bend, end), 7)
                    thin = np.linspace(widths[part] * 0.6, 0.7, 7).tolist()
                    alpha = np.maximum(alpha, 0.85 * polyline(twig, thin, 1.2))
        drawn.append((colour, alpha))
    return drawn


def _arcade(eye: Eye, random: np.random.Generator, up: int, temporal: bool,
            offset: float) -> list[Point]:  # fmt: skip
    x, y = eye.disc
    # The vessels leave through the nasal half of the disc, so that the cup can be seen.
    x += 0.55 * eye.radius * eye.nasal + 0.25 * offset
    if temporal:
        reach = random.uniform(58, 66) + offset
        controls = (
            (x, y), (x + 4 * eye.nasal, y + up * reach * 0.75),
            (x - 55 * eye.nasal, y + up * (reach + 18)),
            (x - 128 * eye.nasal, y + up * reach * 0.55),
        )  # fmt: skip
    else:
        high = random.uniform(52, 66) + offset
        controls = (
            (x, y), (x + 4 * eye.nasal, y + up * 28),
            (x + 22 * eye.nasal, y + up * high * 0.7), (x + 48 * eye.nasal, y + up * high),
        )  # fmt: skip
    waves = random.uniform(0.8, 1.8)
    return [
        (px, py + waves * float(np.sin(0.9 * number)) * min(number, 6) / 6)
        for number, (px, py) in enumerate(curve(controls, 18))
    ]


def _drusen(
    eye: Eye, record: ImageRecord, image: Field, regions: list[Region], contrast: float
) -> Field:
    finding = record.find("drusen")
    assert finding is not None
    assert finding.size is not None
    random = stream(record.seed, "drusen")
    radius = finding.size / record.table.per_pixel / 2
    x, y = grid()
    away = (x - eye.fovea[0]) ** 2 + (y - eye.fovea[1]) ** 2
    alpha = blank()
    for place in scatter(random, away < 26**2, 26, 2 * radius + 2.5):
        stamp(alpha, place, (radius, radius), softness=1.5)
    regions.append(Region("drusen", None, eye.fovea, 52, 52))
    return mix(image, (0.97, 0.82, 0.42), alpha * (0.25 + 0.65 * contrast))


def _lesions(
    eye: Eye, record: ImageRecord, finding: ImageFinding, image: Field, regions: list[Region],
    contrast: float,
) -> Field:  # fmt: skip
    assert finding.size is not None
    assert finding.place is not None
    random = stream(record.seed, finding.finding)
    radius = finding.size / record.table.per_pixel / 2
    reach = int(radius) if finding.finding != "exudates" else int(radius * 0.7)
    allowed = quadrant(eye, finding.place)
    inside = shrink(allowed, reach)
    alpha = blank()
    places = scatter(random, inside if inside.any() else allowed, finding.count, 2.2 * radius + 5)
    for place in places:
        regions.append(Region(finding.finding, None, place, 2 * radius, 2 * radius))
        if finding.finding == "exudates":
            for _ in range(22):
                turn = random.uniform(0, 2 * np.pi)
                part = radius * np.sqrt(random.uniform(0.15, 1.0)) - 1.5
                dot = (place[0] + part * np.cos(turn), place[1] + part * np.sin(turn))
                size = random.uniform(1.2, 2.4)
                stamp(alpha, dot, (size, size), softness=1)
        elif finding.finding == "haemorrhage":
            stamp(alpha, place, (radius, radius * 0.9), random.uniform(0, 3), softness=1.6,
                  wobble=harmonics(random, 0.1))  # fmt: skip
        else:
            stamp(alpha, place, (radius, radius * 0.75), random.uniform(0, 3), softness=5,
                  wobble=harmonics(random, 0.12))  # fmt: skip
    colour = {"exudates": (1.0, 0.9, 0.45), "haemorrhage": (0.4, 0.04, 0.03),
              "cotton_wool": (0.98, 0.9, 0.76)}[finding.finding]  # fmt: skip
    return mix(image, colour, alpha * (0.3 + 0.65 * contrast))


def _camera(record: ImageRecord, image: Field) -> Field:
    random = stream(record.seed, "camera")
    x, y = grid()
    away = np.sqrt((x - 120) ** 2 + (y - 120) ** 2)
    image = blur(image, 0.6 + 0.5 * record.difficulty + (0.8 if "blur" in record.artefacts else 0))
    if "vignette" in record.artefacts:
        image = image * (1 - 0.55 * soft(away - 88, 50))[..., None]
    if "reflex" in record.artefacts:
        place = (120 + random.uniform(-60, 60), 120 + random.uniform(-60, 60))
        image = mix(image, (0.95, 0.9, 0.75), 0.3 * ellipse(place, (34, 26), softness=28))
    image = image + grain(random, 0.01 + 0.025 * record.difficulty)[..., None]
    return mix(coloured((0.02, 0.02, 0.02)), np.clip(image, 0, 1), soft(FIELD - away, 2)[..., None])
