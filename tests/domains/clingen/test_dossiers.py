"""The dossiers cover the tasks, and their reader is strict."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path

import orjson
import pytest
from places import DATA

from gym_clinic.domains.clingen.dossier_rules import find_late_years
from gym_clinic.domains.clingen.dossiers import FOLDER, GENES, PAIRS, load_dossiers, read_dossiers
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.paths import tasks_dir

TASKS = tasks_dir("clingen")
TERMS = DATA / "hpo" / "hp_isa.tsv"


def rows(name: str) -> list[dict[str, str]]:
    return [orjson.loads(line) for line in (TASKS / name).read_bytes().splitlines()]


def test_each_pair_of_the_tasks_has_a_dossier_and_most_are_used() -> None:
    wanted = Counter[tuple[str, str, str]]()
    for split in ("train", "dev", "test"):
        for line in (TASKS / f"{split}.jsonl").read_bytes().splitlines():
            record = orjson.loads(line)["record"]
            wanted[record["gene"], record["mondo_id"], record["inheritance"]] += 1
    assert max(wanted.values()) == 1
    assert wanted.keys() <= read_dossiers().pairs.keys()
    assert len(wanted) >= 0.95 * len(rows(f"{FOLDER}/{PAIRS}"))


def test_genes_and_diseases_are_those_of_the_curations() -> None:
    curated = {
        (row["gene"], row["hgnc_id"], row["mondo_id"], row["inheritance"], row["disease"])
        for row in rows("curations.jsonl")
    }
    for pair in read_dossiers().pairs.values():
        key = (pair.gene, pair.hgnc_id, pair.mondo_id, pair.inheritance, pair.disease)
        assert key in curated


def test_no_pair_was_first_reported_after_its_curation() -> None:
    curated = {
        (row["gene"], row["mondo_id"], row["inheritance"]): int(row["date"][:4])
        for row in rows("curations.jsonl")
    }
    dossiers = read_dossiers()
    assert [*find_late_years(dossiers, curated)] == []
    early = dict.fromkeys(curated, 1950)
    assert len([*find_late_years(dossiers, early)]) > 1300


@pytest.mark.skipif(not TERMS.exists(), reason="the terms of the HPO are not at hand")
def test_phenotypes_have_the_names_of_the_hpo() -> None:
    with TERMS.open(encoding="utf-8") as file:
        names = {row["id"]: row["name"] for row in csv.DictReader(file, delimiter="\t")}
    for pair in read_dossiers().pairs.values():
        for term in pair.phenotypes:
            assert names[term.id] == term.name, pair.key


def test_most_facts_are_known() -> None:
    dossiers = read_dossiers()
    pairs, genes = [*dossiers.pairs.values()], [*dossiers.genes.values()]
    assert sum(pair.mechanism.name != "unknown" for pair in pairs) > 0.8 * len(pairs)
    assert sum(len(pair.phenotypes) >= 4 for pair in pairs) > 0.94 * len(pairs)
    assert sum(pair.earliest_year is not None for pair in pairs) > 0.97 * len(pairs)
    assert sum(pair.g2p is not None for pair in pairs) > 0.35 * len(pairs)
    assert sum(gene.partners is not None for gene in genes) > 0.85 * len(genes)


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        (GENES, b'"kind":"protein"', b'"kind":"enzyme"', "kind"),
        (GENES, b'"does":"', b'"does":" ', "does"),
        (PAIRS, b'"hgnc_id":"HGNC:', b'"hgnc_id":"', "hgnc_id"),
        (PAIRS, b'"alleles":"', b'"copies":2,"alleles":"', "copies"),
        (PAIRS, b'"id":"HP:', b'"id":"HPO:', "phenotypes"),
        (PAIRS, b'"earliest_year":', b'"earliest_year":1', "earliest_year"),
    ],
)
def test_a_broken_record_is_refused(
    tmp_path: Path, name: str, old: bytes, new: bytes, told: str
) -> None:
    folder = tmp_path / FOLDER
    shutil.copytree(TASKS / FOLDER, folder)
    text = (folder / name).read_bytes()
    assert old in text.splitlines()[0]
    (folder / name).write_bytes(text.replace(old, new, 1))
    with pytest.raises(TaskError, match=rf"{name} line 1.*{told}"):
        load_dossiers(folder)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=GENES):
        load_dossiers(tmp_path)
