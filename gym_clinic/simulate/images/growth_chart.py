"""Weight for age from birth to two years, with the 3rd, 15th, 50th, 85th and 97th centile.

The centiles are log-normal curves through rounded medians of the WHO child growth standards of
2006: near enough to plot a simulated child, not for use with a real one.
"""

from __future__ import annotations

import numpy as np

from gym_clinic.errors import ConfigError
from gym_clinic.simulate.images.canvas import (
    Field,
    blank,
    coloured,
    grain,
    grid,
    letters,
    mix,
    polyline,
    soft,
    stamp,
    stream,
)
from gym_clinic.simulate.images.records import ImageRecord
from gym_clinic.simulate.images.rendering import Region, Scene

AGES = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 9.0, 12.0, 15.0, 18.0, 24.0)
MEDIANS = {
    "male": (3.3, 4.5, 5.6, 6.4, 7.0, 7.9, 8.9, 9.6, 10.3, 10.9, 12.2),
    "female": (3.2, 4.2, 5.1, 5.8, 6.4, 7.3, 8.2, 8.9, 9.6, 10.2, 11.5),
}
SPREAD = 0.115
"""Deviation of the logarithm of weight."""

LINES = (-1.881, -1.036, 0.0, 1.036, 1.881)
"""The centile lines, as deviations."""

CENTILES = ("3", "15", "50", "85", "97")

BANDS = (-2.45, -1.45, -0.52, 0.52, 1.45, 2.45)
"""The middles of the bands between the lines, as deviations."""

LEFT, TOP, WIDTH, HEIGHT = 24.0, 20.0, 196.0, 196.0
LEAST, MOST = 1.0, 18.0
"""Weights at the lower and upper border, in kg."""


def weight(sex: str, age: Field | float, deviation: Field | float) -> Field:
    """Return the weight in kg at an age in months, so many deviations from the median."""
    median = np.interp(np.asarray(age, dtype=np.float64), AGES, MEDIANS[sex])
    return np.asarray(median * np.exp(SPREAD * np.asarray(deviation)))


def column(age: Field | float) -> Field:
    """Return the column of an age in months."""
    return LEFT + WIDTH * np.asarray(age) / 24.0


def row(kilograms: Field | float) -> Field:
    """Return the row of a weight in kg."""
    return TOP + HEIGHT * (MOST - np.asarray(kilograms)) / (MOST - LEAST)


def course(record: ImageRecord) -> tuple[Field, Field]:
    """Draw the ages in months and the deviations of the measurements of a record.

    Raises:
        ConfigError: If the findings contradict one another.
    """
    random = stream(record.seed, "course")
    first, last = _bands(record, random)
    shown = record.find("measurements")
    count = shown.count if shown is not None else int(random.integers(5, 9))
    ages = np.linspace(0.6, random.uniform(17, 22.5), count)
    ages[1:-1] += random.uniform(-0.3, 0.3, count - 2) * (ages[1] - ages[0])
    onset = random.uniform(0.12, 0.3) * ages[-1]
    end = random.uniform(0.7, 0.9) * ages[-1]
    part = np.clip((ages - onset) / (end - onset), 0.0, 1.0)
    part = part * part * (3 - 2 * part)
    deviations = BANDS[first] + (BANDS[last] - BANDS[first]) * part
    deviations = deviations + random.uniform(-0.16, 0.16, count)
    return ages, deviations


def _bands(record: ImageRecord, random: np.random.Generator) -> tuple[int, int]:
    """Return the bands of the first and of the last measurement."""
    shown = record.find("measurements")
    places = record.table.finding("measurements").places
    change = 0
    for kind, sign in (("faltering", -1), ("catch_up", 1)):
        finding = record.find(kind)
        if finding is not None and finding.size is not None:
            change = sign * round(finding.size)
    # Faltering begins below the 97th centile, and catching up ends below the 85th.
    allowed = range(max(0, change), (3 if change > 0 else 4 + change if change else 5) + 1)
    if record.find("underweight") is not None:
        allowed = range(0, 1)
    elif record.find("overweight") is not None:
        allowed = range(5, 6)
    elif shown is None and not change:
        allowed = range(1, 5)
    if shown is not None and shown.place is not None:
        last = places.index(shown.place)
        if last not in allowed:
            raise ConfigError(
                f"measurements end {shown.place!r}, which contradicts "
                f"{[finding.finding for finding in record.findings]}; choose from "
                f"{[places[band] for band in allowed]}"
            )
    else:
        last = allowed[int(random.integers(len(allowed)))]
    return last - change, last


