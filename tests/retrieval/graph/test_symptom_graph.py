from __future__ import annotations

import sqlite3
from collections import Counter

import numpy as np
import pytest
from fact_tables import tables, write
from hypothesis import given
from hypothesis import strategies as st
from small_graph import NODES, RELATIONS, small_graph

from gym_clinic import embedded
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import load
from gym_clinic.retrieval.graph.facts_graph import graph_of_facts
from gym_clinic.retrieval.graph.graph_file import load_graph, save_graph
from gym_clinic.retrieval.graph.symptom_graph import (
    BELONGS,
    RELATED,
    Neighbour,
    Node,
    Relation,
    SymptomGraph,
)


def ids(found):
    return [one.record.id for one in found]


def test_neighbours_in_both_directions_have_relation_and_direction():
    graph = small_graph()
    assert graph.neighbours("pneumonia") == [
        Neighbour(graph.node("pulmonology"), 1.0, BELONGS, True),
        Neighbour(graph.node("cough"), 1.0, RELATED, False),
        Neighbour(graph.node("fatigue"), 1.0, RELATED, False),
    ]
    assert ids(graph.neighbours("pneumonia", relation=RELATED)) == ["cough", "fatigue"]
    assert ids(graph.neighbours("pneumonia", kind="discipline")) == ["pulmonology"]
    assert ids(graph.neighbours("pulmonology", kind="disease")) == ["covid-19", "pneumonia"]
    assert graph.neighbours("dermatology") == []
    assert ids(graph.neighbours("pneumonia", limit=2)) == ["pulmonology", "cough"]
    assert ids(graph.neighbours("pneumonia", kind="symptom", limit=1)) == ["cough"]


def test_degrees():
    graph = small_graph()
    assert [graph.degree(node.id) for node in graph.nodes] == [
        2, 3, 0, 1, 1, 1, 2, 1, 3, 2
    ]  # fmt: skip
    assert graph.degree("pneumonia", relation=RELATED) == 2
    assert graph.degree("pneumonia", relation=BELONGS, kind="symptom") == 0


def test_nodes_by_kind():
    graph = small_graph()
    assert [node.id for node in graph.of_kind("discipline")] == [
        "dermatology",
        "neurology",
        "pulmonology",
    ]
    assert len(graph) == 10
    assert "cough" in graph
    assert "Cough" not in graph
    assert list(graph.triples()) == sorted(RELATIONS)


@given(
    st.lists(
        st.tuples(st.integers(0, 7), st.sampled_from("xyz"), st.integers(0, 7)).filter(
            lambda one: one[0] != one[2]
        )
    )
)
def test_every_relation_is_found_from_both_ends_and_no_other(found):
    nodes = [Node(f"n{number}", "disease", f"Node {number}") for number in range(8)]
    triples = [Relation(f"n{head}", name, f"n{tail}") for head, name, tail in found]
    graph = SymptomGraph.build(reversed(nodes), triples)
    assert list(graph.triples()) == sorted(set(triples))
    for node in nodes:
        for name in graph.relations:
            by_name = [one for one in graph.neighbours(node.id) if one.how == name]
            assert graph.neighbours(node.id, relation=name) == by_name
            assert graph.degree(node.id, relation=name) == len(by_name)
        expected = {(one.tail, one.relation, True) for one in triples if one.head == node.id}
        expected |= {(one.head, one.relation, False) for one in triples if one.tail == node.id}
        beside = graph.neighbours(node.id)
        assert {(one.record.id, one.how, one.forward) for one in beside} == expected
        assert len(beside) == len(expected) == graph.degree(node.id)
        order = [(one.how, one.forward, one.record.id) for one in beside]
        assert order == sorted(order)


@pytest.mark.parametrize(
    ("nodes", "relations", "expected"),
    [
        ([*NODES, NODES[0]], [], "duplicate node 'cough'"),
        ([Node("x", "drug", "X")], [], "node 'x': kind 'drug'; choose from"),
        (NODES, [Relation("cough", RELATED, "flu")], "no node 'flu'"),
        (NODES, [Relation("flu", RELATED, "cough")], "no node 'flu'"),
        (NODES, [Relation("cough", RELATED, "cough")], "a relation of a node with itself"),
    ],
)
def test_a_broken_graph_is_an_error(nodes, relations, expected):
    with pytest.raises(TaskError, match=expected):
        SymptomGraph.build(nodes, relations)


def test_unknown_names_are_reported():
    graph = small_graph()
    with pytest.raises(ConfigError, match="no node 'Cough'; did you mean 'cough'"):
        graph.neighbours("Cough")
    with pytest.raises(ConfigError, match=r"no node \['cough'\]"):
        graph.node(["cough"])
    with pytest.raises(ConfigError, match="no relation 'related'; did you mean 'related_to'"):
        graph.neighbours("cough", relation="related")
    with pytest.raises(ConfigError, match="unknown kind 'symptoms'; choose from"):
        graph.degree("cough", kind="symptoms")
    with pytest.raises(ConfigError, match="unknown kind 'symptoms'; choose from"):
        graph.of_kind("symptoms")
    with pytest.raises(ConfigError, match="limit is a whole number from 1, not 0"):
        graph.neighbours("cough", limit=0)


def test_the_graph_of_the_facts_leaves_out_what_is_absent(tmp_path):
    graph = graph_of_facts(load(write(tmp_path, tables())))
    assert ids(graph.neighbours("amber-fever", kind="symptom")) == [
        "HP:0000002",
        "HP:0000003",
        "sym-amber-glow",
    ]
    assert ids(graph.neighbours("neurology")) == ["amber-fever", "blue-palsy"]
    assert graph.degree("HP:0000008") == 0
    assert graph.node("HP:0000003").synonyms == ("Cystic kidney",)


