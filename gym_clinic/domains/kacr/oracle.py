"""The walk of a perfect agent, which knows the right disciplines."""

from __future__ import annotations

from collections.abc import Collection

from gym_clinic.domains.kacr.labels import DisciplineLabels
from gym_clinic.domains.kacr.rules import WalkRules
from gym_clinic.domains.kacr.walk import WalkCase
from gym_clinic.episode import Task


def best_walk(task: Task, rules: WalkRules, right: Collection[str]) -> list[list[str]]:
    """Return the names to select in each step.

    Symptoms that lead to a disease of a right discipline come first, then such diseases, the
    disease of the case before others, then the right disciplines.

    Args:
        task: The task.
        rules: The rules of the walk.
        right: Ids of the right disciplines.
    """
    case, graph = WalkCase(task, rules), rules.open_graph()
    diseases = set(graph.beside([key for key in right if key in graph], "disease"))
    own = {str(task.gold.get("condition")), str(task.gold.get("second"))}
    walk: list[list[str]] = []
    while case.layer is not None and case.candidates:
        kind = case.layer.kind
        if kind == "discipline":
            value = {key: float(key in right) for key in case.candidates}
        elif kind == "disease":
            value = {key: (key in diseases) + 2.0 * (key in own) for key in case.candidates}
        else:
            value = {
                key: len(diseases.intersection(near)) / max(len(near), 1) + 2.0 * bool(own & near)
                for key in case.candidates
                for near in [set(graph.beside([key], "disease"))]
            }
        ranked = sorted(case.candidates, key=lambda key: (-value[key], key))
        chosen = [key for key in ranked if value[key] > 0][: rules.most(kind)] or ranked[:1]
        case.begin_message()
        case.select(chosen)
        walk.append([case.node(key).name for key in chosen])
    return walk


def reaches(task: Task, rules: WalkRules) -> bool:
    """Whether the perfect agent selects a right discipline in every step on disciplines."""
    right = DisciplineLabels(rules)(task)
    graph = rules.open_graph()
    names = {graph.node(key).name for key in right}
    walk = best_walk(task, rules, right)
    steps = [chosen for layer, chosen in zip(rules.layers, walk, strict=False)
             if layer.kind == "discipline"]  # fmt: skip
    return len(steps) == rules.iterations and all(not names.isdisjoint(step) for step in steps)
