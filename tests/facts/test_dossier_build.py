"""What the dossiers take from their sources, and that a second run changes nothing."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest
from places import DATA

from gym_clinic.domains.clingen.dossiers import FOLDER, GENES, OTHERS, PAIRS
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.paths import tasks_dir
from kb.build.dossiers import MATCHES, build, main

KEPT = tasks_dir("clingen") / FOLDER
G2P, TERMS = DATA / "g2p" / "ddg2p.csv", DATA / "hpo" / "hp_isa.tsv"

GENE: dict[str, Any] = {
    "gene": "ABC1",
    "hgnc_id": "HGNC:1",
    "genome": "nuclear",
    "kind": "protein",
    "product": "old name",
    "does": "Does something",
    "pathway": None,
    "family": None,
    "paralogues": ["ABC2"],
    "partners": None,
    "models": None,
}
PAIR: dict[str, Any] = {
    "gene": "ABC1",
    "hgnc_id": "HGNC:1",
    "disease": "a disease",
    "mondo_id": "MONDO:0000001",
    "inheritance": "AR",
    "alleles": "biallelic",
    "sexes": None,
    "mechanism": {"name": "unknown", "sources": []},
    "allele_model": "unknown",
    "tissues": ["brain"],
    "phenotypes": [{"id": "HP:0000002", "name": "old name", "sources": ["authored"]}],
    "earliest_year": None,
    "g2p": None,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one gene and one pair, and beside it one source of each kind."""
    place = tmp_path / FOLDER
    place.mkdir()
    (place / GENES).write_bytes(orjson.dumps(GENE) + b"\n")
    (place / PAIRS).write_bytes(orjson.dumps(PAIR) + b"\n")
    (place / OTHERS).write_bytes(b"")
    head = (
        "gene symbol,hgnc id,disease name,disease mim,allelic requirement,mutation consequence,"
        "phenotypes,organ specificity list\n"
    )
    row = "ABC1,1,A DISEASE,100100,biallelic,loss of function,HP:0000002;HP:0000009,Skin;Eye\n"
    (tmp_path / "g2p.csv").write_text(head + row)
    (tmp_path / "terms.tsv").write_text(
        "id\tname\tparents\nHP:0000001\tAll\t\nHP:0000002\tTall\tHP:0000001\n"
        "HP:0000003\tVery tall\tHP:0000002\n"
    )
    (tmp_path / "annotations.txt").write_text("gene_symbol\thpo_id\nABC1\tHP:0000003\n")
    (tmp_path / "hgnc.tsv").write_text(
        "hgnc_id\tsymbol\tname\nHGNC:1\tABC1\ta product\nHGNC:2\tABC2\tanother\n"
    )
    (tmp_path / "matches.json").write_text('{"ABC1 MONDO:0000001 AR": "A DISEASE / biallelic"}')
    return place


def renewed(folder: Path, name: str) -> dict[str, Any]:
    beside = folder.parent
    files = build(
        folder,
        g2p=beside / "g2p.csv",
        terms=beside / "terms.tsv",
        annotations=beside / "annotations.txt",
        hgnc=beside / "hgnc.tsv",
        matches=beside / "matches.json",
    )
    for path, data in files.items():
        path.write_bytes(data)
    row: dict[str, Any] = orjson.loads(files[folder / name])
    return row


def test_a_pair_takes_what_its_sources_say(folder: Path) -> None:
    pair = renewed(folder, PAIRS)
    assert pair["mechanism"] == {"name": "loss of function", "sources": ["g2p"]}
    assert pair["allele_model"] == "null"
    assert pair["g2p"] == {
        "mim": "100100",
        "consequence": "loss of function",
        "organs": ["Eye", "Skin"],
    }
    assert pair["phenotypes"] == [
        {"id": "HP:0000002", "name": "Tall", "sources": ["authored", "g2p", "hpo"]}
    ]
    assert renewed(folder, PAIRS) == pair


def test_a_gene_takes_its_name_and_the_ids_of_its_relatives(folder: Path) -> None:
    assert renewed(folder, GENES) == {**GENE, "product": "a product"}
    assert renewed(folder, OTHERS) == {"gene": "ABC2", "hgnc_id": "HGNC:2"}


def test_what_a_source_no_longer_says_is_taken_back(folder: Path) -> None:
    renewed(folder, PAIRS)
    (folder.parent / "matches.json").write_text("{}")
    (folder.parent / "annotations.txt").write_text("gene_symbol\thpo_id\n")
    pair = renewed(folder, PAIRS)
    assert pair["g2p"] is None
    assert pair["mechanism"] == {"name": "unknown", "sources": []}
    assert pair["phenotypes"][0]["sources"] == ["authored"]


def test_an_authored_mechanism_stays_against_another_consequence(folder: Path) -> None:
    authored = {"name": "gain of function", "sources": ["authored"]}
    (folder / PAIRS).write_bytes(orjson.dumps({**PAIR, "mechanism": authored}) + b"\n")
    pair = renewed(folder, PAIRS)
    assert pair["mechanism"] == authored
    assert pair["allele_model"] == "the variant itself"


@pytest.mark.parametrize(
    ("source", "old", "new", "told"),
    [
        ("terms.tsv", "HP:0000002\tTall", "HP:0000004\tTall", "no term HP:0000002"),
        ("matches.json", "A DISEASE", "B DISEASE", "no entry 'B DISEASE / biallelic' of ABC1"),
        ("hgnc.tsv", "ABC2", "ABC3", "no approved symbol"),
        ("hgnc.tsv", "HGNC:1\t", "HGNC:9\t", r"no HGNC:1 \(ABC1\)"),
    ],
)
def test_a_source_without_the_named_thing_is_refused(
    folder: Path, source: str, old: str, new: str, told: str
) -> None:
    path = folder.parent / source
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(TaskError, match=told):
        renewed(folder, PAIRS)


def test_annotations_need_terms(folder: Path) -> None:
    with pytest.raises(ConfigError, match="--annotations needs --terms"):
        build(folder, annotations=folder.parent / "annotations.txt")


def test_the_kept_files_are_laid_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0
    assert capsys.readouterr().out == "nothing to change\n"


@pytest.mark.skipif(not G2P.exists(), reason="Gene2Phenotype and the HPO are not at hand")
def test_the_kept_files_say_what_the_sources_at_hand_say(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    shutil.copytree(KEPT, folder)
    for path, data in build(folder, g2p=G2P, terms=TERMS, matches=MATCHES).items():
        assert path.read_bytes() == data, path.name
