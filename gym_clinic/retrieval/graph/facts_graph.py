"""The symptom graph of the fact tables."""

from __future__ import annotations

from collections.abc import Iterator

from gym_clinic.facts import Facts
from gym_clinic.retrieval.graph.symptom_graph import BELONGS, RELATED, Node, Relation, SymptomGraph


def graph_of_facts(facts: Facts) -> SymptomGraph:
    """Build the graph: phenotypes as symptoms, diseases with their disciplines.

    An excluded feature is no relation. Phenotypes and disciplines without a disease are nodes
    without relations.

    Raises:
        TaskError: If a disease and a discipline have the same id.
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