def draw(record: ImageRecord) -> Scene:
    """Draw the chart of a record."""
    image = _form(record)
    ages, deviations = course(record)
    columns, rows = column(ages), row(weight(record.sex, ages, deviations))
    points = list(zip(columns.tolist(), rows.tolist(), strict=True))
    random = stream(record.seed, "pen")
    dots = blank()
    for place in points:
        jitter = (place[0] + random.uniform(-0.4, 0.4), place[1] + random.uniform(-0.4, 0.4))
        stamp(dots, jitter, (2.8, 2.8))
    faint = 0.95 - 0.4 * record.difficulty - (0.2 if "faint_ink" in record.artefacts else 0.0)
    ink = (0.08, 0.1, 0.3)
    image = mix(image, ink, 0.55 * faint * polyline(points, 1.0))
    image = mix(image, ink, faint * dots)
    if "pen_mark" in record.artefacts:
        image = mix(image, (0.5, 0.5, 0.55), 0.6 * polyline([(150, 8), (205, 11)], 1.0))
    regions = []
    for finding in record.findings:
        if finding.finding == "measurements":
            regions += [Region("measurements", None, place, 6, 6) for place in points]
        else:
            middle = ((columns[0] + columns[-1]) / 2, float(rows.mean()))
            wide, high = columns[-1] - columns[0], float(np.ptp(rows)) + 6
            regions.append(Region(finding.finding, None, middle, float(wide), high))
    noise = grain(stream(record.seed, "scan"), 0.008 + 0.03 * record.difficulty)
    if "skew_scan" in record.artefacts:
        for number in range(image.shape[1]):
            image[:, number] = np.roll(image[:, number], round((number - 120) * 0.012), axis=0)
    return Scene(image + noise[..., None], regions)


def _form(record: ImageRecord) -> Field:
    boy = record.sex == "male"
    tint = (0.25, 0.45, 0.75) if boy else (0.8, 0.35, 0.55)
    image = coloured((0.97, 0.98, 1.0) if boy else (1.0, 0.97, 0.98))
    x, y = grid()
    inside = (x >= LEFT) & (x <= LEFT + WIDTH + 0.5) & (y >= TOP) & (y <= TOP + HEIGHT + 0.5)
    lines = blank()
    for month in range(0, 25, 2):
        lines = np.maximum(lines, soft(0.5 - np.abs(x - np.floor(column(month))), 0.6))
    for kilogram in range(int(LEAST), int(MOST) + 1):
        lines = np.maximum(lines, soft(0.5 - np.abs(y - np.floor(row(kilogram))), 0.6))
    image = mix(image, tint, 0.22 * lines * inside)
    ages = np.linspace(0, 24, 49)
    for deviation in LINES:
        rows = row(weight(record.sex, ages, deviation))
        points = list(zip(column(ages).tolist(), rows.tolist(), strict=True))
        heavy = 2.0 if deviation == 0.0 else 1.2
        image = mix(image, tint, 0.8 * polyline(points, heavy))
        label = CENTILES[LINES.index(deviation)]
        image = letters(image, label, (LEFT + WIDTH + 3, float(rows[-1]) - 3), tint)
    for month in (0, 6, 12, 18, 24):
        label = str(month)
        image = letters(
            image, label, (float(column(month)) - 3 * len(label), 222), (0.2, 0.2, 0.25)
        )
    for kilogram in (2, 4, 6, 8, 10, 12, 14, 16):
        image = letters(image, f"{kilogram:>2}", (9, float(row(kilogram)) - 3), (0.2, 0.2, 0.25))
    image = letters(image, "KG", (8, 8), (0.2, 0.2, 0.25))
    image = letters(image, "AGE IN MONTHS", (82, 231), (0.2, 0.2, 0.25))
    return letters(image, "BOY" if boy else "GIRL", (30, 24), tint, 1)
