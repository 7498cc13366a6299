"""What a value model reads of a walk: its subgraph as numbers, in ``info["graph"]``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from math import log1p
from typing import Any

from gym_clinic import embedded
from gym_clinic.domains.kacr.walk import WalkCase
from gym_clinic.episode import Episode
from gym_clinic.retrieval import HashedNgrams
from gym_clinic.retrieval.graph import Subgraph, SymptomGraph
from gym_clinic.retrieval.graph.symptom_graph import KINDS

NAME_WIDTH = 8
"""Width of the hashed vector of a node's name."""

TEXT_WIDTH = 32
"""Width of the hashed vector of the question."""

FEATURES = len(KINDS) + 4 + NAME_WIDTH
"""Width of a node: its kind, whether the question mentions it, how often it was selected, its links
inside the subgraph, its degree in the graph, and its name."""


def graph_info(episode: Episode) -> dict[str, Any]:
    """Return ``info["graph"]`` of a walk.

    Returns:
        ``nodes``, rows of `FEATURES` numbers; ``edges``, relation -> pairs of positions, in both
        directions; ``text``, a vector of the question; ``turns_left`` and, of those, ``pays``: how
        many turns from now each turn lies that can pay; and for other encoders ``names``, ``kinds``
        and ``question``.
    """
    case = episode.case
    assert isinstance(case, WalkCase)
    times: dict[str, int] = {}
    for chosen in case.selected:
        for key in chosen:
            times[key] = times.get(key, 0) + 1
    graph = case.rules.open_graph()
    subgraph = Subgraph.of(graph, case.subgraph())
    shares = {key: count / case.rules.iterations for key, count in times.items()}
    left = case.rules.layers[case.turn :]
    return {
        "graph": {
            **subgraph_features(subgraph, case.mentions, shares, graph),
            "text": _text_vector(case.question),
            "turns_left": len(left),
            "pays": [place for place, layer in enumerate(left) if layer.kind == "discipline"],
            "names": [node.name for node in subgraph.nodes],
            "kinds": [node.kind for node in subgraph.nodes],
            "question": case.question,
        }
    }


def subgraph_features(
    subgraph: Subgraph,
    mentions: Collection[str],
    selected: Mapping[str, float] | None = None,
    graph: SymptomGraph | None = None,
) -> dict[str, Any]:
    """Return the nodes and edges of a subgraph as numbers, as a critic reads them.

    Args:
        subgraph: The subgraph.
        mentions: Ids of the symptoms that the question mentions.
        selected: Node -> share of the iterations in which it was selected; 1 for all where it is
            not given, as at the end of a walk.
        graph: The whole graph, for degrees; the embedded one by default.

    Returns:
        ``nodes``, rows of `FEATURES` numbers, and ``edges``, relation -> pairs of positions, in
        both directions.
    """
    whole = embedded.graph() if graph is None else graph
    nodes = subgraph.nodes
    places = {node.id: place for place, node in enumerate(nodes)}
    edges: dict[str, list[list[int]]] = {name: [] for name in whole.relations}
    for head, relation, tail in subgraph.relations:
        first, second = places[head], places[tail]
        edges[relation] += [[first, second], [second, first]]
    linked = [0] * len(nodes)
    for pairs in edges.values():
        for first, _ in pairs:
            linked[first] += 1
    rows = [
        [
            *(float(node.kind == kind) for kind in KINDS),
            float(node.id in mentions),
            1.0 if selected is None else selected.get(node.id, 0.0),
            log1p(linked[place]),
            log1p(whole.degree(node.id)) / 10,
            *_name_vector(node.name),
        ]
        for place, node in enumerate(nodes)
    ]
    return {"nodes": rows, "edges": edges}


@lru_cache(maxsize=1 << 14)
def _name_vector(name: str) -> tuple[float, ...]:
    return tuple(float(value) for value in HashedNgrams(NAME_WIDTH).embed([name])[0])


@lru_cache(maxsize=4096)
def _text_vector(question: str) -> list[float]:
    return [float(value) for value in HashedNgrams(TEXT_WIDTH).embed([question])[0]]
