"""A part of a symptom graph, as text and traced back from a discipline.

Source:
    KACR paper, appendix A, Table 4 (the text) and Table 11 (the subgraph backtracked from a
    discipline). The sets of the template contain the names of the nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.graph.symptom_graph import (
    BELONGS,
    KINDS,
    RELATED,
    Node,
    NodeKind,
    Relation,
    SymptomGraph,
)

PLURAL: dict[NodeKind, str] = {
    "symptom": "Symptoms",
    "disease": "Diseases",
    "discipline": "Disciplines",
}
LETTER: dict[NodeKind, str] = {"symptom": "S", "disease": "D", "discipline": "C"}
MEANING: dict[NodeKind, str] = {
    "symptom": "Represent symptoms exhibited by patients.",
    "disease": "Represent specific types of diseases.",
    "discipline": "Represent medical disciplines.",
}
TITLE = {RELATED: "Related to", BELONGS: "Belongs to Discipline"}
STRUCTURE = (
    "Graph Structure Description: In this heterogeneous graph, nodes are symptoms, diseases and "
    "disciplines, and each edge leads from its first node to its second."
)


@dataclass(frozen=True)
class Subgraph:
    """Some nodes and all relations among them.

    Attributes:
        nodes: Sorted by id.
        relations: Sorted by head, relation and tail.
    """

    nodes: tuple[Node, ...]
    relations: tuple[Relation, ...]

    @classmethod
    def of(cls, graph: SymptomGraph, keys: Iterable[str]) -> Subgraph:
        """Return the subgraph of the nodes with these ids.

        Raises:
            ConfigError: If an id names no node.
        """
        return cls(*graph.among(keys))

    def of_kind(self, kind: NodeKind) -> tuple[Node, ...]:
        """Return the nodes of a kind."""
        return tuple(node for node in self.nodes if node.kind == kind)

    def back_from(self, discipline: str) -> Subgraph:
        """Return the part that leads to a discipline: its diseases and their symptoms.

        Raises:
            ConfigError: If the subgraph holds no such discipline.
        """
        kept = {discipline, *(key for path in self.paths_back(discipline) for key in path)}
        return Subgraph(
            tuple(node for node in self.nodes if node.id in kept),
            tuple(one for one in self.relations if one.head in kept and one.tail in kept),
        )

    def paths_back(self, discipline: str) -> list[tuple[str, ...]]:
        """Return the paths from a discipline back to the symptoms, sorted.

        Returns:
            Ids: (discipline, disease, symptom); (discipline, disease) for a disease without
            symptoms in the subgraph.

        Raises:
            ConfigError: If the subgraph holds no such discipline.
        """
        kinds: dict[str, str] = {node.id: node.kind for node in self.nodes}
        if kinds.get(discipline) != "discipline":
            here = [node.id for node in self.of_kind("discipline")]
            raise ConfigError(
                f"{discipline!r} is no discipline of this subgraph; choose from {here}"
            )
        beside: dict[str, set[str]] = {key: set() for key in kinds}
        for head, _, tail in self.relations:
            beside[head].add(tail)
            beside[tail].add(head)
        paths: list[tuple[str, ...]] = []
        for disease in sorted(key for key in beside[discipline] if kinds[key] == "disease"):
            symptoms = sorted(key for key in beside[disease] if kinds[key] == "symptom")
            paths += [(discipline, disease, symptom) for symptom in symptoms]
            if not symptoms:
                paths.append((discipline, disease))
        return paths

    def text(self) -> str:
        """Return a description for a language model; the same subgraph gives the same text."""
        kinds = {node.id: node.kind for node in self.nodes}
        names = {node.id: node.name for node in self.nodes}
        lines = [STRUCTURE, "", "Node Types:"]
        lines += [f"- {PLURAL[kind]}: {MEANING[kind]}" for kind in KINDS]
        edges: dict[str, list[Relation]] = {}
        for relation in self.relations:
            edges.setdefault(relation.relation, []).append(relation)
        lines += ["", "Edge Types:"]
        for name, found in sorted(edges.items()):
            pairs = sorted({(PLURAL[kinds[one.head]], PLURAL[kinds[one.tail]]) for one in found})
            between = "; ".join(f"{first} to {second}" for first, second in pairs)
            lines.append(f"- {title(name)}: Connects {between}.")
        lines += ["", "Node Sets:"]
        for kind in KINDS:
            inside = ", ".join(node.name for node in self.of_kind(kind))
            lines.append(f"- {PLURAL[kind]} Node Set: {LETTER[kind]} = {{{inside}}}")
        lines += ["", "Edge Sets:"]
        for name, found in sorted(edges.items()):
            inside = ", ".join(f"({names[one.head]}, {names[one.tail]})" for one in found)
            lines.append(f"- {title(name)} Edge Set: {{{inside}}}")
        return "\n".join(lines)


def title(relation: str) -> str:
    """Return the name of a type of relation, as written in text."""
    return TITLE.get(relation, relation.replace("_", " ").capitalize())
