"""What the critic reads: a subgraph, a text, and which of the turns left can pay. No torch here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from gym_clinic.errors import ConfigError


class _Graph(TypedDict):
    nodes: Sequence[Sequence[float]]
    edges: Mapping[str, Sequence[Sequence[int]]]


class GraphState(_Graph, total=False):
    """A state of the walk as plain JSON, such as ``info["graph"]``.

    Attributes:
        nodes: Features of the nodes that were selected (N, features); there may be none.
        edges: Relation -> pairs (j, i) of positions in ``nodes``: i hears j. A relation that is
            to be heard both ways has both pairs.
        turns_left: Turns that are left, this one included.
        pays: Those of them that can pay, by how many turns from now they lie, 0 for this one; all
            of them, if it is missing.
        question: What was asked, for the text stream.
        answer: The option that is judged, in a consultation.
        rationale: Why it was chosen.
    """

    turns_left: int
    pays: Sequence[int]
    question: str
    answer: str
    rationale: str


def horizon(gamma: float, pays: Sequence[int]) -> float:
    """Return the largest return of the turns left, where a turn that can pay pays 1.

    The sum of gamma^k over the turns that can pay, k turns from now. If all of T - t + 1 can, this
    is (1 - gamma^(T - t + 1)) / (1 - gamma). The paper calls the output of its critic "a
    probability", but a return of nine turns goes up to 6.13, so the value is p times this.

    >>> round(horizon(0.9, range(9)), 6)
    6.125795
    >>> round(horizon(0.9, [2, 5, 8]), 6)
    1.830957
    """
    return float(sum(gamma**turn for turn in pays))


def paying(state: Mapping[str, Any]) -> Sequence[int]:
    """Return which of the turns left of a state can pay, by how many turns from now they lie.

    Raises:
        ConfigError: If ``pays`` names a turn that is not left.
    """
    left = int(state.get("turns_left", 0))
    pays: Sequence[int] = state.get("pays", range(left))
    if beyond := [turn for turn in pays if not 0 <= turn < left]:
        raise ConfigError(f"graph: pays names turn {beyond[0]}; turns_left={left}")
    return pays


def written(state: Mapping[str, Any]) -> str:
    """Return what the text stream reads: question, answer and rationale, a line each.

    The paper's network has a slot for the question alone, and its algorithm hands the critic the
    answer and the rationale too: they are read as one text.
    """
    parts = (str(state.get(name) or "") for name in ("question", "answer", "rationale"))
    return "\n".join(part for part in parts if part)


def check_state(state: Mapping[str, Any], features: int, relations: Sequence[str]) -> None:
    """Check that a critic of some shape can read a state.

    Raises:
        ConfigError: If it cannot; the error says what would be right.
    """
    for name in ("nodes", "edges"):
        if name not in state:
            raise ConfigError(f"graph: no {name!r}; it has {sorted(state)}")
    widths = {len(row) for row in state["nodes"]} - {features}
    if widths:
        raise ConfigError(
            f"graph: nodes of {sorted(widths)} features; the critic was made with "
            f"features={features}"
        )
    count = len(state["nodes"])
    for relation, pairs in state["edges"].items():
        if relation not in relations:
            raise ConfigError(f"graph: relation {relation!r}, the critic knows {list(relations)}")
        if any(not (0 <= end < count) for pair in pairs for end in pair):
            raise ConfigError(f"graph: {relation} has a pair beyond the {count} nodes")
