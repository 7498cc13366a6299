"""Dermoscopy of one pigmented lesion, with a scale in millimetres at the lower border."""

from __future__ import annotations

import numpy as np

from gym_clinic.simulate.images.canvas import (
    SIZE,
    Field,
    Point,
    blank,
    blur,
    clouds,
    coloured,
    curve,
    grain,
    grid,
    harmonics,
    mix,
    polyline,
    radial,
    scatter,
    soft,
    stamp,
    stream,
)
from gym_clinic.simulate.images.records import ImageRecord
from gym_clinic.simulate.images.rendering import Region, Scene

LESIONS = ("naevus", "melanoma", "seborrhoeic_keratosis", "basal_cell_carcinoma")
OUTLINE = {"naevus": 0.03, "melanoma": 0.12, "seborrhoeic_keratosis": 0.06, "lentigo": 0.05,
           "basal_cell_carcinoma": 0.09}  # fmt: skip
"""Lesion -> how irregular its outline is."""

DIRECTIONS = {"upper left": (-1, -1), "upper right": (1, -1), "lower left": (-1, 1),
              "lower right": (1, 1)}  # fmt: skip


def draw(record: ImageRecord) -> Scene:
    """Draw the lesion of a record."""
    contrast = 1.0 - 0.5 * record.difficulty
    regions: list[Region] = []
    random = stream(record.seed, "build")
    kind = next((kind for kind in LESIONS if record.find(kind)), "lentigo")
    lesion = record.find(kind)
    size = lesion.size if lesion is not None and lesion.size else random.uniform(6, 8)
    radius = size / record.table.per_pixel / 2
    centre = (120 + random.uniform(-5, 5), 114 + random.uniform(-5, 5))
    wobble = harmonics(random, OUTLINE[kind])
    image = _skin(record)
    x, y = grid()
    dx, dy = x - centre[0], y - centre[1]
    away = np.maximum(np.sqrt(dx**2 + dy**2), 1e-9)
    outline = 1 + radial(dx / away, dy / away, wobble)
    turns = np.linspace(-np.pi, np.pi, 181)
    spread = 1 + radial(np.cos(turns), np.sin(turns), wobble)
    # Scaled so that the longest diameter is the size of the record.
    outline = outline / ((spread[:90] + spread[90:180]).max() / 2)
    part = away / (radius * outline)
    edge = {"naevus": 14.0, "seborrhoeic_keratosis": 2.0}.get(kind, 4.5)
    shape = soft((1 - part) * radius + (edge / 4 if edge > 5 else 0.0), edge)
    image = _INSIDE[kind](record, image, shape, part, (dx, dy))
    if lesion is not None:
        regions.append(Region(kind, None, centre, 2 * radius, 2 * radius))
    image = _features(record, image, centre, radius, shape, part, regions, contrast)
    return Scene(_camera(record, image), regions)


def _skin(record: ImageRecord) -> Field:
    random = stream(record.seed, "skin")
    tone = random.uniform(0, 1)
    light, dark = np.array((0.90, 0.73, 0.66)), np.array((0.74, 0.54, 0.44))
    image = coloured(light + (dark - light) * tone)
    x, y = grid()
    warp = clouds(random, 30, 2)
    lines = np.maximum(np.sin(0.32 * (x + 0.6 * y) + warp), np.sin(0.3 * (x - 0.8 * y) - warp))
    return image * (1 + 0.012 * lines + 0.015 * clouds(random, 40, 2))[..., None]


def _network(record: ImageRecord, pitch: float, uneven: float) -> Field:
    """Return a honeycomb of lines, 0 to 1."""
    random = stream(record.seed, "network")
    x, y = grid()
    warp = uneven * clouds(random, 22, 2)
    total = blank()
    for number in range(3):
        turn = np.pi * number / 3 + 0.4
        total += np.cos(2 * np.pi * (x * np.cos(turn) + y * np.sin(turn)) / pitch + warp)
    return soft(0.1 - total / 3, 0.5)


def _naevus(
    record: ImageRecord, image: Field, shape: Field, part: Field, offset: tuple[Field, Field]
) -> Field:
    image = mix(image, (0.62, 0.40, 0.27), 0.75 * shape)
    net = _network(record, 8.5, 0.5) * shape * np.clip(1.25 - 0.55 * part, 0, 1)
    image = mix(image, (0.36, 0.2, 0.12), 0.7 * net)
    return mix(image, (0.42, 0.24, 0.15), 0.35 * shape * np.exp(-((part / 0.5) ** 2)))


