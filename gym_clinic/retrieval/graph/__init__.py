"""A graph of symptoms, diseases and disciplines, and linking of free text to its symptoms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.retrieval.graph.facts_graph import graph_of_facts as graph_of_facts
    from gym_clinic.retrieval.graph.graph_file import load_graph as load_graph
    from gym_clinic.retrieval.graph.graph_file import save_graph as save_graph
    from gym_clinic.retrieval.graph.linking import Link as Link
    from gym_clinic.retrieval.graph.linking import SymptomLinker as SymptomLinker
    from gym_clinic.retrieval.graph.subgraph import Subgraph as Subgraph
    from gym_clinic.retrieval.graph.symptom_graph import BELONGS as BELONGS
    from gym_clinic.retrieval.graph.symptom_graph import RELATED as RELATED
    from gym_clinic.retrieval.graph.symptom_graph import Neighbour as Neighbour
    from gym_clinic.retrieval.graph.symptom_graph import Node as Node
    from gym_clinic.retrieval.graph.symptom_graph import Relation as Relation
    from gym_clinic.retrieval.graph.symptom_graph import SymptomGraph as SymptomGraph

_HOMES = {
    "BELONGS": "symptom_graph",
    "Link": "linking",
    "Neighbour": "symptom_graph",
    "Node": "symptom_graph",
    "RELATED": "symptom_graph",
    "Relation": "symptom_graph",
    "Subgraph": "subgraph",
    "SymptomGraph": "symptom_graph",
    "SymptomLinker": "linking",
    "graph_of_facts": "facts_graph",
    "load_graph": "graph_file",
    "save_graph": "graph_file",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
