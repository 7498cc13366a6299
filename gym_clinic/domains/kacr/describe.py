"""What the agent reads: the question with its symptoms, and each step (prompt P_a)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gym_clinic.domains.kacr.rules import PLURAL
from gym_clinic.domains.kacr.walk import WalkCase
from gym_clinic.retrieval.graph import Subgraph

DESCRIPTIONS = ("full", "sets", "none")
"""Ways to describe the subgraph: as in appendix A, its sets alone, or not at all."""

SEPARATOR = ";"
"""Between names: commas occur within them."""

_SETS = "Node Sets:"


@lru_cache(maxsize=4)
def _prompt(name: str) -> str:
    file = Path(__file__).parent / "prompts" / f"{name}.md"
    return file.read_text(encoding="utf-8").strip()


def named(case: WalkCase, keys: tuple[str, ...] | list[str]) -> str:
    """Return the names of nodes in order."""
    graph = case.rules.open_graph()
    return f"{SEPARATOR} ".join(graph.node(key).name for key in keys)


def ticket(case: WalkCase) -> str:
    """Return the text that opens a walk: the background and the first step."""
    background = _prompt("background").format(
        question=case.question, symptoms=named(case, case.mentions)
    )
    return f"{background}\n\n{step(case)}"


def step(case: WalkCase) -> str:
    """Return the text of the step to be done; that the walk is over if there is none."""
    layer, rules = case.layer, case.rules
    if layer is None:
        return "The walk is over."
    return _prompt("step").format(
        turn=case.turn + 1,
        turns=len(rules.layers),
        layer=PLURAL[layer.kind],
        graph=graph_text(case),
        candidates=f"{{{named(case, case.candidates)}}}",
        most=rules.most(layer.kind),
    )


def graph_text(case: WalkCase) -> str:
    """Return the description of the subgraph."""
    if case.rules.description == "none":
        return "not shown"
    text = Subgraph.of(case.rules.open_graph(), case.subgraph()).text()
    return text if case.rules.description == "full" else text[text.index(_SETS) :]
