"""Which answers the simulated specialists give.

How many are right is drawn by the task's level. Which wrong answers are given follows habits of the
department: for each right and each wrong answer a weight, its matrix of confusions. Errors are
correlated: a further wrong specialist often repeats the first wrong answer. Who is right is
shuffled, so that the place in the panel says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random

MEMBERS = 3
"""Specialists of a panel (the paper: e = 3)."""

ONE_RIGHT = 0.6
"""Share of medium tasks with one right specialist of three."""

HABIT = 0.7
"""Standard deviation of the logarithm of a habit."""

REPEATS = 0.6
"""How often a further wrong specialist repeats the first wrong answer."""


def habit(department: str, right: str, wrong: str) -> float:
    """Return the weight with which a department takes one answer for another; a table by hash.

    Args:
        department: Name of the department.
        right: Text of the right answer.
        wrong: Text of the wrong one.
    """
    return math.exp(HABIT * Random(f"habit:{department}:{right}:{wrong}").gauss(0.0, 1.0))


def draw_votes(
    options: Mapping[str, str], gold: str, rights: int, department: str, random: Random
) -> list[str]:
    """Return the label that each specialist of the right department answers.

    Args:
        options: Label -> text.
        gold: Label of the right answer.
        rights: How many are right, 0 to all.
        department: Name of the department, for its habits.
        random: The source of randomness.
    """
    wrong = [label for label in options if label != gold]
    weights = [habit(department, options[gold], options[label]) for label in wrong]
    votes = [gold] * rights
    (first,) = random.choices(wrong, weights)
    for number in range(MEMBERS - rights):
        repeats = number == 0 or random.random() < REPEATS
        votes += [first] if repeats else random.choices(wrong, weights)
    random.shuffle(votes)
    return votes


def outside_votes(labels: Sequence[str], random: Random) -> list[str]:
    """Return the answers of a department that knows nothing of such images: drawn blindly.

    They repeat one another as often as those who know do, so that agreement does not tell them.
    """
    first = random.choice(labels)
    return [first if random.random() < REPEATS else random.choice(labels) for _ in range(MEMBERS)]


def rights_of(level: str, random: Random) -> int:
    """Return how many specialists are right in a task of a level."""
    if level == "medium":
        return 1 if random.random() < ONE_RIGHT else 2
    return MEMBERS if level == "easy" else 0
