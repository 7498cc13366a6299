"""The symptom graph of the fact tables."""

from __future__ import annotations

from collections.abc import Iterator

from gym_clinic.facts import Facts
from gym_clinic.retrieval.graph.symptom_graph import BELONGS, RELATED, Node, Relation, SymptomGraph


def graph_of_facts(facts: Facts) -> SymptomGraph:
    """Make the graph: each phenotype a symptom, each disease under its discipline.

    A feature that a disease does not have is no relation. Phenotypes and disciplines that no
    disease names are nodes without relations.

    Raises:
        TaskError: If a disease and a discipline have one id.
    """
    return SymptomGraph.build(_nodes(facts), _relations(facts))


def _nodes(facts: Facts) -> Iterator[Node]:
    for symptom in facts.phenotypes.values():
        yield Node(symptom.id, "symptom", symptom.name, symptom.synonyms)
    for disease in facts.diseases.values():
        yield Node(disease.id, "disease", disease.name, disease.synonyms)
    for discipline in facts.disciplines.values():
        yield Node(discipline.id, "discipline", discipline.name)


def _relations(facts: Facts) -> Iterator[Relation]:
    for disease in facts.diseases.values():
        yield Relation(disease.id, BELONGS, disease.discipline)
        for feature in disease.phenotypes:
            if not feature.frequency.absent:
                yield Relation(feature.phenotype, RELATED, disease.id)
