"""What was written by hand -> rows of the tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from gym_clinic.errors import TaskError
from gym_clinic.facts.compose import compose, sources

STATED = "amber-fever\tHP:0000001\t\tfrequent\t\tregistry\t\n"
HEAD = "# reviewed: 2026-01-31\n"
FILES = {
    "diseases/neurology.txt": HEAD
    + "== Amber fever | AF; Fever, amber\nS It is made up.\nV Fever; *Amber glow\nX Cough\n"
    "L blue cough\nR fits\nT a test\nM rest\nG Amber fever, type 1\n"
    "==~ Blue cough\nS It is made up.\nU Cough\nL\u0020AF\nR fits\nT a test\nM rest\nD oncology\n",
    "phenotypes.tsv": "name\tgroup\tsynonyms\nFever\twhole body\thot; burning\n"
    "Cough\tlungs\t\n*Amber glow\tskin\t\n",
    "codes.tsv": "kind\tname\tid\nphenotype\tFever\tHP:0000001\nphenotype\tCough\tHP:0000002\n"
    "disease\tAmber fever, type 1\tOMIM:100100\ndisease\tAmber fever\tORPHA:17\n",
    "frequencies.tsv": "disease\tphenotype\tvalue\tband\tpatients\tsource\treferences\n"
    "amber-fever\tHP:0000001\t0.5\t\t20\tregistry\tPMID:1;PMID:2\n",
    "disciplines.txt": HEAD + "== Neurology\nA Nerves.\n== Oncology\nA Tumours.\n",
    "drugs.txt": HEAD
    + "== Amberol\nC amber blocker\nU Amber fever; pain\nK sleep\nI Blue pill: less of both\n"
    "S A drug.\n== Blue pill\nC blue drug\nU pain\n"
    "K sleep\nI amber blocker: less of both\nS A drug.\n",
    "instruments.txt": HEAD + "== Amber score\nP grades amber\nI glow\nB 0: none; 1: some\n"
    "Q Us 1999\n",
    "guidelines.txt": HEAD
    + "== Glowing patient\nL AF\nS It glows.\nT Look at it. / Wait, then look again.\nR fits\n",
    "sources.txt": HEAD + "== authored\nN Us\nL Apache-2.0\nT all\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_diseases(folder: Path) -> None:
    amber, blue = compose(folder)["diseases"]
    assert amber["synonyms"] == ["Amber fever, type 1", "AF", "Fever, amber"]
    assert amber["codes"]["omim"] == ["OMIM:100100"]
    assert amber["codes"]["orpha"] == ["ORPHA:17"]
    assert [(one["phenotype"], one["frequency"]["basis"]) for one in amber["phenotypes"]] == [
        ("HP:0000001", "sourced"),
        ("sym-amber-glow", "authored"),
        ("HP:0000002", "authored"),
    ]
    assert amber["phenotypes"][0] == {
        "phenotype": "HP:0000001",
        "frequency": {
            "value": 0.5, "band": None, "basis": "sourced", "source": "registry", "patients": 20,
        },
        "references": ("PMID:1", "PMID:2"),
    }  # fmt: skip
    assert amber["sources"] == ["authored", "hpo", "rarebench", "registry"]
    assert blue["sources"] == ["authored", "hpo"]
    assert amber["phenotypes"][2]["frequency"]["band"] == "excluded"
    assert blue["phenotypes"][0]["frequency"]["basis"] == "unknown"
    assert (amber["look_alikes"], blue["look_alikes"]) == (["blue-cough"], ["amber-fever"])
    assert (amber["discipline"], blue["discipline"]) == ("neurology", "oncology")
    assert (amber["rare"], blue["rare"]) == (False, True)


def test_the_other_tables(folder: Path) -> None:
    tables = compose(folder)
    assert [one["id"] for one in tables["phenotypes"]] == [
        "HP:0000001",
        "HP:0000002",
        "sym-amber-glow",
    ]
    assert tables["phenotypes"][0]["synonyms"] == ("hot", "burning")
    drug, pill = tables["drugs"]
    assert drug["uses"] == ["amber-fever", "pain"]
    assert drug["interactions"] == [{"with": "blue-pill", "effect": "less of both"}]
    assert pill["interactions"][0]["with"] == "amber blocker"
    assert tables["instruments"][0]["bands"][1] == {"range": "1", "meaning": "some"}
    assert tables["instruments"][0]["sources"] == ["authored", "instrument-amber-score"]
    assert tables["guidelines"][0]["diseases"] == ["amber-fever"]
    assert tables["guidelines"][0]["steps"] == ("Look at it.", "Wait, then look again.")
    assert sources(folder)["instrument-amber-score"]["title"] == "Us 1999"


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("diseases/neurology.txt", "V Fever", "V Fevers", "did you mean 'Fever'"),
        ("diseases/neurology.txt", "L blue cough", "L blue couch", "nearest is 'blue cough'"),
        ("guidelines.txt", "L AF", "L Amber fevre", "nearest is 'amber fever'"),
        ("phenotypes.tsv", "Cough\tlungs\t\n", "", "no line for 'Cough'"),
        ("phenotypes.tsv", "Cough", "Sneeze", "no disease has 'Sneeze'"),
        ("codes.tsv", "disease\tAmber fever\t", "drug\tAmber fever\t", "unknown kind 'drug'"),
        ("frequencies.tsv", "HP:0000001", "HP:0000003", "line 2: 'amber-fever' has no finding"),
        ("frequencies.tsv", "amber-fever\t", "red-fever\t", "'red-fever' has no finding"),
        ("frequencies.tsv", "PMID:2\n", "\n" + STATED, "line 3: a second row of 'amber-fever'"),
        ("diseases/neurology.txt", "~ Blue", "~ Amber fever | Blue", "line 11: a second entry"),
        ("instruments.txt", "1: some", "1 some", "'1 some' on line 'B' has no ': '"),
    ],
)
def test_mistakes_are_named(folder: Path, file: str, old: str, new: str, message: str) -> None:
    path = folder / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TaskError, match=message):
        compose(folder)
