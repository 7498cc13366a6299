"""What the tables take from published files, and what they leave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fact_tables import STAMP, authored, disease, phenotype, tables, write
from places import KB
from real_data import real

from gym_clinic.errors import TaskError
from gym_clinic.facts.records.models import DiseaseEntry
from gym_clinic.facts.tables import read_table, table_files
from gym_clinic.facts.typed_json import read_object
from kb.build.__main__ import main
from kb.build.annotated import PARTS, annotated, stated_frequencies
from kb.build.published import (
    REFUSED,
    check_phenotypes,
    check_release,
    disease_codes,
    release,
)

COLUMNS = "database_id\tdisease_name\tqualifier\thpo_id\treference\tfrequency\taspect"
NAMES = ("Fever", "Cough", "Rash", "Ache", "Chill")
IDS = {name: f"HP:000000{number}" for number, name in enumerate(NAMES, 1)}
CODES = {
    "amber-fever": ("OMIM:100100", "ORPHA:17", "ORPHA:178029", "ORPHA:18"),
    "blue-cough": ("ORPHA:20",),
}


def row(code: str, name: str, number: int, frequency: str, qualifier: str = "") -> str:
    reference = code if code.startswith("ORPHA") else f"PMID:{number}"
    return f"{code}\t{name}\t{qualifier}\tHP:000000{number}\t{reference}\t{frequency}\tP"


def features(**bands: str | None) -> list[dict[str, Any]]:
    unknown = {"band": None, "basis": "unknown"}
    return [
        {"phenotype": IDS[name.title()], "frequency": authored(band) if band else unknown}
        for name, band in bands.items()
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Tables with two diseases, whose fields are those that every record of the file has."""
    rows = tables()
    rows["phenotypes"] = [phenotype(code, name) for name, code in IDS.items()]
    rows["diseases"] = [
        disease(
            "amber-fever",
            "Amber fever",
            synonyms=["AF", "Ambre fever"],
            phenotypes=features(
                fever="very_frequent",
                chill="very_frequent",
                cough="occasional",
                rash="excluded",
                ache=None,
            ),
        ),
        disease("blue-cough", "Blue cough", phenotypes=features(cough="frequent")),
    ]
    source = {"title": "Orphanet, 2025-01-16", "licence": "CC-BY-4.0", "taken": "bands"}
    rows["sources"] |= {"orphanet": source, "rarebench": {**source, "title": "RareBench"}}
    write(tmp_path / "facts", rows)
    file = tmp_path / "facts" / "diseases" / "all.json"
    table = {"defaults": STAMP, **read_object(file)}
    file.write_text(json.dumps(table), encoding="utf-8")
    for name in ("disciplines", "drugs", "guidelines", "instruments/all", "phenotypes"):
        other = tmp_path / "facts" / f"{name}.json"
        other.write_text(json.dumps({"defaults": {}, **read_object(other)}), encoding="utf-8")
    return tmp_path / "facts"


def stated(folder: Path, *rows: str) -> dict[tuple[str, str], tuple[Any, ...]]:
    path = folder.parent / "phenotype.hpoa"
    path.write_text("\n".join([COLUMNS, *rows, ""]), encoding="utf-8")
    file = folder / "diseases" / "all.json"
    entries = {one.id: one for _, one in read_table(file, DiseaseEntry)}
    return {
        key: (has.frequency.value or has.frequency.band, has.frequency.patients, *has.references)
        for key, has in stated_frequencies(annotated(entries, CODES, path), IDS).items()
    }


def test_shares_and_bands_are_taken_with_their_source(folder: Path) -> None:
    assert stated(
        folder,
        row("ORPHA:18", "Ambre fever", 1, "45/60"),
        row("ORPHA:17", "Amber fever", 1, "HP:0040281"),
        row("ORPHA:17", "Amber fever", 2, "HP:0040282"),
        row("ORPHA:17", "Amber fever", 4, "HP:0040284"),
    ) == {
        ("amber-fever", "HP:0000001"): (0.75, 60, "ORPHA:18"),
        ("amber-fever", "HP:0000002"): ("frequent", None, "ORPHA:17"),
        ("amber-fever", "HP:0000004"): ("very_rare", None, "ORPHA:17"),
    }


@pytest.mark.parametrize(
    ("left", "why"),
    [
        (row("ORPHA:18", "Ambre fever", 6, "45/60"), "not a finding of the tables"),
        (row("ORPHA:21", "Ambre fever", 1, "45/60"), "not an id of the disease"),
        (row("OMIM:100100", "Amber fever", 1, "45/60"), "under another licence"),
        (row("ORPHA:18", "Ambre fever, type 2", 1, "45/60"), "not a name of the disease"),
        (row("ORPHA:178029", "AF", 1, "45/60"), "one form of a disease"),
        (row("ORPHA:18", "Ambre fever", 1, "29/29"), "counted in too few"),
        (row("ORPHA:18", "Ambre fever", 1, ""), "nothing stated"),
        (row("ORPHA:17", "Amber fever", 1, "HP:0040283"), "two bands from very frequent"),
        (row("ORPHA:17", "Amber fever", 3, "HP:0040283"), "two bands from excluded"),
    ],
)
def test_rows_that_do_not_apply_to_the_disease_are_left_out(
    folder: Path, left: str, why: str
) -> None:
    kept = row("ORPHA:20", "Blue cough", 2, "50%")
    found = stated(folder, left, kept)
    assert found == {("blue-cough", "HP:0000002"): (0.5, None, "ORPHA:20")}, why


