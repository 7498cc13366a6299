"""Rendering: every record of the tables, the same pixels in every process, and bad records."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from gym_clinic.errors import ConfigError
from gym_clinic.simulate.images import (
    describe,
    draw,
    modalities,
    read_record,
    render,
    render_array,
    render_png,
)
from gym_clinic.simulate.images.canvas import to_bytes
from gym_clinic.simulate.images.tables import FindingTable

HASHES = Path(__file__).with_name("pixel_hashes.json")
PROGRAM = """
import hashlib, json, sys
from gym_clinic.simulate.images import render_array
print(json.dumps([hashlib.sha256(render_array(row).tobytes()).hexdigest()
                  for row in json.load(sys.stdin)]))
"""


def filled(table: FindingTable, random: Random) -> dict[str, Any]:
    row: dict[str, Any] = {"finding": table.name, "count": random.randint(*table.count)}
    if table.sides:
        row["side"] = random.choice(table.sides)
    if table.places:
        row["place"] = random.choice(table.places)
    if table.unit:
        limits = random.choice(list(table.grades.values())) if table.grades else table.size
        row["size"] = random.uniform(*limits)
    return row


def records() -> list[dict[str, Any]]:
    """One record of each modality, and one of each finding with all artefacts."""
    rows = []
    for name, table in modalities().items():
        side = {"side": "left"} if table.sides else {}
        rows.append({"modality": name, "seed": 1, "sex": "female", "difficulty": 0.5, **side})
        for number, finding in enumerate(table.findings.values()):
            rows.append({"modality": name, "seed": number, "difficulty": number % 3 / 2, **side,
                         "artefacts": list(table.artefacts), "sex": "female",
                         "findings": [filled(finding, Random(number))]})  # fmt: skip
    return rows


def test_every_finding_renders_within_the_image() -> None:
    for row in records():
        scene = draw(row)
        assert np.isfinite(scene.pixels).all()
        pixels = to_bytes(scene.pixels)
        assert pixels.shape in {(240, 240), (240, 240, 3)}
        assert pixels.dtype == np.uint8
        shown = {finding.finding for finding in read_record(row).findings}
        assert {region.finding for region in scene.regions} == shown, row
        for region in scene.regions:
            assert 0 <= region.centre[0] < 240
            assert 0 <= region.centre[1] < 240
        if shown:
            plain = to_bytes(draw({**row, "findings": []}).pixels)
            assert (plain != pixels).any(), f"{shown} leaves no trace"


def test_same_pixels_in_every_process_and_as_recorded() -> None:
    rows = records()
    here = [hashlib.sha256(render_array(row).tobytes()).hexdigest() for row in rows]
    there = subprocess.run([sys.executable, "-c", PROGRAM], input=json.dumps(rows[::4]), text=True,
                           capture_output=True, check=True).stdout  # fmt: skip
    assert json.loads(there) == here[::4]
    names = [f"{row['modality']} {number}" for number, row in enumerate(rows)]
    assert dict(zip(names, here, strict=True)) == json.loads(HASHES.read_text(encoding="utf-8"))


def test_other_seeds_give_other_pixels() -> None:
    for name, table in modalities().items():
        side = {"side": "left"} if table.sides else {}
        first, second = (render_array({"modality": name, "seed": seed, **side}) for seed in (1, 2))
        assert (first != second).any()


def test_png_and_image_hold_the_pixels() -> None:
    row = {"modality": "ecg_strip", "seed": 7}
    assert (np.asarray(render(row)) == render_array(row)).all()
    assert render_png(row).startswith(b"\x89PNG")


def test_caption_says_all_of_the_record() -> None:
    text = describe({"modality": "chest_film", "seed": 1, "findings": [
        {"finding": "nodule", "side": "left", "place": "upper zone", "size": 18,
         "count": 2}]})  # fmt: skip
    assert text.endswith("lung nodule (left, upper zone, 18 mm, number: 2).")


NODULE = {"finding": "nodule", "side": "left", "place": "upper zone", "size": 18}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"modality": "chest_fim", "seed": 1}, "chest_film"),
        ({"modality": "chest_film"}, "needs \\['seed'\\]"),
        ({"modality": "chest_film", "seed": -1}, "whole number from 0"),
        ({"modality": "chest_film", "seed": 1, "colour": "red"}, "no field 'colour'"),
        ({"modality": "chest_film", "seed": 1, "age": 3}, "age is from 18"),
        ({"modality": "chest_film", "seed": 1, "sex": "x"}, "sex is one of"),
        ({"modality": "fundus", "seed": 1}, "side is one of"),
        ({"modality": "chest_film", "seed": 1, "artefacts": ["hairs"]}, "artefact is one of"),
        ({"modality": "chest_film", "seed": 1, "findings": [{"finding": "drusen"}]}, "no finding"),
        ({"modality": "chest_film", "seed": 1, "findings": [{**NODULE, "size": 90}]}, "from 14"),
        ({"modality": "chest_film", "seed": 1, "findings": [{**NODULE, "side": "up"}]}, "side of"),
        ({"modality": "chest_film", "seed": 1, "findings": [{**NODULE, "place": "leg"}]}, "place"),
        ({"modality": "chest_film", "seed": 1, "findings": [{**NODULE, "count": 9}]}, "count of"),
        ({"modality": "chest_film", "seed": 1, "findings": [NODULE, NODULE]}, "once for each side"),
        ({"modality": "chest_film", "seed": 1, "findings": [
            {"finding": "effusion", "side": "left", "size": 30},
            {"finding": "pneumothorax", "side": "left", "size": 12}]}, "cannot be in one image"),
        ({"modality": "chest_film", "seed": 1, "findings": [
            {"finding": "effusion", "side": "left", "size": 60}]}, "between the grades"),
        ({"modality": "chest_film", "seed": 1, "findings": [
            {"finding": "effusion", "side": "left", "size": 30, "grade": "large"}]}, "not 'large'"),
        ({"modality": "histology", "seed": 1, "findings": [
            {"finding": "mitosis", "size": 4}]}, "has no size"),
        ({"modality": "dermoscopy", "seed": 1, "findings": [{"finding": "naevus"}]}, "needs a s"),
    ],
)  # fmt: skip
def test_wrong_records_say_what_would_be_right(row: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_record(row)


def test_contradictory_chart_is_refused() -> None:
    findings = [
        {"finding": "faltering", "grade": "severe"},
        {"finding": "measurements", "count": 5, "place": "above the 97th centile"},
    ]
    with pytest.raises(ConfigError, match="contradicts"):
        draw({"modality": "growth_chart", "seed": 1, "findings": findings})


def test_without_pillow_the_error_gives_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ConfigError, match=r'pip install "gym_clinic\[images\]"'):
        render({"modality": "ecg_strip", "seed": 1})


def test_the_room_imports_without_numpy() -> None:
    program = "import sys; import {}; print('numpy' in sys.modules)"
    said = [subprocess.run([sys.executable, "-c", program.format(name)], text=True, check=True,
                           capture_output=True).stdout
            for name in ("gym_clinic", "gym_clinic.simulate.images")]  # fmt: skip
    assert said[0] == said[1]
