"""A typed graph of symptoms, diseases and disciplines, with fast access to neighbours.

A relation is a triple (head, relation, tail). The outgoing and incoming relations of a node are in
one CSR table, sorted by relation and neighbour, so the neighbours of a node are one slice.

Source:
    KACR paper, section 2 (entities, relations, triples) and appendix F (the three types).
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.names import at_least_one, suggest
from gym_clinic.retrieval.scored import Scored

NodeKind = Literal["symptom", "disease", "discipline"]
KINDS: tuple[NodeKind, ...] = get_args(NodeKind)

RELATED = "related_to"
"""Between a symptom and a disease."""

BELONGS = "belongs_to_discipline"
"""From a disease to its discipline."""

SPARSE = 8
"""Neighbours are counted by sorting them where they are fewer than a part of this of all nodes."""

MOST_RELATIONS = 16_000
"""Most types of relations in a graph; the UMLS has about a thousand."""


@dataclass(frozen=True)
class Node:
    """An entity.

    Attributes:
        id: Unique in the graph: a slug, an HPO id, a CUI.
        kind: "symptom", "disease" or "discipline".
        name: Preferred name.
        synonyms: Other names.
    """

    id: str
    kind: NodeKind
    name: str
    synonyms: tuple[str, ...] = ()


class Relation(NamedTuple):
    """A triple.

    Attributes:
        head: Id of its first node.
        relation: Its type.
        tail: Id of its second node.
    """

    head: str
    relation: str
    tail: str


@dataclass(frozen=True)
class Neighbour(Scored[Node]):
    """A neighbour of a node.

    Attributes:
        record: The neighbour.
        score: 1, as relations have no weights.
        how: Type of the relation.
        forward: Whether the neighbour is the tail of the relation.
    """

    forward: bool = True


class SymptomGraph:
    """The graph; it never changes, so any number of threads may use it.

    Attributes:
        nodes: Every node, sorted by id.
        relations: Types of relations, sorted.
        starts: Start of the neighbours of each node, shape (nodes + 1,).
        neighbour: Their positions in ``nodes``, shape (2 relations,).
        step: Twice the position of the relation in ``relations``, plus one if it is outgoing;
            shape (2 relations,).
    """

    def __init__(
        self,
        nodes: tuple[Node, ...],
        relations: tuple[str, ...],
        starts: NDArray[np.int64],
        neighbour: NDArray[np.int32],
        step: NDArray[np.int16],
    ) -> None:
        """Store the arrays; :meth:`build` computes them."""
        self.nodes = nodes
        self.relations = relations
        self.starts = starts
        self.neighbour = neighbour
        self.step = step
        self._places = {node.id: place for place, node in enumerate(nodes)}
        self._kinds = np.array([KINDS.index(node.kind) for node in nodes], dtype=np.int8)
        self._steps = [(name, forward) for name in relations for forward in (False, True)]

    @classmethod
    def build(cls, nodes: Iterable[Node], relations: Iterable[Relation]) -> SymptomGraph:
        """Build a graph.

        Duplicate relations are merged. A relation of a node with itself is an error.

        Raises:
            TaskError: If an id is duplicate, a kind is unknown, or a relation names no node.
        """
        found = tuple(sorted(nodes, key=lambda node: node.id))
        for node in found:
            if node.kind not in KINDS:
                raise TaskError(f"node {node.id!r}: kind {node.kind!r}; choose from {list(KINDS)}")
        for first, second in itertools.pairwise(found):
            if first.id == second.id:
                raise TaskError(f"duplicate node {first.id!r}; expected one of each id")
        places = {node.id: place for place, node in enumerate(found)}
        # One pass turns ids and names into numbers in arrays, which numpy sorts.
        numbers: dict[str, int] = {}
        heads, kinds, tails = array("q"), array("q"), array("q")
        for head, name, tail in relations:
            source, target = places.get(head), places.get(tail)
            if source is None or target is None:
                missing = head if source is None else tail
                raise TaskError(f"{head!r} {name} {tail!r}: no node {missing!r}")
            if source == target:
                raise TaskError(f"{head!r} {name} {tail!r}: a relation of a node with itself")
            heads.append(source)
            kinds.append(numbers.setdefault(name, len(numbers)))
            tails.append(target)
        names = tuple(sorted(numbers))
        if len(names) > MOST_RELATIONS:
            raise TaskError(f"{len(names):,} types of relations; at most {MOST_RELATIONS:,}")
        sorted_places = {name: place for place, name in enumerate(names)}
        steps = np.array([2 * sorted_places[name] for name in numbers], dtype=np.int64)
        triples = np.array([heads, steps[kinds] + 1, tails], dtype=np.int64)
        both = np.concatenate([triples, triples[::-1] - [[0], [1], [0]]], axis=1)
        both = both[:, np.lexsort(both[::-1])]
        # Merge duplicate relations.
        both = both[:, np.r_[True, (both[:, 1:] != both[:, :-1]).any(axis=0)][: both.shape[1]]]
        starts = np.searchsorted(both[0], np.arange(len(found) + 1))
        return cls(
            found,
            names,
            starts.astype(np.int64),
            both[2].astype(np.int32),
            both[1].astype(np.int16),
        )

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.nodes)

    def __contains__(self, key: object) -> bool:
        """Return whether there is a node with this id."""
        return key in self._places

    def node(self, key: str) -> Node:
        """Return the node with an id.

        Raises:
            ConfigError: If there is none.
        """
        return self.nodes[self._place(key)]

    def of_kind(self, kind: NodeKind) -> tuple[Node, ...]:
        """Return the nodes of a kind, sorted by id."""
        _check_kind(kind)
        return tuple(node for node in self.nodes if node.kind == kind)

    def neighbours(
        self,
        key: str,
        *,
        relation: str | None = None,
        kind: NodeKind | None = None,
        limit: int | None = None,
    ) -> list[Neighbour]:
        """Return the neighbours of a node by relation, incoming ones first, then by id.

        Args:
            key: Id of the node.
            relation: Only those by this relation.
            kind: Only those of this kind.
            limit: Most neighbours to return; all by default.

        Raises:
            ConfigError: If there is no such node, relation or kind, or the limit is below 1.
        """
        span = self._span(key, relation)
        nodes, steps = self.nodes, self._steps
        beside: Iterator[tuple[int, int]] = zip(
            self.neighbour[span].tolist(), self.step[span].tolist(), strict=True
        )
        if kind is not None:
            _check_kind(kind)
            beside = ((other, step) for other, step in beside if nodes[other].kind == kind)
        if limit is not None:
            beside = itertools.islice(beside, at_least_one("limit", limit))
        return [Neighbour(nodes[other], 1.0, *steps[step]) for other, step in beside]

    def degree(self, key: str, *, relation: str | None = None, kind: NodeKind | None = None) -> int:
        """Return the number of relations of a node in both directions; arguments as above."""
        if kind is not None:
            return len(self.neighbours(key, relation=relation, kind=kind))
        span = self._span(key, relation)
        return int(span.stop - span.start)

    def beside(self, keys: Iterable[str], kind: NodeKind) -> dict[str, int]:
        """Return the nodes of a kind beside any of some nodes, by all relations.

        Args:
            keys: Ids of the nodes.
            kind: Kind of the neighbours.

        Returns:
            Id -> how many of the nodes it is beside, in the order of the ids.

        Raises:
            ConfigError: If an id names no node, or there is no such kind.
        """
        places, counts = self.places_beside(keys, kind)
        nodes = self.nodes
        return {
            nodes[place].id: count
            for place, count in zip(places.tolist(), counts.tolist(), strict=True)
        }

    def places(self, keys: Iterable[str]) -> NDArray[np.int64]:
        """Return the positions in ``nodes`` of some nodes, ascending, each once.

        Raises:
            ConfigError: If an id names no node.
        """
        return np.unique(np.array([self._place(key) for key in keys], dtype=np.int64))

    def places_beside(
        self, keys: Iterable[str], kind: NodeKind
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return what :meth:`beside` does as arrays, in the time of numpy: hubs are no trap.

        Returns:
            Positions in ``nodes``, ascending, and how many of the nodes each is beside.
        """
        _check_kind(kind)
        sources = {self._place(key) for key in keys}
        parts = [self.neighbour[self.starts[place] : self.starts[place + 1]] for place in sources]
        # A node may be beside another by several relations, and then counts once.
        parts = [part if len(part) < 2 or (part[1:] > part[:-1]).all() else np.unique(part)
                 for part in parts]  # fmt: skip
        total = sum(map(len, parts))
        joined = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
        if total * SPARSE > len(self.nodes):
            every = np.bincount(joined, minlength=len(self.nodes))
            found = np.flatnonzero(every)
            counts = every[found]
        else:
            found, counts = np.unique(joined, return_counts=True)
        kept = self._kinds[found] == KINDS.index(kind)
        return found[kept].astype(np.int64), counts[kept].astype(np.int64)

    def triples(self) -> Iterator[Relation]:
        """Yield every relation once, ordered by head, relation and tail."""
        for place, node in enumerate(self.nodes):
            start, end = self.starts[place], self.starts[place + 1]
            for other, step in zip(
                self.neighbour[start:end].tolist(), self.step[start:end].tolist(), strict=True
            ):
                name, forward = self._steps[step]
                if forward:
                    yield Relation(node.id, name, self.nodes[other].id)

    def among(self, keys: Iterable[str]) -> tuple[tuple[Node, ...], tuple[Relation, ...]]:
        """Return the nodes with these ids and the relations among them.

        Raises:
            ConfigError: If an id names no node.
        """
        places = {self._place(key) for key in keys}
        found = [self.nodes[place] for place in sorted(places)]
        inside = []
        for place in sorted(places):
            slots = slice(int(self.starts[place]), int(self.starts[place + 1]))
            others = self.neighbour[slots].tolist()
            for other, step in zip(others, self.step[slots].tolist(), strict=True):
                name, forward = self._steps[step]
                if forward and other in places:
                    inside.append(Relation(self.nodes[place].id, name, self.nodes[other].id))
        return tuple(found), tuple(inside)

    def _place(self, key: str) -> int:
        try:
            return self._places[key]
        except (KeyError, TypeError):
            raise ConfigError(f"the graph has no node {key!r:.80}{self._hint(key)}") from None

    def _hint(self, key: object) -> str:
        """Return a suggestion if the key is the name of a node, not its id."""
        wanted = str(key).casefold()
        near = next((node for node in self.nodes if node.name.casefold() == wanted), None)
        return f"; did you mean {near.id!r}?" if near else ""

    def _span(self, key: str, relation: str | None) -> slice:
        """Return the slice of the neighbours of a node, by one relation or all."""
        place = self._place(key)
        start, end = self.starts[place], self.starts[place + 1]
        if relation is None:
            return slice(start, end)
        if relation not in self.relations:
            raise ConfigError(f"no relation {relation!r}; {suggest(relation, self.relations)}")
        first = 2 * self.relations.index(relation)
        return slice(*(start + np.searchsorted(self.step[start:end], (first, first + 2))))


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise ConfigError(f"unknown kind {kind!r}; choose from {list(KINDS)}")


def as_kind(text: str) -> NodeKind:
    """Check a kind that was read from a file.

    Raises:
        ValueError: If there is no such kind.
    """
    if text not in KINDS:
        raise ValueError(f"kind {text!r} is unknown; choose from {list(KINDS)}")
    return text
