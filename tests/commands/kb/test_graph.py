from __future__ import annotations

import json
from functools import partial

import pytest
from fact_tables import tables, write
from small_graph import small_graph

from gym_clinic.retrieval import load_graph, save_graph


@pytest.fixture
def command(run):
    return partial(run, "kb", "graph")


@pytest.fixture
def graph(tmp_path):
    save_graph(small_graph(), tmp_path / "graph.db")
    return tmp_path / "graph.db"


def test_build_from_facts(command, tmp_path):
    folder = write(tmp_path / "facts", tables())
    done = command("build", "facts", folder, "--out", tmp_path / "g.db")
    assert done.status == 0
    assert done.out.endswith("g.db: discipline 1, disease 2, symptom 4; relations 6\n")
    assert len(load_graph(tmp_path / "g.db")) == 7


def test_build_from_csv(command, tmp_path):
    nodes, relations = tmp_path / "n.csv", tmp_path / "r.csv"
    nodes.write_text("id,kind,name,synonyms\na,symptom,A,\nb,disease,B,\n")
    relations.write_text("head,relation,tail\na,related_to,b\n")
    done = command("build", "csv", nodes, relations, "--out", tmp_path / "g.db")
    assert "disease 1, symptom 1; relations 1" in done.out
    status, _, err = command("build", "csv", nodes, relations, "--out", nodes)
    assert status == 2
    assert "n.csv exists and is no symptom graph" in err
    assert nodes.read_text().startswith("id,kind")


def test_build_from_umls(command, tmp_path):
    (tmp_path / "MRSTY.RRF").write_text("C1|T184|A|Sign or Symptom|AT1||\n")
    (tmp_path / "MRCONSO.RRF").write_text("C1|ENG|P|L|PF|S|Y|A||M|D|MSH|MH|D|Cough|0|N||\n")
    (tmp_path / "MRREL.RRF").write_text("")
    done = command("build", "umls", tmp_path, "--out", tmp_path / "g.db")
    assert "symptom 1; relations 0" in done.out


def test_neighbours(command, graph):
    covid = partial(command, "neighbours", "covid-19", "--graph", graph)
    assert covid().out.splitlines() == [
        "-> belongs_to_discipline  pulmonology  discipline  Pulmonology",
        "<- related_to  cough  symptom  Cough",
        "<- related_to  dysgeusia  symptom  Dysgeusia",
    ]
    assert covid("--kind", "symptom", "--limit", "1").out.splitlines() == [
        "<- related_to  cough  symptom  Cough",
        "... 1 more",
    ]
    first = json.loads(covid("--relation", "related_to", "--json").out.splitlines()[0])
    assert first["id"] == "cough"
    assert first["forward"] is False


def test_link(command, graph):
    done = command("link", "No cough, but very tired; tiredness.", "--graph", graph)
    assert done.out.splitlines() == [
        "absent  cough  Cough  (exact 1.00, 3-8: cough)",
        "present  fatigue  Fatigue  (synonym 0.90, 19-24: tired)",
        "present  fatigue  Fatigue  (synonym 0.90, 26-35: tiredness)",
    ]
    assert json.loads(command("link", "coughing", "--graph", graph, "--json").out) == {
        "id": "cough",
        "name": "Cough",
        "status": "present",
        "kind": "synonym",
        "score": 0.9,
        "start": 0,
        "end": 8,
        "text": "coughing",
    }


def test_link_without_a_symptom_is_exit_1(command, graph):
    done = command("link", "He likes walking.", "--graph", graph)
    assert done == (1, "", "no symptom of the graph is named\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("neighbours", "flu", "--graph", "{graph}"), "no node 'flu'"),
        (
            ("neighbours", "cough", "--graph", "{graph}", "--limit", "0"),
            "--limit is a whole number from 1",
        ),
        (("neighbours", "cough", "--kind", "sign"), "'sign' is not one of 'symptom', 'disease'"),
        (("link", "cough", "--graph", "none.db"), "kb graph build"),
    ],
)
def test_mistakes_are_named(command, graph, arguments, message):
    status, _, err = command(*(one.format(graph=graph) for one in arguments))
    assert status == 2
    assert message in err