def _melanoma(
    record: ImageRecord, image: Field, shape: Field, part: Field, offset: tuple[Field, Field]
) -> Field:
    random = stream(record.seed, "melanoma")
    image = mix(image, (0.5, 0.31, 0.2), 0.9 * shape)
    turn = random.uniform(0, 2 * np.pi)
    half = (offset[0] * np.cos(turn) + offset[1] * np.sin(turn)) / 40
    patches = clouds(random, 34, 2)
    net = _network(record, 12.0, 1.8) * shape * soft(patches + 0.2, 0.8)
    image = mix(image, (0.24, 0.13, 0.09), 0.8 * net)
    image = mix(image, (0.1, 0.07, 0.07), 0.92 * shape * soft(patches + 0.9 * half - 0.75, 1.1))
    image = mix(image, (0.82, 0.55, 0.5), 0.7 * shape * soft(-patches - 0.8 * half - 1.0, 1.0))
    grey = clouds(random, 26, 2)
    image = mix(image, (0.44, 0.41, 0.42), 0.6 * shape * soft(grey - 1.2, 1.0))
    dots = blank()
    _x, _y = grid()
    for place in scatter(random, (part < 0.95) & (half > 0), 22, 6):
        size = random.uniform(1.2, 2.6)
        stamp(dots, place, (size, size))
    return mix(image, (0.1, 0.06, 0.06), 0.85 * dots)


def _keratosis(
    record: ImageRecord, image: Field, shape: Field, part: Field, offset: tuple[Field, Field]
) -> Field:
    random = stream(record.seed, "keratosis")
    image = mix(image, (0.58, 0.44, 0.32), 0.92 * shape)
    ridges = np.sin(5.5 * clouds(random, 26, 2))
    image = image * (1 - 0.16 * shape * soft(ridges - 0.35, 0.5))[..., None]
    milia, plugs = blank(), blank()
    inside = part < 0.85
    for number, place in enumerate(scatter(random, inside, 19, 9)):
        size = random.uniform(1.8, 3.4)
        stamp(plugs if number % 3 == 0 else milia, place, (size, size))
    image = mix(image, (0.96, 0.91, 0.78), 0.9 * milia)
    return mix(image, (0.24, 0.16, 0.1), 0.9 * plugs)


def _carcinoma(
    record: ImageRecord, image: Field, shape: Field, part: Field, offset: tuple[Field, Field]
) -> Field:
    random = stream(record.seed, "carcinoma")
    image = mix(image, (0.93, 0.72, 0.70), 0.7 * shape)
    nests = blank()
    for place in scatter(random, (part < 0.82) & (part > 0.3), 6, 18):
        stamp(nests, place, (random.uniform(4, 8), random.uniform(3, 5)), random.uniform(0, 3),
              softness=3, wobble=harmonics(random, 0.1))  # fmt: skip
    image = mix(image, (0.36, 0.38, 0.5), 0.85 * nests)
    vessels = blank()
    radius = 1.02 * float(np.sqrt((shape > 0.5).sum() / np.pi))
    for _ in range(4):
        turn = random.uniform(0, 2 * np.pi)
        start = (120 + radius * np.cos(turn), 114 + radius * np.sin(turn))
        end = (120 + random.uniform(-0.3, 0.3) * radius, 114 + random.uniform(-0.3, 0.3) * radius)
        bend = ((start[0] + end[0]) / 2 + random.uniform(-24, 24),
                (start[1] + end[1]) / 2 + random.uniform(-24, 24))  # fmt: skip
        trunk = curve((start, bend, end), 12)
        vessels = np.maximum(vessels, polyline(trunk, np.linspace(3.0, 1.0, 12).tolist()))
        for step in (3, 5, 7, 9):
            away = turn + random.uniform(0.6, 1.3) * (1 if step % 4 == 1 else -1) + np.pi
            reach = random.uniform(0.18, 0.34) * radius
            tip = (trunk[step][0] + reach * np.cos(away), trunk[step][1] + reach * np.sin(away))
            vessels = np.maximum(vessels, polyline([trunk[step], tip], [1.5, 0.7]))
    return mix(image, (0.74, 0.12, 0.14), 0.85 * vessels * (part < 1.05))


