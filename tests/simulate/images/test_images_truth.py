"""The pixels show what the record says: each check also with a claim that must fail it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import image_measures as measure
import numpy as np
import pytest

from gym_clinic.simulate.images import draw, read_record, render_array
from gym_clinic.simulate.images.growth_chart import BANDS, LINES, column, row, weight

SEEDS = (3, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (14, 25)))


def record(modality: str, seed: int, *findings: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"modality": modality, "seed": seed, "difficulty": 0.0, "findings": list(findings),
            **fields}  # fmt: skip


def near(share: float) -> Callable[[float, float], bool]:
    """A figure is right within a share of the claim."""
    return lambda measured, claim: abs(measured - claim) <= share * claim


def same(measured: Any, claim: Any) -> bool:
    return bool(measured == claim)


Check = tuple[str, dict[str, Any], Callable[[Any], Any], Any, Any, Callable[[Any, Any], bool]]

CHECKS: list[Check] = [
    # Modality, finding, measure, claim that holds, claim that must fail, comparison.
    ("chest_film", {"finding": "nodule", "side": "left", "place": "upper zone", "size": 24},
     measure.diameter, 24, 34, near(0.2)),
    ("chest_film", {"finding": "nodule", "side": "left", "place": "upper zone", "size": 24},
     measure.side, "left", "right", same),
    ("chest_film", {"finding": "nodule", "side": "right", "place": "middle zone", "size": 16,
                    "count": 3}, measure.number, 3, 2, same),
    ("chest_film", {"finding": "effusion", "side": "right", "grade": "moderate"},
     measure.side, "right", "left", same),
    ("chest_film", {"finding": "effusion", "side": "right", "size": 80},
     lambda row: measure.extent(row, 1), 80, 140, near(0.3)),
    ("chest_film", {"finding": "pneumothorax", "side": "left", "grade": "large"},
     measure.side, "left", "right", same),
    ("ct_slice", {"finding": "intracerebral", "side": "right", "place": "frontal", "size": 30},
     lambda row: measure.diameter(row, 60.0), 30, 40, near(0.2)),
    ("ct_slice", {"finding": "intracerebral", "side": "right", "place": "frontal", "size": 16},
     measure.side, "right", "left", same),
    ("ct_slice", {"finding": "metastasis", "side": "left", "size": 14, "count": 3},
     measure.bright_number, 3, 4, same),
    ("ct_slice", {"finding": "extradural", "side": "left", "place": "temporal", "size": 10},
     measure.side, "left", "right", same),
    ("ultrasound", {"finding": "empty_sac", "size": 34}, measure.sac, 34, 26, near(0.15)),
    ("ultrasound", {"finding": "fibroid", "side": "right", "place": "posterior wall", "size": 26},
     measure.side, "right", "left", same),
    ("histology", {"finding": "mitosis", "count": 4}, measure.number, 4, 3, same),
    ("fundus", {"finding": "haemorrhage", "place": "superotemporal", "size": 0.5, "count": 3},
     measure.number, 3, 5, same),
    ("fundus", {"finding": "haemorrhage", "place": "superotemporal", "size": 0.5, "count": 3},
     measure.eye, "right", "left", same),
    ("dermoscopy", {"finding": "melanoma", "size": 9}, measure.lesion, 9, 11.7, near(0.12)),
    ("dermoscopy", {"finding": "seborrhoeic_keratosis", "size": 7}, measure.lesion, 7, 9.1,
     near(0.12)),
    ("ecg_strip", {"finding": "tachycardia", "size": 126}, measure.rate, 126, 96, near(0.06)),
    ("ecg_strip", {"finding": "bradycardia", "size": 42}, measure.rate, 42, 55, near(0.06)),
    ("ecg_strip", {"finding": "st_elevation", "place": "lateral", "size": 4.0},
     lambda row: measure.elevation(row, "V5"), 4.0, 1.5, near(0.3)),
    ("growth_chart", {"finding": "measurements", "count": 6},
     lambda row: len(measure.plotted(row)), 6, 7, same),
]  # fmt: skip


def names(check: Any) -> str:
    return str(check[1]["finding"]) if isinstance(check, tuple) else str(check)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check[0]}-{check[1]['finding']}")
def test_pixels_measure_what_the_record_claims(check: Check, seed: int) -> None:
    modality, finding, look, claim, wrong, right = check
    extra = {"side": "right"} if modality == "fundus" else {}
    measured = look(record(modality, seed, finding, **extra))
    assert right(measured, claim), f"measured {measured}, recorded {claim}"
    assert not right(measured, wrong), f"the check passes a wrong claim: {measured} for {wrong}"


@pytest.mark.parametrize("modality", ["chest_film", "ct_slice", "histology", "fundus"])
def test_findings_change_the_image_where_their_region_is(modality: str) -> None:
    table = read_record(record(modality, 0, **_side(modality))).table
    for name in ("nodule", "consolidation", "intracerebral", "infarct", "necrosis", "exudates"):
        if name not in table.findings:
            continue
        kind = table.findings[name]
        middles = []
        for place in kind.places:
            finding = {"finding": name, "place": place, "size": kind.size[0]}
            if kind.sides:
                finding["side"] = "left"
            row = record(modality, 5, finding, **_side(modality))
            (region,) = draw(row).regions
            x, y = measure.centre(row)
            assert np.hypot(x - region.centre[0], y - region.centre[1]) < 16, (name, place)
            middles.append((x, y))
        # A wrong claim: the middle of any other place is farther off than the tolerance.
        gaps = [np.hypot(a[0] - b[0], a[1] - b[1]) for a in middles for b in middles if a != b]
        assert min(gaps) > 16


def _side(modality: str) -> dict[str, Any]:
    return {"side": "right"} if modality == "fundus" else {}


@pytest.mark.parametrize("place", range(6))
def test_last_measurement_lies_in_its_band(place: int) -> None:
    table = read_record(record("growth_chart", 0)).table.finding("measurements")
    finding = {"finding": "measurements", "place": table.places[place], "count": 5}
    x, y = measure.plotted(record("growth_chart", 8, finding, sex="male"))[-1]
    months = np.linspace(0, 24, 481)
    age = months[int(np.argmin(np.abs(column(months) - x)))]
    below = sum(y < float(row(weight("male", age, line))) for line in LINES)
    assert below == place
    assert len(BANDS) == 6


def test_third_degree_block_separates_atria_and_ventricles() -> None:
    from gym_clinic.simulate.images.ecg_strip import rhythm_of

    block = rhythm_of(read_record(record("ecg_strip", 4, {"finding": "av_block",
                                                          "grade": "third degree"})))  # fmt: skip
    sinus = rhythm_of(read_record(record("ecg_strip", 4)))
    delays = {round(beat - max(p for p in block.atria if p < beat), 2)
              for beat in block.beats if beat > 1}  # fmt: skip
    assert len(delays) > 1
    assert len({round(b - p, 3) for p, b in zip(sinus.atria, sinus.beats, strict=True)}) == 1


def test_fibrillation_is_irregular_and_sinus_rhythm_is_not() -> None:
    def unevenness(*findings: dict[str, Any]) -> float:
        gaps = np.diff(measure.peaks(record("ecg_strip", 6, *findings)))
        return float(np.std(gaps) / np.mean(gaps))

    assert unevenness({"finding": "atrial_fibrillation", "size": 100}) > 0.12
    assert unevenness() < 0.06


def test_harder_images_are_noisier_and_fainter() -> None:
    nodule = {"finding": "nodule", "side": "left", "place": "upper zone", "size": 30}

    def visibility(difficulty: float) -> float:
        row = record("chest_film", 3, nodule, difficulty=difficulty)
        with_it, without = render_array(row), render_array({**row, "findings": []})
        signal = (with_it.astype(float) - without).mean()
        noise = np.std(np.diff(without[20:30, 90:150, 0].astype(float)))
        return float(signal / noise)

    assert visibility(0.0) > 1.5 * visibility(0.5) > 2.0 * visibility(1.0)
