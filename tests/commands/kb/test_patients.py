from __future__ import annotations

import json
from functools import partial

import pytest
from fact_tables import tables, write
from small_graph import small_graph

from gym_clinic.importers.patients.cases import read_cases, write_cases
from gym_clinic.retrieval import PatientCase, save_graph

PACKET = {
    "id": "packet",
    "phenotypicFeatures": [{"type": {"id": "HP:9000001", "label": "Amber glow"}}],
    "diseases": [{"term": {"id": "OMIM:900001", "label": "Amber fever"}}],
}
PMC = {
    "patient_uid": "1-1",
    "title": "T",
    "patient": "He has a cough, no headache.",
    "age": [],
    "gender": "M",
    "similar_patients": {},
}


@pytest.fixture
def command(run):
    return partial(run, "kb", "patients")


def test_import_phenopackets(command, tmp_path):
    empty = {"id": "empty", "phenotypicFeatures": []}
    for packet in (PACKET, empty):
        (tmp_path / f"{packet['id']}.json").write_text(json.dumps(packet))
    done = command("import", "phenopackets", tmp_path, "--out", tmp_path / "cases.jsonl")
    assert done.status == 0
    (case,) = read_cases(tmp_path / "cases.jsonl")
    assert case.phenotypes == ("Amber glow",)
    printed = done.out.splitlines()
    assert printed[0].endswith("cases.jsonl: 1 cases")
    assert printed[1] == "1 without a phenotype were left out"


def test_import_rarebench(command, tmp_path):
    (tmp_path / "phenotype_mapping.json").write_text('{"HP:1": "Amber glow"}')
    (tmp_path / "disease_mapping.json").write_text('{"OMIM:1": "Amber fever"}')
    row = '{"Phenotype": ["HP:1"], "RareDisease": ["OMIM:1"], "Department": null}\n'
    source, out = tmp_path / "RAMEDIS.jsonl", tmp_path / "c.jsonl"
    source.write_text(row * 2)
    assert "2 cases" in command("import", "rarebench", source, tmp_path, "--out", out).out
    source.write_text(row + "{}\n")
    whole = out.read_bytes()
    status, _, err = command("import", "rarebench", source, tmp_path, "--strict", "--out", out)
    assert status == 2
    assert "RAMEDIS.jsonl line 2" in err
    assert out.read_bytes() == whole


def test_broken_records_are_reported_and_skipped(command, tmp_path):
    folder, out = tmp_path / "packets", tmp_path / "c.jsonl"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number:02}.json").write_text(json.dumps(PACKET | {"id": str(number)}))
    for number in range(5, 28):
        (folder / f"{number:02}.json").write_text('{"id": 7}')
    done = command("import", "phenopackets", folder, "--out", out)
    assert done.status == 0
    assert [case.id for case in read_cases(out)] == ["0", "1", "2", "3", "4", "28", "29"]
    assert done.out.splitlines()[1] == "23 broken records were skipped"
    told = done.err.splitlines()
    assert told[0].startswith(f"skipped: {folder / '05.json'}, field id")
    assert told[-1] == "and 3 more"
    assert len(told) == 21
    whole = out.read_bytes()
    status, _, err = command("import", "phenopackets", folder, "--strict", "--out", out)
    assert status == 2
    assert "05.json, field id" in err
    for path in folder.glob("[0-2]*.json"):
        path.write_text("{")
    status, _, err = command("import", "phenopackets", folder, "--out", out)
    assert status == 2
    assert "all 30 records are broken; nothing is written" in err
    assert out.read_bytes() == whole


def test_import_pmc_patients(command, tmp_path):
    graph, source = tmp_path / "graph.db", tmp_path / "pmc.json"
    save_graph(small_graph(), graph)
    source.write_text(json.dumps([PMC]))
    command("import", "pmc-patients", source, "--graph", graph, "--out", tmp_path / "c.jsonl")
    (case,) = read_cases(tmp_path / "c.jsonl")
    assert (case.phenotypes, case.absent, case.sex) == (("Cough",), ("Headache",), "male")
    status, _, err = command("import", "pmc-patients", source, "--graph", graph, "--out", source)
    assert status == 2
    assert "pmc.json is a source itself" in err


def test_simulate(command, tmp_path):
    facts = write(tmp_path / "facts", tables())
    simulate = partial(command, "simulate", "--facts", facts)
    done = simulate("--count", 12, "--seed", 5, "--out", tmp_path / "c.jsonl")
    assert done.out.endswith("c.jsonl: 12 simulated patients, seed 5\n")
    cases = list(read_cases(tmp_path / "c.jsonl"))
    assert {case.provenance for case in cases} == {"synthetic"}
    assert {case.diagnosis for case in cases} == {"Amber fever", "Blue palsy"}
    excluded = [case for case in cases if len(case.phenotypes) == 1]
    write_cases(excluded, tmp_path / "k.jsonl")
    keep_out = ("--keep-out", tmp_path / "k.jsonl")
    assert simulate("--count", 9, *keep_out, "--out", tmp_path / "d.jsonl").status == 0
    sets = {case.phenotypes for case in excluded}
    assert sets
    assert not sets & {case.phenotypes for case in read_cases(tmp_path / "d.jsonl")}
    status, _, err = simulate(*keep_out, "--out", tmp_path / "k.jsonl")
    assert status == 2
    assert "k.jsonl is a source itself" in err


@pytest.fixture
def cases(tmp_path):
    known = [
        PatientCase("a", "Amber fever", ("Amber glow", "Cough"), "test"),
        PatientCase("b", "Blue palsy", ("Unsteady gait",), "test"),
    ]
    write_cases(known, tmp_path / "c.jsonl")
    return tmp_path / "c.jsonl"


def test_match(command, cases):
    done = command("match", "coughing", "--limit", 1, "--cases", cases)
    assert done.out.splitlines()[0].endswith("a  Amber fever: Amber glow, Cough")
    done = command("match", "unsteady gait", "--json", "--cases", cases)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["id"] for row in rows] == ["b", "a"]
    assert rows[0]["score"] == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--limit", 0, "--limit is a whole number from 1"),
        ("--embedder", "hashed", "no embedder 'hashed'"),
    ],
)
def test_a_wrong_option_is_named(command, cases, option, value, message):
    status, _, err = command("match", "cough", option, value, "--cases", cases)
    assert status == 2
    assert message in err


def test_match_among_the_embedded_patients(command):
    done = command("match", "Tetany", "Laryngospasm", "--json", "--limit", 3)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["provenance"] for row in rows] == ["synthetic"] * 3
    assert "Tetany" in rows[0]["phenotypes"]
