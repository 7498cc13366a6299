"""What the tables take from published files, and what they leave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gym_clinic.errors import TaskError
from gym_clinic.facts.compose import read_codes
from kb import renew

HEAD = "# reviewed: 2026-01-31\n"
ENTRIES = (
    "== Amber fever | AF\nS It is made up.\nV Fever; Chill\nC Cough\nX Rash\nU Ache\n"
    "G Ambre fever\n"
    "== Blue cough\nS It is made up.\nF Cough\n"
)
CODES = (
    "kind\tname\tid\nphenotype\tFever\tHP:0000001\nphenotype\tCough\tHP:0000002\n"
    "phenotype\tRash\tHP:0000003\nphenotype\tAche\tHP:0000004\nphenotype\tChill\tHP:0000005\n"
    "disease\tAmber fever\tORPHA:17\ndisease\tAmbre fever\tORPHA:18\n"
    "disease\tAF\tORPHA:178029\ndisease\tAmber fever\tOMIM:100100\ndisease\tBlue cough\tORPHA:20\n"
)
COLUMNS = "database_id\tdisease_name\tqualifier\thpo_id\treference\tfrequency\taspect"


def row(disease: str, name: str, phenotype: int, frequency: str, qualifier: str = "") -> str:
    reference = disease if disease.startswith("ORPHA") else f"PMID:{phenotype}"
    return f"{disease}\t{name}\t{qualifier}\tHP:000000{phenotype}\t{reference}\t{frequency}\tP"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "diseases").mkdir()
    (tmp_path / "diseases" / "neurology.txt").write_text(HEAD + ENTRIES, encoding="utf-8")
    (tmp_path / "codes.tsv").write_text(CODES, encoding="utf-8")
    return tmp_path


def stated(folder: Path, *rows: str) -> list[tuple[str, ...]]:
    path = folder / "phenotype.hpoa"
    path.write_text("\n".join([COLUMNS, *rows, ""]), encoding="utf-8")
    return list(renew.frequencies(folder, read_codes(folder / "codes.tsv"), path))


def test_shares_and_bands_are_taken_with_their_source(folder: Path) -> None:
    assert stated(
        folder,
        row("ORPHA:18", "Ambre fever", 1, "45/60"),
        row("ORPHA:17", "Fever, amber", 1, "HP:0040281"),
        row("ORPHA:17", "Fever, amber", 2, "HP:0040282"),
        row("ORPHA:17", "Fever, amber", 4, "HP:0040284"),
    ) == [
        ("amber-fever", "HP:0000001", "0.75", "", "60", "orphanet", "ORPHA:18"),
        ("amber-fever", "HP:0000002", "", "frequent", "", "orphanet", "ORPHA:17"),
        ("amber-fever", "HP:0000004", "", "very_rare", "", "orphanet", "ORPHA:17"),
    ]


@pytest.mark.parametrize(
    ("left", "why"),
    [
        (row("ORPHA:18", "Ambre fever", 6, "45/60"), "no finding written here"),
        (row("ORPHA:21", "Ambre fever", 1, "45/60"), "no id of the disease here"),
        (row("OMIM:100100", "Amber fever", 1, "45/60"), "terms under which it may not stand here"),
        (row("ORPHA:18", "Ambre fever, type 2", 1, "45/60"), "no name of the disease here"),
        (row("ORPHA:178029", "AF", 1, "45/60"), "one form of a disease"),
        (row("ORPHA:18", "Ambre fever", 1, "29/29"), "counted in too few"),
        (row("ORPHA:18", "Ambre fever", 1, ""), "nothing stated"),
        (row("ORPHA:17", "Amber fever", 1, "HP:0040283"), "two bands from very frequent"),
        (row("ORPHA:17", "Amber fever", 3, "HP:0040283"), "two bands from excluded"),
    ],
)
def test_what_does_not_hold_for_a_disease_as_written_is_left(
    folder: Path, left: str, why: str
) -> None:
    kept = row("ORPHA:20", "Blue cough", 2, "50%")
    assert stated(folder, left, kept) == [
        ("blue-cough", "HP:0000002", "0.5", "", "", "orphanet", "ORPHA:20")
    ], why


def test_a_count_far_from_what_is_written_is_taken(folder: Path) -> None:
    (found,) = stated(folder, row("ORPHA:17", "Amber fever", 5, "0/30"))
    assert found[2:5] == ("0", "", "30")


def test_the_share_of_most_patients_is_taken(folder: Path) -> None:
    (found,) = stated(
        folder,
        row("ORPHA:18", "Ambre fever", 1, "45/60"),
        row("ORPHA:17", "Amber fever", 1, "45/90"),
    )
    assert found[2:] == ("0.5", "", "90", "orphanet", "ORPHA:17")


def test_the_sources_name_the_release_that_is_read(folder: Path) -> None:
    path = folder / "phenotype.hpoa"
    path.write_text(f"#description: made up\n#version: 2025-01-16\n{COLUMNS}\n", encoding="utf-8")
    sources = folder / "sources.txt"
    written = HEAD + "== orphanet\nN Annotations, 2025-01-16\nL a licence\nT shares\n"
    sources.write_text(written, encoding="utf-8")
    renew.check_release(folder, path)
    sources.write_text(written.replace("2025-01-16", "2021-08-02"), encoding="utf-8")
    with pytest.raises(
        TaskError, match=r"line 2: .*2021-08-02' is not the release read, 2025-01-16"
    ):
        renew.check_release(folder, path)
    path.write_text(f"{COLUMNS}\n", encoding="utf-8")
    with pytest.raises(TaskError, match="no line '#version: YYYY-MM-DD'"):
        renew.release(path)


def test_refused_ids_and_ids_of_a_part_are_different() -> None:
    assert not set(renew.REFUSED) & set(renew.PARTS)


def test_both_tables_are_written_or_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {f"HP:000000{n}": name for n, name in enumerate(("Fever", "Cough", "Rash"), 1)}
    names |= {"HP:0000004": "Ache", "HP:0000005": "Chill"}
    (folder / "phenotype_mapping.json").write_text(json.dumps(names), encoding="utf-8")
    (folder / "disease_mapping.json").write_text('{"ORPHA:18": "Amber fever"}', encoding="utf-8")
    (folder / "sources.txt").write_text(
        HEAD + "== orphanet\nN Orphanet, 2025-01-16\nL CC-BY-4.0\nT bands\n", encoding="utf-8"
    )
    path = folder / "phenotype.hpoa"

    def run(frequency: str, *more: str) -> int:
        stated = row("ORPHA:18", "Amber fever", 1, frequency)
        path.write_text(f"#version: 2025-01-16\n{COLUMNS}\n{stated}\n", encoding="utf-8")
        given = ["--mappings", str(folder), "--hpoa", str(path), "--folder", str(folder), *more]
        monkeypatch.setattr("sys.argv", ["kb.renew", *given])
        return renew.main()

    with pytest.raises(SystemExit, match=r"kb\.renew: .* line 3, column frequency: 'often'"):
        run("often")
    assert (folder / "codes.tsv").read_text(encoding="utf-8") == CODES
    assert not (folder / "frequencies.tsv").exists()
    assert run("HP:0040281") == 0
    assert "disease\tAmber fever\tORPHA:18\n" in (folder / "codes.tsv").read_text()
    assert (folder / "frequencies.tsv").read_text().splitlines()[1:] == [
        "amber-fever\tHP:0000001\t\tvery_frequent\t\torphanet\tORPHA:18"
    ]
    assert run("HP:0040281", "--check") == 0
    capsys.readouterr()
    assert run("HP:0040282", "--check") == 1
    assert capsys.readouterr().out == "frequencies.tsv is not what is published\n"
