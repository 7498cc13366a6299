"""A small symptom graph, the example of the KACR paper's section 3 with some company."""

from __future__ import annotations

from gym_clinic.retrieval.graph.symptom_graph import BELONGS, RELATED, Node, Relation, SymptomGraph

NODES = (
    Node("cough", "symptom", "Cough", ("Coughing", "Tussis")),
    Node("fatigue", "symptom", "Fatigue", ("Tiredness",)),
    Node("dysgeusia", "symptom", "Dysgeusia", ("Altered taste",)),
    Node("headache", "symptom", "Headache"),
    Node("pneumonia", "disease", "Pneumonia", ("Lung infection",)),
    Node("covid-19", "disease", "COVID-19"),
    Node("migraine", "disease", "Migraine"),
    Node("pulmonology", "discipline", "Pulmonology"),
    Node("neurology", "discipline", "Neurology"),
    Node("dermatology", "discipline", "Dermatology"),
)
RELATIONS = (
    Relation("cough", RELATED, "pneumonia"),
    Relation("fatigue", RELATED, "pneumonia"),
    Relation("cough", RELATED, "covid-19"),
    Relation("dysgeusia", RELATED, "covid-19"),
    Relation("headache", RELATED, "migraine"),
    Relation("pneumonia", BELONGS, "pulmonology"),
    Relation("covid-19", BELONGS, "pulmonology"),
    Relation("migraine", BELONGS, "neurology"),
)


def small_graph() -> SymptomGraph:
    return SymptomGraph.build(NODES, RELATIONS)
