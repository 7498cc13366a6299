"""A domain whose info holds a graph for a value model, and ones that break its contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tiny_domain import DRUGS, INTERACTIONS

from gym_clinic import Domain, Episode

MAX_TURNS = INTERACTIONS.max_turns


def graph(episode: Episode) -> dict[str, Any]:
    """Return the drugs of the chart, which of them was checked, and the pairs that were."""
    checked = [call.arguments for call in episode.calls if call.name == "check_interaction"]
    pairs = [(call.get("drug_a"), call.get("drug_b")) for call in checked]
    known = [pair for pair in pairs if set(pair) <= set(DRUGS)]
    named = {drug for pair in known for drug in pair}
    return {
        "graph": {
            "nodes": tuple((1.0, float(drug in named)) for drug in DRUGS),
            "edges": {"checked": [[DRUGS.index(a), DRUGS.index(b)] for a, b in known]},
            "turns_left": MAX_TURNS - len(episode.turns),
        }
    }


def _with(info: Callable[[Episode], Any], name: str = "graphs") -> Domain:
    return replace(INTERACTIONS, name=name, info=info)


SHARED: dict[str, Any] = {"graph": {"nodes": [[1.0, 0.0]], "edges": {}, "turns_left": 1}}

GRAPHS = _with(graph)
PLAIN = _with(lambda episode: {"calls_so_far": len(episode.calls)}, "plain")
SHARING = _with(lambda episode: SHARED, "sharing")


def _reads(read: Callable[[Any], Any]) -> Callable[[Episode], Mapping[str, Any]]:
    return lambda episode: {"seen": str(read(episode.task.gold))}


GOLD_READERS = tuple(
    _with(_reads(read), "reader")
    for read in (
        lambda gold: gold["answer"],
        lambda gold: gold.get("answer"),
        lambda gold: dict(gold),
        lambda gold: len(gold),
        lambda gold: "answer" in gold,
    )
)
