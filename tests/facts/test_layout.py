"""The fact tables as text."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from fact_tables import tables, write
from hypothesis import given
from hypothesis import strategies as st
from places import KB

from gym_clinic.facts import load
from gym_clinic.facts.tables import table_files
from kb.build.__main__ import build, changed, main
from kb.build.layout import lay_out
from kb.build.proof import PROOF

WORDS = st.text(st.characters(codec="utf-8"), max_size=30)


def test_the_embedded_tables_have_their_layout() -> None:
    files = build(KB / "facts", PROOF)
    assert len(files) == len(table_files(KB / "facts")) >= 26
    assert changed(files) == [], "run python -m kb.build"


def test_fields_have_an_order_and_defaults_are_not_repeated() -> None:
    table = {
        "defaults": {"reviewed": "2026-01-31", "sources": ["own"]},
        "records": [
            {
                "about": "Nerves, and what comes of them, told at a length that fills a line.",
                "sources": ["own"],
                "id": "neurology",
                "name": "Neurology",
            },
            {"reviewed": "2026-02-02", "name": "Eyes", "id": "eyes", "about": ""},
        ],
    }
    assert lay_out(Path("disciplines.json"), table).decode() == (
        """{
  "defaults": {"sources": ["own"], "reviewed": "2026-01-31"},
  "records": [
    {
      "id": "neurology",
      "name": "Neurology",
      "about": "Nerves, and what comes of them, told at a length that fills a line."
    },
    {"id": "eyes", "name": "Eyes", "about": "", "reviewed": "2026-02-02"}
  ]
}
"""
    )


@given(st.lists(st.lists(WORDS, min_size=1), min_size=1, max_size=4))
def test_the_layout_loses_nothing(steps: list[list[str]]) -> None:
    records = [{"id": str(number), "steps": several} for number, several in enumerate(steps)]
    table = {"records": records}
    laid_out = lay_out(Path("guidelines.json"), table)
    assert json.loads(laid_out) == table
    assert lay_out(Path("guidelines.json"), json.loads(laid_out)) == laid_out


def test_tables_are_written_anew_and_stay_the_same_facts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tables()
    for row in (*rows["phenotypes"], *rows["diseases"]):
        row["synonyms"] = [f"{row['name']}, also called otherwise"]
    folder = write(tmp_path / "facts", rows)
    facts = load(folder)
    names = {one["id"]: one["name"] for one in rows["phenotypes"]}
    (tmp_path / "phenotype_mapping.json").write_text(json.dumps(names), encoding="utf-8")
    names = {"OMIM:100100": "AMBER FEVER", "ORPHA:17": "Amber fever"}
    (tmp_path / "disease_mapping.json").write_text(json.dumps(names), encoding="utf-8")
    proof = tmp_path / "proof.json"
    given = ["--folder", str(folder), "--proof", str(proof), "--mappings", str(tmp_path)]
    assert main([*given, "--check"]) == 1
    assert not proof.exists()
    assert main(given) == 0
    assert main([*given, "--check"]) == 0
    assert main([*given[:-2], "--check"]) == 0
    assert capsys.readouterr().out.endswith("nothing to change\nnothing to change\n")
    assert load(shutil.copytree(folder, tmp_path / "again")) == facts


def test_an_id_without_proof_is_an_error(tmp_path: Path) -> None:
    folder = write(tmp_path / "facts", tables())
    (tmp_path / "phenotype_mapping.json").write_text("{}", encoding="utf-8")
    (tmp_path / "disease_mapping.json").write_text("{}", encoding="utf-8")
    proof = tmp_path / "proof.json"
    given = ["--folder", str(folder), "--proof", str(proof)]
    with pytest.raises(SystemExit, match=r"cannot read .*proof\.json"):
        main(given)
    with pytest.raises(SystemExit, match=r"5 ids are not proven"):
        main([*given, "--mappings", str(tmp_path)])
    assert not proof.exists()
    with pytest.raises(SystemExit, match="2"):
        main([*given, "--hpoa", "phenotype.hpoa"])
