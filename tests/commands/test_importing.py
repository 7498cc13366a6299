"""All importing commands keep one rule: if nothing can be used, the old file stays as it is."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from importer_samples import FACT_FILES, PASSAGES, TASK_FILES, disorder, xml

from gym_clinic.importers import FACTS, TASKS

pytest.importorskip("lxml")

OLD = b'{"old": "file"}\n'
WRONG = {
    "an empty file": b"",
    "blank lines": b"\n \n\r\n",
    "a web page": b"<!DOCTYPE html>\n<html><body>Please log in.</body></html>\n",
    "a PDF": b"%PDF-1.7\n\x00\x01",
    "a truncated gzip file": gzip.compress(b"database_id\n" * 99)[:-12],
    "another JSON": b'{"resourceType": "Bundle", "id": "b"}\n',
    "another table": b"a,b\n1,2\n",
}
SEEMS = {
    "an empty file": "the file seems to be an empty file",
    "blank lines": "the file seems to be an empty file",
    "a web page": "the file seems to be a web page, not the file behind it",
    "a PDF": "the file seems to be a PDF document",
    "another JSON": "the file seems to be a FHIR resource",
}
COMMANDS = {
    **{f"kb import {name}": ("kb", "import", name) for name in FACTS},
    "kb patients import phenopackets": ("kb", "patients", "import", "phenopackets"),
    "kb patients import rarebench": ("kb", "patients", "import", "rarebench"),
    "kb patients import pmc-patients": ("kb", "patients", "import", "pmc-patients"),
    "kb graph build csv": ("kb", "graph", "build", "csv"),
    "kb graph build umls": ("kb", "graph", "build", "umls"),
    "kb build": ("kb", "build"),
    **{f"tasks import {name}": ("tasks", "import", name) for name in TASKS},
}


def wrong_source(command: str, data: bytes, folder: Path) -> list[Path]:
    """Write a wrong source, and return the arguments that name it."""
    file = folder / ("wrong.json" if "pmc" in command else "wrong.jsonl")
    file.write_bytes(data)
    if command.endswith("umls"):
        place = folder / "META"
        place.mkdir()
        for name in ("MRSTY", "MRCONSO", "MRREL"):
            (place / f"{name}.RRF").write_bytes(data)
        return [place]
    if command.endswith("rarebench"):
        (folder / "phenotype_mapping.json").write_text('{"HP:1": "Cough"}')
        (folder / "disease_mapping.json").write_text('{"OMIM:1": "Fever"}')
        return [file, folder]
    if command.endswith("tasks import clingen"):
        (folder / "articles").mkdir()
    return [file, file] if command.endswith("csv") else [file]


def old_output(command: str, folder: Path) -> tuple[Path, dict[Path, bytes]]:
    """An output of an earlier run, and its files."""
    out = folder / "out"
    if command.startswith("tasks"):
        out.mkdir()
        files = {out / "train.jsonl": b""}
    else:
        files = {out: OLD}
    if command.startswith(("kb build", "kb graph")):
        files = {}  # these refuse to replace what is no base and no graph
    for file, data in files.items():
        file.write_bytes(data)
    return out, files


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_file_leaves_the_old_one(command, kind, tmp_path, run):
    arguments = wrong_source(command, WRONG[kind], tmp_path)
    out, files = old_output(command, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    done = run(*COMMANDS[command], *arguments, "--out", out)
    assert done.status == 2, done
    assert done.err.splitlines()[-1].startswith("gym-clinic: ")
    assert {file: file.read_bytes() for file in files} == files
    assert sorted(tmp_path.rglob("*")) == before
    if kind in SEEMS and not command.endswith("umls"):
        assert SEEMS[kind] in done.err


@pytest.mark.parametrize("command", [name for name in COMMANDS if name.startswith("kb import")])
def test_a_folder_is_no_file(command, tmp_path, run):
    out, files = old_output(command, tmp_path)
    done = run(*COMMANDS[command], tmp_path, "--out", out)
    assert done.status == 2
    assert f"cannot read {tmp_path}: it is a folder; expected a file" in done.err
    assert out.read_bytes() == files[out]


@pytest.mark.parametrize("name", FACTS)
def test_a_file_of_another_format_is_named(name, tmp_path, run):
    for other in FACTS:
        if other == name or {name, other} <= {"hpo", "mondo"}:
            continue
        source, out = tmp_path / "source", tmp_path / "out.jsonl"
        source.write_bytes(FACT_FILES[other])
        out.write_bytes(OLD)
        done = run("kb", "import", name, source, "--out", out)
        assert done.status == 2, (other, done)
        assert f"(format {other}); {name} reads " in done.err
        assert out.read_bytes() == OLD


def test_the_wrong_ontology_as_obo_graphs_is_named(tmp_path, run):
    out = tmp_path / "out.jsonl"
    for name, other, found in (("hpo", "mondo", "MONDO:"), ("mondo", "hpo", "HP:")):
        source = tmp_path / "source"
        source.write_bytes(FACT_FILES[other])
        out.write_bytes(OLD)
        done = run("kb", "import", name, source, "--out", out)
        assert done.status == 2
        assert found in done.err
        assert f"(format {other})" in done.err
        assert out.read_bytes() == OLD


def test_a_file_whose_entities_are_all_left_out_writes_nothing(tmp_path, run):
    source, out = tmp_path / "product1.xml", tmp_path / "out.jsonl"
    obsolete = disorder(1, "").replace("Fièvre", "OBSOLETE: Fièvre")
    source.write_bytes(xml("JDBOR", obsolete))
    out.write_bytes(OLD)
    done = run("kb", "import", "orphanet-names", source, "--out", out)
    assert done.status == 2
    assert "holds no record that can be used; 1 obsolete entities were left out" in done.err
    assert out.read_bytes() == OLD


def test_what_is_left_out_is_counted(tmp_path, run):
    source, out = tmp_path / "p.json", tmp_path / "cases.jsonl"
    glow = {"type": {"id": "HP:9000001", "label": "Amber glow"}}
    adult = {"ontologyClass": {"id": "HP:0003581", "label": "Adult onset"}}
    disease = {"id": "MONDO:0007739", "label": "Amber disease"}
    packet = {
        "id": "p",
        "phenotypicFeatures": [{**glow, "onset": adult}],
        "subject": {"timeAtLastEncounter": adult},
        "interpretations": [{"progressStatus": "UNSOLVED", "diagnosis": {"disease": disease}}],
    }
    source.write_bytes(b"\xef\xbb\xbf" + json.dumps(packet).encode())
    done = run("kb", "patients", "import", "phenopackets", source, "--out", out)
    assert done.status == 0
    assert json.loads(out.read_bytes())["diagnosis"] == ""
    assert done.out.splitlines()[1:] == [
        "1 ages given as classes were not kept",
        "1 onsets of features were not kept",
        "1 unsolved interpretations were taken as no diagnosis",
    ]


def test_cases_that_are_all_without_phenotypes_leave_the_old_file(tmp_path, run):
    source, out = tmp_path / "p.json", tmp_path / "cases.jsonl"
    source.write_text('{"id": "p", "phenotypicFeatures": []}')
    out.write_bytes(OLD)
    done = run("kb", "patients", "import", "phenopackets", source, "--out", out)
    assert done.status == 2
    assert "1 without a phenotype were left out; nothing is written" in done.err
    assert out.read_bytes() == OLD


def test_a_file_that_breaks_off_leaves_the_old_one(tmp_path, run):
    source, out = tmp_path / "product.xml", tmp_path / "out.jsonl"
    whole = FACT_FILES["orphanet-names"]
    source.write_bytes(whole[: whole.rindex(b"<Disorder>") + 30])
    out.write_bytes(OLD)
    done = run("kb", "import", "orphanet-names", source, "--out", out)
    assert done.status == 2
    assert out.read_bytes() == OLD
    assert sorted(tmp_path.iterdir()) == [out, source]


@pytest.mark.parametrize("kind", WRONG)
def test_an_old_base_and_an_old_graph_stay(kind, tmp_path, run):
    good, wrong = tmp_path / "good.jsonl", tmp_path / "wrong.jsonl"
    good.write_bytes(PASSAGES["jsonl"])
    wrong.write_bytes(WRONG[kind])
    nodes, relations = (tmp_path / f"{name}.csv" for name in ("nodes", "relations"))
    nodes.write_text("id,kind,name,synonyms\na,symptom,A,\nb,disease,B,\n")
    relations.write_text("head,relation,tail\na,related_to,b\n")
    for command, right, other in (
        (("kb", "build"), [good], [wrong]),
        (("kb", "graph", "build", "csv"), [nodes, relations], [wrong, relations]),
        (("kb", "graph", "build", "csv"), [nodes, relations], [nodes, wrong]),
    ):
        out = tmp_path / "old.db"
        assert run(*command, *right, "--out", out).status == 0
        before = out.read_bytes()
        assert run(*command, *other, "--out", out).status == 2
        assert out.read_bytes() == before
        out.unlink()


@pytest.mark.parametrize("name", ["clingen", "medqa", "pubmedqa", "mmlu_medical"])
def test_packed_tasks_are_imported(name, tmp_path, run):
    files, _ = TASK_FILES[name]
    for file, data in files.items():
        place = tmp_path / f"{file}.gz"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(gzip.compress(data))
    first, out = tmp_path / f"{next(iter(files))}.gz", tmp_path / "out"
    done = run("tasks", "import", name, first, "--out", out, "--split", "test")
    assert done.status == 0, done
    assert (out / "test.jsonl").stat().st_size
