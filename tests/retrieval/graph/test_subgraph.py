from __future__ import annotations

import pytest
from small_graph import small_graph

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.graph.subgraph import Subgraph
from gym_clinic.retrieval.graph.symptom_graph import Node, Relation, SymptomGraph

CHOSEN = (
    "cough", "fatigue", "headache", "pneumonia", "covid-19", "migraine", "pulmonology", "neurology",
)  # fmt: skip

TEXT = """\
Graph Structure Description: In this heterogeneous graph, nodes are symptoms, diseases and \
disciplines, and each edge leads from its first node to its second.

Node Types:
- Symptoms: Represent symptoms exhibited by patients.
- Diseases: Represent specific types of diseases.
- Disciplines: Represent medical disciplines.

Edge Types:
- Belongs to Discipline: Connects Diseases to Disciplines.
- Related to: Connects Symptoms to Diseases.

Node Sets:
- Symptoms Node Set: S = {Cough, Fatigue}
- Diseases Node Set: D = {COVID-19, Pneumonia}
- Disciplines Node Set: C = {Pulmonology}

Edge Sets:
- Belongs to Discipline Edge Set: {(COVID-19, Pulmonology), (Pneumonia, Pulmonology)}
- Related to Edge Set: {(Cough, COVID-19), (Cough, Pneumonia), (Fatigue, Pneumonia)}"""


def test_a_subgraph_has_the_relations_among_its_nodes():
    part = Subgraph.of(small_graph(), ["cough", "covid-19", "neurology", "cough"])
    assert [node.id for node in part.nodes] == ["cough", "covid-19", "neurology"]
    assert part.relations == (("cough", "related_to", "covid-19"),)
    assert Subgraph.of(small_graph(), []).relations == ()
    with pytest.raises(ConfigError, match="no node 'flu'"):
        Subgraph.of(small_graph(), ["flu"])


def test_tracing_back_keeps_what_leads_to_the_discipline():
    part = Subgraph.of(small_graph(), CHOSEN)
    back = part.back_from("pulmonology")
    assert [node.id for node in back.nodes] == [
        "cough",
        "covid-19",
        "fatigue",
        "pneumonia",
        "pulmonology",
    ]
    assert part.paths_back("pulmonology") == [
        ("pulmonology", "covid-19", "cough"),
        ("pulmonology", "pneumonia", "cough"),
        ("pulmonology", "pneumonia", "fatigue"),
    ]
    assert back.back_from("pulmonology") == back


def test_a_disease_without_its_symptoms_is_a_path_too():
    part = Subgraph.of(small_graph(), ["migraine", "neurology", "cough"])
    assert part.paths_back("neurology") == [("neurology", "migraine")]
    assert [node.id for node in part.back_from("neurology").nodes] == ["migraine", "neurology"]


@pytest.mark.parametrize("wrong", ["dermatology", "cough", "nothing"])
def test_only_a_discipline_of_the_subgraph_can_be_traced(wrong):
    part = Subgraph.of(small_graph(), CHOSEN)
    with pytest.raises(ConfigError, match=r"choose from \['neurology', 'pulmonology'\]"):
        part.back_from(wrong)


def test_the_text_follows_the_template():
    part = Subgraph.of(small_graph(), CHOSEN)
    assert part.back_from("pulmonology").text() == TEXT
    assert Subgraph.of(small_graph(), reversed(CHOSEN)).text() == part.text()


def test_other_relations_are_written_by_their_names():
    nodes = [Node("a", "disease", "A"), Node("b", "symptom", "B"), Node("c", "disease", "C")]
    relations = [Relation("a", "has_manifestation", "b"), Relation("a", "has_manifestation", "c")]
    text = Subgraph.of(SymptomGraph.build(nodes, relations), ["a", "b", "c"]).text()
    assert "- Has manifestation: Connects Diseases to Diseases; Diseases to Symptoms." in text
    assert "- Has manifestation Edge Set: {(A, B), (A, C)}" in text