def _lentigo(
    record: ImageRecord, image: Field, shape: Field, part: Field, offset: tuple[Field, Field]
) -> Field:
    random = stream(record.seed, "lentigo")
    return mix(image, (0.6, 0.42, 0.28), (0.75 + 0.06 * clouds(random, 16, 2)) * shape)


_INSIDE = {
    "naevus": _naevus,
    "melanoma": _melanoma,
    "seborrhoeic_keratosis": _keratosis,
    "basal_cell_carcinoma": _carcinoma,
    "lentigo": _lentigo,
}


def _features(
    record: ImageRecord, image: Field, centre: Point, radius: float, shape: Field, part: Field,
    regions: list[Region], contrast: float,
) -> Field:  # fmt: skip
    for finding in record.findings:
        random = stream(record.seed, finding.finding)
        if finding.place is not None and finding.size is not None:
            across, down = DIRECTIONS[finding.place]
            half = finding.size / record.table.per_pixel / 2
            reach = 0.42 * radius * random.uniform(0.9, 1.05)
            place = (centre[0] + across * reach, centre[1] + down * reach)
            patch = blank()
            edge = 7 if finding.finding == "blue_white_veil" else 2.5
            stamp(patch, place, (half, half * 0.92), softness=edge, wobble=harmonics(random, 0.1))
            cloudy = np.clip(0.85 + 0.12 * clouds(random, 10, 2), 0, 1)
            if finding.finding == "blue_white_veil":
                image = mix(image, (0.55, 0.63, 0.78), patch * cloudy * (0.35 + 0.6 * contrast))
            else:
                image = mix(image, (0.62, 0.16, 0.12), patch * cloudy * (0.35 + 0.62 * contrast))
                crust = blank()
                stamp(crust, place, (half * 0.55, half * 0.45), wobble=harmonics(random, 0.2))
                image = mix(image, (0.36, 0.1, 0.06), 0.7 * crust * contrast)
            regions.append(Region(finding.finding, None, place, 2 * half, 2 * half))
        elif finding.finding == "globules":
            x, y = grid()
            room = (part > 1.12) & (part < 1.7) & (np.abs(x - 120) < 108) & (y > 10) & (y < 214)
            dots = blank()
            for place in scatter(random, room, finding.count, 20):
                stamp(dots, place, (4.6, 4.3), wobble=harmonics(random, 0.06))
                regions.append(Region("globules", None, place, 9, 9))
            image = mix(image, (0.3, 0.17, 0.1), dots * (0.4 + 0.55 * contrast))
    return image


def _camera(record: ImageRecord, image: Field) -> Field:
    random = stream(record.seed, "camera")
    image = blur(image, 0.6 + 0.6 * record.difficulty)
    if "hairs" in record.artefacts:
        hairs = blank()
        for _ in range(7):
            start = (random.uniform(0, 240), random.uniform(0, 240))
            turn = random.uniform(0, np.pi)
            end = (start[0] + 110 * np.cos(turn), start[1] + 110 * np.sin(turn))
            bend = ((start[0] + end[0]) / 2 + random.uniform(-16, 16), (start[1] + end[1]) / 2)
            hairs = np.maximum(hairs, polyline(curve((start, bend, end), 10), 1.5))
        image = mix(image, (0.13, 0.1, 0.08), 0.85 * hairs)
    if "bubbles" in record.artefacts:
        rings = blank()
        for _ in range(6):
            place, size = (random.uniform(0, 240), random.uniform(0, 210)), random.uniform(3, 6)
            ring, core = blank(), blank()
            stamp(ring, place, (size, size))
            stamp(core, place, (size - 1.5, size - 1.5))
            rings = np.maximum(rings, ring - core)
        image = mix(image, (0.98, 0.98, 0.98), 0.7 * rings)
    x, y = grid()
    if "glare" in record.artefacts:
        flare = np.exp(-((x - random.uniform(60, 180)) ** 2 + (y - random.uniform(40, 180)) ** 2)
                       / 900)  # fmt: skip
        image = mix(image, (1.0, 0.98, 0.96), 0.35 * flare)
    image = image + grain(random, 0.01 + 0.035 * record.difficulty)[..., None]
    ticks = blank()
    for number in range(int(SIZE * record.table.per_pixel) + 1):
        column = number / record.table.per_pixel
        high = 12 if number % 5 == 0 else 6
        tick = soft(0.8 - np.abs(x - column), 1) * soft(y - (238 - high), 1)
        ticks = np.maximum(ticks, tick)
    return mix(image, (0.08, 0.08, 0.08), ticks)