def test_a_count_far_from_the_authors_band_is_taken(folder: Path) -> None:
    found = stated(folder, row("ORPHA:17", "Amber fever", 5, "0/30"))
    assert found == {("amber-fever", "HP:0000005"): ("excluded", 30, "ORPHA:17")}


def test_the_share_of_most_patients_is_taken(folder: Path) -> None:
    found = stated(
        folder,
        row("ORPHA:18", "Ambre fever", 1, "45/60"),
        row("ORPHA:17", "Amber fever", 1, "45/90"),
    )
    assert list(found.values()) == [(0.5, 90, "ORPHA:17")]


def test_the_sources_name_the_release_that_is_read(folder: Path) -> None:
    path = folder / "phenotype.hpoa"
    path.write_text(f"#description: made up\n#version: 2025-01-16\n{COLUMNS}\n", encoding="utf-8")
    sources = folder / "sources.json"
    check_release(sources, path)
    text = sources.read_text(encoding="utf-8")
    sources.write_text(text.replace("2025-01-16", "2021-08-02"), encoding="utf-8")
    with pytest.raises(TaskError, match=r"'orphanet': .*2021-08-02' is not the release 2025-01-16"):
        check_release(sources, path)
    path.write_text(f"{COLUMNS}\n", encoding="utf-8")
    with pytest.raises(TaskError, match="no line '#version: YYYY-MM-DD'"):
        release(path)


def test_refused_ids_and_ids_of_a_part_are_different() -> None:
    assert not set(REFUSED) & set(PARTS)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"Fevers": "HP:0000001"}, "'Fever' is no name of the HPO; nearest is 'Fevers'"),
        ({"Fever": "HP:0000009"}, "'Fever' is HP:0000009, not HP:0000001"),
    ],
)
def test_a_phenotype_has_the_name_of_its_id(
    folder: Path, names: dict[str, str], message: str
) -> None:
    with pytest.raises(TaskError, match=rf"phenotypes\.json record 1 .HP:0000001.: {message}"):
        check_phenotypes(folder / "phenotypes.json", {code: name for name, code in names.items()})


def test_a_phenotype_of_the_hpo_has_its_id(tmp_path: Path) -> None:
    folder = write(tmp_path, tables())
    published = {row["id"]: row["name"] for row in tables()["phenotypes"]}
    published["HP:0000099"] = "AMBER GLOW"
    with pytest.raises(TaskError, match="the HPO has 'AMBER GLOW'; expected the id HP:0000099"):
        check_phenotypes(folder / "phenotypes.json", published)


def test_the_tables_are_renewed_all_or_none(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {code: name for name, code in IDS.items()}
    (folder.parent / "phenotype_mapping.json").write_text(json.dumps(names), encoding="utf-8")
    mapping = folder.parent / "disease_mapping.json"
    mapping.write_text('{"ORPHA:18": "Amber fever", "ORPHA:20": "AF"}', encoding="utf-8")
    path = folder.parent / "phenotype.hpoa"
    file = folder / "diseases" / "all.json"
    proof = folder.parent / "proof.json"
    judged = folder.parent / "judged.json"
    judged.write_text('{"bands": [], "findings": {}}', encoding="utf-8")

    def run(frequency: str, *more: str) -> int:
        stated = row("ORPHA:18", "Amber fever", 1, frequency)
        path.write_text(f"#version: 2025-01-16\n{COLUMNS}\n{stated}\n", encoding="utf-8")
        arguments = ["--mappings", folder.parent, "--hpoa", path, "--folder", folder]
        arguments += ["--proof", proof, "--judged", judged]
        return main([*map(str, arguments), *more])

    before = file.read_bytes()
    with pytest.raises(SystemExit, match=r"kb\.build: .* line 3, column frequency: 'often'"):
        run("often")
    assert (file.read_bytes(), proof.exists()) == (before, False)
    assert run("HP:0040282") == 0
    amber, blue = read_object(file)["records"]
    assert (amber["codes"], "codes" in blue) == ({"orpha": ["ORPHA:18"]}, False)
    assert amber["sources"] == ["own", "rarebench", "orphanet"]
    assert amber["findings"][0] == {
        "finding": "Fever",
        "band": "very_frequent",
        "stated": {"band": "frequent", "source": "orphanet", "references": ["ORPHA:18"]},
    }
    assert json.loads(proof.read_bytes())["proven"] == {"hpo": 5, "orpha": 1}
    assert run("HP:0040282", "--check") == 0
    capsys.readouterr()
    assert run("HP:0040281", "--check") == 1
    assert capsys.readouterr().out == f"{file} differs\n1 of 12 files\n"


def test_the_ids_of_the_embedded_tables_are_the_published_ones() -> None:
    phenotypes = json.loads(real("rarebench/phenotype_mapping.json").read_bytes())
    diseases = json.loads(real("rarebench/disease_mapping.json").read_bytes())
    check_phenotypes(KB / "facts" / "phenotypes.json", phenotypes)
    files = [file for file in table_files(KB / "facts") if file.parent.name == "diseases"]
    entries = {one.id: one for file in files for _, one in read_table(file, DiseaseEntry)}
    ours = {
        one.id: tuple(sorted((*one.codes.omim, *one.codes.orpha)))
        for one in entries.values()
        if one.codes.omim or one.codes.orpha
    }
    assert disease_codes(entries.values(), diseases) == ours
