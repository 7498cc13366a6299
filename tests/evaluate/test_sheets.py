"""Sheets for physicians: rows, cells filled in advance, studies, and agreement of filled copies."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.evaluate import evaluate
from gym_clinic.evaluate.sheets import (
    FORMS,
    agreement,
    agreement_table,
    read_filled,
    sheet_rows,
    study_files,
    write_sheet,
)

ID, TASKS = "clinic/DxSearch-v0", 4


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    for policy in ("copied-references", "commonest-five"):
        evaluate(ID, policy, split="test", out=folder / policy, trials=1, limit=TASKS,
                 progress=False)  # fmt: skip
    return [folder]


def filled(text: bytes, path: Path, **cells: str) -> Path:
    """Write a copy of a sheet with the same value in every row."""
    lines = text.decode().splitlines(keepends=True)
    remarks = [line for line in lines if line.startswith("#")]
    rows = list(csv.DictReader(io.StringIO("".join(lines[len(remarks) :]))))
    written = io.StringIO()
    writer = csv.DictWriter(written, list(rows[0]))
    writer.writeheader()
    writer.writerows({**row, **cells} for row in rows)
    path.write_text("".join(remarks) + written.getvalue(), encoding="utf-8")
    return path


def test_failures_are_filled_in_advance(traces: list[Path], tmp_path: Path) -> None:
    form = FORMS["failures"]
    rows = sheet_rows(form, traces)
    guesses = [row for row in rows if row["row"].startswith("commonest-five")]
    assert len(guesses) == TASKS
    assert {row["premature_closure"] for row in guesses} == {"yes"}
    assert {row["knowledge_gap"] for row in rows} == {"no"}
    assert {row["hallucination"] for row in rows} == {""}
    assert all(row["reference"] and row["case"] for row in rows)
    sheet = write_sheet(form, rows)
    (tmp_path / "blank.csv").write_bytes(sheet)
    values = read_filled(form, tmp_path / "blank.csv")
    assert {mark["hallucination"] for _, mark in values.values()} == {"no"}
    assert len(form.columns) == 12


def test_a_step_is_a_tag_with_its_reply(traces: list[Path]) -> None:
    rows = sheet_rows(FORMS["steps"], traces)
    first = [row for row in rows if row["row"].startswith("copied-references")][:6]
    assert [row["action"] for row in first] == [
        "reason", "match", "reason", "search", "reason", "diagnose",
    ]  # fmt: skip
    assert first[1]["reply"].startswith("Phenotype: ")
    assert first[3]["step"].startswith("|WIKI|")
    assert first[5]["reply"] == "Answer recorded."
    assert len({row["row"] for row in rows}) == len(rows)


def test_agreement_of_two_physicians(traces: list[Path], tmp_path: Path) -> None:
    form = FORMS["reasoning"]
    sheet = write_sheet(form, sheet_rows(form, traces))
    marks = {column.name: "3" for column in form.columns}
    paths = [
        filled(sheet, tmp_path / "a.csv", **marks),
        filled(sheet, tmp_path / "b.csv", **{**marks, "overall_correctness": "2"}),
    ]
    found = {(row.column, row.stratum): row for row in agreement(form, [
        read_filled(form, path) for path in paths
    ])}  # fmt: skip
    whole = found["clinical_utility", "all"]
    assert (whole.rows, whole.shares, whole.positive, whole.alpha) == (8, (1, 1), 1, None)
    apart = found["overall_correctness", "all"]
    assert (apart.shares, apart.positive) == ((1, 0), 0)
    assert "positive agreement" in agreement_table(list(found.values())).columns


def test_positive_agreement_is_the_mean_over_ordered_pairs() -> None:
    form = FORMS["study"]
    answers = [["yes", "yes", "no", "no"], ["yes", "no", "no", "no"]]
    sheets = [
        {str(row): ("all", {"correct": value}) for row, value in enumerate(column)}
        for column in answers
    ]
    (found,) = agreement(form, sheets)
    assert found.positive == pytest.approx((1 / 2 + 1) / 2)
    assert found.alpha == pytest.approx(0.5333, abs=1e-4)


@pytest.mark.parametrize("cell", ["", "5", "good"])
def test_a_cell_that_is_not_filled_is_named(traces: list[Path], tmp_path: Path, cell: str) -> None:
    form = FORMS["reasoning"]
    sheet = write_sheet(form, sheet_rows(form, traces))
    marks = {**{column.name: "3" for column in form.columns}, "clinical_utility": cell}
    with pytest.raises(TaskError, match=r"line \d+, column clinical_utility: .*one of 1, 2, 3, 4"):
        read_filled(form, filled(sheet, tmp_path / "a.csv", **marks))


def test_agreement_needs_copies_of_one_sheet() -> None:
    sheet = {"a": ("all", {"correct": "yes"})}
    with pytest.raises(ConfigError, match="two physicians or more"):
        agreement(FORMS["study"], [sheet])
    with pytest.raises(ConfigError, match="copies of one sheet"):
        agreement(FORMS["study"], [sheet, {"b": sheet["a"]}])


def test_a_study_is_balanced_and_hides_the_key(traces: list[Path], tmp_path: Path) -> None:
    files = study_files(traces, physicians=3, cases=3, seed=1)
    assert set(files) == {*(f"physician-{n}.csv" for n in (1, 2, 3)), "key.csv", "protocol.md"}
    orders = []
    for number in (1, 2, 3):
        path = tmp_path / f"{number}.csv"
        filled(files[f"physician-{number}.csv"], path, correct="yes")
        lines = [line for line in path.read_text().splitlines(True) if not line.startswith("#")]
        rows = list(csv.DictReader(lines))
        orders.append([row["row"] for row in rows])
        assert "reference" not in rows[0]
        assert Counter(row["stratum"] for row in rows) == {
            "unaided": 3, "commonest-five": 3, "copied-references": 3,
        }  # fmt: skip
        for session in "123":
            read = [row for row in rows if row["session"] == session]
            assert len({row["row"].split()[0] for row in read}) == 3
            assert len({row["stratum"] for row in read}) == 3
        assert all(bool(row["transcript"]) == (row["stratum"] != "unaided") for row in rows)
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]
    sheets = [read_filled(FORMS["study"], tmp_path / f"{number}.csv") for number in (1, 2, 3)]
    assert {found.stratum for found in agreement(FORMS["study"], sheets)} == {
        "all", "unaided", "commonest-five", "copied-references",
    }  # fmt: skip
    with pytest.raises(ConfigError, match="4 tasks have an episode"):
        study_files(traces, cases=5)
