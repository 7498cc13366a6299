"""ECG, three leads at 25 mm/s and 10 mm/mV: II (inferior), V1 (septal) and V5 (lateral)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gym_clinic.simulate.images.canvas import (
    SIZE,
    Field,
    Rng,
    coloured,
    grain,
    grid,
    letters,
    mix,
    soft,
    stream,
)
from gym_clinic.simulate.images.records import ImageRecord
from gym_clinic.simulate.images.rendering import Region, Scene

PER_SECOND = 50.0
"""Pixels a second: 25 mm of 2 pixels."""

PER_MILLIVOLT = 20.0
"""Pixels a millivolt: 10 mm of 2 pixels."""

LEADS = {"II": 56.0, "V1": 126.0, "V5": 196.0}
"""Lead -> row of its baseline."""

LEAD_OF = {"inferior": "II", "septal": "V1", "lateral": "V5"}
"""Place -> the lead that shows it."""

SECONDS = SIZE / PER_SECOND

Wave = tuple[float, float, float]
# Lead -> waves as (millivolt, time after the start of the QRS in s, width in s).
NARROW: Mapping[str, tuple[Wave, ...]] = {
    "II": ((-0.08, 0.012, 0.008), (1.05, 0.04, 0.012), (-0.18, 0.068, 0.01)),
    "V1": ((0.22, 0.022, 0.01), (-0.85, 0.052, 0.014)),
    "V5": ((-0.1, 0.012, 0.008), (1.35, 0.04, 0.012), (-0.28, 0.068, 0.011)),
}
RIGHT_BLOCK: Mapping[str, tuple[Wave, ...]] = {
    "II": ((0.95, 0.04, 0.013), (-0.35, 0.1, 0.024)),
    "V1": ((0.28, 0.02, 0.01), (-0.35, 0.048, 0.011), (0.95, 0.1, 0.022)),
    "V5": ((1.2, 0.04, 0.013), (-0.5, 0.105, 0.026)),
}
LEFT_BLOCK: Mapping[str, tuple[Wave, ...]] = {
    "II": ((0.8, 0.05, 0.022), (0.6, 0.105, 0.024)),
    "V1": ((0.08, 0.014, 0.008), (-1.35, 0.078, 0.034)),
    "V5": ((0.95, 0.048, 0.02), (0.95, 0.108, 0.022)),
}
ECTOPIC: Mapping[str, tuple[Wave, ...]] = {
    "II": ((1.45, 0.08, 0.036),),
    "V1": ((-1.35, 0.085, 0.038),),
    "V5": ((-1.05, 0.08, 0.036),),
}
T_WAVE = {"II": 0.28, "V1": 0.1, "V5": 0.32}


@dataclass(frozen=True, slots=True)
class Rhythm:
    """When the heart beats.

    Attributes:
        atria: Times of the P waves, in s.
        beats: Times of the QRS complexes, in s.
        ectopic: Which of the beats are ventricular extrasystoles.
    """

    atria: tuple[float, ...]
    beats: tuple[float, ...]
    ectopic: tuple[bool, ...]


def rhythm_of(record: ImageRecord) -> Rhythm:
    """Draw the rhythm of a record."""
    random = stream(record.seed, "rhythm")
    base = random.uniform(64, 88)
    delay = random.uniform(0.13, 0.18)
    for kind in ("bradycardia", "tachycardia"):
        finding = record.find(kind)
        if finding is not None and finding.size is not None:
            base = finding.size
            delay = min(delay, 18 / base)
    start = -random.uniform(0.1, 0.5)
    block = record.find("av_block")
    fibrillation = record.find("atrial_fibrillation")
    extra = record.find("extrasystole")
    if fibrillation is not None and fibrillation.size is not None:
        return _irregular(random, start, 60 / fibrillation.size)
    if block is not None and block.grade == "third degree":
        atria = _regular(random, start, 60 / random.uniform(78, 95), 0.01)
        beats = _regular(random, start + random.uniform(0.2, 0.9), 60 / random.uniform(34, 42), 0.0)
        return Rhythm(atria, beats, (False,) * len(beats))
    if block is not None and block.size is not None:
        base, delay = random.uniform(58, 72), block.size / 1000
    if extra is not None:
        base = random.uniform(78, 92)
        return _with_extrasystoles(random, extra.count, 60 / base, delay)
    atria = _regular(random, start, 60 / base, 0.012)
    return Rhythm(atria, tuple(time + delay for time in atria), (False,) * len(atria))


def _regular(random: Rng, start: float, period: float, spread: float) -> tuple[float, ...]:
    count = int((SECONDS - start) / period) + 2
    return tuple(
        start + period * (number + spread * float(random.standard_normal()))
        for number in range(count)
    )


def _irregular(random: Rng, start: float, period: float) -> Rhythm:
    count = int((SECONDS - start) / period) + 3
    gaps = np.exp(0.3 * random.standard_normal(count))
    gaps[1::2] *= random.uniform(1.25, 1.45)  # so that no strip looks regular by chance
    gaps = np.maximum(gaps / gaps.mean() * period, 0.36)
    beats = tuple((start + np.cumsum(gaps)).tolist())
    return Rhythm((), beats, (False,) * len(beats))


def _with_extrasystoles(random: Rng, count: int, period: float, delay: float) -> Rhythm:
    first = 0.12
    number = int((SECONDS - first - delay - 0.25) / period) + 1
    choices = [1, 3, 5] if count == 3 else [1, 2, 3, 4, 5]
    places: set[int] = set()
    while len(places) < count:
        place = choices[int(random.integers(len(choices)))]
        if place < number and not {place - 1, place + 1} & places:
            places.add(place)
        elif count == 2 and len(places) == 1 and not _room(places, choices, number):
            places.clear()
    early = random.uniform(0.3, 0.36) * period
    atria, beats, ectopic = [], [], []
    for step in range(number + 1):
        time = first + step * period
        if step in places:
            beats.append(time + delay - early)
        else:
            atria.append(time)
            beats.append(time + delay)
        ectopic.append(step in places)
    return Rhythm(tuple(atria), tuple(beats), tuple(ectopic))


def _room(places: set[int], choices: list[int], number: int) -> bool:
    return any(place < number and not {place - 1, place, place + 1} & places for place in choices)


def trace(record: ImageRecord, rhythm: Rhythm, lead: str) -> Field:
    """Return the voltage of a lead in mV, four samples for each pixel."""
    time: Field = np.linspace(0.0, SECONDS, SIZE * 4, endpoint=False) + 0.5 / 4 / PER_SECOND
    random = stream(record.seed, f"lead {lead}")
    gain = random.uniform(0.85, 1.15)
    total: Field = np.zeros(SIZE * 4)
    for start in rhythm.atria:
        height = 0.17 if lead == "II" else 0.1
        total += _wave(time, height, start + 0.04, 0.022)
    if record.find("atrial_fibrillation") is not None:
        phase = random.uniform(0, 6.28) + 0.9 * np.sin(2 * np.pi * 1.1 * time)
        size = 0.07 if lead == "V1" else 0.045
        total += size * np.sin(2 * np.pi * 6.3 * time + phase)
    elevation = record.find("st_elevation")
    lifted = elevation is not None and elevation.place is not None and (
        LEAD_OF[elevation.place] == lead
    )  # fmt: skip
    lift = elevation.size / 10 if lifted and elevation is not None and elevation.size else 0.0
    block = record.find("bundle_branch_block")
    third = record.find("av_block")
    shape, discordant = NARROW, False
    if block is not None:
        shape, discordant = (RIGHT_BLOCK if block.side == "right" else LEFT_BLOCK), True
    if third is not None and third.grade == "third degree":
        shape, discordant = LEFT_BLOCK, True
    for beat, odd in zip(rhythm.beats, rhythm.ectopic, strict=True):
        waves = (ECTOPIC if odd else shape)[lead]
        for height, after, width in waves:
            total += _wave(time, gain * height, beat + after, width)
        last = max(waves, key=lambda wave: abs(wave[0]))[0]
        wide = odd or discordant
        height = -0.3 * np.sign(last) if wide else T_WAVE[lead]
        peak = 0.34 if wide else 0.28
        total += _wave(time, gain * height, beat + peak, 0.05)
        if lift:
            rise = 1 / (1 + np.exp(np.clip(-(time - beat - 0.08) / 0.006, -50, 50)))
            fall = 1 / (1 + np.exp(np.clip((time - beat - 0.3) / 0.03, -50, 50)))
            total += lift * rise * fall
    return total


def _wave(time: Field, height: float, middle: float, width: float) -> Field:
    return height * np.exp(-0.5 * ((time - middle) / width) ** 2)


def draw(record: ImageRecord) -> Scene:
    """Draw the strip of a record."""
    rhythm = rhythm_of(record)
    image = _paper()
    ink = np.zeros((SIZE, SIZE))
    for lead, row in LEADS.items():
        voltage = trace(record, rhythm, lead) + _disturbed(record, lead)
        ink = np.maximum(ink, _line(row - PER_MILLIVOLT * voltage))
    dark = 0.95 - 0.45 * record.difficulty
    image = mix(image, (0.08, 0.07, 0.12), ink * dark)
    for lead, row in LEADS.items():
        image = letters(image, lead, (4, row - 46), (0.15, 0.15, 0.3))
    image = letters(image, "25 MM/S  10 MM/MV", (132, 230), (0.15, 0.15, 0.3))
    noise = grain(stream(record.seed, "scan"), 0.008 + 0.03 * record.difficulty)
    return Scene(image + noise[..., None], _regions(record, rhythm))


def _paper() -> Field:
    x, y = grid()
    image = coloured((0.99, 0.95, 0.94))
    fine = (x % 2 == 0) | (y % 2 == 0)
    image = mix(image, (0.96, 0.76, 0.76), 0.3 * fine)
    return mix(image, (0.88, 0.52, 0.54), 0.6 * ((x % 10 == 0) | (y % 10 == 0)))


def _line(rows: Field) -> Field:
    """Return alpha of a trace from its rows, four for each column."""
    columns = rows.reshape(SIZE, 4)
    before = np.concatenate([columns[:1, 0], columns[:-1, -1]])
    low = np.minimum(columns.min(axis=1), before)
    high = np.maximum(columns.max(axis=1), before)
    y = grid()[1]
    away = np.maximum(np.maximum(low[None, :] - y, y - high[None, :]), 0.0)
    return soft(0.7 - away, 1.0)


def _disturbed(record: ImageRecord, lead: str) -> Field:
    random = stream(record.seed, f"noise {lead}")
    time = np.arange(SIZE * 4) / (4 * PER_SECOND)
    total = (0.012 + 0.035 * record.difficulty) * _smoothed(random.standard_normal(SIZE * 4))
    if "wander" in record.artefacts:
        total += 0.16 * np.sin(2 * np.pi * 0.3 * time + random.uniform(0, 6.28))
    if "tremor" in record.artefacts:
        total += 0.035 * _smoothed(random.standard_normal(SIZE * 4))
    if "mains" in record.artefacts:
        total += 0.03 * np.sin(2 * np.pi * 50 * time)
    return total


def _smoothed(noise: Field) -> Field:
    """Return noise averaged over four samples, with the deviation kept."""
    return (noise + np.roll(noise, 1) + np.roll(noise, 2) + np.roll(noise, 3)) / 2


def _regions(record: ImageRecord, rhythm: Rhythm) -> list[Region]:
    regions = []
    for finding in record.findings:
        lead = LEAD_OF[finding.place] if finding.place else "II"
        if finding.finding == "bundle_branch_block":
            lead = "V1"
        if finding.finding == "extrasystole":
            for beat, odd in zip(rhythm.beats, rhythm.ectopic, strict=True):
                if odd:
                    middle = ((beat + 0.1) * PER_SECOND, LEADS["II"] - 10)
                    regions.append(Region("extrasystole", None, middle, 20, 60))
        else:
            row = (SIZE / 2, LEADS[lead] - 12)
            regions.append(Region(finding.finding, finding.side, row, SIZE, 60))
    return regions