# The file ------------------------------------------------------------------------------------


def test_a_saved_graph_is_the_same(tmp_path):
    graph = small_graph()
    save_graph(graph, tmp_path / "made" / "graph.db")
    found = load_graph(tmp_path / "made" / "graph.db")
    assert found.nodes == graph.nodes
    assert list(found.triples()) == list(graph.triples())
    assert found.neighbours("covid-19") == graph.neighbours("covid-19")
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["graph.db"]


def test_a_graph_without_relations_can_be_saved(tmp_path):
    save_graph(SymptomGraph.build(NODES, []), tmp_path / "graph.db")
    assert load_graph(tmp_path / "graph.db").degree("cough") == 0
    save_graph(SymptomGraph.build([], []), tmp_path / "graph.db")
    assert len(load_graph(tmp_path / "graph.db")) == 0


def test_the_file_can_be_read_with_sql(tmp_path):
    save_graph(small_graph(), tmp_path / "graph.db")
    with sqlite3.connect(tmp_path / "graph.db") as database:
        found = database.execute(
            "SELECT name FROM relation JOIN node ON node.id = head WHERE tail = 'covid-19'"
        )
        assert sorted(found) == [("Cough",), ("Dysgeusia",)]


def test_a_save_that_breaks_off_leaves_the_old_graph(tmp_path, monkeypatch):
    save_graph(small_graph(), tmp_path / "graph.db")

    def broken(self):
        yield RELATIONS[0]
        raise RuntimeError("broke off")

    monkeypatch.setattr(SymptomGraph, "triples", broken)
    with pytest.raises(RuntimeError, match="broke off"):
        save_graph(SymptomGraph.build(NODES[:1], []), tmp_path / "graph.db")
    assert len(load_graph(tmp_path / "graph.db")) == 10
    assert [path.name for path in tmp_path.iterdir()] == ["graph.db"]


def test_a_file_that_is_no_graph_is_named(tmp_path):
    path = tmp_path / "graph.db"
    with pytest.raises(ConfigError, match=r"no graph .*graph\.db"):
        load_graph(path)
    for content in (b"not a database, and long enough to tell" * 40, b""):
        path.write_bytes(content)
        with pytest.raises(TaskError, match=r"graph\.db is no symptom graph"):
            load_graph(path)
    save_graph(small_graph(), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TaskError, match="no symptom graph"):
        load_graph(path)
    path.write_bytes(whole)
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM relation WHERE tail = 'migraine'")
    with pytest.raises(TaskError, match="its arrays do not fit 10 nodes and 7 relations"):
        load_graph(path)


def test_the_bytes_of_a_file_follow_from_the_graph(tmp_path):
    for name in ("one.db", "other.db"):
        turned = SymptomGraph.build(reversed(NODES), reversed(RELATIONS))
        save_graph(turned if name == "other.db" else small_graph(), tmp_path / name)
    assert (tmp_path / "one.db").read_bytes() == (tmp_path / "other.db").read_bytes()


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("neighbour", lambda array: np.where(array == array.max(), 99, array)),
        ("neighbour", lambda array: np.where(array == 0, -1, array)),
        ("step", lambda array: array + 100),
        ("starts", lambda array: array[::-1]),
        ("starts", lambda array: array + 1),
    ],
)
def test_arrays_that_point_outside_the_graph_are_reported(tmp_path, name, damage):
    path = tmp_path / "graph.db"
    graph = small_graph()
    save_graph(graph, path)
    array = getattr(graph, name)
    with sqlite3.connect(path) as database:
        data = damage(array).astype(array.dtype).tobytes()
        database.execute("UPDATE csr SET data = ? WHERE name = ?", (data, name))
    with pytest.raises(TaskError, match=r"graph\.db is no symptom graph: its arrays point beyond"):
        load_graph(path)


def test_another_layout_is_named(tmp_path):
    path = tmp_path / "graph.db"
    save_graph(small_graph(), path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 7")
    with pytest.raises(TaskError, match="layout 7; expected 1"):
        load_graph(path)


@given(data=st.data())
def test_a_damaged_file_is_read_or_named(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "graph.db"
    save_graph(small_graph(), path)
    whole = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(whole[: data.draw(st.integers(1, len(whole)))])
    wrong, nodes = None, ()
    try:
        graph = load_graph(path)
        nodes = graph.nodes
    except TaskError as error:
        wrong = str(error)
    assert wrong is None or f"{path} is no symptom graph" in wrong
    for node in nodes:
        assert graph.degree(node.id) == len(graph.neighbours(node.id))


def test_nodes_beside_others_are_counted_once_for_each() -> None:
    """Both ways of counting agree with the neighbours of each node."""
    graph = embedded.graph()
    symptoms = [node.id for node in graph.of_kind("symptom")]
    for keys in (symptoms[:2], symptoms[:400], []):
        count = Counter(
            key
            for symptom in keys
            for key in {beside.record.id for beside in graph.neighbours(symptom, kind="disease")}
        )
        assert graph.beside(keys, "disease") == count
    twice = SymptomGraph.build(
        [Node("s", "symptom", "S"), Node("d", "disease", "D")],
        [Relation("s", "one", "d"), Relation("s", "other", "d"), Relation("d", "back", "s")],
    )
    assert twice.beside(["s"], "disease") == {"d": 1}
    assert twice.places(["s", "d", "s"]).tolist() == [0, 1]
    with pytest.raises(ConfigError, match="no node"):
        twice.beside(["x"], "disease")
