"""The rules of a walk over the clinical graph: its layers, its limits, what is explored.

Source:
    KACR paper, sections 3.1 and 3.1.1 (meta-path, exploration and pruning) and 4.1 (K, K', N).
    How "<->" unrolls is stated there by an example only; here the first iteration is symptom,
    disease, discipline, and each further one disease (from disciplines), symptom (from diseases),
    discipline, so that T = 3N and every iteration ends on disciplines.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_clinic.embedded import EMBEDDED, linker, linker_of, open_graph
from gym_clinic.errors import TaskError
from gym_clinic.retrieval.graph import SymptomGraph, SymptomLinker
from gym_clinic.retrieval.graph.symptom_graph import NodeKind


class Layer(NamedTuple):
    """One step of a walk.

    Attributes:
        kind: What is selected.
        via: The kind of nodes from which it is explored; None for the question.
    """

    kind: NodeKind
    via: NodeKind | None


FIRST = (Layer("symptom", None), Layer("disease", "symptom"), Layer("discipline", "disease"))
FURTHER = (Layer("disease", "discipline"), Layer("symptom", "disease"),
           Layer("discipline", "disease"))  # fmt: skip

PLURAL: dict[NodeKind, str] = {"symptom": "symptoms", "disease": "diseases",
                               "discipline": "disciplines"}  # fmt: skip


@dataclass(frozen=True)
class WalkRules:
    """What a walk may hold.

    Attributes:
        graph: The graph, as an option names it.
        disciplines: Disciplines selected in a step at most: K.
        nodes: Symptoms or diseases selected in a step at most: K'.
        iterations: N.
        explored: Candidates shown in a step at most.
        order: Seed of the order in which candidates are shown.
        description: How the subgraph is described: "full", "sets" or "none".
    """

    graph: str = EMBEDDED
    disciplines: int = 5
    nodes: int = 10
    iterations: int = 3
    explored: int = 60
    order: int = 0
    description: str = "full"

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The steps of a walk, T = 3N."""
        return FIRST + FURTHER * (self.iterations - 1)

    def most(self, kind: NodeKind) -> int:
        """Return how many nodes of a kind may be selected in a step."""
        return self.disciplines if kind == "discipline" else self.nodes

    def open_graph(self) -> SymptomGraph:
        """Return the graph."""
        return open_graph(self.graph)

    def open_linker(self) -> SymptomLinker:
        """Return the linker of its symptoms."""
        return linker() if self.graph == EMBEDDED else _linker(self.open_graph())

    def mentions(self, question: str) -> tuple[str, ...]:
        """Return the ids of the symptoms that a question mentions, each once, in its order.

        As in the paper, extraction does not tell whether a symptom is present, absent, past or
        someone else's: that is for the agent to read.

        Raises:
            TaskError: If there is none, so that no walk can begin.
        """
        found = _mentions(self, question)
        if not found:
            raise TaskError(
                f"the question mentions no symptom of the graph {self.graph!r}: {question!r:.200}"
            )
        return found

    def explore(
        self,
        layer: Layer,
        sources: Sequence[str],
        symptoms: Sequence[str],
        known: Collection[str],
        random: Random,
    ) -> list[str]:
        """Return the candidates of a step, as `explored_from` does."""
        graph = self.open_graph()
        return explored_from(graph, layer, sources, symptoms, known, self.explored, random)


def explored_from(
    graph: SymptomGraph,
    layer: Layer,
    sources: Sequence[str],
    symptoms: Sequence[str],
    known: Collection[str],
    most: int,
    random: Random,
) -> list[str]:
    """Return the candidates of a step: first-order neighbours, capped, in a drawn order.

    Where there are more than the cap, those beside most symptoms of the subgraph are kept (for
    symptoms and disciplines: beside most sources), ties by lot.

    Args:
        graph: The graph.
        layer: The step.
        sources: Ids of the nodes from which it is explored.
        symptoms: Ids of the symptoms of the subgraph.
        known: Ids of nodes of the subgraph that stay candidates.
        most: The cap.
        random: The source of randomness.
    """
    places, counts = graph.places_beside(sources, layer.kind)
    if known:
        more = np.setdiff1d(graph.places(known), places)
        places = np.concatenate([places, more])
        counts = np.concatenate([counts, np.zeros(len(more), dtype=np.int64)])
    if len(places) > most:
        if layer.kind == "disease" and layer.via != "symptom":
            counts = _counts_of(places, *graph.places_beside(symptoms, "disease"))
        lots = np.random.default_rng(random.getrandbits(64)).random(len(places))
        places = places[np.lexsort((lots, -counts))[:most]]
    keys = [graph.nodes[place].id for place in places.tolist()]
    random.shuffle(keys)
    return keys


def _counts_of(
    wanted: NDArray[np.int64], places: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the counts of some places, 0 for those that have none; the others are ascending."""
    if not len(places):
        return np.zeros(len(wanted), dtype=np.int64)
    at = np.searchsorted(places, wanted).clip(0, len(places) - 1)
    found: NDArray[np.int64] = np.where(places[at] == wanted, counts[at], 0)
    return found


@lru_cache(maxsize=4)
def _linker(graph: SymptomGraph) -> SymptomLinker:
    return linker_of(graph)


@lru_cache(maxsize=4096)
def _mentions(rules: WalkRules, question: str) -> tuple[str, ...]:
    links = rules.open_linker().link(question)
    return tuple(dict.fromkeys(link.record.id for link in links))
