"""``gym-clinic kb graph``, as the group that holds it declares it."""

from __future__ import annotations

import argparse
import json

import pytest
from fact_tables import tables, write
from small_graph import small_graph

from gym_clinic.commands.kb.graph import add_graph
from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.graph.graph_file import load_graph, save_graph


def run(*arguments):
    parser = argparse.ArgumentParser()
    add_graph(parser.add_subparsers())
    args = parser.parse_args(["graph", *map(str, arguments)])
    return args.run(args)


@pytest.fixture
def graph(tmp_path):
    save_graph(small_graph(), tmp_path / "graph.db")
    return tmp_path / "graph.db"


def test_build_from_facts(tmp_path, capsys):
    folder = write(tmp_path / "facts", tables())
    assert run("build", "facts", folder, "--out", tmp_path / "g.db") == 0
    assert capsys.readouterr().out.endswith(
        "g.db: discipline 1, disease 2, symptom 4; relations 6\n"
    )
    assert len(load_graph(tmp_path / "g.db")) == 7


def test_build_from_csv(tmp_path, capsys):
    (tmp_path / "n.csv").write_text("id,kind,name,synonyms\na,symptom,A,\nb,disease,B,\n")
    (tmp_path / "r.csv").write_text("head,relation,tail\na,related_to,b\n")
    run("build", "csv", tmp_path / "n.csv", tmp_path / "r.csv", "--out", tmp_path / "g.db")
    assert "disease 1, symptom 1; relations 1" in capsys.readouterr().out
    with pytest.raises(ConfigError, match=r"n\.csv is there, and is no symptom graph"):
        run("build", "csv", tmp_path / "n.csv", tmp_path / "r.csv", "--out", tmp_path / "n.csv")
    assert (tmp_path / "n.csv").read_text().startswith("id,kind")


def test_build_from_umls(tmp_path, capsys):
    (tmp_path / "MRSTY.RRF").write_text("C1|T184|A|Sign or Symptom|AT1||\n")
    (tmp_path / "MRCONSO.RRF").write_text(
        "C1|ENG|P|L|PF|S|Y|A||M|D|MSH|MH|D|Cough|0|N||\n"
    )  # fmt: skip
    (tmp_path / "MRREL.RRF").write_text("")
    run("build", "umls", tmp_path, "--out", tmp_path / "g.db")
    assert "symptom 1; relations 0" in capsys.readouterr().out


def test_neighbours(graph, capsys):
    run("neighbours", "covid-19", "--graph", graph)
    assert capsys.readouterr().out.splitlines() == [
        "-> belongs_to_discipline  pulmonology  discipline  Pulmonology",
        "<- related_to  cough  symptom  Cough",
        "<- related_to  dysgeusia  symptom  Dysgeusia",
    ]
    run("neighbours", "covid-19", "--graph", graph, "--kind", "symptom", "--limit", "1")
    assert capsys.readouterr().out.splitlines() == [
        "<- related_to  cough  symptom  Cough",
        "... 1 more",
    ]
    run("neighbours", "covid-19", "--graph", graph, "--relation", "related_to", "--json")
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first["id"] == "cough"
    assert first["forward"] is False


def test_a_text_without_symptoms_is_said_to_have_none(graph, capsys):
    assert run("link", "He likes walking.", "--graph", graph) == 1
    assert capsys.readouterr() == ("", "no symptom of the graph is named\n")


def test_link(graph, capsys):
    run("link", "No cough, but very tired; tiredness.", "--graph", graph)
    assert capsys.readouterr().out.splitlines() == [
        "absent  cough  Cough  (exact 1.00, 3-8: cough)",
        "present  fatigue  Fatigue  (synonym 0.90, 19-24: tired)",
        "present  fatigue  Fatigue  (synonym 0.90, 26-35: tiredness)",
    ]
    run("link", "coughing", "--graph", graph, "--json")
    assert json.loads(capsys.readouterr().out) == {
        "id": "cough",
        "name": "Cough",
        "status": "present",
        "kind": "synonym",
        "score": 0.9,
        "start": 0,
        "end": 8,
        "text": "coughing",
    }


def test_mistakes_are_told(graph, tmp_path):
    with pytest.raises(ConfigError, match="no node 'flu'"):
        run("neighbours", "flu", "--graph", graph)
    with pytest.raises(ConfigError, match="--limit is a whole number from 1"):
        run("neighbours", "cough", "--graph", graph, "--limit", "0")
    with pytest.raises(ConfigError, match="kb graph build"):
        run("link", "cough", "--graph", tmp_path / "none.db")
