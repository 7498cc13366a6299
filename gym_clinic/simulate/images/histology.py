"""Section of colonic mucosa cut across the crypts, haematoxylin and eosin; a field of 240 µm."""

from __future__ import annotations

import numpy as np

from gym_clinic.simulate.images.canvas import (
    SIZE,
    Field,
    Point,
    Rng,
    blank,
    blur,
    clouds,
    coloured,
    ellipse,
    grain,
    grid,
    harmonics,
    letters,
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

STROMA, MUCIN, LUMEN = (0.90, 0.72, 0.83), (0.85, 0.83, 0.93), (0.97, 0.96, 0.97)
CYTOPLASM, NUCLEUS, DARK = (0.86, 0.62, 0.78), (0.36, 0.22, 0.52), (0.2, 0.1, 0.32)
PALE, DEAD = (0.93, 0.76, 0.82), (0.93, 0.64, 0.72)
CARCINOMA, FLUID = (0.80, 0.55, 0.74), (0.88, 0.66, 0.76)

QUADRANTS = {
    "upper left": (62.0, 62.0), "upper right": (178.0, 62.0),
    "lower left": (62.0, 178.0), "lower right": (178.0, 178.0),
}  # fmt: skip
"""Place -> the middle of that quarter of the field."""


def quarter(random: Rng, place: str) -> Point:
    """Draw a point near the middle of a quarter."""
    x, y = QUADRANTS[place]
    return x + random.uniform(-7, 7), y + random.uniform(-7, 7)


def draw(record: ImageRecord) -> Scene:
    """Draw the section of a record."""
    contrast = 1.0 - 0.5 * record.difficulty
    regions: list[Region] = []
    random = stream(record.seed, "tissue")
    image = coloured(STROMA)
    fibres = clouds(random, 14, 3)
    image = image * (1 + 0.045 * fibres)[..., None]
    nuclei = blank()
    for place in scatter(random, np.ones((SIZE, SIZE), dtype=np.bool_), 250, 7):
        size = random.uniform(2.2, 3.2)
        stamp(nuclei, place, (size, size * random.uniform(0.6, 1.0)), random.uniform(0, 3.1),
              random.uniform(0.6, 0.9))  # fmt: skip
    image = mix(image, NUCLEUS, nuclei)
    image = _glands(record, image, regions, contrast)
    for kind in ("granuloma", "necrosis"):
        if record.find(kind) is not None:
            image = _area(record, kind, image, regions, contrast)
    image = _mitoses(record, image, regions, contrast)
    return Scene(_slide(record, image), regions)


def crypts(record: ImageRecord) -> list[Point]:
    """Return the middles of the crypts: a loose hexagonal grid clear of areas without glands."""
    random = stream(record.seed, "crypts")
    places = []
    areas = []
    for kind in ("granuloma", "necrosis"):
        finding = record.find(kind)
        if finding is not None and finding.place is not None and finding.size is not None:
            middle = quarter(stream(record.seed, kind), finding.place)
            areas.append((middle, finding.size / 2 + 22))
    shift = random.uniform(-8, 8), random.uniform(-8, 8)
    for row in range(4):
        for column in range(4):
            x = 8 + 74 * column + 37 * (row % 2) + shift[0] + random.uniform(-5, 5)
            y = 10 + 70 * row + shift[1] + random.uniform(-5, 5)
            if not (-22 < x < SIZE + 22 and -22 < y < SIZE + 22):
                continue
            if all((x - p[0]) ** 2 + (y - p[1]) ** 2 > reach**2 for p, reach in areas):
                places.append((x, y))
    return places


def _own(record: ImageRecord, place: Point) -> Rng:
    """Return the random source of one gland, so that no other finding changes it."""
    return stream(record.seed, f"gland {place[0]:.3f} {place[1]:.3f}")


def _glands(record: ImageRecord, image: Field, regions: list[Region], contrast: float) -> Field:
    random = stream(record.seed, "glands")
    tumour, abscess = record.find("adenocarcinoma"), record.find("crypt_abscess")
    places = crypts(record)
    whole = [place for place in places if all(24 < part < SIZE - 24 for part in place)]
    order = [whole[int(n)] for n in random.permutation(len(whole))]
    inflamed = set(order[: abscess.count]) if abscess is not None else set()
    if tumour is not None and tumour.size is not None:
        formed = round(len(places) * tumour.size / 100)
        order = [places[int(n)] for n in random.permutation(len(places))]
        regions.append(Region("adenocarcinoma", None, (SIZE / 2, SIZE / 2), SIZE, SIZE))
        layers = [(colour, blank()) for colour in _TUMOUR]
        for number, place in enumerate(order):
            _malignant(_own(record, place), [alpha for _, alpha in layers], place, number < formed)
        for colour, alpha in layers:
            image = mix(image, colour, alpha)
        return image
    layers = [(colour, blank()) for colour in _CRYPT]
    for place in places:
        _crypt(_own(record, place), [alpha for _, alpha in layers], place, place in inflamed)
        if place in inflamed:
            regions.append(Region("crypt_abscess", None, place, 30, 30))
    for colour, alpha in layers:
        strength = 0.3 + 0.7 * contrast if colour == DARK else 1.0
        image = mix(image, colour, alpha * strength)
    return image


_CRYPT = (PALE, CYTOPLASM, MUCIN, NUCLEUS, LUMEN, FLUID, DARK)
"""The layers of a crypt, from below: sheath, cells, goblets, nuclei, lumen, pus, its cells."""


def _crypt(random: Rng, layers: list[Field], place: Point, inflamed: bool) -> None:
    rim, body, goblets, nuclei, lumen, fluid, pus = layers
    radius = random.uniform(27, 31)
    wobble = harmonics(random, 0.05)
    stamp(rim, place, (radius + 2, radius * 0.94 + 2), strength=0.8, wobble=wobble)
    stamp(body, place, (radius, radius * 0.94), wobble=wobble)
    cells = 15
    for number in range(cells):
        turn = 2 * np.pi * (number + random.uniform(-0.15, 0.15)) / cells
        across, down = np.cos(turn), np.sin(turn)
        if random.random() < 0.8:
            middle = (place[0] + 0.56 * radius * across, place[1] + 0.53 * radius * down)
            stamp(goblets, middle, (radius * 0.25, radius * 0.155), turn, 0.95)
        base = (place[0] + 0.87 * radius * across, place[1] + 0.82 * radius * down)
        stamp(nuclei, base, (2.1, 3.4), turn, random.uniform(0.75, 1.0))
    hollow = 0.32 if inflamed else 0.17
    stamp(lumen, place, (radius * hollow, radius * hollow * 0.9), wobble=harmonics(random, 0.2))
    if inflamed:
        stamp(fluid, place, (radius * 0.36, radius * 0.34))
        x, y = grid()
        inside = (x - place[0]) ** 2 + (y - place[1]) ** 2 < (radius * 0.36) ** 2
        for spot in scatter(random, inside, 26, 2.6):
            stamp(pus, spot, (1.3, 1.1), random.uniform(0, 3))


_TUMOUR = (CARCINOMA, NUCLEUS, LUMEN, DEAD)
"""The layers of a tumour gland, from below: cells, nuclei, lumen, dead cells in it."""


def _malignant(random: Rng, layers: list[Field], place: Point, gland: bool) -> None:
    body, nuclei, lumen, debris = layers
    radius = random.uniform(31, 37)
    wobble = harmonics(random, 0.16)
    stamp(body, place, (radius, radius * 0.9), wobble=wobble)
    if not gland:
        x, y = grid()
        inside = (x - place[0]) ** 2 + (y - place[1]) ** 2 < (radius * 1.05) ** 2
        for spot in scatter(random, inside, 44, 6.2):
            size = random.uniform(2.4, 4.6)
            stamp(nuclei, spot, (size, size * random.uniform(0.6, 1)), random.uniform(0, 3),
                  random.uniform(0.65, 1.0))  # fmt: skip
        return
    wide = radius * random.uniform(0.4, 0.52)
    for ring, count in ((0.62, 17), (0.76, 21), (0.9, 25)):
        for number in range(count):
            turn = 2 * np.pi * (number + random.uniform(-0.3, 0.3)) / count
            across, down = np.cos(turn), np.sin(turn)
            edge = 1 + 0.8 * float(radial(np.array(across), np.array(down), wobble))
            reach = (ring + random.uniform(-0.05, 0.05)) * radius * edge
            spot = (place[0] + reach * across, place[1] + 0.9 * reach * down)
            stamp(nuclei, spot, (4.2, random.uniform(1.7, 2.6)), turn, random.uniform(0.7, 1))
    stamp(lumen, place, (wide, wide * 0.8), random.uniform(0, 3), wobble=harmonics(random, 0.2))
    for _ in range(10):
        spot = (place[0] + random.uniform(-0.3, 0.3) * wide,
                place[1] + random.uniform(-0.3, 0.3) * wide)  # fmt: skip
        stamp(debris, spot, (random.uniform(1, 3), 1.5), strength=0.7)


def _area(
    record: ImageRecord, kind: str, image: Field, regions: list[Region], contrast: float
) -> Field:
    finding = record.find(kind)
    assert finding is not None
    assert finding.place is not None
    assert finding.size is not None
    random = stream(record.seed, kind)
    place, radius = quarter(random, finding.place), finding.size / 2
    wobble = harmonics(random, 0.07)
    area = ellipse(place, (radius, radius), softness=9 if kind == "necrosis" else 4, wobble=wobble)
    regions.append(Region(kind, None, place, finding.size, finding.size))
    x, y = grid()
    inside = (x - place[0]) ** 2 + (y - place[1]) ** 2 < (radius * 0.92) ** 2
    cells, dust = blank(), blank()
    if kind == "necrosis":
        smudge = 1 + 0.05 * clouds(random, 8, 2)
        image = mix(image, np.asarray(DEAD) * smudge[..., None], area[..., None] * 0.97)
        for spot in scatter(random, inside, 70, 3):
            size = random.uniform(0.7, 1.5)
            stamp(dust, spot, (size, size), strength=random.uniform(0.4, 0.9))
        return mix(image, DARK, dust * (0.3 + 0.6 * contrast))
    image = mix(image, np.asarray(PALE) * (1 + 0.04 * clouds(random, 9, 2))[..., None],
                area[..., None] * 0.97)  # fmt: skip
    for spot in scatter(random, inside, 34, 9):
        turn = np.arctan2(spot[1] - place[1], spot[0] - place[0]) + np.pi / 2
        stamp(cells, spot, (4.6, 2.0), turn + random.uniform(-0.5, 0.5), 0.6)
    giant = (place[0] + random.uniform(-0.3, 0.3) * radius, place[1] + 0.2 * radius)
    for number in range(9):  # the nuclei of a giant cell stand in a horseshoe
        turn = -0.4 + 0.45 * number
        stamp(cells, (giant[0] + 9 * np.cos(turn), giant[1] + 9 * np.sin(turn)), (2.4, 1.8), turn)
    image = mix(image, (0.5, 0.36, 0.6), cells)
    away = np.sqrt((x - place[0]) ** 2 + (y - place[1]) ** 2)
    cuff = np.abs(away - radius - 3) < 5
    small = blank()
    for spot in scatter(random, cuff, int(radius * 2.2), 3.6):
        stamp(small, spot, (2.0, 2.0), strength=0.95)
    return mix(image, NUCLEUS, small * (0.4 + 0.6 * contrast))


def _mitoses(record: ImageRecord, image: Field, regions: list[Region], contrast: float) -> Field:
    finding = record.find("mitosis")
    if finding is None:
        return image
    random = stream(record.seed, "mitosis")
    x, y = grid()
    tumour = record.find("adenocarcinoma") is not None
    allowed = np.zeros((SIZE, SIZE), dtype=np.bool_)
    for place in crypts(record):
        away = (x - place[0]) ** 2 + (y - place[1]) ** 2
        allowed |= (away > (15 if tumour else 17) ** 2) & (away < 24**2)
    allowed &= (np.abs(x - 120) < 106) & (np.abs(y - 120) < 106)
    halo, plate = blank(), blank()
    for place in scatter(random, allowed, finding.count, 26):
        stamp(halo, place, (8.5, 7.5))
        turn = random.uniform(0, np.pi)
        part = 0.0 if random.random() < 0.5 else 3.0  # metaphase, or anaphase with two plates
        for sign in (-1, 1):
            spot = (place[0] - sign * part * np.sin(turn), place[1] + sign * part * np.cos(turn))
            stamp(plate, spot, (5.6, 2.0), turn, wobble=harmonics(random, 0.18))
        regions.append(Region("mitosis", None, place, 15, 15))
    image = mix(image, (0.93, 0.8, 0.88), 0.9 * halo)
    return mix(image, (0.1, 0.03, 0.2), plate * (0.35 + 0.65 * contrast))


def _slide(record: ImageRecord, image: Field) -> Field:
    random = stream(record.seed, "slide")
    focus = 0.55 + 0.45 * record.difficulty
    image = blur(image, focus + (0.7 if "out_of_focus" in record.artefacts else 0.0))
    if "pale_stain" in record.artefacts:
        image = 0.28 + 0.72 * image
    if "fold" in record.artefacts:
        start, end = (random.uniform(0, 240), 0.0), (random.uniform(0, 240), 239.0)
        image = image * (1 - 0.28 * polyline([start, end], 9, 4))[..., None]
    light = 1 + 0.02 * clouds(random, 120, 1)
    image = image * light[..., None] + grain(random, 0.01 + 0.035 * record.difficulty)[..., None]
    x, y = grid()
    bar = soft(25 - np.abs(x - 205), 1) * soft(1.5 - np.abs(y - 231), 1)  # 50 µm
    image = mix(image, (0.05, 0.05, 0.05), bar)
    return letters(image, "50", (180, 221), (0.05, 0.05, 0.05))
