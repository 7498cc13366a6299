"""What a value model reads of a walk: its subgraph as numbers, in ``info["graph"]``."""

from __future__ import annotations

from functools import lru_cache
from math import log1p
from typing import Any

from gym_clinic.domains.kacr.walk import WalkCase
from gym_clinic.episode import Episode
from gym_clinic.retrieval import HashedNgrams
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
    graph = case.rules.open_graph()
    keys = sorted(case.subgraph())
    nodes, relations = graph.among(keys)
    places = {node.id: place for place, node in enumerate(nodes)}
    edges: dict[str, list[list[int]]] = {name: [] for name in graph.relations}
    for head, relation, tail in relations:
        first, second = places[head], places[tail]
        edges[relation] += [[first, second], [second, first]]
    linked = [0] * len(nodes)
    for pairs in edges.values():
        for first, _ in pairs:
            linked[first] += 1
    times: dict[str, int] = {}
    for chosen in case.selected:
        for key in chosen:
            times[key] = times.get(key, 0) + 1
    rows = [
        [
            *(float(node.kind == kind) for kind in KINDS),
            float(node.id in case.mentions),
            times.get(node.id, 0) / case.rules.iterations,
            log1p(linked[place]),
            log1p(graph.degree(node.id)) / 10,
            *_name_vector(node.name),
        ]
        for place, node in enumerate(nodes)
    ]
    left = case.rules.layers[case.turn :]
    return {
        "graph": {
            "nodes": rows,
            "edges": edges,
            "text": _text_vector(case.question),
            "turns_left": len(left),
            "pays": [place for place, layer in enumerate(left) if layer.kind == "discipline"],
            "names": [node.name for node in nodes],
            "kinds": [node.kind for node in nodes],
            "question": case.question,
        }
    }


@lru_cache(maxsize=1 << 14)
def _name_vector(name: str) -> tuple[float, ...]:
    return tuple(float(value) for value in HashedNgrams(NAME_WIDTH).embed([name])[0])


@lru_cache(maxsize=4096)
def _text_vector(question: str) -> list[float]:
    return [float(value) for value in HashedNgrams(TEXT_WIDTH).embed([question])[0]]
