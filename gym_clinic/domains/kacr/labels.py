"""The right disciplines of a task, as nodes of the graph that is walked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from gym_clinic.domains.kacr.rules import WalkRules
from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.names import suggest

ANNOTATORS = 3
"""Annotators of a question (section 4.1)."""


@dataclass(frozen=True)
class DisciplineLabels:
    """Returns the ids of the right disciplines of a task.

    Attributes:
        rules: The rules of the walk, for its graph.
        noise: How often each of three simulated annotators replaces a right discipline by another;
            the label is what two of them agree on.
    """

    rules: WalkRules
    noise: float = 0.0

    def __call__(self, task: Task) -> frozenset[str]:
        """Return the ids.

        Raises:
            TaskError: If the task names a discipline that the graph has not.
        """
        known = _disciplines(self.rules)
        right = []
        if not task.gold.get("disciplines"):
            raise TaskError(
                f"task {task.id!r} has no labelled disciplines; 'gym-clinic tasks import "
                "disciplines' joins a file of labels to a benchmark"
            )
        for name in task.gold["disciplines"]:
            if name.casefold() not in known:
                raise TaskError(
                    f"task {task.id!r}: the graph has no discipline {name!r}; "
                    f"{suggest(name, sorted(set(known)))}"
                )
            right.append(known[name.casefold()])
        return frozenset(self._annotated(task, right) if self.noise else right)

    def _annotated(self, task: Task, right: list[str]) -> list[str]:
        """Return what most of the simulated annotators mark; what the first does if none agree."""
        random = Random(f"annotators:{task.id}")
        every = sorted(set(_disciplines(self.rules).values()))
        marked: dict[str, int] = {}
        for _ in range(ANNOTATORS):
            for key in right:
                chosen = random.choice(every) if random.random() < self.noise else key
                marked[chosen] = marked.get(chosen, 0) + 1
        agreed = [key for key, count in marked.items() if 2 * count > ANNOTATORS]
        return agreed or list(marked)[:1]


@lru_cache(maxsize=8)
def _disciplines(rules: WalkRules) -> dict[str, str]:
    """Id or name of a discipline in small letters -> its id."""
    nodes = rules.open_graph().of_kind("discipline")
    return {text.casefold(): node.id for node in nodes
            for text in (*node.synonyms, node.name, node.id)}  # fmt: skip
