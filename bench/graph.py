"""What the neighbours of a node cost in a graph of a million relations, and a step of a walk.

Run: ``python bench/graph.py`` (prints percentiles; asserts nothing). The graph is seeded; its
degrees have a long tail, as those of clinical graphs do. The goal is a median below 50 µs for the
neighbours of a node. A step of KACR's walk explores the diseases of ten symptoms, hubs among them,
and keeps those that most symptoms share; beside it stands the time in which a plain dictionary of
lists finds and counts the same neighbours.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from random import Random

import numpy as np

from gym_clinic.domains.kacr.rules import FIRST, explored_from
from gym_clinic.retrieval.graph.graph_file import load_graph, save_graph
from gym_clinic.retrieval.graph.subgraph import Subgraph
from gym_clinic.retrieval.graph.symptom_graph import BELONGS, RELATED, Node, Relation, SymptomGraph

DISCIPLINES = 130
DISEASES_VIA_SYMPTOMS, CAP = FIRST[1], 60


def make_graph(relations: int, seed: int = 0) -> SymptomGraph:
    """Return a seeded graph: a tenth as many diseases, half as many symptoms as diseases."""
    rng = np.random.default_rng(seed)
    diseases, symptoms = relations // 10, relations // 20
    nodes = [Node(f"d{n:07d}", "disease", f"Disease {n}") for n in range(diseases)]
    nodes += [Node(f"s{n:07d}", "symptom", f"Symptom {n}") for n in range(symptoms)]
    nodes += [Node(f"c{n:03d}", "discipline", f"Discipline {n}") for n in range(DISCIPLINES)]
    triples = {
        Relation(f"d{n:07d}", BELONGS, f"c{one:03d}")
        for n, one in enumerate(rng.integers(0, DISCIPLINES, diseases).tolist())
    }
    weight = 1 / (np.arange(symptoms) + 20.0)
    bounds = np.cumsum(weight / weight.sum())
    while len(triples) < relations:
        missing = relations - len(triples)
        heads = np.searchsorted(bounds, rng.random(missing)).clip(0, symptoms - 1).tolist()
        tails = rng.integers(0, diseases, missing).tolist()
        triples.update(
            Relation(f"s{head:07d}", RELATED, f"d{tail:07d}")
            for head, tail in zip(heads, tails, strict=True)
        )
    return SymptomGraph.build(nodes, sorted(triples))


def walk_step(graph: SymptomGraph, steps: int) -> None:
    """Print what a step from symptoms to diseases costs, as a ratio to a plain dictionary."""
    plain: dict[str, list[str]] = {}
    for head, _, tail in graph.triples():
        plain.setdefault(head, []).append(tail)
    symptoms = [node.id for node in graph.of_kind("symptom")]
    symptoms.sort(key=lambda key: -len(plain.get(key, ())))
    for what, hubs in (("the two largest hubs among ten symptoms", 2), ("no hub", 0)):
        random = Random(0)
        explored, counted, beside = [], [], 0
        for _ in range(steps):
            keys = [
                *symptoms[:hubs],
                *random.sample(symptoms[min(1_000, len(symptoms) // 2) :], 10 - hubs),
            ]
            start = time.perf_counter()
            found = explored_from(graph, DISEASES_VIA_SYMPTOMS, keys, keys, (), CAP, random)
            explored.append(time.perf_counter() - start)
            start = time.perf_counter()
            count: dict[str, int] = {}
            for key in keys:
                for tail in plain.get(key, ()):
                    count[tail] = count.get(tail, 0) + 1
            counted.append(time.perf_counter() - start)
            assert set(found) <= set(count)
            beside = len(count)
        step, dictionary = statistics.median(explored), statistics.median(counted)
        print(
            f"a step with {what}: {1e3 * step:.2f} ms for {beside:,} neighbours, "
            f"{step / dictionary:.2f} times a plain dictionary"
        )


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--relations", type=int, default=1_000_000)
    parser.add_argument("--nodes", type=int, default=5_000, help="nodes that are asked for")
    bench(**vars(parser.parse_args()))


def bench(relations: int = 1_000_000, nodes: int = 5_000) -> None:
    """Print percentiles; the size is that of the goal."""
    made = make_graph(relations)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        save_graph(made, Path(folder) / "graph.db")
        saved = time.perf_counter() - start
        start = time.perf_counter()
        graph = load_graph(Path(folder) / "graph.db")
        loaded = time.perf_counter() - start
    print(
        f"{len(graph):,} nodes, {len(graph.neighbour) // 2:,} relations; saved in {saved:.1f} s, "
        f"loaded in {loaded:.1f} s"
    )
    rng = np.random.default_rng(1)
    ends = graph.neighbour[rng.integers(0, len(graph.neighbour), nodes)].tolist()
    asked = {
        "any node": rng.integers(0, len(graph), nodes).tolist(),
        "an end of any relation": ends,
        "a disease": [place for place in ends if graph.nodes[place].kind == "disease"],
    }
    for what, places in asked.items():
        seconds = []
        for place in places:
            key = graph.nodes[place].id
            start = time.perf_counter()
            graph.neighbours(key)
            seconds.append(time.perf_counter() - start)
        cuts = statistics.quantiles(seconds, n=100)
        degree = statistics.median(graph.degree(graph.nodes[place].id) for place in places)
        print(
            f"neighbours of {what}: p50 {cuts[49] * 1e6:.1f} µs, p99 {cuts[98] * 1e6:.1f} µs "
            f"(median degree {degree:.0f})"
        )
    walk_step(graph, steps=max(nodes // 50, 5))
    disease = next(node.id for node in graph.nodes if node.kind == "disease")
    keys = [disease, *(one.record.id for one in graph.neighbours(disease))]
    start = time.perf_counter()
    Subgraph.of(graph, keys).text()
    print(f"text of a subgraph of {len(keys)} nodes: {(time.perf_counter() - start) * 1e6:.0f} µs")


if __name__ == "__main__":
    main()
