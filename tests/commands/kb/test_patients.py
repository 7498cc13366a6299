"""``gym-clinic kb patients``, as the group that holds it declares it."""

from __future__ import annotations

import argparse
import json

import pytest
from fact_tables import tables, write
from small_graph import small_graph

from gym_clinic.commands.kb.patients import add_patients
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.patients.cases import read_cases, write_cases
from gym_clinic.retrieval.graph.graph_file import save_graph
from gym_clinic.retrieval.patients.matcher import PatientCase

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


def run(*arguments):
    parser = argparse.ArgumentParser()
    add_patients(parser.add_subparsers())
    args = parser.parse_args(["patients", *map(str, arguments)])
    return args.run(args)


def test_import_phenopackets(tmp_path, capsys):
    silent = {"id": "silent", "phenotypicFeatures": []}
    for packet in (PACKET, silent):
        (tmp_path / f"{packet['id']}.json").write_text(json.dumps(packet))
    assert run("import", "phenopackets", tmp_path, "--out", tmp_path / "cases.jsonl") == 0
    (case,) = read_cases(tmp_path / "cases.jsonl")
    assert case.phenotypes == ("Amber glow",)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].endswith("cases.jsonl: 1 cases")
    assert printed[1] == "1 without a phenotype were left out"


def test_import_rarebench(tmp_path, capsys):
    (tmp_path / "phenotype_mapping.json").write_text('{"HP:1": "Amber glow"}')
    (tmp_path / "disease_mapping.json").write_text('{"OMIM:1": "Amber fever"}')
    row = '{"Phenotype": ["HP:1"], "RareDisease": ["OMIM:1"], "Department": null}\n'
    (tmp_path / "RAMEDIS.jsonl").write_text(row * 2)
    run("import", "rarebench", tmp_path / "RAMEDIS.jsonl", tmp_path, "--out", tmp_path / "c.jsonl")
    assert "2 cases" in capsys.readouterr().out
    (tmp_path / "RAMEDIS.jsonl").write_text(row + "{}\n")
    whole = (tmp_path / "c.jsonl").read_bytes()
    with pytest.raises(TaskError, match=r"RAMEDIS\.jsonl line 2"):
        run(
            "import",
            "rarebench",
            tmp_path / "RAMEDIS.jsonl",
            tmp_path,
            "--out",
            tmp_path / "c.jsonl",
        )
    assert (tmp_path / "c.jsonl").read_bytes() == whole


def test_import_pmc_patients(tmp_path):
    save_graph(small_graph(), tmp_path / "graph.db")
    (tmp_path / "pmc.json").write_text(json.dumps([PMC]))
    run(
        "import", "pmc-patients", tmp_path / "pmc.json",
        "--graph", tmp_path / "graph.db", "--out", tmp_path / "c.jsonl",
    )  # fmt: skip
    (case,) = read_cases(tmp_path / "c.jsonl")
    assert (case.phenotypes, case.absent, case.sex) == (("Cough",), ("Headache",), "male")
    with pytest.raises(ConfigError, match=r"pmc\.json is a source itself"):
        run("import", "pmc-patients", tmp_path / "pmc.json", "--out", tmp_path / "pmc.json")


def test_simulate(tmp_path, capsys):
    facts = write(tmp_path / "facts", tables())
    run("simulate", "--facts", facts, "--count", 12, "--seed", 5, "--out", tmp_path / "c.jsonl")
    assert capsys.readouterr().out.endswith("c.jsonl: 12 simulated patients, seed 5\n")
    cases = list(read_cases(tmp_path / "c.jsonl"))
    assert {case.provenance for case in cases} == {"synthetic"}
    assert {case.diagnosis for case in cases} == {"Amber fever", "Blue palsy"}
    alone = [case for case in cases if len(case.phenotypes) == 1]
    write_cases(alone, tmp_path / "k.jsonl")
    kept_out = ("--keep-out", tmp_path / "k.jsonl", "--out", tmp_path / "d.jsonl")
    run("simulate", "--facts", facts, "--count", 9, *kept_out)
    with pytest.raises(ConfigError, match=r"k\.jsonl is a source itself"):
        run("simulate", "--facts", facts, *kept_out[:2], "--out", tmp_path / "k.jsonl")
    sets = {case.phenotypes for case in alone}
    assert sets
    assert not sets & {case.phenotypes for case in read_cases(tmp_path / "d.jsonl")}


def test_match(tmp_path, capsys):
    cases = [
        PatientCase("a", "Amber fever", ("Amber glow", "Cough"), "test"),
        PatientCase("b", "Blue palsy", ("Unsteady gait",), "test"),
    ]
    write_cases(cases, tmp_path / "c.jsonl")
    given = ("--cases", tmp_path / "c.jsonl")
    run("match", "coughing", "--limit", 1, *given)
    assert capsys.readouterr().out.splitlines()[0].endswith("a  Amber fever: Amber glow, Cough")
    run("match", "unsteady gait", "--json", *given)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["id"] for row in rows] == ["b", "a"]
    assert rows[0]["score"] == pytest.approx(1, abs=1e-4)
    with pytest.raises(ConfigError, match="--limit is a whole number from 1"):
        run("match", "cough", "--limit", 0, *given)
    with pytest.raises(ConfigError, match="no embedder 'hashed'"):
        run("match", "cough", "--embedder", "hashed", *given)


def test_match_among_the_embedded_patients(capsys):
    run("match", "Tetany", "Laryngospasm", "--json", "--limit", 3)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["provenance"] for row in rows] == ["synthetic"] * 3
    assert "Tetany" in rows[0]["phenotypes"]
