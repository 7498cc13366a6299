"""The commands of diagnostic cases: import, audit, agreement and leaks."""

from __future__ import annotations

import csv

import pytest
from command_runs import Run
from importer_samples import CASE_FILES

ROWS = """id,diagnosis,text,phenotypes,age,sex
a-1,Marfan syndrome,,Ectopia lentis|Arachnodactyly|Aortic root aneurysm,17,female
a-2,Gout,"For days now he has had gout: a red toe, a fever and pain in many joints.",,52,male
a-3,Gout,,Fever,yesterday,male
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "cases.csv"
    path.write_text(ROWS)
    return path


def test_a_file_becomes_a_folder_that_plays_and_is_audited(run: Run, source, tmp_path):
    done = run("cases", "import", "own", f"{source}", "--out", f"{tmp_path / 'mine'}",
               "--play", "oracle")  # fmt: skip
    assert done.status == 0, done.err
    assert "skipped: " in done.err
    assert "cases.csv line 4, field age: expected an ISO 8601 duration" in done.err
    said = done.out.splitlines()
    assert said[0].endswith("test 1 tasks of 1 diseases (0 common, 1 rare), 1 records")
    assert "1 broken records were skipped" in said
    assert "1 cases whose text names the disease went to the database" in said
    assert any("not for patient care; no advice" in line for line in said)

    again = run("play", "clinic/DxSearch-v0", "--set", f"folder={tmp_path / 'mine'}",
                "--policy", "oracle", "--split", "test")  # fmt: skip
    for shown in (done.out, again.out):
        assert "What was right" in shown
        assert "0.900" in shown

    leaks = run("cases", "leaks", f"{tmp_path / 'mine'}")
    assert (leaks.status, len(leaks.out.splitlines())) == (0, 7)

    sheet = tmp_path / "sheet.csv"
    audit = run("cases", "audit", f"{tmp_path / 'mine'}", "--out", f"{sheet}")
    assert (audit.status, "no advice" in audit.out) == (0, True)
    rows = list(csv.DictReader(sheet.open()))
    answers = {"disease_correct": "yes", "no_leakage": "yes", "symptoms_in_text": "3",
               "symptoms_correct": "3", "icd10_correct": "0", "orpha_correct": "1",
               "hpo_correct": "3"}  # fmt: skip
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerow(rows[0] | answers)
    agreed = run("cases", "agreement", f"{sheet}", f"{sheet}", f"{sheet}")
    assert agreed.status == 0, agreed.err
    assert "own case, rare" in agreed.out
    assert "Overall Accuracy             1/1 (100.0%)" in agreed.out
    assert "agreement of 3 reviewers" in agreed.out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["ownn"], "no format of cases 'ownn'; did you mean 'own'?"),
        (["own", "--split", "dev", "--share", "dev=1"], "--split and --share exclude each other"),
        (["own", "--url", "http://localhost:1"], "needs both --url and --model"),
        (["own", "--set", "colour=1"], "format 'own' takes no option 'colour'"),
        (["own", "--strict"], "cases.csv line 4, field age"),
        (["rarearena"], "line 1: not valid JSON"),
    ],
)
def test_what_cannot_be_imported_leaves_nothing(run: Run, source, tmp_path, arguments, expected):
    format, *rest = arguments
    done = run("cases", "import", format, f"{source}", "--out", f"{tmp_path / 'mine'}", *rest)
    assert done.status == 2
    assert expected in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_format_is_recognised(run: Run, tmp_path):
    file = tmp_path / "x.csv"
    file.write_bytes(next(iter(CASE_FILES["ddxplus"][0].values())))
    done = run("cases", "import", "own", f"{file}", "--out", f"{tmp_path / 'mine'}")
    assert done.status == 2
    assert "the file seems to be patients of DDXPlus (format ddxplus patients)" in done.err


def test_one_sheet_has_no_agreement(run: Run, source):
    done = run("cases", "agreement", f"{source}")
    assert (done.status, "two reviewers or more" in done.err) == (2, True)
