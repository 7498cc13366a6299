"""What a file seems to be: every sample of an importer is recognised as its own format."""

from __future__ import annotations

import gzip

import pytest
from importer_samples import CASE_FILES, FACT_FILES, OTHERS, PASSAGES, TASK_FILES
from places import DATA
from real_data import real

from gym_clinic.importers.formats.recognition import recognise

UNKNOWN = {"text", "mmlu_medical", "disciplines"}  # nothing tells these from other texts and tables


@pytest.mark.parametrize("name", FACT_FILES)
@pytest.mark.parametrize("encoding", ["", "utf-16"])
def test_samples_of_facts_are_recognised(name, encoding, tmp_path):
    file = tmp_path / "file"
    data = FACT_FILES[name]
    if encoding:
        data = gzip.compress(data.decode("iso-8859-1").encode(encoding))
    file.write_bytes(data)
    assert recognise(file).formats == (name,)


@pytest.mark.parametrize("name", [name for name in PASSAGES if name not in UNKNOWN])
def test_samples_of_passages_are_recognised(name, tmp_path):
    (tmp_path / "file").write_bytes(PASSAGES[name])
    assert recognise(tmp_path / "file").formats == (name,)


@pytest.mark.parametrize("name", [name for name in TASK_FILES if name not in UNKNOWN])
def test_samples_of_tasks_are_recognised(name, tmp_path):
    (tmp_path / "file").write_bytes(next(iter(TASK_FILES[name][0].values())))
    expected = {"clingen": "clingen tasks", "ddxplus": "ddxplus patients"}.get(name, name)
    assert recognise(tmp_path / "file").formats == (expected,)


@pytest.mark.parametrize("name", ["ddxplus", "rarearena", "meddialog", "rarebench", "pmc-patients"])
def test_samples_of_cases_are_recognised(name, tmp_path):
    (tmp_path / "file").write_bytes(next(iter(CASE_FILES[name][0].values())))
    expected = "ddxplus patients" if name == "ddxplus" else name
    assert recognise(tmp_path / "file").formats == (expected,)


@pytest.mark.parametrize(
    ("name", "number", "format"),
    [
        ("patients.read_phenopackets", 0, "phenopackets"),
        ("patients.read_pmc_patients", 0, "pmc-patients"),
        ("patients.read_pmc_patients", 1, "pmc-patients"),
        ("patients.read_rarebench", 0, "rarebench"),
        ("graphs.read_graph", 0, "graph csv"),
    ],
)
def test_samples_of_patients_and_graphs_are_recognised(name, number, format, tmp_path):
    files, _ = OTHERS[name][number]
    (tmp_path / "file").write_bytes(next(iter(files.values())))
    assert recognise(tmp_path / "file").formats == (format,)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "an empty file"),
        (b"\n \t\n", "an empty file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00", "a binary file"),
        (b"<root><a/></root>", "XML whose first element is <root>"),
        (b'{"a": 1}\n', "JSON that begins with '{\"a\": 1}'"),
        (b"Dear reader,\n", "a text that begins with 'Dear reader,'"),
        (b"\x1f\x8bno gzip", "a file that cannot be read"),
    ],
)
def test_other_files_are_described(data, what, tmp_path):
    (tmp_path / "file").write_bytes(data)
    assert recognise(tmp_path / "file") == (what, ())


def test_a_folder_is_a_folder(tmp_path):
    assert recognise(tmp_path).what == "a folder"


PUBLISHED = {
    "hpo/hp_head.obo": "hpo-obo",
    "hpo/hp.toy.json": "hpo",
    "hpo/phenotype.excerpt.hpoa": "hpoa",
    "mondo/mondo_small.json": "mondo",
    "orphanet/en_product4_small.xml": "orphanet-phenotypes",
    "orphanet/en_product9_ages-small.xml": "orphanet-history",
    "clingen/clingen-gene-validity.csv": "clingen",
    "ddxplus/release_conditions.json": "ddxplus",
    "ddxplus/release_evidences.json": "ddxplus-evidences",
    "medqa/medqa_5opt_dev50.jsonl": "medqa",
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_files_are_recognised(name):
    assert recognise(real(name)).formats == (PUBLISHED[name],)


def test_published_phenopackets_are_recognised():
    real("phenopackets")
    for file in (DATA / "phenopackets").iterdir():
        assert recognise(file).formats == ("phenopackets",)
