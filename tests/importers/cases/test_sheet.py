"""The audit sheet: drawn by strata, filled, read back, and counted by hand."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.cases.sheet import (
    COLUMNS,
    COUNTED,
    JUDGED,
    agreement,
    alpha,
    draw_sheet,
    panel,
    quality,
    read_sheet,
)


def task(number: int, rare: bool) -> Task:
    return Task(
        f"dx-{number:03}",
        {"findings": ["Fever", "Amber glow"], "absent": ["Cough"]},
        {"names": ["Gout"], "rare": rare, "hpo": {"Fever": "HP:0001945"},
         "codes": ["ICD10CM:M10.9", "ORPHA:1", "OMIM:100000"]},
        ticket="A red, hot\ntoe",
        provenance="own case",
    )  # fmt: skip


TASKS = [task(number, number % 4 == 0) for number in range(40)]


def rows_of(sheet: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(sheet.decode())))


def filled(path: Path, **answers: Sequence[str]) -> Path:
    """Write a sheet of two cases, filled with what is right but for some answers."""
    rows = rows_of(draw_sheet(TASKS[:2]))
    right = {"disease_correct": "yes", "no_leakage": "Yes ", "symptoms_in_text": "2",
             "symptoms_correct": "2", "icd10_correct": "1", "orpha_correct": "1",
             "hpo_correct": "1"}  # fmt: skip
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for place, row in enumerate(rows):
            writer.writerow(row | right | {name: given[place] for name, given in answers.items()})
    return path


def test_each_stratum_has_its_sample_and_the_same_seed_the_same():
    rows = rows_of(draw_sheet(TASKS, 8, seed=3))
    strata = [row["stratum"] for row in rows]
    assert strata == ["own case, common"] * 8 + ["own case, rare"] * 8
    assert draw_sheet(TASKS, 8, seed=3) == draw_sheet(list(reversed(TASKS)), 8, seed=3)
    assert draw_sheet(TASKS, 8, seed=3) != draw_sheet(TASKS, 8, seed=4)
    assert rows[0]["findings"] == "Fever [HP:0001945]; Amber glow"
    counts = [rows[0][name] for name in ("symptoms_extracted", "icd10_codes", "orpha_codes")]
    assert counts == ["2", "1", "1"]
    assert not any(rows[0][name] for name in (*JUDGED, *COUNTED))


def test_the_measures_of_table_3(tmp_path):
    path = filled(
        tmp_path / "a.csv", disease_correct=["yes", "no"], symptoms_in_text=["4", "2"],
        symptoms_correct=["2", "1"], hpo_correct=["0", "1"],
    )  # fmt: skip
    assert quality(list(read_sheet(path).values())) == {
        "Sample Size": (2, 2),
        "Overall Accuracy": (0, 2),
        "Disease Label Accuracy": (1, 2),
        "Symptom Recall": (3, 6),
        "Symptom Precision": (3, 4),
        "Data Integrity (No Leakage)": (2, 2),
        "ICD-10 Accuracy": (2, 2),
        "ORPHA Accuracy": (2, 2),
        "HPO Accuracy": (1, 2),
    }


def test_a_panel_is_the_median_of_its_reviewers(tmp_path):
    sheets = [
        read_sheet(
            filled(tmp_path / f"{n}.csv", disease_correct=[a, "yes"], symptoms_in_text=[b, "2"])
        )
        for n, (a, b) in enumerate([("yes", "2"), ("no", "5"), ("no", "3")])
    ]
    first, second = panel(sheets)
    assert (first.values["disease_correct"], first.values["symptoms_in_text"]) == (0, 3)
    assert second.values["disease_correct"] == 1
    found = agreement(sheets)
    assert found["no_leakage"] is None
    assert found["disease_correct"] == pytest.approx(1 - (2 / 6) / (16 / 30))
    with pytest.raises(ConfigError, match="not of the same cases"):
        panel([sheets[0], {}])


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (
            {"disease_correct": ["yes", ""]},
            "line 4, column disease_correct: ''; expected yes",
        ),
        (
            {"hpo_correct": ["2", "1"]},
            "column hpo_correct: '2'; expected .* from 0 to 1",
        ),
        ({"icd10_correct": ["x", "1"]}, "column icd10_correct: 'x'; expected a whole number"),
        ({"symptoms_in_text": ["1", "2"]}, "column symptoms_in_text: 1, fewer than the correct"),
        ({"case": ["a", "a"]}, "column case: 'a' is a duplicate"),
    ],
)
def test_a_cell_that_is_not_filled_is_named(tmp_path, answers, expected):
    with pytest.raises(TaskError, match=expected) as caught:
        read_sheet(filled(tmp_path / "a.csv", **answers))
    assert "a.csv line" in str(caught.value)


def test_alpha_of_a_published_example():
    """The reliability data of Krippendorff (2011), two observers, ten units, nominal: .095."""
    pairs = [(0, 1), (1, 1), (0, 1), (0, 0), (0, 0), (0, 1), (0, 0), (0, 0), (1, 0), (0, 0)]
    assert alpha(pairs, lambda one, other: one != other) == pytest.approx(0.095, abs=0.001)
    assert alpha([(1, 1), (4, 4)], lambda one, other: (one - other) ** 2) == 1
    assert alpha([(1, 1), (1, 1)], lambda one, other: one != other) is None
