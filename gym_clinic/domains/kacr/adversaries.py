"""Cheap tricks on the walk, which select without reading the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random
from typing import Any

from gym_clinic.domains.kacr.reading import Chooser, HasDialect, Step, Walker
from gym_clinic.embedded import graph


@lru_cache(maxsize=1)
def _most_diseases() -> Mapping[str, int]:
    """Name of a discipline -> its number of diseases in the embedded graph."""
    count: Counter[str] = Counter()
    for node in graph().of_kind("discipline"):
        count[node.name] = graph().degree(node.id)
    return count


def echo(step: Step) -> list[str]:
    """Repeat the candidates in the order shown, as many as are allowed."""
    return list(step.candidates)


def last_shown(step: Step) -> list[str]:
    """Repeat the candidates from the last on."""
    return list(reversed(step.candidates))


def largest_disciplines(step: Step) -> list[str]:
    """Select the disciplines with most diseases, and other candidates as shown."""
    if step.kind != "discipline":
        return list(step.candidates)
    return sorted(step.candidates, key=lambda name: (-_most_diseases().get(name, 0), name))


def alphabetical(step: Step) -> list[str]:
    """Select the first candidates by the alphabet."""
    return sorted(step.candidates)


def _adversary(choose: Chooser) -> Callable[[HasDialect], Callable[[int], Walker]]:
    return lambda env: lambda seed: Walker(lambda: choose, env.dialect)


def at_random(env: HasDialect) -> Callable[[int], Walker]:
    """Make an agent that selects as many candidates as allowed, at random."""

    def make(seed: int) -> Walker:
        random = Random(f"kacr:{seed}")
        return Walker(lambda: lambda step: random.sample(step.candidates, len(step.candidates)),
                      env.dialect)  # fmt: skip

    return make


ADVERSARIES: Mapping[str, Callable[..., Any]] = {
    "select-all": at_random,
    "echo-candidates": _adversary(echo),
    "last-candidates": _adversary(last_shown),
    "largest-disciplines": _adversary(largest_disciplines),
    "alphabetical": _adversary(alphabetical),
}
"""Tricks without reading; measured at K = 1."""
